// Reads lists of columns in CREATE, and the changes of columns in ALTER: without what does not change their names and types, such as
// codecs, expiry and statistics; indexes, projections and constraints are apart.
import type { Cursor } from '../clickhouse/cursor.ts';
import { modernType } from '../types/modern-type.ts';
import type { AlterRecord, AttributeText, ColumnList, ColumnText } from './record.ts';

/** The columns between the parentheses at `open`, and the primary key, if it is given there. */
export function readColumns(cursor: Cursor, open: number): ColumnList {
  const columns: ColumnText[] = [];
  const indexes: string[] = [];
  const constraints: string[] = [];
  let primary: string | undefined;
  for (const [from, to] of splitList(cursor, open + 1, cursor.closing(open))) {
    if (isPrimaryKey(cursor, from, to)) primary = cursor.slice(from + 2, to);
    else if (!isIndexLike(cursor, from, to)) columns.push(readColumn(cursor, from, to));
    else if (isIndex(cursor.word(from))) indexes.push(`ADD ${cursor.slice(from, to)}`);
    else if (cursor.word(from + 2) === 'CHECK') constraints.push(cursor.slice(from, to));
  }
  return { columns, primary, indexes, constraints };
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

function isIndex(word: string | undefined): boolean {
  return word === 'INDEX' || word === 'PROJECTION';
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
function readColumn(cursor: Cursor, from: number, to: number): ColumnText {
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

const AFTER_TYPE =
  /^(DEFAULT|EXPRESSION|HIERARCHICAL|BIDIRECTIONAL|INJECTIVE|IS_OBJECT_ID|NULL|NOT|COMMENT)$/;

/** The attributes of a dictionary, between the parentheses at `open`. */
export function readAttributes(cursor: Cursor, open: number): readonly AttributeText[] {
  return splitList(cursor, open + 1, cursor.closing(open)).map(([from, to]) => {
    const ends: number[] = [];
    for (let at = from + 1; at < to; at = cursor.after(at))
      if (AFTER_TYPE.test(cursor.word(at) ?? '')) ends.push(at);
    const expression = ends.findIndex((at) => cursor.word(at) === 'EXPRESSION');
    const sql = cursor.slice(from, to);
    const after = ends[expression + 1];
    const plain =
      expression < 0
        ? sql
        : `${cursor.slice(from, ends[expression] ?? to)} ${after === undefined ? '' : cursor.slice(after, to)}`;
    return { sql, plain, column: cursor.slice(from, ends[0] ?? to) };
  });
}

/** The commands of ALTER TABLE from a token on. */
export function readAlter(
  cursor: Cursor,
  from: number,
): Pick<AlterRecord, 'commands' | 'checked' | 'indexes'> {
  const all = commandsOf(cursor, from);
  return {
    commands: all.flatMap(([first, to]) => commandText(cursor, first, to) ?? []),
    checked: all.flatMap(([first, to]) => (isChecked(cursor, first) ? [cursor.slice(first, to)] : [])),
    indexes: all.flatMap(([first, to]) => {
      const isCommand = /^(?:ADD|DROP)$/.test(cursor.word(first) ?? '') && isIndex(cursor.word(first + 1));
      return isCommand ? [cursor.slice(first, to)] : [];
    }),
  };
}

/** Returns whether a command adds what columns are named in, beside them. */
function isChecked(cursor: Cursor, from: number): boolean {
  const [verb, object] = [cursor.word(from), cursor.word(from + 1)];
  if (verb === 'MODIFY') return object === 'TTL';
  return verb === 'ADD' && /^(?:INDEX|PROJECTION|CONSTRAINT)$/.test(object ?? '');
}

const VERB =
  /^(ADD|DROP|MODIFY|RENAME|CLEAR|COMMENT|ALTER|MATERIALIZE|UPDATE|DELETE|FREEZE|UNFREEZE|ATTACH|DETACH|MOVE|REPLACE|FETCH|REMOVE|RESET|FORGET|APPLY|REWRITE)$/;

/** Commands by token indexes; a comma inside a command, such as a list of settings, does not end it. */
function commandsOf(cursor: Cursor, from: number): readonly (readonly [number, number])[] {
  const commands: (readonly [number, number])[] = [];
  for (const [start, end] of splitList(cursor, from, cursor.length)) {
    const last = commands.at(-1);
    const isVerb = VERB.test(cursor.word(start) ?? '') && cursor.kind(start + 1) !== '=';
    if (isVerb || last === undefined) commands.push([start, end]);
    else commands[commands.length - 1] = [last[0], end];
  }
  // In parentheses since 24.12: `ALTER TABLE t (ADD COLUMN a UInt8), (DROP COLUMN b)`.
  return commands.map(([start, end]) =>
    cursor.kind(start) === '(' ? ([start + 1, cursor.closing(start)] as const) : ([start, end] as const),
  );
}

const COLUMN_MODIFIER = /^(TTL|CODEC|STATISTICS|SETTINGS|MODIFY|RESET)$/;

/** The command for the engine; undefined if it does not change the columns. */
function commandText(cursor: Cursor, from: number, to: number): string | undefined {
  const [verb, object] = [cursor.word(from), cursor.word(from + 1)];
  if (verb === 'MODIFY' && object === 'QUERY') return cursor.slice(from, to);
  const isDeclared = (verb === 'ADD' || verb === 'MODIFY' || verb === 'ALTER') && object === 'COLUMN';
  if (!isDeclared)
    return object === 'COLUMN' && (verb === 'DROP' || verb === 'RENAME') ? cursor.slice(from, to) : undefined;
  let name = from + 2;
  if (cursor.word(name) === 'IF') name += cursor.word(name + 1) === 'NOT' ? 3 : 2;
  const next = cursor.word(name + 1);
  const removed = next === 'REMOVE' ? cursor.word(name + 2) : next;
  if (to <= name + 1 || COLUMN_MODIFIER.test(removed ?? '') || next === 'COMMENT') return undefined;
  if (next === 'REMOVE') return cursor.slice(from, to);
  return `${cursor.slice(from, name)} ${declaration(cursor, name, to)}`;
}

/** `ALTER COLUMN name TYPE type` has a word before the type. */
function declaration(cursor: Cursor, name: number, to: number): string {
  if (cursor.word(name + 1) === 'TYPE') return cursor.slice(name, to);
  const dotted = cursor.kind(name + 1) === '.' ? 2 : 0; // a subcolumn of a Nested column
  const { sql } = readColumn(cursor, name + dotted, to);
  return dotted === 0 ? sql : `${cursor.slice(name, name + 2)}${sql}`;
}
