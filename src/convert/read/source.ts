// The tokens of a query, read one after the other.
import type { Expression, FromItem, Name, Query } from '../../sql/syntax-tree.ts';
import type { ConversionNote, ForeignDialect } from '../../dialects/conversion.ts';
import type { Token } from './lexer.ts';
import { ReadError, syntaxError } from './read-error.ts';

/** A position in the tokens, and what all readers share. */
export interface Source {
  readonly dialect: ForeignDialect;
  readonly text: string;
  /** Replaced if one token is read as two. */
  tokens: readonly Token[];
  /** The index of the next token. */
  at: number;
  depth: number;
  readonly notes: ConversionNote[];
  /** Here to avoid circular imports between the files that define them. */
  readonly rules: Rules;
  /** Reads the query that starts at the next token, up to the parenthesis that closes it. */
  readonly query: (source: Source) => Query;
  /** Reads the tables of FROM that start at the next token. */
  readonly from: (source: Source) => readonly FromItem[];
}

/** The mutually recursive readers of expressions. They throw ReadError. */
export interface Rules {
  /** Reads an expression of operators that bind tighter than a power. */
  readonly above: (source: Source, power: number) => Expression;
  /** Reads an operand. */
  readonly primary: (source: Source) => Expression;
}

/**
 * Reads one expression.
 * @throws ReadError
 */
export function readExpression(source: Source): Expression {
  return source.rules.above(source, 0);
}

/** Deeper queries would exhaust the stack of the conversion. */
const MAX_DEPTH = 150;

/** The token at an offset from the next one; the last token is repeated. */
export function peek({ tokens, at }: Source, ahead = 0): Token {
  const token = tokens[at + ahead] ?? tokens.at(-1);
  return token ?? { kind: 'end', text: '', upper: '', start: 0, end: 0 };
}

export function next(source: Source): Token {
  const token = peek(source);
  source.at++;
  return token;
}

export function isWord(source: Source, word: string, ahead = 0): boolean {
  const token = peek(source, ahead);
  return token.kind === 'word' && token.upper === word;
}

/** Whether the words follow, from a number of tokens on. */
export function areWords(source: Source, words: readonly string[], ahead = 0): boolean {
  return words.every((word, index) => isWord(source, word, ahead + index));
}

export function isSymbol(source: Source, symbol: string, ahead = 0): boolean {
  const token = peek(source, ahead);
  return token.kind === 'symbol' && token.text === symbol;
}

/** Reads the words if all of them follow. */
export function takeWords(source: Source, ...words: readonly string[]): boolean {
  if (!areWords(source, words)) return false;
  source.at += words.length;
  return true;
}

export function takeSymbol(source: Source, symbol: string): boolean {
  if (!isSymbol(source, symbol)) return false;
  source.at++;
  return true;
}

/** @throws ReadError if another token follows */
export function expectSymbol(source: Source, symbol: string): Token {
  return isSymbol(source, symbol) ? next(source) : unexpected(source, `"${symbol}"`);
}

/** @throws ReadError if another token follows */
export function expectWord(source: Source, word: string): Token {
  return isWord(source, word) ? next(source) : unexpected(source, word);
}

/** Throws: what was expected instead of the next token. */
export function unexpected(source: Source, expected: string): never {
  const token = peek(source);
  const found =
    token.kind === 'end'
      ? 'the end of the query'
      : `"${source.text.slice(token.start, token.end).slice(0, 40)}"`;
  return syntaxError(token.start, `Expected ${expected}, not ${found}`);
}

/** A bare or quoted name. */
export function readName(source: Source, expected = 'a name'): Name {
  const { kind, text, start } = peek(source);
  if (kind !== 'word' && kind !== 'quoted') return unexpected(source, expected);
  source.at++;
  return { name: text, at: start };
}

const MAX_OPERATORS = 400;

/** @throws ReadError if too many operators follow each other: their tree is as deep */
export function requireDepth(source: Source, count: number): void {
  if (count <= MAX_OPERATORS) return;
  const message = `An expression has more than ${MAX_OPERATORS} operators in a row`;
  throw new ReadError(peek(source).start, message, 'too_large');
}

/** Reads what `read` reads, one nesting level deeper. */
export function nested<T>(source: Source, read: () => T): T {
  if (++source.depth > MAX_DEPTH)
    throw new ReadError(
      peek(source).start,
      `The query is nested more than ${MAX_DEPTH} levels deep`,
      'too_large',
    );
  const result = read();
  source.depth--;
  return result;
}

/** The parts of a qualified name. */
export function readParts(source: Source): readonly Name[] {
  const parts: Name[] = [readName(source)];
  while (isSymbol(source, '.') && ['word', 'quoted'].includes(peek(source, 1).kind)) {
    source.at++;
    parts.push(readName(source));
  }
  return parts;
}

/** `(`, elements separated by commas, `)`. */
export function readList<T>(source: Source, read: () => T): readonly T[] {
  expectSymbol(source, '(');
  if (takeSymbol(source, ')')) return [];
  const items = readItems(source, read);
  expectSymbol(source, ')');
  return items;
}

/** One or more elements separated by commas. */
export function readItems<T>(source: Source, read: () => T): readonly T[] {
  const items = [read()];
  while (takeSymbol(source, ',')) items.push(read());
  return items;
}

/** Whether a query starts here, after any number of opening parentheses. */
export function isQueryAhead(source: Source, ahead = 0): boolean {
  let index = ahead;
  while (isSymbol(source, '(', index)) index++;
  if (isWord(source, 'SELECT', index)) return true;
  // `with` and `values` are also names in some dialects.
  if (isWord(source, 'WITH', index)) return !isSymbol(source, ')', index + 1);
  if (!isWord(source, 'VALUES', index)) return false;
  // In MySQL, `VALUES(a)` is a function.
  return source.dialect === 'mysql' ? isWord(source, 'ROW', index + 1) : isSymbol(source, '(', index + 1);
}

/** Skips to the parenthesis that closes the one before the next token, and reads it. */
export function skipParentheses(source: Source): void {
  for (let depth = 1; depth > 0;) {
    const token = next(source);
    if (token.kind === 'end') syntaxError(token.start, 'A parenthesis is not closed');
    if (token.kind === 'symbol' && token.text === '(') depth++;
    if (token.kind === 'symbol' && token.text === ')') depth--;
  }
}

/** Whether the dialect is that of MySQL or of MariaDB. */
export function isMysql({ dialect }: Source): boolean {
  return dialect === 'mysql' || dialect === 'mariadb';
}

/** The source text from an offset to the end of the token that was read last. */
export function textFrom({ text, tokens, at }: Source, start: number): string {
  return text.slice(start, tokens[at - 1]?.end ?? start);
}

/** Reports a part that is not in the tree, from an offset to the end of the token that was read last. */
export function report(
  source: Source,
  start: number,
  note: Pick<ConversionNote, 'severity' | 'code' | 'message' | 'hint'>,
): void {
  source.notes.push({ ...note, offset: start, end: source.tokens[source.at - 1]?.end ?? start });
}
