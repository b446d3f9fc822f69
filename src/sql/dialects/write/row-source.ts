// Functions and arrays in FROM: each is an array in ClickHouse, whose elements are the rows.
import { sql, type Sql, TEXT, UNKNOWN, type Type } from '../value.ts';
import { quoteString } from '../../clickhouse/literal.ts';
import type { Expression, FromItem } from '../tree.ts';
import { applicationOf } from '../function.ts';
import {
  syntax,
  unconverted,
  type Application,
  type Context,
  type RowColumn,
  type RowSource,
} from '../context.ts';
import { typedArray } from '../functions/array-value.ts';
import { series } from '../functions/series.ts';
import { jsonAt, jsonElements, jsonPathSteps, placeSql } from '../json-path.ts';
import { inRelations } from './scope.ts';

type Elements = Pick<RowSource, 'array' | 'columns' | 'offset' | 'written'>;

/** The rows of an element of FROM; `array` is what it unnests, if it is no function. */
export function rowsOf(item: FromItem, array: Expression | undefined, context: Context): RowSource {
  const { source, alias, columns = [] } = item;
  if (source.kind === 'function' && context.shared.isStrict)
    return syntax(item.at, 'Table functions are not allowed');
  let isCorrelated = false;
  const onOuter = (): void => {
    isCorrelated = true;
  };
  // The earlier tables are outer ones here, so that using them is noticed.
  const inside = inRelations(context, [], { onOuter });
  const { elements, fallback } =
    array === undefined
      ? ofFunction(item, inside)
      : { elements: unnested(item, array, inside), fallback: nameOf(item) };
  const isSole = elements.columns.length === 1;
  const named = elements.columns.map((column, index) => {
    const given = columns[index]?.name;
    // The alias of a table function with one column is also the name of the column.
    return { ...column, name: given ?? (isSole ? (alias?.name ?? column.name) : column.name) };
  });
  return { ...elements, columns: named, alias: alias?.name ?? fallback, isCorrelated };
}

/** In BigQuery, an array in FROM has the name of its column. */
function nameOf({ source }: FromItem): string | undefined {
  return source.kind === 'table' ? source.parts.at(-1)?.name : undefined;
}

const itself = (element: Sql): Sql => element;
const sole = (array: Sql, type: Type, name = 'element'): Elements => ({
  array,
  columns: [{ name, type, of: itself }],
});
const INT: Type = { kind: 'int', isNullable: false, scale: 0 };

/** An array that is named like a table has no more parts. */
const NONE: Partial<Extract<FromItem['source'], { kind: 'unnest' }>> = {};

function unnested({ source, at }: FromItem, array: Expression, context: Context): Elements {
  const { offset, offsetBase: base = 0, more } = source.kind === 'unnest' ? source : NONE;
  if (more !== undefined)
    return unconverted(at, 'join', 'Arrays that are read in parallel are not converted');
  const written = context.write(array, context);
  const elements = typedArray(context.elements(written), context);
  return {
    ...sole(elements.sql, elements.type.element ?? UNKNOWN),
    written,
    ...(offset === undefined ? {} : { offset: { name: offset.name, base } }),
  };
}

type Reader = (application: Application) => Elements;

const READERS: ReadonlyMap<string, Reader> = new Map(
  Object.entries({
    generate_series: seriesRows,
    sequence: seriesRows,
    generate_array: seriesRows,
    generate_date_array: seriesRows,
    unnest: ({ arg, context }) => {
      const array = context.elements(arg(0));
      return sole(array.sql, array.type.element ?? UNKNOWN);
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
    regexp_split_to_table: ({ arg }) => {
      const subject = arg(0);
      return sole(sql`splitByRegexp(${arg(1).sql}, ${subject.sql})`, TEXT);
    },
  }),
);

function ofFunction(
  { source, at }: FromItem,
  context: Context,
): { readonly elements: Elements; readonly fallback: string } {
  if (source.kind !== 'function') return unconverted(at, 'join', 'This source is not converted');
  const { call } = source;
  const reader =
    READERS.get(call.name) ??
    unconverted(call.at, 'function', `The table function ${call.name} is not converted`);
  const { application, check } = applicationOf(call, context);
  const elements = reader(application);
  check();
  return { elements, fallback: call.name };
}

function seriesRows(application: Application): Elements {
  const { sql: array, type } = series(application);
  return sole(array, type.element ?? INT, application.call.name);
}

function jsonArrayRows({ arg }: Application): Elements {
  const elements = jsonElements(arg(0));
  return sole(elements.sql, { kind: 'json', isNullable: false }, 'value');
}

function jsonTextRows({ arg }: Application): Elements {
  return sole(sql`JSONExtract(${placeSql(arg(0))}, 'Array(Nullable(String))')`, TEXT, 'value');
}

function keyRows({ arg, call }: Application): Elements {
  return sole(sql`JSONExtractKeys(${placeSql(arg(0))})`, { kind: 'text', isNullable: false }, call.name);
}

const pairColumns = (type: Type): readonly RowColumn[] => [
  { name: 'key', type: { kind: 'text', isNullable: false }, of: (each) => sql`${each}.1` },
  { name: 'value', type, of: (each) => sql`${each}.2` },
];

function pairRows({ arg }: Application): Elements {
  return {
    array: sql`JSONExtractKeysAndValues(${placeSql(arg(0))}, 'Nullable(String)')`,
    columns: pairColumns(TEXT),
  };
}

/** json_each: of an object, in SQLite also of an array, and at a path. */
function eachRows(application: Application): Elements {
  const { arg, call, context, source } = application;
  if (!context.shared.traits.isJsonMixed)
    return {
      ...pairRows(application),
      array: sql`JSONExtractKeysAndValuesRaw(${placeSql(arg(0))})`,
      columns: pairColumns({ kind: 'json', isNullable: false }),
    };
  const path = call.args[1] === undefined ? undefined : source(1);
  const steps = path?.kind === 'string' ? jsonPathSteps(path.value) : [];
  if (steps === undefined)
    return unconverted(call.at, 'expression', 'Only a literal JSONPath of keys and positions is converted');
  return {
    array: pairsOf(placeSql(jsonAt(arg(0), steps)), 'Nullable(String)'),
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
function flattenRows({ call, context, source }: Application): Elements {
  const named = new Map(
    call.args.flatMap((_, index) => {
      const each = source(index);
      return each.kind === 'named_argument' ? [[each.name.name.toLowerCase(), each.value] as const] : [];
    }),
  );
  const input = named.get('input') ?? source(0);
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

function splitRows({ arg }: Application): Elements {
  const subject = arg(0);
  return sole(sql`splitByString(${arg(1).sql}, ${subject.sql})`, TEXT, 'value');
}
