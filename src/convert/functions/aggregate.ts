// Aggregate functions. Over no rows, ClickHouse returns 0 or an empty string where other systems return NULL: the
// combinator OrNull restores that where there may be no rows.
import { joinSql, sql, type Sql } from '../../dialects/sql.ts';
import type { Call, Expression, Order } from '../../sql/syntax-tree.ts';
import { differs, note } from '../../dialects/context.ts';
import { roundHalfAway } from '../../dialects/rounding.ts';
import { caselessKey } from '../write/comparison.ts';
import { jsonText } from '../../dialects/json-path.ts';
import { float, isKind, loose, value, type Type, type Value } from '../../dialects/value.ts';
import { mayBeEmpty, overSql } from '../write/window.ts';
import type { Application } from '../../dialects/function.ts';
import { COLLECTING } from './collect.ts';

/** An aggregate call: its arguments, and how it is applied. */
export interface Aggregation {
  readonly application: Application;
  /** The condition of FILTER, as SQL. */
  readonly filter: Sql | undefined;
  /** There may be no rows, or none that pass the filter. */
  readonly isPartial: boolean;
  /** Writes a ClickHouse aggregate function with the combinators that the call needs. */
  readonly apply: (name: string, args: readonly Sql[], options?: ApplyOptions) => Sql;
}

interface ApplyOptions {
  readonly parameters?: string;
  /** The function returns NULL over no rows in the source. */
  readonly isNullOfNone?: boolean;
}

type AggregateRule = (aggregation: Aggregation) => Value;

/** Whether a call aggregates rows. */
export function isAggregate({ name, args }: Call): boolean {
  if ((name === 'max' || name === 'min') && args.length > 1) return false;
  return AGGREGATES.has(name);
}

/** Writes an aggregate function, also with OVER. */
export function writeAggregate(application: Application): Value {
  const { call, context } = application;
  const rule = AGGREGATES.get(call.name);
  if (rule === undefined) return application.fail(`The function ${call.name} is not converted`);
  const { over } = call;
  const filter = call.filter === undefined ? undefined : context.write(call.filter, context).sql;
  const isPartial =
    filter !== undefined || (over === undefined ? context.isUngrouped : mayBeEmpty(over, context));
  const suffix = over === undefined ? '' : sql` OVER ${overSql(over, context)}`;
  const apply: Aggregation['apply'] = (name, args, { parameters = '', isNullOfNone = true } = {}) => {
    const combined = `${name}${isPartial && isNullOfNone ? 'OrNull' : ''}${filter === undefined ? '' : 'If'}`;
    return sql`${combined}${parameters}(${joinSql([...args, ...(filter === undefined ? [] : [filter])])})${suffix}`;
  };
  return rule({ application, filter, isPartial, apply });
}

const counted = (sql: Sql): Value => value('int', sql, false, { scale: 0, isUnsigned: true });

function count({ application, apply }: Aggregation): Value {
  const { call, all, context, fail } = application;
  const none = { isNullOfNone: false };
  if (call.isStar || call.args.length === 0) return counted(apply('count', [], none));
  if (!call.isDistinct) {
    const [only] = all();
    return counted(
      only?.type.isNullable === false
        ? apply('count', [], none)
        : apply('count', [countable(only ?? value('null', 'NULL')).sql], none),
    );
  }
  if (call.over !== undefined) return fail('count(DISTINCT …) OVER is not converted');
  return counted(
    apply(
      'uniqExact',
      all().map((each) => caselessKey(countable(each), context).sql),
      none,
    ),
  );
}

const countable = (each: Value): Value => (each.type.kind === 'json' ? jsonText(each) : each);

/** Sums of small integers are integers, of large ones exact numbers, as in PostgreSQL. */
function sumType({ type }: Value, { dialect }: Application): Partial<Type> & Pick<Type, 'kind'> {
  if (type.kind === 'bool') return { kind: 'int', scale: 0 };
  if (type.kind !== 'int') return type;
  const staysInteger =
    type.bytes !== undefined || ['trino', 'sqlite', 'bigquery', 'snowflake'].includes(dialect);
  return staysInteger ? { kind: 'int', scale: 0 } : { kind: 'decimal', scale: 0 };
}

function numeric(application: Application, index: number): Value {
  const own = application.arg(index);
  if (own.type.kind === 'json') return application.fail('Cast the JSON value to a number first');
  if (own.type.kind === 'text')
    return application.fail(`${application.call.name} of strings is not converted`, 'Cast them to numbers.');
  return own;
}

function sum({ application, isPartial, apply }: Aggregation): Value {
  const own = numeric(application, 0);
  const { call } = application;
  const isNullableSum = own.type.isNullable || isPartial;
  const { kind, scale } = sumType(own, application);
  const distinct = call.isDistinct ? 'Distinct' : '';
  if (call.name === 'total')
    return value('float', sql`ifNull(${apply('sum', [sql`toFloat64(${own.sql})`])}, 0)`, false);
  return value(kind, apply(`sum${distinct}`, [own.sql]), isNullableSum, { scale });
}

function average({ application, isPartial, apply }: Aggregation): Value {
  const own = numeric(application, 0);
  const { dialect, call } = application;
  const { kind, scale } = own.type;
  const nullable = own.type.isNullable || isPartial;
  const distinct = call.isDistinct ? 'Distinct' : '';
  const built = apply(`avg${distinct}`, [own.sql]);
  const isExact = kind === 'int' || kind === 'decimal' || kind === 'numeric' || kind === 'bool';
  if (kind === 'seconds') return value('seconds', built, nullable);
  if (dialect === 'redshift' && kind === 'int')
    return value('int', sql`toInt64(trunc(${built}))`, nullable, { scale: 0 });
  if (dialect === 'trino' && kind === 'decimal' && scale !== undefined)
    return { ...roundHalfAway(value('numeric', built, nullable), scale) };
  const isMysql = dialect === 'mysql' || dialect === 'mariadb';
  if (isMysql && (isExact || kind === 'unknown'))
    return value('numeric', built, nullable, {
      scale: kind === 'bool' ? 4 : scale === undefined ? undefined : scale + 4,
    });
  const isFloat =
    !isExact || dialect === 'sqlite' || (kind === 'int' && (dialect === 'bigquery' || dialect === 'trino'));
  return value(isFloat ? (kind === 'unknown' ? 'unknown' : 'float') : 'numeric', built, nullable);
}

function extreme(name: 'min' | 'max'): AggregateRule {
  return ({ application, isPartial, apply }) => {
    const own = application.arg(0);
    if (own.type.kind === 'json') return application.fail(`${name} of JSON is not converted`);
    const type = { ...own.type, isNullable: own.type.isNullable || isPartial };
    const key = caselessKey(own, application.context);
    const { context, at } = application;
    const isOpen = own.type.kind === 'unknown' && context.shared.traits.ignoresCase;
    if (isOpen) differs(context, at, 'type_unknown', `The source compares strings in ${name} without case`);
    if (key.sql !== own.sql)
      return { sql: apply(name === 'min' ? 'argMin' : 'argMax', [own.sql, key.sql]), type };
    return { sql: apply(name, [own.sql]), type };
  };
}

/** A function of Float64 that returns NaN where the source returns NULL: for fewer than two values. */
function spread(name: 'stddevSamp' | 'varSamp' | 'stddevPop' | 'varPop'): AggregateRule {
  return ({ application, apply }) => {
    const argument = numeric(application, 0);
    const own = float(argument);
    const least = name.endsWith('Samp') ? 2 : 1;
    const { scale } = argument.type;
    const isRounded = application.dialect === 'mariadb' && argument.type.kind !== 'float';
    return value(
      isRounded ? 'numeric' : 'float',
      sql`if(${apply('count', [own], { isNullOfNone: false })} < ${String(least)}, NULL, ${apply(name, [own], { isNullOfNone: false })})`,
      true,
      isRounded ? { scale: scale === undefined ? undefined : scale + 4 } : {},
    );
  };
}

function all(name: 'min' | 'max'): AggregateRule {
  return ({ application, isPartial, apply }) => {
    const own = application.arg(0);
    return value('bool', sql`toBool(${apply(name, [own.sql])})`, own.type.isNullable || isPartial);
  };
}

function any({ application, isPartial, apply }: Aggregation): Value {
  const own = application.arg(0);
  const { having } = application.call;
  if (having !== undefined)
    return byExtreme(having.extreme === 'MAX' ? 'argMax' : 'argMin', {
      own,
      by: application.context.write(having.by, application.context),
      isPartial,
      apply,
    });
  return {
    sql: apply('any', [own.sql]),
    type: { ...own.type, isNullable: own.type.isNullable || isPartial },
  };
}

interface ByExtreme extends Pick<Aggregation, 'isPartial' | 'apply'> {
  readonly own: Value;
  readonly by: Value;
}

/** argMin and argMax skip rows whose value is NULL: those keep it inside a tuple. */
function byExtreme(name: 'argMin' | 'argMax', { own, by, isPartial, apply }: ByExtreme): Value {
  if (!own.type.isNullable)
    return { sql: apply(name, [own.sql, by.sql]), type: { ...own.type, isNullable: isPartial } };
  return {
    sql: sql`tupleElement(${apply(name, [sql`tuple(${own.sql})`, by.sql], { isNullOfNone: false })}, 1)`,
    type: own.type,
  };
}

function argExtreme(name: 'argMin' | 'argMax'): AggregateRule {
  return ({ application, isPartial, apply }) => {
    if (application.call.args.length > 2)
      return application.fail(`${application.call.name} with a count is not converted`);
    return byExtreme(name, { own: application.arg(0), by: application.arg(1), isPartial, apply });
  };
}

function countIf({ application, apply }: Aggregation): Value {
  const condition = application.arg(0);
  return value('int', apply('countIf', [condition.sql], { isNullOfNone: false }), false, { scale: 0 });
}

function approximate({ application, apply }: Aggregation): Value {
  note(application.context, 'note', {
    at: application.at,
    code: 'function',
    message: `${application.call.name} is an estimate in the source; it is converted to an exact count`,
  });
  return value('int', apply('uniqExact', [application.arg(0).sql], { isNullOfNone: false }), false, {
    scale: 0,
  });
}

/** The one key of WITHIN GROUP, or of an argument. */
function rankedBy(application: Application): {
  readonly own: Value;
  readonly isDescending: boolean;
  readonly fraction: Expression | undefined;
} {
  const { call, context, fail } = application;
  const orders: readonly Order[] = call.withinGroup ?? [];
  const [order, more] = orders;
  if (more !== undefined) return fail('Only one key is converted here');
  if (order !== undefined)
    return {
      own: context.write(order.value, context),
      isDescending: order.isDescending,
      fraction: call.args[0],
    };
  return { own: application.arg(0), isDescending: false, fraction: call.args[1] };
}

function fractionOf(
  application: Application,
  { isDescending, fraction }: { readonly isDescending: boolean; readonly fraction: Expression | undefined },
): number {
  if (fraction?.kind !== 'number')
    return application.fail('The fraction is converted only if it is a number');
  const level = Number(fraction.text);
  return isDescending ? Number((1 - level).toPrecision(12)) : level;
}

/** The value at a fraction, interpolated. */
function continuous({ application, apply }: Aggregation): Value {
  const ranked = rankedBy(application);
  const level = fractionOf(application, ranked);
  return value('float', apply('quantileExactInclusive', [toFloat(ranked.own)], { parameters: `(${level})` }));
}

const toFloat = (own: Value): Sql => (isKind(own, 'float', 'numeric') ? own.sql : sql`toFloat64(${own.sql})`);

function median({ application, apply }: Aggregation): Value {
  return value(
    'float',
    apply('quantileExactInclusive', [toFloat(numeric(application, 0))], { parameters: '(0.5)' }),
  );
}

/** The first value whose rank is at least the fraction. */
function discrete({ application, filter }: Aggregation): Value {
  const ranked = rankedBy(application);
  const { fail, call } = application;
  if (filter !== undefined || call.over !== undefined)
    return fail(`${call.name} is not converted with FILTER or OVER`);
  const level = fractionOf(application, ranked);
  const { own } = ranked;
  const index = sql`greatest(1, toUInt64(ceil(${String(level)} * count(${own.sql}))))`;
  if (ranked.isDescending) return fail('A descending order is not converted here');
  return {
    sql: sql`arrayElementOrNull(arraySort(groupArray(${own.sql})), ${index})`,
    type: { ...own.type, isNullable: true },
  };
}

function approximateQuantile(aggregation: Aggregation): Value {
  const { application } = aggregation;
  note(application.context, 'note', {
    at: application.at,
    code: 'function',
    message: `${application.call.name} is an estimate in the source; it is converted to the exact value`,
  });
  return discrete(aggregation);
}

/** `APPROX_QUANTILES(x, n)[OFFSET(i)]`: the reader of the element appends i. */
function quantiles({ application, apply }: Aggregation): Value {
  const [, parts, index] = application.call.args;
  if (parts?.kind !== 'number' || index?.kind !== 'number')
    return application.fail('approx_quantiles is converted only with OFFSET or ORDINAL');
  const own = application.arg(0);
  note(application.context, 'note', {
    at: application.at,
    code: 'function',
    message: 'approx_quantiles is an estimate in the source; it is converted to the exact value',
  });
  const level = Number(index.text) / Number(parts.text);
  return {
    sql: apply('quantileExactLow', [own.sql], { parameters: `(${level})` }),
    type: { ...own.type, isNullable: true },
  };
}

function pair(name: string): AggregateRule {
  return ({ application, apply }) =>
    value('float', apply(name, [float(application.arg(0)), float(application.arg(1))]));
}

function bits(name: string): AggregateRule {
  return ({ application, isPartial, apply }) => {
    const isMysql = application.dialect === 'mysql' || application.dialect === 'mariadb';
    const own = application.arg(0).sql;
    return isMysql
      ? value('int', apply(name, [sql`toUInt64(${own})`], { isNullOfNone: false }), false, { scale: 0 })
      : value('int', apply(name, [own]), application.arg(0).type.isNullable || isPartial, { scale: 0 });
  };
}

/** x / sum(x) OVER (…). */
function share({ application, apply }: Aggregation): Value {
  const own = application.arg(0);
  return loose('numeric', sql`${float(own)} / nullIf(toFloat64(${apply('sum', [own.sql])}), 0)`);
}

function grouping({ application }: Aggregation): Value {
  return value('int', sql`grouping(${joinSql(application.all().map(({ sql }) => sql))})`, false, {
    scale: 0,
  });
}

/** MySQL's standard deviations are those of the population. */
function byMysql(ofMysql: AggregateRule, others: AggregateRule): AggregateRule {
  return (aggregation) =>
    ['mysql', 'mariadb'].includes(aggregation.application.dialect)
      ? ofMysql(aggregation)
      : others(aggregation);
}

const AGGREGATES: ReadonlyMap<string, AggregateRule> = new Map<string, AggregateRule>([
  ['count', count],
  ['sum', sum],
  ['total', sum],
  ['avg', average],
  ['min', extreme('min')],
  ['max', extreme('max')],
  ['stddev', byMysql(spread('stddevPop'), spread('stddevSamp'))],
  ['std', spread('stddevPop')],
  ['stddev_samp', spread('stddevSamp')],
  ['stddev_pop', spread('stddevPop')],
  ['variance', byMysql(spread('varPop'), spread('varSamp'))],
  ['var_samp', spread('varSamp')],
  ['var_pop', spread('varPop')],
  ['bool_or', all('max')],
  ['bool_and', all('min')],
  ['every', all('min')],
  ['logical_or', all('max')],
  ['logical_and', all('min')],
  ['boolor_agg', all('max')],
  ['booland_agg', all('min')],
  ['any_value', any],
  ['arbitrary', any],
  ['count_if', countIf],
  ['countif', countIf],
  ['min_by', argExtreme('argMin')],
  ['max_by', argExtreme('argMax')],
  ['approx_distinct', approximate],
  ['approx_count_distinct', approximate],
  ['hll', approximate],
  ['percentile_cont', continuous],
  ['percentile_disc', discrete],
  ['median', median],
  ['approx_percentile', approximateQuantile],
  ['approx_quantiles', quantiles],
  ['corr', pair('corr')],
  ['covar_pop', pair('covarPop')],
  ['covar_samp', pair('covarSamp')],
  ['bit_and', bits('groupBitAnd')],
  ['bit_or', bits('groupBitOr')],
  ['bit_xor', bits('groupBitXor')],
  ['ratio_to_report', share],
  ['grouping', grouping],
  ...COLLECTING,
]);
