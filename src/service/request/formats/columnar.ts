// Passes JSONEachRow rows back to the engine to write them in a columnar format, so that redacted data stays redacted.
import { quoteIdentifier, quoteString } from '../../../sql/clickhouse/literal.ts';
import { storedShape } from '../../../sql/types/geometry.ts';
import { integerOf, isDate, isDecimal, isDynamic, isFloat, isInterval } from '../../../sql/types/traits.ts';
import {
  innerType,
  parseType,
  printType,
  typeArguments,
  typeOf,
  type ClickHouseType,
} from '../../../sql/types/type.ts';

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
      return typeOf('Array', inFile(innerType(type)));
    case 'Map': {
      const [key, value] = [inFile(innerType(type)), inFile(innerType(type, 1))];
      return typeOf('Map', key.name === 'Nullable' ? innerType(key) : key, value);
    }
    case 'Tuple':
      return tupleInFile(type);
    case 'Nested':
      return typeOf('Array', tupleInFile(type));
    default:
      return scalarInFile(type);
  }
}

const NEVER_NULLABLE: ReadonlySet<string> = new Set(['Nullable', 'Array', 'Map', 'Tuple']);

/** Types that cannot be Nullable stay as they are. */
function nullable(type: ClickHouseType): ClickHouseType {
  return NEVER_NULLABLE.has(type.name) ? type : typeOf('Nullable', type);
}

function tupleInFile(type: ClickHouseType): ClickHouseType {
  const elements = typeArguments(type).map((element) => ({
    ...element,
    label: element.name === undefined ? undefined : quoteIdentifier(element.name),
    type: inFile(element.type),
  }));
  return { name: 'Tuple', arguments: elements };
}

function scalarInFile(type: ClickHouseType): ClickHouseType {
  const { name } = type;
  const integer = integerOf(type);
  const isSmall = integer !== undefined && integer.bits <= 64;
  if (isSmall || isDecimal(type) || isDate(type) || name === 'Bool' || name === 'DateTime64') return type;
  if (name === 'DateTime')
    return { name: 'DateTime64', arguments: [{ kind: 'literal', source: '3' }, ...(type.arguments ?? [])] };
  if (name === 'BFloat16') return typeOf('Nullable', typeOf('Float32'));
  if (isFloat(type)) return typeOf('Nullable', type);
  if (isInterval(type)) return typeOf('Int64');
  if (isDynamic(type)) return typeOf('Nullable', typeOf('String'));
  const shape = storedShape(type);
  return shape === undefined || isDynamic(shape) ? typeOf('String') : inFile(shape);
}
