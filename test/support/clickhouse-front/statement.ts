// A request's statement as a server reads it: one statement, the rows of an INSERT apart from its text, the output format.
import { tokenize } from '../../../src/sql/clickhouse/lexer.ts';
import type { Token } from '../../../src/sql/clickhouse/lexer.ts';
import { quoteString } from '../../../src/sql/clickhouse/literal.ts';
import { ServerError } from './errors.ts';

export interface Statement {
  readonly text: string;
  /** The rows of an INSERT in its FORMAT; undefined for every other statement. */
  readonly rows?: Uint8Array;
  /** Where `FROM INFILE` goes; only with `rows`. */
  readonly infileAt: number;
  /** The name after FORMAT. */
  readonly format?: string;
}

/** A statement with rows has its FORMAT within this many bytes. */
const MAX_HEAD = 64 * 1024;

/**
 * `query` is that of the URL, `body` follows it.
 * @throws ServerError for several statements.
 */
export function readStatement(query: string, body: Uint8Array): Statement {
  const bytes = query === '' ? body : Buffer.concat([Buffer.from(`${query}\n`), body]);
  const head = Buffer.from(bytes.subarray(0, MAX_HEAD)).toString();
  if (!/^\s*INSERT\b/i.test(head)) return readOther(Buffer.from(bytes).toString());
  const tokens = significant(head);
  const at = tokens.findIndex(({ kind }, index) => kind === 'word' && isWord(head, tokens[index], 'FORMAT'));
  const [word, name] = [tokens[at], tokens[at + 1]];
  const hasSource = tokens.slice(0, at).some((token) => /^(SELECT|WITH|INFILE)$/i.test(textOf(head, token)));
  if (word === undefined || name === undefined || hasSource) return readOther(Buffer.from(bytes).toString());
  const settings = tokens.slice(0, at).find((token) => isWord(head, token, 'SETTINGS'));
  const used = Buffer.byteLength(head.slice(0, name.end));
  return {
    text: head.slice(0, name.end),
    rows: withoutFirstBreak(bytes.subarray(used)),
    infileAt: (settings ?? word).start,
    format: textOf(head, name),
  };
}

/** The INSERT with its rows read from a file: text and binary formats alike, and no rows are no error. */
export function withInfile({ text, infileAt }: Statement, file: string): string {
  const source = `FROM INFILE ${quoteString(file)} COMPRESSION 'none' `;
  return `${text.slice(0, infileAt)}${source}${text.slice(infileAt)}`;
}

function readOther(text: string): Statement {
  const tokens = significant(text);
  if (tokens.slice(0, -1).some((token) => token.kind === ';')) {
    throw new ServerError(62, 'SYNTAX_ERROR', 'Syntax error (Multi-statements are not allowed)');
  }
  const format = tokens.findLastIndex((token) => isWord(text, token, 'FORMAT'));
  const name = format === -1 ? undefined : tokens[format + 1];
  return { text, infileAt: 0, ...(name === undefined ? {} : { format: textOf(text, name) }) };
}

/** Blanks and one line break after the format name do not belong to the rows. */
function withoutFirstBreak(bytes: Uint8Array): Uint8Array {
  const [space, tab, cr, lf] = [32, 9, 13, 10];
  let at = 0;
  while (bytes[at] === space || bytes[at] === tab) at++;
  if (bytes[at] === cr) at++;
  if (bytes[at] === lf) at++;
  return bytes.subarray(at);
}

function significant(text: string): readonly Token[] {
  return tokenize(text).filter(({ kind }) => kind !== 'whitespace' && kind !== 'comment');
}

function isWord(text: string, token: Token | undefined, word: string): boolean {
  return token?.kind === 'word' && textOf(text, token).toUpperCase() === word;
}

function textOf(text: string, token: Token): string {
  return text.slice(token.start, token.end);
}
