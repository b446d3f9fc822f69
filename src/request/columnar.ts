// Passes JSONEachRow rows back to the engine to write them in a columnar format, so that redacted data stays redacted.
import { quoteIdentifier, quoteString } from '../sql/literal.ts';
import { readTypeText, tupleMembers } from '../sql/type-text.ts';

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
  const { name, arguments: parts } = readTypeText(type);
  const [first = '', second = ''] = parts;
  switch (name) {
    case 'Nullable':
      return nullable(fileType(first));
    case 'LowCardinality':
    case 'SimpleAggregateFunction':
      return fileType(parts.at(-1) ?? '');
    case 'Array':
      return `Array(${fileType(first)})`;
    case 'Map':
      return `Map(${fileType(first).replace(/^Nullable\((.*)\)$/s, '$1')}, ${fileType(second)})`;
    case 'Tuple':
      return `Tuple(${elementTypes(parts)})`;
    case 'Nested':
      return `Array(Tuple(${elementTypes(parts)}))`;
    default:
      return scalarType(name, type, first);
  }
}

function nullable(type: string): string {
  return /^(Nullable|Array|Map|Tuple)\(/.test(type) ? type : `Nullable(${type})`;
}

function elementTypes(parts: readonly string[]): string {
  const named = tupleMembers(parts);
  const types = named?.map((each) => `\`${each.name}\` ${fileType(each.type)}`) ?? parts.map(fileType);
  return types.join(', ');
}

/** Types of shapes, as the engine stores them. */
const SHAPES: Readonly<Record<string, string>> = {
  Point: 'Tuple(Float64, Float64)',
  Ring: 'Array(Point)',
  LineString: 'Array(Point)',
  MultiLineString: 'Array(LineString)',
  Polygon: 'Array(Ring)',
  MultiPolygon: 'Array(Polygon)',
};

/** `first`: the type's first argument. */
function scalarType(name: string, type: string, first: string): string {
  if (/^(U?Int(8|16|32|64)|Decimal(32|64|128|256)?|Bool|Date|Date32|DateTime64)$/.test(name)) return type;
  if (name === 'DateTime') return first === '' ? 'DateTime64(3)' : `DateTime64(3, ${first})`;
  if (/^Float(32|64)$/.test(name)) return `Nullable(${name})`;
  if (name === 'BFloat16') return 'Nullable(Float32)';
  if (name.startsWith('Interval')) return 'Int64';
  const shape = SHAPES[name];
  return shape === undefined ? 'String' : fileType(shape);
}
