// The syntax tree of a saved query: what only saved queries may contain is read as if it were less, at the same place.
import { createCursor, type Cursor } from '../sql/cursor.ts';
import type { Token } from '../sql/lexer.ts';
import type { Node } from '../sql/tree/nodes.ts';
import { parse } from '../sql/tree/parse.ts';

/** A tree whose cursor has one token for each parameter, `database.table` and table function, and none for FINAL, SAMPLE and SETTINGS. */
export interface AuthorTree {
  readonly cursor: Cursor;
  readonly root: Node;
}

const SOURCES: ReadonlySet<string | undefined> = new Set(['FROM', 'JOIN']);

/** The tree of a bound query; undefined if it has something that is not read. */
export function authorTree(sql: string, tokens: readonly Token[]): AuthorTree | undefined {
  const query = createCursor(sql, tokens);
  const plain: Token[] = [];
  for (let at = 0; at < query.length; at++) {
    const token = query.tokens[at];
    if (token === undefined) break;
    const end = lastOf(query, at);
    if (isLeftOut(query, at)) at = query.word(at) === 'SAMPLE' ? sampleEnd(query, at) : end;
    else if (query.word(at) === 'SETTINGS' && query.name(at + 1) !== undefined) break;
    else {
      const kind = query.kind(at) === '{' ? 'number' : end > at && query.kind(at) !== '(' ? 'quoted' : token.kind;
      plain.push({ ...token, kind, end: query.end(end) });
      at = end;
    }
  }
  const cursor = createCursor(sql, plain);
  const { root, fault } = parse(cursor);
  return fault === undefined ? { cursor, root } : undefined;
} // prettier-ignore

/** FINAL and SAMPLE after a table. */
function isLeftOut(query: Cursor, at: number): boolean {
  const isAfterTable = query.name(at - 1) !== undefined || query.kind(at - 1) === ')';
  return isAfterTable && (query.word(at) === 'FINAL' || query.word(at) === 'SAMPLE');
}

/** The last token of `SAMPLE 1/10 OFFSET 1/2`. */
function sampleEnd(query: Cursor, at: number): number {
  let end = at;
  while (/^(?:number|\/)$/.test(query.kind(end + 1) ?? '') || query.word(end + 1) === 'OFFSET') end++;
  return end;
}

/** The last token of a parameter, or of the name of a source; otherwise the token itself. */
function lastOf(query: Cursor, at: number): number {
  if (query.kind(at) === '{') return query.closing(at);
  const isSource = SOURCES.has(query.word(at - 1)) && query.word(at - 2) !== 'ARRAY';
  if (!isSource || query.name(at) === undefined) return at;
  let end = at;
  while (query.kind(end + 1) === '.' && query.name(end + 2) !== undefined) end += 2;
  return query.kind(end + 1) === '(' ? query.closing(end + 1) : end;
}
