// ALTER, RENAME, EXCHANGE and DROP: what changes the columns of tables.
import { printName } from '../../sql/definition/qualified-name.ts';
import type { AlterRecord, StatementRecord } from '../../sql/definition/record.ts';
import type { Normalised } from './step.ts';
import { checkedName, withoutMoves } from './tables.ts';

const SKIP = { kind: 'skip' } as const;

/** ALTER TABLE, reduced to the changes of columns and of the query of a view; a copy without rows has the others. */
export function normaliseAlter({ what, name, commands, checked, indexes }: AlterRecord): Normalised {
  if (what !== 'TABLE') return { kind: 'skip', noted: `ALTER ${what}` };
  if (name === undefined) return { kind: 'unknown', message: 'the name of the table cannot be read' };
  if (commands.length + checked.length + indexes.length === 0) return SKIP;
  const step = {
    kind: 'step',
    action: 'change',
    target: name,
    what: 'table',
    isAlter: true,
    indexes,
  } as const;
  const copy = printName(checkedName(name));
  const remove = `DROP TABLE IF EXISTS ${copy}`;
  const attempts = [commands.length === 0 ? remove : `ALTER TABLE ${printName(name)} ${commands.join(', ')}`];
  if (checked.length === 0) return { ...step, attempts };
  const changed = `ALTER TABLE ${copy} ${checked.map(withoutMoves).join(', ')}`;
  return { ...step, attempts, check: `CREATE TABLE ${copy} AS ${printName(name)};\n${changed};\n${remove}` };
}

const REMOVED: ReadonlySet<string> = new Set(['TABLE', 'VIEW', 'DICTIONARY', 'DATABASE', 'FUNCTION']);
const RENAMED: ReadonlySet<string> = new Set(['TABLE', 'TABLES', 'DICTIONARY', 'DICTIONARIES', 'DATABASE']);

type Change = Extract<StatementRecord, { readonly sql: string }>;

/** DROP TABLE and the like. */
export function normaliseDrop({ what, name, sql }: Change): Normalised {
  if (what === 'INDEX') return SKIP;
  if (!REMOVED.has(what)) return { kind: 'skip', noted: `DROP ${what}` };
  if (name === undefined) return { kind: 'unknown', message: 'the name of what is dropped cannot be read' };
  return { kind: 'step', action: 'remove', target: name, what: what.toLowerCase(), attempts: [sql] };
}

/** RENAME and EXCHANGE. */
export function normaliseRename({ verb, what, name, sql }: Change): Normalised {
  if (name === undefined || !RENAMED.has(what)) return { kind: 'skip', noted: `${verb} ${what}` };
  return { kind: 'step', action: 'change', target: name, what: 'table', attempts: [sql] };
}
