// Locates in a consumer query what the engine's message names.
import {
  afterPath,
  firstToken,
  nameTokens,
  tokensOf,
  unreadableNames,
} from '../../sql/clickhouse/tree/tokens.ts';
import { sourceOf, spanOf, wordOf, type TreeTokens } from '../../sql/clickhouse/tree/visit.ts';

/** Operator tokens by the functions that the engine parses them to. */
export const OPERATORS: ReadonlyMap<string, string> = new Map([
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

/** A match, as the consumer wrote it, and its offset. */
export interface TextMatch {
  readonly source: string;
  readonly start: number;
}

/**
 * Finds a name as the engine prints it: a column or alias, a path `a.b`, a function, a string's content, or the operator
 * that the engine parses to a function. Undefined if the query contains none of them.
 */
export function findInQuery(query: TreeTokens, name: string): TextMatch | undefined {
  const folded = name.toLowerCase();
  const names = nameTokens(query);
  const isCalled = (at: number): boolean =>
    textAt(query, at).toLowerCase() === folded && wordOf(query, { at: at + 1 }) === '(';
  const operator = OPERATORS.get(folded);
  const at =
    names.find((token) => beginsPath(query, token.at, name))?.at ??
    names.find((token) => isCalled(token.at))?.at ??
    firstToken(query, ({ text }) => text === `'${name}'`) ??
    firstToken(query, ({ symbol }) => symbol !== undefined && symbol === operator);
  if (at === undefined) return undefined;
  const path = { from: at, to: afterPath(query, at) };
  return { start: spanOf(query, path).start, source: sourceOf(query, path) };
}

/** Does the same in a statement that is no query. */
export function findInText(sql: string, name: string): TextMatch | undefined {
  return findInQuery(tokensOf(sql), name);
}

function textAt(query: TreeTokens, at: number): string {
  return sourceOf(query, { from: at, to: at + 1 });
}

/** Returns whether names with dots between them begin with that path at a token. Quoted names may have dots of their own. */
function beginsPath(query: TreeTokens, first: number, path: string): boolean {
  if (wordOf(query, { at: first - 1 }) === '.') return false;
  let known = '';
  for (const { name } of nameTokens(query, { from: first, to: afterPath(query, first) })) {
    known += known === '' ? name : `.${name}`;
    if (known === path) return true;
    if (!path.startsWith(`${known}.`)) return false;
  }
  return false;
}

/** Returns whether a query printed by the engine contains only names that the consumer wrote. */
export function isConsumerScope(query: TreeTokens, printed: string): boolean {
  const written = new Set(nameTokens(query).map(({ name }) => name.toLowerCase()));
  const tokens = tokensOf(printed);
  const names = nameTokens(tokens).map(({ name }) => name.toLowerCase());
  return unreadableNames(tokens).length === 0 && names.every((name) => name === 'as' || written.has(name));
}
