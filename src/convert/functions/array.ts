// Functions of arrays.
import { joinSql, sql } from '../../dialects/sql.ts';
import { jsonElements } from '../../dialects/json-path.ts';
import { seriesArray } from '../write/row-source.ts';
import { unified } from '../write/unify.ts';
import { condition, isNullable, text, value, type Value } from '../../dialects/value.ts';
import { byDialect, type Application, type Rule, type Rules } from '../../dialects/function.ts';

const array = (own: Value): Value => (own.type.kind === 'json' ? jsonElements(own) : own);

function keeping(name: string): Rule {
  return ({ arg }) => {
    const own = array(arg(0));
    return { sql: sql`${name}(${own.sql})`, type: own.type };
  };
}

const size: Rule = ({ arg }) => value('int', sql`length(${array(arg(0)).sql})`, false, { scale: 0 });

function split(application: Application): Value {
  const [own, by] = [application.arg(0), application.optional(1)];
  if (application.call.args.length > 2) return application.fail('split is converted with two arguments');
  const element = { kind: 'text', isNullable: false } as const;
  return value('array', sql`splitByString(${by?.sql ?? "','"}, ${text(own)})`, false, { element });
}

function joined({ arg, optional }: Application): Value {
  const own = array(arg(0));
  const isText = own.type.element?.kind === 'text';
  const strings = isText ? own.sql : sql`arrayMap(x -> toString(x), ${own.sql})`;
  const present =
    own.type.element?.isNullable === false
      ? strings
      : sql`arrayMap(x -> assumeNotNull(x), arrayFilter(x -> x IS NOT NULL, ${strings}))`;
  return value('text', sql`arrayStringConcat(${present}, ${optional(1)?.sql ?? "','"})`, false);
}

const element: Rule = ({ arg }) => {
  const own = array(arg(0));
  return {
    sql: sql`arrayElementOrNull(${own.sql}, ${arg(1).sql})`,
    type: { ...(own.type.element ?? { kind: 'unknown' }), isNullable: true },
  };
};

const contains: Rule = ({ arg, dialect }) => {
  // Snowflake's value comes first.
  const [own, item] = dialect === 'snowflake' ? [array(arg(1)), arg(0)] : [array(arg(0)), arg(1)];
  return condition(sql`has(${own.sql}, ${item.sql})`, isNullable(item));
};

export const ARRAY_FUNCTIONS: Rules = {
  cardinality: size,
  array_length: size,
  array_upper: size,
  split,
  string_to_array: split,
  regexp_split_to_array: ({ arg }) =>
    value('array', sql`splitByRegexp(${arg(1).sql}, ${arg(0).sql})`, false, {
      element: { kind: 'text', isNullable: false },
    }),
  array_join: joined,
  array_to_string: joined,
  element_at: element,
  array_contains: contains,
  array_construct: ({ all }) => {
    const { sqls, type } = unified(all());
    return value('array', sql`[${joinSql(sqls)}]`, false, { element: type });
  },
  array_sort: keeping('arraySort'),
  array_distinct: keeping('arrayDistinct'),
  array_reverse: keeping('arrayReverse'),
  array_concat: ({ all, arg }) => ({
    sql: sql`arrayConcat(${joinSql(all().map((each) => array(each).sql))})`,
    type: array(arg(0)).type,
  }),
  array_cat: ({ all, arg }) => ({
    sql: sql`arrayConcat(${joinSql(all().map((each) => array(each).sql))})`,
    type: array(arg(0)).type,
  }),
  sequence: ({ call, context }) => seriesArray(call, context),
  generate_array: ({ call, context }) => seriesArray(call, context),
  generate_date_array: ({ call, context }) => seriesArray(call, context),
  generate_series: ({ fail }) =>
    fail('generate_series in the select list is not converted', 'Use it in FROM.'),
  unnest: ({ fail }) => fail('unnest in the select list is not converted', 'Use it in FROM.'),
  transform: byDialect({
    trino: ({ arg }) =>
      value('array', sql`arrayMap(${arg(1).sql}, ${arg(0).sql})`, false, {
        element: { kind: arg(1).type.kind, isNullable: true },
      }),
  }),
  filter: byDialect({
    trino: ({ arg }) => ({ sql: sql`arrayFilter(${arg(1).sql}, ${arg(0).sql})`, type: arg(0).type }),
  }),
  any_match: ({ arg }) => condition(sql`arrayExists(${arg(1).sql}, ${arg(0).sql})`, false),
  all_match: ({ arg }) => condition(sql`arrayAll(${arg(1).sql}, ${arg(0).sql})`, false),
  none_match: ({ arg }) => condition(sql`NOT arrayExists(${arg(1).sql}, ${arg(0).sql})`, false),
};
