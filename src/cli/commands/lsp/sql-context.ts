// What the SQL around a position names: the word that is written there, and the tables whose columns it may read.
import type { Column } from '../../../service/engine/engine.ts';
import { createCursor, type Cursor } from '../../../sql/clickhouse/cursor.ts';
import { tokenize } from '../../../sql/clickhouse/lexer.ts';

/** Tables by the names that a query can use for them. */
export type TablesByName = ReadonlyMap<string, readonly Column[]>;

/** A dotted name with `@` in front of a parameter, from its start to its end. */
export interface Word {
  readonly text: string;
  readonly isParameter: boolean;
  readonly start: number;
  readonly end: number;
  /** A parenthesis follows. */
  readonly isCall: boolean;
}

const WORD = /@?[\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}\p{N}_]*)*|@/uy;

/** The word that contains the offset or ends there; undefined in strings, in comments and between words. */
export function wordAt(sql: string, offset: number): Word | undefined {
  if (isInText(sql, offset)) return undefined;
  let start = offset;
  while (start > 0 && /[@.\p{L}\p{N}_]/u.test(sql.charAt(start - 1))) start--;
  WORD.lastIndex = start;
  const text = WORD.exec(sql)?.[0];
  if (text === undefined || start + text.length < offset) return undefined;
  const end = start + text.length;
  return {
    text,
    isParameter: text.startsWith('@'),
    start,
    end,
    isCall: /^\s*\(/.test(sql.slice(end, end + 50)),
  };
}

function isInText(sql: string, offset: number): boolean {
  const token = tokenize(sql).find(({ start, end }) => start < offset && offset <= end);
  if (token === undefined) return false;
  const { kind, start, end, reason } = token;
  if (kind === 'error') return reason?.startsWith('unclosed') === true;
  // What follows at the end of a line comment is part of it.
  if (kind === 'comment') return offset < end || !sql.startsWith('/*', start);
  return (kind === 'string' || kind === 'heredoc') && offset < end;
}

/** The tables that follow FROM and JOIN, and their aliases, by both. `known` has `database.table` and tables of WITH. */
export function tablesRead(sql: string, known: TablesByName): TablesByName {
  const query = createCursor(sql);
  const found = new Map<string, readonly Column[]>();
  for (let at = 0; at < query.length; at++) {
    const before = query.word(at - 1);
    if (before !== 'FROM' && before !== 'JOIN' && query.kind(at - 1) !== ',') continue;
    const table = tableAt(query, at);
    const columns = table && known.get(table.name);
    if (table === undefined || columns === undefined) continue;
    found.set(table.name, columns);
    found.set(table.name.slice(table.name.indexOf('.') + 1), columns);
    const alias = query.name(query.word(table.end) === 'AS' ? table.end + 1 : table.end);
    if (alias !== undefined) found.set(alias, columns);
  }
  return found;
}

function tableAt(query: Cursor, at: number): { readonly name: string; readonly end: number } | undefined {
  const first = query.name(at);
  if (first === undefined) return undefined;
  const second = query.kind(at + 1) === '.' ? query.name(at + 2) : undefined;
  return second === undefined ? { name: first, end: at + 1 } : { name: `${first}.${second}`, end: at + 3 };
}
