// Rows in JSONEachRow read again by the engine, to be written in a format of columns. What was taken out of them stays out.
import { quoteIdentifier, quoteString } from '../sql/literal.ts';

export interface NamedType {
  readonly name: string;
  readonly type: string;
}

export interface ColumnarOptions {
  /** Columns of the result before anything was taken out of it. */
  readonly columns: readonly NamedType[];
  /** Names of the columns that the rows have; undefined where there are no rows. */
  readonly present: ReadonlySet<string> | undefined;
  /** Whether texts may stand where the types allow none: redacted addresses, for instance. */
  readonly isRedacted: boolean;
}

/**
 * Types that columns of files have not, or that text has taken the place of. States of aggregate functions are the engine's
 * own bytes: reading them from text, which may have been cut or redacted, corrupts its memory.
 */
const UNWRITABLE = ['JSON', 'Dynamic', 'Variant', 'Object', 'Time', 'Time64', 'Nothing', 'AggregateFunction'];
const REDACTABLE = ['IPv4', 'IPv6', 'Enum8', 'Enum16', 'FixedString'];

/**
 * The statement that gives the rows of `lines` as columns; without rows, their columns alone. A float that was not finite is
 * null in JSON, and stays null.
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

/** A type as files have it. */
export function fileType(type: string, { isRedacted }: Pick<ColumnarOptions, 'isRedacted'>): string {
  const replaced = new Set([...UNWRITABLE, ...(isRedacted ? REDACTABLE : [])]);
  let text = '';
  for (let at = 0; at < type.length;) {
    const piece = PIECE.exec(type.slice(at))?.[0] ?? '';
    const end = at + piece.length;
    const isElementName = /^ [A-Za-z`]/.test(type.slice(end)); // of a tuple: its type follows
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

/** A quoted text or name, a word, or any sign. */
const PIECE = /^(?:'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`|\w+|[^])/;

/** Where the bracket at `open` is closed; quotes hide brackets. */
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
