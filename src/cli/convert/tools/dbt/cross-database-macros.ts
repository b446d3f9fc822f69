// The macros of dbt that write the same expression for each database: `dbt.dateadd('day', 1, 'at')`.
// Source: https://docs.getdbt.com/reference/dbt-jinja-functions/cross-database-macros
import type { TemplateDialect } from '../../placeholders/template.ts';
import { quotedText, type WriteMacro } from './project-macros.ts';

/** Names of types by the dialect; others have the one of `standard`. */
type TypeNames = Readonly<Partial<Record<TemplateDialect, string>>> & { readonly standard: string };

function typeName({ standard, ...names }: TypeNames): WriteMacro {
  return ({ dialect }) => names[dialect] ?? standard;
}

const STRING: TypeNames = {
  clickhouse: 'String',
  bigquery: 'string',
  postgresql: 'text',
  mysql: 'char',
  mariadb: 'char',
  sqlite: 'text',
  standard: 'varchar',
};

const TYPES: Readonly<Record<string, WriteMacro>> = {
  type_string: typeName(STRING),
  type_timestamp: typeName({
    clickhouse: 'DateTime',
    snowflake: 'timestamp_ntz',
    mysql: 'datetime',
    mariadb: 'datetime',
    standard: 'timestamp',
  }),
  type_int: typeName({ clickhouse: 'Int32', bigquery: 'int64', standard: 'integer' }),
  type_bigint: typeName({ clickhouse: 'Int64', bigquery: 'int64', standard: 'bigint' }),
  type_float: typeName({ clickhouse: 'Float32', bigquery: 'float64', trino: 'double', standard: 'float' }),
  type_numeric: typeName({
    clickhouse: 'Decimal(28, 6)',
    bigquery: 'numeric',
    trino: 'decimal(28, 6)',
    standard: 'numeric(28, 6)',
  }),
  type_boolean: typeName({ clickhouse: 'Bool', bigquery: 'bool', standard: 'boolean' }),
};

/** The name of a type in casts of values that can be NULL. */
export function nullableText(dialect: TemplateDialect): string {
  return dialect === 'clickhouse' ? 'Nullable(String)' : (STRING[dialect] ?? STRING.standard);
}

export function dateAdd(
  dialect: TemplateDialect,
  { part, count, from }: { readonly part: string; readonly count: string; readonly from: string },
): string | undefined {
  if (!/^\w+$/.test(part)) return undefined;
  switch (dialect) {
    case 'clickhouse':
      return `date_add(${part}, ${count}, ${from})`;
    case 'snowflake':
    case 'redshift':
      return `dateadd(${part}, ${count}, ${from})`;
    case 'bigquery':
      return `datetime_add(cast(${from} as datetime), interval ${count} ${part})`;
    case 'postgresql':
      return `${from} + (interval '1 ${part}' * (${count}))`;
    case 'trino':
      return `date_add('${part}', ${count}, ${from})`;
    case 'mysql':
    case 'mariadb':
    case 'sqlite':
      return undefined;
  }
}

export function dateDiff(
  dialect: TemplateDialect,
  { from, to, part }: { readonly from: string; readonly to: string; readonly part: string },
): string | undefined {
  if (!/^\w+$/.test(part)) return undefined;
  switch (dialect) {
    case 'clickhouse':
      return `dateDiff('${part}', ${from}, ${to})`;
    case 'snowflake':
    case 'redshift':
      return `datediff(${part}, ${from}, ${to})`;
    case 'bigquery':
      return `datetime_diff(cast(${to} as datetime), cast(${from} as datetime), ${part})`;
    case 'trino':
      return `date_diff('${part}', ${from}, ${to})`;
    case 'postgresql':
      return postgresDiff(from, to, part);
    case 'mysql':
    case 'mariadb':
    case 'sqlite':
      return undefined;
  }
}

/** As dbt writes it: the number of borders between units. */
function postgresDiff(from: string, to: string, part: string): string | undefined {
  const of = (unit: string): string =>
    `(date_part('${unit}', (${to})::timestamp) - date_part('${unit}', (${from})::timestamp))`;
  const days = `((${to})::date - (${from})::date)`;
  switch (part.toLowerCase()) {
    case 'year':
      return of('year');
    case 'quarter':
      return `(${of('year')} * 4 + ${of('quarter')})`;
    case 'month':
      return `(${of('year')} * 12 + ${of('month')})`;
    case 'day':
      return days;
    case 'hour':
      return `(${days} * 24 + ${of('hour')})`;
    case 'minute':
      return `((${days} * 24 + ${of('hour')}) * 60 + ${of('minute')})`;
    default:
      return undefined;
  }
}

function dateTrunc(dialect: TemplateDialect, part: string, date: string): string {
  return dialect === 'bigquery'
    ? `timestamp_trunc(cast(${date} as timestamp), ${part})`
    : `date_trunc('${part}', ${date})`;
}

export function concatenated(parts: readonly string[], dialect: TemplateDialect): string {
  const hasFunction = ['bigquery', 'clickhouse', 'mysql', 'mariadb'].includes(dialect);
  return hasFunction && parts.length > 1 ? `concat(${parts.join(', ')})` : parts.join(' || ');
}

export function hashed(text: string, dialect: TemplateDialect): string | undefined {
  switch (dialect) {
    case 'clickhouse':
      return `lower(hex(MD5(toString(${text}))))`;
    case 'bigquery':
      return `to_hex(md5(cast(${text} as string)))`;
    case 'trino':
    case 'sqlite':
      return undefined;
    case 'postgresql':
    case 'redshift':
    case 'snowflake':
    case 'mysql':
    case 'mariadb':
      return `md5(cast(${text} as ${STRING[dialect] ?? STRING.standard}))`;
  }
}

export function splitPart(
  dialect: TemplateDialect,
  { text, delimiter, part }: { readonly text: string; readonly delimiter: string; readonly part: number },
): string {
  if (dialect === 'clickhouse') return `splitByString(${delimiter}, ${text})[${part}]`;
  return dialect === 'bigquery'
    ? `split(${text}, ${delimiter})[safe_offset(${part - 1})]`
    : `split_part(${text}, ${delimiter}, ${part})`;
}

const NOW: Readonly<Partial<Record<TemplateDialect, string>>> = {
  clickhouse: 'now()',
  postgresql: 'now()',
  redshift: 'getdate()',
  snowflake: "convert_timezone('UTC', current_timestamp())",
  bigquery: 'current_timestamp()',
  trino: 'current_timestamp',
};

const TIMES: Readonly<Record<string, WriteMacro>> = {
  dateadd: ({ dialect, text }) =>
    dateAdd(dialect, {
      part: text(0, 'datepart'),
      count: text(1, 'interval'),
      from: text(2, 'from_date_or_timestamp'),
    }),
  datediff: ({ dialect, text }) =>
    dateDiff(dialect, {
      from: text(0, 'first_date'),
      to: text(1, 'second_date'),
      part: text(2, 'datepart'),
    }),
  date_trunc: ({ dialect, text }) => dateTrunc(dialect, text(0, 'datepart'), text(1, 'date')),
  last_day: ({ dialect, text }) => {
    const part = text(1, 'datepart');
    const first = dateTrunc(dialect, part, text(0, 'date'));
    const next = dateAdd(dialect, { part, count: '1', from: first });
    const last = next && dateAdd(dialect, { part: 'day', count: '-1', from: next });
    return last && `cast(${last} as date)`;
  },
  current_timestamp: ({ dialect }) => NOW[dialect],
  current_timestamp_backcompat: ({ dialect }) =>
    ['postgresql', 'redshift', 'snowflake'].includes(dialect) ? 'current_timestamp::timestamp' : undefined,
};

const TEXTS: Readonly<Record<string, WriteMacro>> = {
  concat: ({ dialect, list }) => concatenated(list(0, 'fields'), dialect),
  hash: ({ dialect, text }) => hashed(text(0, 'field'), dialect),
  length: ({ text }) => `length(${text(0, 'expression')})`,
  replace: ({ text }) => `replace(${text(0, 'field')}, ${text(1, 'old_chars')}, ${text(2, 'new_chars')})`,
  right: ({ text }) => `right(${text(0, 'string_text')}, ${text(1, 'length_expression')})`,
  position: ({ dialect, text }) => {
    const [part, whole] = [text(0, 'substring_text'), text(1, 'string_text')];
    return dialect === 'bigquery' ? `strpos(${whole}, ${part})` : `position(${part} in ${whole})`;
  },
  split_part: ({ dialect, text }) => {
    const part = Number(text(2, 'part_number'));
    if (!Number.isSafeInteger(part) || part < 1) return undefined;
    return splitPart(dialect, { text: text(0, 'string_text'), delimiter: text(1, 'delimiter_text'), part });
  },
  string_literal: ({ dialect, text }) => quotedText(text(0, 'value'), dialect),
  escape_single_quotes: ({ dialect, text }) => quotedText(text(0, 'expression'), dialect).slice(1, -1),
  listagg: ({ dialect, text, has }) => {
    const [measure, delimiter] = [text(0, 'measure'), text(1, 'delimiter_text', "','")];
    const order = text(2, 'order_by_clause', '');
    if (has(3, 'limit_num')) return undefined;
    if (dialect === 'postgresql' || dialect === 'bigquery')
      return `string_agg(${measure}, ${delimiter} ${order})`;
    if (dialect !== 'snowflake' && dialect !== 'redshift') return undefined;
    return `listagg(${measure}, ${delimiter})${order === '' ? '' : ` within group (${order})`}`;
  },
};

export const CROSS_DATABASE: Readonly<Record<string, WriteMacro>> = {
  ...TYPES,
  ...TIMES,
  ...TEXTS,
  cast: ({ text }) => `cast(${text(0, 'field')} as ${text(1, 'type')})`,
  safe_cast: ({ dialect, text }) => {
    const [field, type] = [text(0, 'field'), text(1, 'type')];
    if (dialect === 'bigquery') return `safe_cast(${field} as ${type})`;
    if (dialect === 'snowflake' || dialect === 'trino') return `try_cast(${field} as ${type})`;
    return dialect === 'postgresql' || dialect === 'redshift' ? `cast(${field} as ${type})` : undefined;
  },
  any_value: ({ text }) => `any_value(${text(0, 'expression')})`,
  except: ({ dialect }) => (dialect === 'bigquery' ? 'except distinct' : 'except'),
  intersect: ({ dialect }) => (dialect === 'bigquery' ? 'intersect distinct' : 'intersect'),
};
