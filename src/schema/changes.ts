// ALTER, RENAME, EXCHANGE and DROP: what changes the columns of tables.
import type { Cursor } from '../sql/cursor.ts';
import { readColumn, splitList } from './columns.ts';
import { printName, readName } from './name.ts';
import type { StatementContext, Normalised } from './step.ts';

const SKIP = { kind: 'skip' } as const;

/** ALTER TABLE, reduced to the changes of columns and of the query of a view. */
export function normaliseAlter(cursor: Cursor, { database }: StatementContext): Normalised {
  const at = cursor.word(1) === 'TEMPORARY' ? 2 : 1;
  if (cursor.word(at) !== 'TABLE') return { kind: 'skip', noted: `ALTER ${cursor.word(at) ?? ''}` };
  const hasIf = cursor.word(at + 1) === 'IF' && cursor.word(at + 2) === 'EXISTS';
  const read = readName(cursor, at + (hasIf ? 3 : 1), database);
  if (read === undefined) return { kind: 'unknown', message: 'the name of the table cannot be read' };
  const kept = commandsOf(cursor, read.next).flatMap(([from, to]) => commandText(cursor, from, to) ?? []);
  if (kept.length === 0) return SKIP;
  const start = `ALTER TABLE ${printName(read.name)}`;
  return {
    kind: 'step',
    action: 'change',
    target: read.name,
    what: 'table',
    attempts: [`${start} ${kept.join(', ')}`],
  };
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

const REMOVED: ReadonlySet<string | undefined> = new Set([
  'TABLE',
  'VIEW',
  'DICTIONARY',
  'DATABASE',
  'FUNCTION',
]);

/** DROP TABLE and the like. */
export function normaliseDrop(cursor: Cursor, { database }: StatementContext): Normalised {
  const at = cursor.word(1) === 'TEMPORARY' ? 2 : 1;
  const what = cursor.word(at);
  if (what === 'INDEX') return SKIP;
  if (!REMOVED.has(what)) return { kind: 'skip', noted: `DROP ${what ?? ''}` };
  let next = at + 1;
  while (/^(IF|EXISTS|EMPTY)$/.test(cursor.word(next) ?? '')) next++;
  const read = readName(cursor, next, database);
  if (read === undefined) return { kind: 'unknown', message: 'the name of what is dropped cannot be read' };
  return {
    kind: 'step',
    action: 'remove',
    target: read.name,
    what: what?.toLowerCase() ?? '',
    attempts: [cursor.slice(0, cursor.length)],
  };
}

/** RENAME and EXCHANGE. */
export function normaliseRename(cursor: Cursor, { database }: StatementContext): Normalised {
  const what = cursor.word(1);
  const read = readName(cursor, 2, database);
  if (read === undefined || !/^(TABLE|TABLES|DICTIONARY|DICTIONARIES|DATABASE)$/.test(what ?? ''))
    return { kind: 'skip', noted: `${cursor.word(0) ?? ''} ${what ?? ''}` };
  return {
    kind: 'step',
    action: 'change',
    target: read.name,
    what: 'table',
    attempts: [cursor.slice(0, cursor.length)],
  };
}
