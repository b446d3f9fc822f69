// Passes JSONEachRow rows back to the engine to write them in a columnar format, so that redacted data stays redacted.
import { quoteIdentifier, quoteString } from '../sql/literal.ts';
import { innerType, parseType, printType, typeArguments, type ClickHouseType } from '../sql/type.ts';

export interface NamedType {
  readonly name: string;
  readonly type: string;
}

export interface ColumnarOptions {
  /** Columns of the result before redaction. */
  readonly columns: readonly NamedType[];
  /** Names of the columns in the rows; undefined if there are no rows. */
  readonly present: ReadonlySet<string> | undefined;
}

/**
 * The statement that returns the rows in `lines` as columns; without rows, only the columns. A non-finite float is null
 * in JSON and stays null.
 */
export function columnarStatement(lines: Uint8Array, options: ColumnarOptions): string {
  const columns = options.columns.filter(({ name }) => options.present?.has(name) ?? true);
  const structure = columns.map(({ name, type }) => `${quoteIdentifier(name)} ${fileType(type)}`).join(', ');
  const isEmpty = lines.length === 0;
  const text = isEmpty ? '{}' : Buffer.from(lines.buffer, lines.byteOffset, lines.length).toString();
  const rows = `SELECT * FROM format(JSONEachRow, ${quoteString(structure)}, ${quoteString(text)})`;
  return `SELECT * FROM (${rows}${isEmpty ? ' LIMIT 0' : ''} SETTINGS date_time_input_format = 'best_effort')`;
}

/**
 * The type a column has in the file: one that Arrow and Parquet both have, so that both files have the same logical
 * types. Values of other types are strings, as in JSON: enums by label, addresses and UUIDs as text. Aggregate function
 * states too, which are raw engine bytes: parsing a state that may have been cut or redacted corrupts the engine's memory.
 */
export function fileType(type: string): string {
  return printType(inFile(parseType(type)));
}

function inFile(type: ClickHouseType): ClickHouseType {
  switch (type.name) {
    case 'Nullable':
      return nullable(inFile(innerType(type)));
    case 'LowCardinality':
      return inFile(innerType(type));
    case 'SimpleAggregateFunction':
      return inFile(innerType(type, 1)); // after the name of the function
    case 'Array':
      return typeOf('Array', [inFile(innerType(type))]);
    case 'Map': {
      const [key, value] = [inFile(innerType(type)), inFile(innerType(type, 1))];
      return typeOf('Map', [key.name === 'Nullable' ? innerType(key) : key, value]);
    }
    case 'Tuple':
      return tupleInFile(type);
    case 'Nested':
      return typeOf('Array', [tupleInFile(type)]);
    default:
      return scalarInFile(type);
  }
}

/** Types that cannot be Nullable stay as they are. */
function nullable(type: ClickHouseType): ClickHouseType {
  return /^(Nullable|Array|Map|Tuple)$/.test(type.name) ? type : typeOf('Nullable', [type]);
}

function tupleInFile(type: ClickHouseType): ClickHouseType {
  const elements = typeArguments(type).map((element) => ({
    ...element,
    label: element.name === undefined ? undefined : quoteIdentifier(element.name),
    type: inFile(element.type),
  }));
  return { name: 'Tuple', arguments: elements };
}

/** Geometry types, as the engine stores them. */
const SHAPES: Readonly<Record<string, string>> = {
  Point: 'Tuple(Float64, Float64)',
  Ring: 'Array(Point)',
  LineString: 'Array(Point)',
  MultiLineString: 'Array(LineString)',
  Polygon: 'Array(Ring)',
  MultiPolygon: 'Array(Polygon)',
};

/** Types with NULL among their values, without being Nullable: every untyped path of JSON is one. */
export const HOLDS_NULL = /^(Dynamic|Variant)$/;

function scalarInFile(type: ClickHouseType): ClickHouseType {
  const { name } = type;
  if (/^(U?Int(8|16|32|64)|Decimal(32|64|128|256)?|Bool|Date|Date32|DateTime64)$/.test(name)) return type;
  if (name === 'DateTime')
    return { name: 'DateTime64', arguments: [{ kind: 'literal', source: '3' }, ...(type.arguments ?? [])] };
  if (/^Float(32|64)$/.test(name)) return typeOf('Nullable', [type]);
  if (name === 'BFloat16') return typeOf('Nullable', [typeOf('Float32')]);
  if (name.startsWith('Interval')) return typeOf('Int64');
  if (HOLDS_NULL.test(name)) return typeOf('Nullable', [typeOf('String')]);
  const shape = SHAPES[name];
  return shape === undefined ? typeOf('String') : inFile(parseType(shape));
}

function typeOf(name: string, inner?: readonly ClickHouseType[]): ClickHouseType {
  const list = inner?.map((type) => ({ kind: 'type' as const, name: undefined, label: undefined, type }));
  return { name, arguments: list };
}
