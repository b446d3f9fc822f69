// Parses the SETTINGS clause that may end a saved query, so that it can be merged with an endpoint's limits.
import type { Cursor } from './cursor.ts';
import type { SqlFinding } from './finding.ts';

/** `name = value`, the value as written. */
export interface Setting {
  readonly name: string;
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** The clause from its keyword to the end of the query. */
export interface SettingsClause {
  readonly start: number;
  readonly end: number;
  readonly items: readonly Setting[];
}

/** Reads the clause of the main query, which begins at token `main`; a finding if one is not at the end. */
export function readSettings(
  cursor: Cursor,
  main: number,
  findings: SqlFinding[],
): { readonly clause: SettingsClause; readonly firstToken: number } | undefined {
  for (let at = main; at < cursor.length; at = cursor.after(at)) {
    if (!isKeyword(cursor, at)) continue;
    const items = readItems(cursor, at + 1);
    if (items !== undefined) {
      const clause = { start: cursor.start(at), end: cursor.end(cursor.length - 1), items };
      return { clause, firstToken: at };
    }
    const message = 'SETTINGS must be at the end, as name = value, with numbers, strings or names as values';
    findings.push(cursor.finding('settings_invalid', message, at));
    return undefined;
  }
  return undefined;
}

/** Whether it is the keyword rather than a column of that name: `name =` follows, and it is not an alias. */
function isKeyword(cursor: Cursor, at: number): boolean {
  if (cursor.word(at) !== 'SETTINGS' || at === 0) return false;
  if (cursor.kind(at - 1) === '.' || cursor.word(at - 1) === 'AS') return false;
  return cursor.kind(at + 1) === 'word' && cursor.kind(at + 2) === '=';
}

function readItems(cursor: Cursor, from: number): Setting[] | undefined {
  const items: Setting[] = [];
  for (let at = from; ;) {
    if (cursor.kind(at) !== 'word' || cursor.text(at + 1) !== '=') return undefined;
    const end = valueEnd(cursor, at + 2);
    if (end === undefined) return undefined;
    const value = cursor.slice(at + 2, end);
    items.push({ name: cursor.text(at), value, start: cursor.start(at), end: cursor.end(end - 1) });
    if (end === cursor.length) return items;
    if (cursor.kind(end) !== ',') return undefined;
    at = end + 1;
  }
}

/** Index after a number (optionally signed), string or bare word; maps and lists are not accepted. */
function valueEnd(cursor: Cursor, at: number): number | undefined {
  const kind = cursor.kind(at);
  if (kind === '-' || kind === '+') return cursor.kind(at + 1) === 'number' ? at + 2 : undefined;
  return kind === 'number' || kind === 'string' || kind === 'word' ? at + 1 : undefined;
}
