// The tokens of a query, read one after the other.
import type { TextFinding, TextSpan } from '../../base/finding.ts';
import type { Expression, FromItem, Name, Query } from '../tree.ts';
import { unexpectedCharacter } from '../../clickhouse/character-name.ts';
import type { Feature, Grammar } from './grammar.ts';
import { keywordsThat } from './keywords.ts';
import type { Token } from './lexer.ts';
import { written, type Outlined } from './outline.ts';
import { syntax, tooLarge, unsupported } from '../context.ts';

/** A part that is left out because it changes no rows. */
export type LeftOut = TextSpan & Pick<TextFinding, 'message'>;

/** Bounds on the size of a query. */
export interface Limits {
  readonly characters: number;
  readonly tokens: number;
  /** Levels of nesting. */
  readonly depth: number;
  readonly selects: number;
  /** Tables of one FROM. */
  readonly tables: number;
  /** Operators that follow each other, other than AND, OR and ||: their tree is as deep. */
  readonly operators: number;
  /** Accessors of one value. */
  readonly accessors: number;
  /** Members of one set operation. */
  readonly members: number;
}

/** A position in the tokens, and what all readers share. */
export interface Source extends Outlined {
  readonly grammar: Grammar;
  readonly limits: Limits;
  /** What cannot be read, or would be left out, is an error. */
  readonly isStrict: boolean;
  /** For each opening parenthesis, by its index: the index of the closing one. */
  readonly closes: ReadonlyMap<number, number>;
  depth: number;
  selects: number;
  readonly leftOut: LeftOut[];
  /** Here to avoid circular imports between the files that define them. */
  readonly rules: Rules;
}

/** The mutually recursive readers. They throw UnconvertedError. */
export interface Rules {
  /** Reads an expression of operators that bind tighter than a power. */
  readonly above: (source: Source, power: number) => Expression;
  /** Reads an operand. */
  readonly primary: (source: Source) => Expression;
  /** Reads the query that starts at the next token, up to the parenthesis that closes it. */
  readonly query: (source: Source, use?: QueryUse) => Query;
  /** Reads the tables of FROM that start at the next token. */
  readonly from: (source: Source) => readonly FromItem[];
}

/** Where a query is. */
export interface QueryUse {
  /** Its rows are values: a record is one value. */
  readonly isValue: boolean;
}

/**
 * Reads one expression.
 * @throws UnconvertedError
 */
export function readExpression(source: Source): Expression {
  return nested(source, () => source.rules.above(source, 0));
}

/** Returns whether the dialect has a construct. */
export function has({ grammar }: Source, feature: Feature): boolean {
  return grammar.features.has(feature);
}

/** At run time, a construct that the dialect does not have is an error; offline, it is read as other dialects have it. */
export function requires(source: Source, feature: Feature, what: string, hint?: string): void {
  if (source.isStrict && !has(source, feature))
    unsupported(peek(source).start, `${what} is not supported`, hint);
}

const END: Token = { kind: 'end', text: '', upper: '', start: 0, end: 0 };

/** The token at an offset from the next one; the last token is repeated. */
export function peek({ tokens, at }: Source, ahead = 0): Token {
  return tokens[at + ahead] ?? tokens.at(-1) ?? END;
}

export function next(source: Source): Token {
  const token = peek(source);
  source.at++;
  return token;
}

export function isWord(source: Source, word: string, ahead = 0): boolean {
  const token = peek(source, ahead);
  return token.upper === word && token.kind === 'word';
}

/** Returns whether the words follow, from a number of tokens on. */
export function areWords(source: Source, words: readonly string[], ahead = 0): boolean {
  return words.every((word, index) => isWord(source, word, ahead + index));
}

export function isSymbol(source: Source, symbol: string, ahead = 0): boolean {
  const token = peek(source, ahead);
  return token.text === symbol && token.kind === 'symbol';
}

/** Returns whether a bare or quoted name follows, reserved or not. */
export function isNameToken(source: Source, ahead = 0): boolean {
  const { kind } = peek(source, ahead);
  return kind === 'word' || kind === 'quoted';
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

/** @throws UnconvertedError if another token follows */
export function expectSymbol(source: Source, symbol: string): Token {
  return isSymbol(source, symbol) ? next(source) : unexpected(source, `"${symbol}"`);
}

/** @throws UnconvertedError if other tokens follow */
export function expectWords(source: Source, ...words: readonly string[]): void {
  if (!takeWords(source, ...words)) unexpected(source, words.join(' '));
}

const COMMON_SYMBOL = /[-+*/%=<>(),.;[\]|&^~]/;
const ANY_SYMBOL = /[-+*/%=<>(),.;[\]|&^~!@?{}:$#]/;

/** Throws: what was expected instead of the next token. */
export function unexpected(source: Source, expected: string, hint?: string): never {
  const { kind, start, end, text } = peek(source);
  if (source.isStrict && (kind === 'parameter' || text === '@' || text === '@@' || text === '?'))
    syntax(start, 'Parameters are applied inside the tables: they are not allowed in a consumer query');
  if (kind === 'symbol' && !(source.isStrict ? COMMON_SYMBOL : ANY_SYMBOL).test(text))
    syntax(start, unexpectedCharacter(source.text, start), hint);
  const found = kind === 'end' ? 'the end of the query' : `"${source.text.slice(start, end).slice(0, 40)}"`;
  return syntax(start, `Expected ${expected}, not ${found}`, hint);
}

/** A part of an expression, from an offset to the end of the token that was read last, that the tree has no form for. */
export function unread(source: Source, at: number, reason: string, hint?: string): Expression {
  if (source.isStrict) unsupported(at, `${reason.charAt(0).toUpperCase()}${reason.slice(1)}`, hint);
  return { kind: 'unread', at, text: textFrom(source, at), reason };
}

/** Returns whether a name follows: a quoted one, or a word that is not reserved. */
function isName(source: Source, ahead = 0): boolean {
  const { kind, upper } = peek(source, ahead);
  return kind === 'quoted' || (kind === 'word' && !source.grammar.reserved.has(upper));
}

/** A bare or quoted name. */
export function readName(source: Source, expected = 'a name'): Name {
  if (!isName(source)) return unexpected(source, expected);
  const { text, start } = next(source);
  return { name: text, at: start };
}

/** A name after a dot: every keyword is one there. */
export function readMember(source: Source): Name {
  if (!isNameToken(source)) return unexpected(source, 'a name');
  const { text, start } = next(source);
  return { name: text, at: start };
}

/** The parts of a qualified name. */
export function readParts(source: Source): readonly Name[] {
  const parts: Name[] = [readName(source)];
  while (isSymbol(source, '.') && isNameToken(source, 1)) {
    source.at++;
    parts.push(readMember(source));
  }
  return parts;
}

/** @throws UnconvertedError if too many operators follow each other: their tree is as deep */
export function requireDepth(source: Source, count: number): void {
  const { operators } = source.limits;
  if (count > operators)
    tooLarge(peek(source).start, `An expression has more than ${operators} operators in a row`);
}

/** Reads what `read` reads, one nesting level deeper. */
export function nested<T>(source: Source, read: () => T): T {
  const { depth } = source.limits;
  if (++source.depth > depth)
    tooLarge(peek(source).start, `The query is nested more than ${depth} levels deep`);
  const result = read();
  source.depth--;
  return result;
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
export function readItems<T>(
  source: Source,
  read: () => T,
  isEnd: (source: Source) => boolean = isClosing,
): readonly T[] {
  const items = [read()];
  for (let from = source.at; takeSymbol(source, ','); from = source.at) {
    if (!has(source, 'trailing commas') || !isEnd(source)) items.push(read());
    else written(source, from, '');
  }
  return items;
}

/** `[a, b]` */
export function readBrackets(source: Source): readonly Expression[] {
  expectSymbol(source, '[');
  if (takeSymbol(source, ']')) return [];
  const items = readItems(source, () => readExpression(source));
  expectSymbol(source, ']');
  return items;
}

function isClosing(source: Source): boolean {
  return isSymbol(source, ')') || isSymbol(source, ']');
}

/** Returns whether a query starts here, after any number of opening parentheses. */
export function isQueryAhead(source: Source, ahead = 0): boolean {
  let index = ahead;
  while (isSymbol(source, '(', index)) index++;
  if (isWord(source, 'SELECT', index)) return true;
  // `with` and `values` are also names in some dialects.
  if (isWord(source, 'WITH', index)) return !isSymbol(source, ')', index + 1);
  if (!isWord(source, 'VALUES', index) || !has(source, 'standard clauses')) return false;
  // In MySQL, `VALUES(a)` is a function.
  return has(source, 'values function') ? isWord(source, 'ROW', index + 1) : isSymbol(source, '(', index + 1);
}

/** The token after the parenthesis that closes the one at an offset from the next token. */
export function afterParentheses(source: Source, ahead = 0): Token {
  const close = source.closes.get(source.at + ahead) ?? source.tokens.length;
  return peek(source, close - source.at + 1);
}

const AFTER_QUERY: ReadonlySet<string> = new Set([')', ...keywordsThat('query')]);

/**
 * Returns whether the parentheses that open here contain a query. Those of `((SELECT 1) + 2)` do not: what follows the first query in
 * parentheses cannot follow a query.
 */
export function isQueryWithin(source: Source): boolean {
  if (!isSymbol(source, '(') || !isQueryAhead(source)) return false;
  for (let ahead = 1; isSymbol(source, '(', ahead); ahead++) {
    const { kind, upper } = afterParentheses(source, ahead);
    if (kind !== 'end' && !AFTER_QUERY.has(upper)) return false;
  }
  return true;
}

/** The source text from an offset to the end of the token that was read last. */
export function textFrom({ text, tokens, at }: Source, start: number): string {
  return text.slice(start, tokens[at - 1]?.end ?? start);
}

/** Reports a part that changes no rows, from an offset to the end of the token that was read last. */
export function leaveOut(source: Source, start: number): void {
  const text = textFrom(source, start);
  if (source.isStrict) unsupported(start, `${text} is not supported`);
  source.leftOut.push({
    start,
    end: start + text.length,
    message: `${text} is left out`,
  });
}

/** For each opening parenthesis, by its index: the index of the closing one. */
export function closesOf(tokens: readonly Token[]): ReadonlyMap<number, number> {
  const closes = new Map<number, number>();
  const open: number[] = [];
  for (const [index, { kind, text }] of tokens.entries()) {
    if (kind !== 'symbol') continue;
    if (text === '(') open.push(index);
    const last = text === ')' ? open.pop() : undefined;
    if (last !== undefined) closes.set(last, index);
  }
  return closes;
}
