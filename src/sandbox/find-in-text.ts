// Where in a consumer's text something stands that the engine's message names.
import { identifierName } from '../sql/literal.ts';
import { tokenize } from '../sql/lexer.ts';
import type { TokenKind } from '../sql/lexer.ts';
import type { ConsumerText } from './consumer-text.ts';

/** Signs by the functions that the engine makes of them. */
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

/** A text and its tokens, without blanks and comments. */
type Tokens = Pick<ConsumerText, 'text' | 'tokens'>;

/** Something found, as the consumer wrote it, and the offset of where. */
export interface Found {
  readonly source: string;
  readonly start: number;
}

/**
 * A name as the engine writes it: a column or alias, a path `a.b`, a function, a string's content, or the sign that stands
 * for a function. Undefined where the text has none of them.
 */
export function findInText(text: Tokens, name: string): Found | undefined {
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

/** The first token that `accepts`, and the path that goes on from it. */
function find(text: Tokens, accepts: (index: number) => boolean): Found | undefined {
  const { tokens } = text;
  const first = tokens.findIndex((_, i) => accepts(i));
  const token = tokens[first];
  if (token === undefined) return undefined;
  let last = first;
  while (tokens[last + 1]?.kind === '.' && tokens[last + 2] !== undefined) last += 2;
  return { start: token.start, source: text.text.slice(token.start, tokens[last]?.end) };
}

/** Whether the token is that part of a path, with a dot before it where it is not the first. */
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

/** Whether a query as the engine prints it holds no name that the consumer did not write. */
export function isConsumersOwn(text: ConsumerText, printed: string): boolean {
  const written = new Set(text.tokens.map((_, i) => identifierName(sourceOf(text, i))?.toLowerCase()));
  return tokenize(printed)
    .filter((token) => token.kind === 'word' || token.kind === 'quoted')
    .map((token) => identifierName(printed.slice(token.start, token.end))?.toLowerCase())
    .every((name) => name === 'as' || written.has(name));
}
