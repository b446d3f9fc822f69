// Passes JSONEachRow rows back to the engine to write them in a columnar format, so that redacted data stays redacted.
import { quoteIdentifier, quoteString } from '../sql/literal.ts';

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
  let text = '';
  for (let at = 0; at < type.length;) {
    const piece = PIECE.exec(type.slice(at))?.[0] ?? '';
    const end = at + piece.length;
    const isElementName = /^ [A-Za-z`]/.test(type.slice(end)); // tuple element name: its type follows
    at = end;
    if (isElementName) text += piece;
    else if (replaced.has(piece)) {
      text += 'String';
      if (type[end] === '(') at = closing(type, end) + 1;
    } else if (/^Float(32|64)$/.test(piece) && !text.endsWith('Nullable(')) text += `Nullable(${piece})`;
    else text += piece;
  }
  return text;
}

/** A quoted string or identifier, a word, or any single character. */
const PIECE = /^(?:'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`|\w+|[^])/;

/** Index of the parenthesis that closes the one at `open`; skips quoted text. */
function closing(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length;) {
    const piece = PIECE.exec(text.slice(at))?.[0] ?? '';
    if (piece === '(') depth++;
    if (piece === ')' && --depth === 0) return at;
    at += piece.length;
  }
  return text.length;
}
