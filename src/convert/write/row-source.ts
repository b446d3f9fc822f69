// Functions and arrays in FROM: each is an array in ClickHouse, whose elements are the rows.
import { timeSeries } from '../../dialects/time/series.ts';
import { sql, type Sql } from '../../dialects/sql.ts';
import { quoteString } from '../../sql/literal.ts';
import type { Call, Expression, FromItem } from '../../sql/syntax-tree.ts';
import { unconverted, type Context as BaseContext } from '../../dialects/context.ts';
import type { Context } from './context.ts';
import { spansOf, type Span } from '../../dialects/time/interval.ts';
import { jsonAt, jsonElements, jsonPathSteps, placeSql } from '../../dialects/json-path.ts';
import { dateLiteral, parseTime, timestampLiteral } from '../../dialects/time/literal.ts';
import { isTime, operand, value, type Type, type Value } from '../../dialects/value.ts';

/** A column of the rows, written from one element. */
export interface RowColumn {
  readonly name: string;
  readonly type: Type;
  readonly of: (element: Sql) => Sql;
}

export interface RowSource {
  readonly array: Sql;
  readonly columns: readonly RowColumn[];
  readonly alias: string;
  /** Whether it reads earlier tables. */
  readonly isCorrelated: boolean;
  /** An array without elements is one row. */
  readonly isOuter: boolean;
}

interface Elements {
  readonly array: Sql;
  readonly columns: readonly RowColumn[];
  readonly isOuter?: boolean;
}

/** The rows of an element of FROM. */
export function rowsOf(item: FromItem, context: Context): RowSource {
  const { source, alias, columns = [] } = item;
  let isCorrelated = false;
  const onOuter = (): void => {
    isCorrelated = true;
  };
  // The earlier tables are outer ones here, so that using them is noticed.
  const inside: Context = { ...context, relations: [], parent: { ...context }, onOuter };
  const elements =
    source.kind === 'unnest'
      ? unnested(item, inside)
      : source.kind === 'function'
        ? ofFunction(source.call, inside)
        : unconverted(item.at, 'join', 'This source is not converted');
  const fallback = source.kind === 'function' ? source.call.name : 'element';
  const own = alias?.name ?? fallback;
  const [first, ...others] = elements.columns;
  const isSole = others.length === 0;
  const named = elements.columns.map((column, index) => {
    const given = columns[index]?.name;
    // The alias of a table function with one column is also the name of the column.
    const implicit =
      isSole || (source.kind === 'unnest' && column === first) ? (alias?.name ?? column.name) : column.name;
    return { ...column, name: given ?? implicit };
  });
  return {
    array: elements.array,
    columns: named,
    alias: own,
    isCorrelated,
    isOuter: elements.isOuter === true,
  };
}

const itself = (element: Sql): Sql => element;
const sole = (array: Sql, type: Type, name = 'element'): Elements => ({
  array,
  columns: [{ name, type, of: itself }],
});
const INT: Type = { kind: 'int', isNullable: false, scale: 0 };
const TEXT: Type = { kind: 'text', isNullable: true };

function unnested({ source, at }: FromItem, context: Context): Elements {
  if (source.kind !== 'unnest') return unconverted(at, 'join', 'This source is not converted');
  if (source.more !== undefined && source.more.length > 0)
    return unconverted(at, 'join', 'Arrays that are read in parallel are not converted');
  const array = arrayOf(context.write(source.array, context));
  const element = array.type.element ?? { kind: 'unknown', isNullable: true };
  if (source.offset === undefined) return sole(array.sql, element);
  const base = source.offsetBase ?? 0;
  const offset = { name: source.offset.name, type: INT, of: (each: Sql) => sql`${each}.2` };
  const zipped = sql`arrayMap((x, i) -> (x, i${base === 0 ? ' - 1' : ''}), ${array.sql}, arrayEnumerate(${array.sql}))`;
  return {
    array: zipped,
    columns: [{ name: 'element', type: element, of: (each) => sql`${each}.1` }, offset],
  };
}

const arrayOf = (own: Value): Value => (own.type.kind === 'json' ? jsonElements(own) : own);

type Reader = (call: Call, context: Context) => Elements;

const READERS: Readonly<Record<string, Reader>> = {
  generate_series: series,
  sequence: series,
  generate_array: series,
  generate_date_array: series,
  unnest: (call, context) => {
    const array = arrayOf(context.write(argument(call, 0), context));
    return sole(array.sql, array.type.element ?? { kind: 'unknown', isNullable: true });
  },
  jsonb_array_elements: jsonArrayRows,
  json_array_elements: jsonArrayRows,
  jsonb_array_elements_text: jsonTextRows,
  json_array_elements_text: jsonTextRows,
  jsonb_object_keys: keyRows,
  json_object_keys: keyRows,
  jsonb_each_text: pairRows,
  json_each_text: pairRows,
  json_each: eachRows,
  flatten: flattenRows,
  string_to_table: splitRows,
  split_to_table: splitRows,
  regexp_split_to_table: (call, context) => {
    const subject = context.write(argument(call, 0), context);
    return sole(sql`splitByRegexp(${context.write(argument(call, 1), context).sql}, ${subject.sql})`, TEXT);
  },
};

function ofFunction(call: Call, context: Context): Elements {
  const reader =
    READERS[call.name] ??
    unconverted(call.at, 'function', `The table function ${call.name} is not converted`);
  return reader(call, context);
}

function argument(call: Call, index: number): Expression {
  return (
    call.args[index] ?? unconverted(call.at, 'function', `${call.name} needs more arguments to be converted`)
  );
}

function series(call: Call, context: Context): Elements {
  const type = seriesArray(call, context);
  return sole(type.sql, type.type.element ?? INT, call.name);
}

/** generate_series and its relatives as an array: integers, or times at intervals. */
export function seriesArray(call: Call, context: BaseContext): Value {
  const [from, to] = [argument(call, 0), argument(call, 1)].map((each) =>
    timeOr(context.write(each, context), call.name),
  );
  if (from === undefined || to === undefined)
    return unconverted(call.at, 'function', `${call.name} needs more arguments to be converted`);
  const step = call.args[2];
  const spans = step === undefined ? undefined : spansOf(step);
  if (spans === undefined && !isTime(from)) return integers(call, from, to, context);
  const [span, more] = spans ?? [
    { value: { kind: 'number', text: '1', at: call.at }, unit: { name: 'DAY', at: call.at } } satisfies Span,
  ];
  if (span === undefined || more !== undefined)
    return unconverted(
      call.at,
      'function',
      `${call.name} with an interval of several units is not converted`,
    );
  const amount = span.value.kind === 'number' ? Number(span.value.text) : Number.NaN;
  if (!Number.isInteger(amount) || amount < 1)
    return unconverted(
      call.at,
      'function',
      `${call.name} is converted only with a positive literal interval`,
    );
  const unit = span.unit.name;
  if (['MONTH', 'QUARTER', 'YEAR'].includes(unit)) checkDay(from, call);
  // PostgreSQL returns timestamps of dates.
  const isTimestamp = from.type.kind === 'date' && context.shared.dialect === 'postgresql';
  const start = isTimestamp
    ? { ...from, type: { ...from.type, kind: 'timestamp' as const, isDate: true } }
    : from;
  return timeSeries({ from: start, to, unit, step: String(amount), variable: 'i' });
}

/** PostgreSQL adds months one after the other: from January 31, March has 29 days. */
function checkDay(from: Value, call: Call): void {
  const day = from.literal === undefined ? undefined : parseTime(from.literal)?.date.slice(8);
  const isStart = /^(?:toStartOf|dateTrunc)/.test(String(from.sql));
  if (!isStart && (day === undefined || Number(day) > 28))
    unconverted(call.at, 'function', `${call.name} by months is converted only from a day before the 29th`);
}

function timeOr(own: Value, called: string): Value {
  if (own.type.kind !== 'text' || own.literal === undefined) return own;
  return (
    (called === 'generate_date_array' || parseTime(own.literal)?.time === undefined
      ? dateLiteral
      : timestampLiteral)(own.literal) ?? own
  );
}

function integers(call: Call, from: Value, to: Value, context: BaseContext): Value {
  const step = call.args[2];
  const last = step === undefined ? undefined : context.write(step, context);
  if (
    [from, to, ...(last === undefined ? [] : [last])].some(
      ({ type }) => type.kind !== 'int' && type.kind !== 'unknown',
    )
  )
    return unconverted(call.at, 'function', `${call.name} is converted only for integers and times`);
  const isDown = last !== undefined && String(last.sql).startsWith('-');
  const end =
    /^\d+$/.test(String(to.sql)) && !isDown
      ? String(Number(to.sql) + 1)
      : sql`${operand(to)} ${isDown ? '-' : '+'} 1`;
  return value(
    'array',
    sql`range(toInt64(${from.sql}), toInt64(${end})${last === undefined ? '' : sql`, ${last.sql}`})`,
    false,
    { element: INT },
  );
}

function jsonArrayRows(call: Call, context: Context): Elements {
  const elements = jsonElements(context.write(argument(call, 0), context));
  return sole(elements.sql, { kind: 'json', isNullable: false }, 'value');
}

function jsonTextRows(call: Call, context: Context): Elements {
  return sole(
    sql`JSONExtract(${placeSql(context.write(argument(call, 0), context))}, 'Array(Nullable(String))')`,
    TEXT,
    'value',
  );
}

function keyRows(call: Call, context: Context): Elements {
  return sole(
    sql`JSONExtractKeys(${placeSql(context.write(argument(call, 0), context))})`,
    { kind: 'text', isNullable: false },
    call.name,
  );
}

const pairColumns = (type: Type): readonly RowColumn[] => [
  { name: 'key', type: { kind: 'text', isNullable: false }, of: (each) => sql`${each}.1` },
  { name: 'value', type, of: (each) => sql`${each}.2` },
];

function pairRows(call: Call, context: Context): Elements {
  return {
    array: sql`JSONExtractKeysAndValues(${placeSql(context.write(argument(call, 0), context))}, 'Nullable(String)')`,
    columns: pairColumns(TEXT),
  };
}

/** SQLite's json_each, of an array or an object. */
function eachRows(call: Call, context: Context): Elements {
  if (context.shared.dialect !== 'sqlite')
    return {
      ...pairRows(call, context),
      array: sql`JSONExtractKeysAndValuesRaw(${placeSql(context.write(argument(call, 0), context))})`,
      columns: pairColumns({ kind: 'json', isNullable: false }),
    };
  const path = call.args[1];
  const steps = path?.kind === 'string' ? jsonPathSteps(path.value) : [];
  if (steps === undefined)
    return unconverted(call.at, 'expression', 'Only a literal JSONPath of keys and positions is converted');
  return {
    array: pairsOf(placeSql(jsonAt(context.write(argument(call, 0), context), steps)), 'Nullable(String)'),
    columns: pairColumns(TEXT),
  };
}

/** Pairs of key and value: of an object, or of an array with positions as keys. */
function pairsOf(place: Sql, type: string): Sql {
  const ofObject = sql`JSONExtractKeysAndValues(${place}, '${type}')`;
  const values = sql`JSONExtract(${place}, 'Array(${type})')`;
  return sql`if(JSONType(${place}) = 'Object', ${ofObject}, arrayMap((v, i) -> (toString(i - 1), v), ${values}, arrayEnumerate(${values})))`;
}

/** Snowflake's FLATTEN. */
function flattenRows(call: Call, context: Context): Elements {
  const named = new Map(
    call.args.flatMap((each) =>
      each.kind === 'named_argument' ? [[each.name.name.toLowerCase(), each.value] as const] : [],
    ),
  );
  const input = named.get('input') ?? argument(call, 0);
  if ([...named.keys()].some((each) => !['input', 'path', 'outer'].includes(each)))
    return unconverted(call.at, 'function', 'These arguments of FLATTEN are not converted');
  const path = named.get('path');
  const steps =
    path === undefined
      ? []
      : path.kind === 'string'
        ? path.value.split('.').map((step) => quoteString(step))
        : unconverted(call.at, 'function', 'The path of FLATTEN must be a literal');
  const outer = named.get('outer');
  if (outer?.kind === 'boolean' && outer.value)
    return unconverted(call.at, 'function', 'FLATTEN with OUTER is not converted');
  const own = context.write(input, context);
  if (own.type.kind === 'array')
    return {
      array: sql`arrayMap((v, i) -> (v, i - 1), ${own.sql}, arrayEnumerate(${own.sql}))`,
      columns: [
        { name: 'value', type: own.type.element ?? TEXT, of: (each) => sql`${each}.1` },
        { name: 'index', type: INT, of: (each) => sql`${each}.2` },
      ],
    };
  const place = placeSql(jsonAt(own, steps));
  const elements = sql`JSONExtractArrayRaw(${place})`;
  const array = sql`if(JSONType(${place}) = 'Object', arrayMap(p -> (toNullable(p.1), p.2, CAST(NULL AS Nullable(Int64))), JSONExtractKeysAndValuesRaw(${place})), arrayMap((v, i) -> (CAST(NULL AS Nullable(String)), v, toNullable(toInt64(i) - 1)), ${elements}, arrayEnumerate(${elements})))`;
  const columns: readonly RowColumn[] = [
    { name: 'key', type: TEXT, of: (each) => sql`${each}.1` },
    { name: 'value', type: { kind: 'json', isNullable: false }, of: (each) => sql`${each}.2` },
    { name: 'index', type: { ...INT, isNullable: true }, of: (each) => sql`${each}.3` },
  ];
  return { array, columns };
}

function splitRows(call: Call, context: Context): Elements {
  const subject = context.write(argument(call, 0), context);
  return sole(
    sql`splitByString(${context.write(argument(call, 1), context).sql}, ${subject.sql})`,
    TEXT,
    'value',
  );
}
