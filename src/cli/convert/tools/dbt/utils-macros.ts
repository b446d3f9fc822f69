// The macros of the package dbt_utils that write SQL from their arguments alone.
// Source: https://github.com/dbt-labs/dbt-utils
import type { TemplateDialect } from '../../placeholders/template.ts';
import { concatenated, dateAdd, dateDiff, hashed, nullableText, splitPart } from './cross-database-macros.ts';
import { quotedName, quotedText, type MacroCall, type WriteMacro } from './project-macros.ts';

/** Keys of rows: the hash of their columns as text. */
function surrogateKey(absent: string): WriteMacro {
  return ({ dialect, list }) => {
    const fields = list(0, 'field_list').map(
      (field) => `coalesce(cast(${field} as ${nullableText(dialect)}), '${absent}')`,
    );
    return hashed(
      concatenated(
        fields.flatMap((field, index) => (index === 0 ? [field] : ["'-'", field])),
        dialect,
      ),
      dialect,
    );
  };
}

/** The columns are known when dbt runs: all of them, if nothing is left out or renamed. */
function star({ dialect, text, list, flag, has }: MacroCall): string | undefined {
  text(0, 'from');
  const alias = has(1, 'relation_alias') ? text(1, 'relation_alias', '') : '';
  const except = list(2, 'except', []);
  const isRenamed = text(3, 'prefix', '') !== '' || text(4, 'suffix', '') !== '' || has(7, 'rename');
  if (isRenamed || flag(6, 'unquote_aliases', false)) return undefined;
  const all = alias === '' ? '*' : `${alias}.*`;
  if (except.length === 0) return all;
  const word = LEFT_OUT[dialect];
  return word && `${all} ${word} (${except.join(', ')})`;
}

const LEFT_OUT: Readonly<Partial<Record<TemplateDialect, string>>> = {
  clickhouse: 'EXCEPT',
  bigquery: 'except',
  snowflake: 'exclude',
  redshift: 'exclude',
};

function pivot({ dialect, text, list, flag }: MacroCall): string {
  const [column, values] = [text(0, 'column'), list(1, 'values')];
  const [aggregate, compare] = [text(3, 'agg', 'sum'), text(4, 'cmp', '=')];
  const [prefix, suffix] = [text(5, 'prefix', ''), text(6, 'suffix', '')];
  const [then, otherwise] = [text(7, 'then_value', '1'), text(8, 'else_value', '0')];
  const distinct = flag(10, 'distinct', false) ? 'distinct ' : '';
  const nameOf = (value: string): string => {
    if (!flag(2, 'alias', true)) return '';
    const name = prefix + value + suffix;
    return ` as ${flag(9, 'quote_identifiers', true) ? quotedName(name, dialect) : slugified(name)}`;
  };
  const columns = values.map((value) => {
    const literal = quotedText(value, dialect);
    return `${aggregate}(${distinct}case when ${column} ${compare} ${literal} then ${then} else ${otherwise} end)${nameOf(value)}`;
  });
  return columns.join(',\n    ');
}

function slugified(text: string): string {
  return text
    .toLowerCase()
    .replace(/[ -]+/g, '_')
    .replace(/[^a-z0-9_]+/g, '')
    .replace(/^(?=\d)/, '_');
}

/** The numbers from 1 to a bound. */
function series(bound: string, dialect: TemplateDialect): string | undefined {
  switch (dialect) {
    case 'clickhouse':
      return `(select number + 1 as generated_number from numbers(toUInt64(greatest(${bound}, 0)))) as series`;
    case 'postgresql':
      return `generate_series(1, cast(${bound} as integer)) as series(generated_number)`;
    case 'bigquery':
      return `unnest(generate_array(1, ${bound})) as generated_number`;
    case 'snowflake':
    case 'redshift':
    case 'trino':
    case 'mysql':
    case 'mariadb':
    case 'sqlite':
      return undefined;
  }
}

/** The units from a start to before an end. */
function dateSpine({ dialect, text }: MacroCall): string | undefined {
  const [part, from, to] = [text(0, 'datepart'), text(1, 'start_date'), text(2, 'end_date')];
  const units = dateDiff(dialect, { from, to, part });
  const rows = units && series(units, dialect);
  const date = dateAdd(dialect, { part, count: 'generated_number - 1', from });
  return rows && date && `select ${date} as date_${part}\nfrom ${rows}`;
}

function deduplicate({ dialect, text }: MacroCall): string | undefined {
  const relation = text(0, 'relation');
  const [by, order] = [text(1, 'partition_by'), text(2, 'order_by')];
  switch (dialect) {
    case 'clickhouse':
    case 'snowflake':
    case 'redshift':
      return `select *\nfrom ${relation}\nqualify row_number() over (partition by ${by} order by ${order}) = 1`;
    case 'postgresql':
      return `select distinct on (${by}) *\nfrom ${relation}\norder by ${by}, ${order}`;
    case 'bigquery':
    case 'trino':
    case 'mysql':
    case 'mariadb':
    case 'sqlite':
      return undefined;
  }
}

const SCHEMES = ["'android-app://'", "'http://'", "'https://'"];

function withoutScheme(field: string): string {
  return SCHEMES.reduce((text, scheme) => `replace(${text}, ${scheme}, '')`, field);
}

function urlHost({ dialect, text }: MacroCall): string {
  const host = splitPart(dialect, {
    text: withoutScheme(text(0, 'field')),
    delimiter: "'/'",
    part: 1,
  });
  return splitPart(dialect, { text: host, delimiter: "'?'", part: 1 });
}

function urlParameter({ dialect, text }: MacroCall): string {
  const after = splitPart(dialect, {
    text: text(0, 'field'),
    delimiter: quotedText(`${text(1, 'url_parameter')}=`, dialect),
    part: 2,
  });
  return `nullif(${splitPart(dialect, { text: after, delimiter: "'&'", part: 1 })}, '')`;
}

export const DBT_UTILS: Readonly<Record<string, WriteMacro>> = {
  generate_surrogate_key: surrogateKey('_dbt_utils_surrogate_key_null_'),
  surrogate_key: surrogateKey(''),
  star,
  pivot,
  group_by: ({ text }) => {
    const count = Number(text(0, 'n'));
    if (!Number.isSafeInteger(count) || count < 1 || count > 1_000) return undefined;
    return `group by ${Array.from({ length: count }, (_, index) => index + 1).join(', ')}`;
  },
  safe_divide: ({ text }) => `(${text(0, 'numerator')}) / nullif((${text(1, 'denominator')}), 0)`,
  safe_add: ({ list }) => list(0, 'field_list').map(orZero).join(' + '),
  safe_subtract: ({ list }) => list(0, 'field_list').map(orZero).join(' - '),
  slugify: ({ text }) => slugified(text(0, 'string')),
  generate_series: ({ dialect, text }) => {
    const rows = series(text(0, 'upper_bound'), dialect);
    return rows && `select generated_number from ${rows}`;
  },
  date_spine: dateSpine,
  deduplicate,
  get_url_host: urlHost,
  get_url_parameter: urlParameter,
};

function orZero(field: string): string {
  return `coalesce(${field}, 0)`;
}

/** Why other macros of the package cannot be written without the database. */
export const ASKS_DATABASE: Readonly<Record<string, string>> = {
  union_relations: 'lists the columns of its tables',
  unpivot: 'lists the columns of its table',
  star: 'lists the columns of its table',
  get_column_values: 'reads the values of a column',
  get_filtered_columns_in_relation: 'lists the columns of its table',
  get_relations_by_prefix: 'lists the tables of the database',
  get_relations_by_pattern: 'lists the tables of the database',
  get_single_value: 'runs a query',
  get_query_results_as_dict: 'runs a query',
};
