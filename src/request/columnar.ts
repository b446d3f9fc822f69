// Passes JSONEachRow rows back to the engine to write them in a columnar format, so that redacted data stays redacted.
import { quoteIdentifier, quoteString } from '../sql/literal.ts';
import {
  innerType,
  isOpaque,
  parseType,
  printType,
  type ClickHouseType,
  type TypeArgument,
} from '../sql/type.ts';

export interface NamedType {
  readonly name: string;
  readonly type: string;
}

export interface ColumnarOptions {
  /** Columns of the result before redaction. */
  readonly columns: readonly NamedType[];
  /** Names of the columns in the rows; undefined if there are no rows. */
  readonly present: ReadonlySet<string> | undefined;
  /** Whether values may be strings that their column type does not allow, such as redacted IP addresses. */
  readonly isRedacted: boolean;
}

/**
 * Types that columnar files do not support; their values are written as strings. Aggregate function states are raw
 * engine bytes: parsing a state from a string that may have been cut or redacted corrupts the engine's memory.
 */
const UNWRITABLE = ['JSON', 'Dynamic', 'Variant', 'Object', 'Time', 'Time64', 'Nothing', 'AggregateFunction'];
const REDACTABLE = ['IPv4', 'IPv6', 'Enum8', 'Enum16', 'FixedString'];

/**
 * The statement that returns the rows in `lines` as columns; without rows, only the columns. A non-finite float is null
 * in JSON and stays null.
 */
export function columnarStatement(lines: Uint8Array, options: ColumnarOptions): string {
  const columns = options.columns.filter(({ name }) => options.present?.has(name) ?? true);
  const structure = columns
    .map(({ name, type }) => `${quoteIdentifier(name)} ${fileType(type, options)}`)
    .join(', ');
  const isEmpty = lines.length === 0;
  const text = isEmpty ? '{}' : Buffer.from(lines.buffer, lines.byteOffset, lines.length).toString();
  const rows = `SELECT * FROM format(JSONEachRow, ${quoteString(structure)}, ${quoteString(text)})`;
  return `SELECT * FROM (${rows}${isEmpty ? ' LIMIT 0' : ''} SETTINGS date_time_input_format = 'best_effort')`;
}

/** The type a column has in the file. */
export function fileType(type: string, { isRedacted }: Pick<ColumnarOptions, 'isRedacted'>): string {
  const replaced = new Set([...UNWRITABLE, ...(isRedacted ? REDACTABLE : [])]);
  return printType(inFile(parseType(type), replaced));
}

function inFile(type: ClickHouseType, replaced: ReadonlySet<string>): ClickHouseType {
  if (replaced.has(type.name) || isOpaque(type)) return STRING;
  if (/^Float(32|64)$/.test(type.name)) return { name: 'Nullable', arguments: [unnamed(type)] };
  const isNullableFloat = type.name === 'Nullable' && /^Float/.test(innerType(type).name);
  if (type.arguments === undefined || isNullableFloat) return type;
  const list = type.arguments.map((argument) =>
    argument.kind === 'type' ? { ...argument, type: inFile(argument.type, replaced) } : argument,
  );
  return { ...type, arguments: list };
}

const STRING: ClickHouseType = { name: 'String', arguments: undefined };

function unnamed(type: ClickHouseType): TypeArgument {
  return { kind: 'type', name: undefined, label: undefined, type };
}
