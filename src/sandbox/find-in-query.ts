// Locates in a consumer query what the engine's message names.
import { createCursor, type Cursor } from '../sql/cursor.ts';
import type { TokenKind } from '../sql/lexer.ts';

/** Operator tokens by the functions that the engine parses them to. */
const OPERATORS: ReadonlyMap<string, TokenKind> = new Map([
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
export function findInQuery(query: Cursor, name: string): TextMatch | undefined {
  const folded = name.toLowerCase();
  const operator = OPERATORS.get(folded);
  return (
    find(query, (i) => isPath(query, i, name)) ??
    find(query, (i) => query.text(i).toLowerCase() === folded && query.kind(i + 1) === '(') ??
    find(query, (i) => query.kind(i) === 'string' && query.text(i) === `'${name}'`) ??
    find(query, (i) => operator !== undefined && query.kind(i) === operator)
  );
}

/** The same in a statement that is no query. */
export function findInText(sql: string, name: string): TextMatch | undefined {
  return findInQuery(createCursor(sql), name);
}

/** The first token that `accepts`, and the path that continues from it. */
function find(query: Cursor, accepts: (index: number) => boolean): TextMatch | undefined {
  const first = query.tokens.findIndex((_, i) => accepts(i));
  if (first < 0) return undefined;
  let last = first;
  while (query.kind(last + 1) === '.' && query.kind(last + 2) !== undefined) last += 2;
  return { start: query.start(first), source: query.slice(first, last + 1) };
}

/** Whether names with dots between them begin with that path at a token. Quoted names may have dots of their own. */
function isPath(query: Cursor, first: number, path: string): boolean {
  if (query.kind(first - 1) === '.') return false;
  let rest = path;
  for (let at = first; ; at += 2) {
    const name = query.name(at);
    if (name === undefined || !rest.startsWith(name)) return false;
    if (rest === name) return true;
    if (rest[name.length] !== '.' || query.kind(at + 1) !== '.') return false;
    rest = rest.slice(name.length + 1);
  }
}

/** Whether a query printed by the engine contains only names that the consumer wrote. */
export function isConsumerScope(query: Cursor, printed: string): boolean {
  const written = new Set(namesIn(query));
  return namesIn(createCursor(printed)).every((name) => name === 'as' || written.has(name));
}

/** Bare and quoted names in lower case; undefined for one that cannot be decoded. */
function namesIn(query: Cursor): readonly (string | undefined)[] {
  return query.tokens.flatMap(({ kind }, i) =>
    kind === 'word' || kind === 'quoted' ? [query.name(i)?.toLowerCase()] : [],
  );
}
