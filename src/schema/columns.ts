// The columns of a CREATE or ALTER statement, without what does not change their names and types: codecs, expiry,
// statistics, indexes, projections, constraints.
import type { Cursor } from '../sql/cursor.ts';
import { quoteString } from '../sql/literal.ts';
import { modernType } from './types.ts';

/** A column by token indexes; `to` exclusive. */
export interface ColumnText {
  /** As written, without codec, expiry and the like. */
  readonly sql: string;
  /** The name as written. */
  readonly name: string;
  /** Undefined if the type is that of the default. */
  readonly type: string | undefined;
  /** How its value is made up: DEFAULT, MATERIALIZED, ALIAS, EPHEMERAL. */
  readonly kind: string | undefined;
}

/** The columns between the parentheses at `open`, and the primary key, if it is given there. */
export function readColumns(
  cursor: Cursor,
  open: number,
): { readonly columns: readonly ColumnText[]; readonly primary: string | undefined } {
  const columns: ColumnText[] = [];
  let primary: string | undefined;
  for (const [from, to] of splitList(cursor, open + 1, cursor.closing(open))) {
    if (isPrimaryKey(cursor, from, to)) primary = cursor.slice(from + 2, to);
    else if (!isIndexLike(cursor, from, to)) columns.push(readColumn(cursor, from, to));
  }
  return { columns, primary };
}

/** The items of a list by token indexes, separated by commas outside brackets. */
export function splitList(cursor: Cursor, from: number, to: number): readonly (readonly [number, number])[] {
  const items: (readonly [number, number])[] = [];
  let start = from;
  for (let at = from; at < to; at = cursor.after(at)) {
    if (cursor.kind(at) !== ',') continue;
    items.push([start, at]);
    start = at + 1;
  }
  items.push([start, to]);
  return items.filter(([first, end]) => end > first);
}

function isPrimaryKey(cursor: Cursor, from: number, to: number): boolean {
  return cursor.word(from) === 'PRIMARY' && cursor.word(from + 1) === 'KEY' && to > from + 2;
}

/** INDEX, PROJECTION and CONSTRAINT, as opposed to columns of these names. */
function isIndexLike(cursor: Cursor, from: number, to: number): boolean {
  const word = cursor.word(from);
  const third = cursor.word(from + 2);
  if (word === 'INDEX') return hasWord(cursor, from + 2, to, 'TYPE') || third === 'GRANULARITY';
  if (word === 'CONSTRAINT') return third === 'CHECK' || third === 'ASSUME';
  if (word === 'FOREIGN') return cursor.word(from + 1) === 'KEY';
  if (word !== 'PROJECTION') return false;
  const inside = cursor.word(from + 3);
  return third === 'INDEX' || (cursor.kind(from + 2) === '(' && (inside === 'SELECT' || inside === 'WITH'));
}

function hasWord(cursor: Cursor, from: number, to: number, word: string): boolean {
  for (let at = from; at < to; at = cursor.after(at)) if (cursor.word(at) === word) return true;
  return false;
}

const VALUE_KINDS: ReadonlySet<string | undefined> = new Set([
  'DEFAULT',
  'MATERIALIZED',
  'ALIAS',
  'EPHEMERAL',
]);
const MODIFIERS: ReadonlySet<string | undefined> = new Set([
  ...VALUE_KINDS,
  'CODEC',
  'STATISTICS',
  'TTL',
  'COLLATE',
  'SETTINGS',
  'COMMENT',
  'PRIMARY',
  'NOT',
  'NULL',
  'AUTO_INCREMENT',
  'REMOVE',
  'MODIFY',
  'RESET',
  'AFTER',
  'FIRST',
]);
/** Left out, with what follows them up to the next modifier. */
const LEFT_OUT: ReadonlySet<string | undefined> = new Set([
  'CODEC',
  'STATISTICS',
  'TTL',
  'COLLATE',
  'SETTINGS',
  'AUTO_INCREMENT',
]);

/** A column from its name to the end of its modifiers. */
export function readColumn(cursor: Cursor, from: number, to: number): ColumnText {
  const parts = [cursor.text(from)];
  let type: string | undefined;
  let kind: string | undefined;
  for (let at = from + 1; at < to;) {
    const end = partEnd(cursor, at, to);
    const word = modifierAt(cursor, at);
    if (word === undefined) {
      type = modernType(cursor.slice(at, end));
      parts.push(type);
    } else if (!LEFT_OUT.has(word)) parts.push(cursor.slice(at, end));
    if (VALUE_KINDS.has(word)) kind = word;
    at = end;
  }
  return { sql: parts.join(' '), name: cursor.text(from), type, kind };
}

/** The keyword at a token, if it is one: a word that continues an expression is a name. */
function modifierAt(cursor: Cursor, at: number): string | undefined {
  const word = cursor.word(at);
  if (!MODIFIERS.has(word)) return undefined;
  if (word === 'COMMENT' && cursor.kind(at + 1) !== 'string') return undefined;
  if ((word === 'CODEC' || word === 'STATISTICS' || word === 'SETTINGS') && cursor.kind(at + 1) !== '(')
    return undefined;
  return word;
}

function partEnd(cursor: Cursor, from: number, to: number): number {
  let at = cursor.after(from);
  const first = modifierAt(cursor, from);
  // NOT NULL, PRIMARY KEY, REMOVE TTL and the first token of an expression belong to their keyword.
  if (first !== undefined && first !== 'NULL' && first !== 'FIRST' && first !== 'EPHEMERAL' && at < to)
    at = cursor.after(at);
  while (at < to && (modifierAt(cursor, at) === undefined || isInsideExpression(cursor, at)))
    at = cursor.after(at);
  return at;
}

/** `x IS NOT NULL`, `a AND NOT b`, `x = NULL`, `a + ttl`: not modifiers. */
function isInsideExpression(cursor: Cursor, at: number): boolean {
  const before = cursor.word(at - 1);
  const word = cursor.word(at);
  if (before === 'IS' || before === 'AND' || before === 'OR' || before === 'NOT') return true;
  if (word === 'NOT') return /^(IN|LIKE|ILIKE|BETWEEN)$/.test(cursor.word(at + 1) ?? '');
  const kind = cursor.kind(at - 1);
  return kind !== undefined && /^([-+*/%<>=,.]|->|::|!=|<=|>=|\|\|)$/.test(kind);
}

/** A column of the same name and type whose value depends on nothing. */
export function plainColumn({ sql, name, type, kind }: ColumnText): string {
  if (type === undefined) return sql;
  if (kind === 'EPHEMERAL') return `${name} ${type} EPHEMERAL`;
  if (kind !== 'ALIAS' && kind !== 'MATERIALIZED') return `${name} ${type}`;
  return `${name} ${type} ${kind} defaultValueOfTypeName(${quoteString(type)})`;
}
