// Columns of which a consumer query does nothing but compare them with constant texts: `level = 'error'`, `id NOT IN ('a', 'b')`.
import type { Cursor } from '../sql/cursor.ts';
import { stringValue } from '../sql/string-literal.ts';
import type { LexedQuery } from './lexed-query.ts';
import { namesIn } from './needed-names.ts';

/** The texts that each column or path is compared with, by every name that it may have; without those that are used otherwise. */
export function comparedTexts({ cursor }: LexedQuery): ReadonlyMap<string, readonly string[]> {
  const compared = new Map<string, string[]>();
  const others = new Set<string>();
  const bounds = boundsOf(cursor);
  for (let at = 0, end = 0; at < cursor.length; at = Math.max(end, at + 1)) {
    if (cursor.name(at) === undefined) continue;
    end = at + 1;
    while (cursor.kind(end) === '.') end += 2;
    const texts = bounds.has(at - 1) ? undefined : textsAt(cursor, at, end);
    // The first name may be that of the table.
    const paths = texts === undefined ? [] : [pathOf(cursor, at, end), pathOf(cursor, at + 2, end)];
    for (const path of paths) compared.set(path, [...(compared.get(path) ?? []), ...(texts ?? [])]);
    for (const name of namesIn(cursor, { from: at, to: end })) if (!paths.includes(name)) others.add(name);
  }
  return new Map([...compared].filter(([path]) => !others.has(path)));
}

function pathOf(cursor: Cursor, from: number, to: number): string {
  const names: string[] = [];
  for (let at = from; at < to; at += 2) names.push(cursor.name(at) ?? '');
  return names.join('.');
}

/** Indexes of each AND of a BETWEEN. */
function boundsOf(cursor: Cursor): ReadonlySet<number> {
  const bounds = new Set<number>();
  const isBetween = [false];
  for (let at = 0; at < cursor.length; at++) {
    const kind = cursor.kind(at) ?? '';
    if (kind === '(' || kind === '[') isBetween.push(false);
    else if (kind === ')' || kind === ']') isBetween.pop();
    else if (cursor.word(at) === 'BETWEEN') isBetween[isBetween.length - 1] = true;
    else if (cursor.word(at) === 'AND' && isBetween.at(-1) === true) {
      isBetween[isBetween.length - 1] = false;
      bounds.add(at);
    }
  }
  return bounds;
}

/** The texts that a name is compared with, in a comparison that is an operand of nothing but logical operators and functions. */
function textsAt(cursor: Cursor, from: number, to: number): readonly string[] | undefined {
  if (!BEFORE.has(cursor.word(from - 1) ?? cursor.kind(from - 1))) return undefined;
  const isEquality = cursor.kind(to) === '=' || cursor.kind(to) === '!=';
  const operator = cursor.word(to) === 'NOT' ? to + 1 : to;
  const isList = cursor.word(operator) === 'IN' && cursor.kind(operator + 1) === '(';
  if (!isEquality && !isList) return undefined;
  const start = isEquality ? to + 1 : operator + 2;
  const end = isEquality ? to + 2 : cursor.closing(operator + 1);
  const next = isEquality ? end : end + 1;
  if (next < cursor.length && !AFTER.has(cursor.word(next) ?? cursor.kind(next))) return undefined;
  const texts: string[] = [];
  for (let at = start; at < end; at += 2) {
    const text = cursor.kind(at) === 'string' ? stringValue(cursor.text(at)) : undefined;
    if (text === undefined || (at + 1 < end && cursor.kind(at + 1) !== ',')) return undefined;
    texts.push(text);
  }
  return texts;
}

const BEFORE: ReadonlySet<string | undefined> = new Set(
  'SELECT WHERE BY HAVING ON AND OR NOT ( ,'.split(' '),
);
const AFTER: ReadonlySet<string | undefined> = new Set(
  'FROM WHERE AND OR GROUP HAVING WINDOW QUALIFY ORDER LIMIT OFFSET UNION INTERSECT EXCEPT ) ,'.split(' '),
);
