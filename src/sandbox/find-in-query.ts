// Locates in a consumer query what the engine's message names.
import { identifierName } from '../sql/literal.ts';
import { tokenize } from '../sql/lexer.ts';
import type { TokenKind } from '../sql/lexer.ts';
import type { LexedQuery } from './lexed-query.ts';

/** Operator tokens by the functions that the engine parses them to. */
const SIGNS: ReadonlyMap<string, TokenKind> = new Map([
  ['plus', '+'],
  ['minus', '-'],
  ['negate', '-'],
  ['multiply', '*'],
  ['divide', '/'],
  ['modulo', '%'],
  ['equals', '='],
  ['notequals', '!='],
  ['less', '<'],
  ['greater', '>'],
  ['lessorequals', '<='],
  ['greaterorequals', '>='],
  ['concat', '||'],
  ['_cast', '::'],
  ['cast', '::'],
]);

/** A query and its tokens, without whitespace and comments. */
type Tokens = Pick<LexedQuery, 'text' | 'tokens'>;

/** A match, as the consumer wrote it, and its offset. */
export interface TextMatch {
  readonly source: string;
  readonly start: number;
}

/**
 * Finds a name as the engine prints it: a column or alias, a path `a.b`, a function, a string's content, or the operator
 * that the engine parses to a function. Undefined if the query contains none of them.
 */
export function findInQuery(text: Tokens, name: string): TextMatch | undefined {
  const parts = name.split('.');
  const folded = name.toLowerCase();
  const sign = SIGNS.get(folded);
  return (
    find(text, (i) => parts.every((part, k) => isPart(text, i + 2 * k, part, k > 0))) ??
    find(text, (i) => sourceOf(text, i).toLowerCase() === folded && text.tokens[i + 1]?.kind === '(') ??
    find(text, (i) => text.tokens[i]?.kind === 'string' && sourceOf(text, i) === `'${name}'`) ??
    find(text, (i) => sign !== undefined && text.tokens[i]?.kind === sign)
  );
}

/** The first token that `accepts`, and the path that continues from it. */
function find(text: Tokens, accepts: (index: number) => boolean): TextMatch | undefined {
  const { tokens } = text;
  const first = tokens.findIndex((_, i) => accepts(i));
  const token = tokens[first];
  if (token === undefined) return undefined;
  let last = first;
  while (tokens[last + 1]?.kind === '.' && tokens[last + 2] !== undefined) last += 2;
  return { start: token.start, source: text.text.slice(token.start, tokens[last]?.end) };
}

/** Whether the token is that part of a path, preceded by a dot unless it is the first. */
function isPart(text: Tokens, index: number, part: string, hasDot: boolean): boolean {
  const kind = text.tokens[index]?.kind;
  if (kind !== 'word' && kind !== 'quoted') return false;
  if (hasDot !== (text.tokens[index - 1]?.kind === '.')) return false;
  return identifierName(sourceOf(text, index)) === part;
}

function sourceOf(text: Tokens, index: number): string {
  const token = text.tokens[index];
  return token === undefined ? '' : text.text.slice(token.start, token.end);
}

/** Whether a query printed by the engine contains only names that the consumer wrote. */
export function isConsumerScope(text: LexedQuery, printed: string): boolean {
  const written = new Set(text.tokens.map((_, i) => identifierName(sourceOf(text, i))?.toLowerCase()));
  return tokenize(printed)
    .filter((token) => token.kind === 'word' || token.kind === 'quoted')
    .map((token) => identifierName(printed.slice(token.start, token.end))?.toLowerCase())
    .every((name) => name === 'as' || written.has(name));
}
