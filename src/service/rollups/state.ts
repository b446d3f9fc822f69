// A state says what is known of a rollup on an engine: the definition of each version, and the times for which its buckets equal
// the rows of the source. States are in a table beside the rollups' tables.
import type { Rollup } from '../../guard/rollups/model.ts';
import { quoteString } from '../../sql/clickhouse/literal.ts';
import type { Engine } from '../engine/engine.ts';
import { askRows } from './ask.ts';
import { comparePartsOf, mutationOf, type SeenParts } from './parts.ts';
import { onCluster, type RollupPlan } from './statements.ts';

export interface RollupState {
  readonly rollup: Rollup;
  readonly settleSeconds: number;
  readonly keepDays: number | undefined;
  /** The times for which its buckets equal the rows, in seconds since 1970; the end is exclusive. Equal: none. */
  readonly from: number;
  readonly until: number;
  /** When that was found, in milliseconds since 1970 by the engine's clock; 0: never. */
  readonly checked: number;
  /** The source as it was then. */
  readonly seen: SeenSource;
  /** It says why the rollup is not used, whatever its times. */
  readonly failure?: string | undefined;
}

/** This shows whether rows of a table were changed or removed. */
export interface SeenSource {
  readonly uuid: string;
  readonly parts: SeenParts;
  /**
   * Mutations and lightweight updates, also those that are not listed any more although parts have their number, such as after they
   * were killed. Each with whether it may change values: numbers of rows show all others.
   */
  readonly changes: Readonly<Record<string, ChangeKind>>;
  /** It has the types and defaults of columns by name: values of old rows that are not stored follow a default without a mutation. */
  readonly columns: Readonly<Record<string, string>>;
}

type ChangeKind = 'values' | 'rows';

export const UNSEEN: SeenSource = { uuid: '', parts: {}, changes: {}, columns: {} };

const DATABASE = 'millrace_rollups';
const TABLE = `${DATABASE}.rollups`;

/** The statement that creates the table of states. */
export function createStates({
  isReplicated,
  cluster,
}: Pick<RollupPlan, 'isReplicated' | 'cluster'>): string {
  const engine = isReplicated
    ? `ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/${DATABASE}/rollups', '{replica}', changed)`
    : 'ReplacingMergeTree(changed)';
  return `CREATE TABLE IF NOT EXISTS ${TABLE}${onCluster(cluster)} (name String, version String, changed DateTime64(6, 'UTC'), state String) ENGINE = ${engine} ORDER BY (name, version)`;
}

/** Returns those of every version of every rollup; none if there is no table of them. Rejects with EngineError. */
export async function readStates(engine: Engine): Promise<readonly RollupState[]> {
  const [has] = await askRows(
    engine,
    `SELECT 1 FROM system.tables WHERE database = ${quoteString(DATABASE)} AND name = 'rollups'`,
  );
  if (has === undefined) return [];
  const rows = await askRows(
    engine,
    `SELECT state FROM ${TABLE} FINAL WHERE state != '' ORDER BY changed DESC`,
  );
  return rows.map(([text = '']) => {
    const state = JSON.parse(text) as RollupState; // written below
    return { ...state, seen: { ...UNSEEN, ...state.seen } }; // an older release wrote less
  });
}

export function stateOf(
  states: readonly RollupState[],
  { name, version }: Pick<Rollup, 'name' | 'version'>,
): RollupState | undefined {
  return states.find(({ rollup }) => rollup.name === name && rollup.version === version);
}

/** Rejects with EngineError. */
export function writeState(engine: Engine, state: RollupState): Promise<void> {
  return write(engine, state.rollup, JSON.stringify(state));
}

export function forgetState(engine: Engine, rollup: Pick<Rollup, 'name' | 'version'>): Promise<void> {
  return write(engine, rollup, '');
}

function write(
  engine: Engine,
  { name, version }: Pick<Rollup, 'name' | 'version'>,
  state: string,
): Promise<void> {
  const values = [name, version].map(quoteString).join(', ');
  return engine.execute(`INSERT INTO ${TABLE} SELECT ${values}, now64(6, 'UTC'), ${quoteString(state)}`);
}

/** The source as it is now, and whether a mutation of it has not ended. Undefined: there is no such table. */
export async function seeSource(
  engine: Engine,
  { source: { database, table } }: Pick<Rollup, 'source'>,
): Promise<(SeenSource & { readonly isChanging: boolean }) | undefined> {
  const of = `database = ${quoteString(database)} AND table = ${quoteString(table)}`;
  const [found] = await askRows(
    engine,
    `SELECT toString(uuid) FROM system.tables WHERE database = ${quoteString(database)} AND name = ${quoteString(table)}`,
  );
  if (found === undefined) return undefined;
  const parts = await askRows(
    engine,
    `SELECT name, rows FROM system.parts WHERE active AND NOT startsWith(name, 'patch-') AND ${of}`,
  );
  const changes = await askRows(
    engine,
    `SELECT mutation_id, is_done, command, arrayStringConcat(arrayMap((partition, number) -> concat(partition, ' ', toString(number)), block_numbers.partition_id, block_numbers.number), ',') FROM system.mutations WHERE ${of} AND NOT is_killed UNION ALL SELECT name, 1, '', '' FROM system.parts WHERE active AND startsWith(name, 'patch-') AND ${of}`,
  );
  const columns = await askRows(
    engine,
    `SELECT name, concat(type, ' ', default_kind, ' ', default_expression) FROM system.columns WHERE ${of}`,
  );
  return {
    uuid: found[0] ?? '',
    columns: Object.fromEntries(columns.map(([name = '', text = '']) => [name, text])),
    parts: Object.fromEntries(parts.map(([name = '', rows]) => [name, Number(rows)])),
    changes: changesOf(changes, parts),
    isChanging: changes.some(([, isDone]) => isDone === '0'),
  };
}

/** Mutations of this form do not change values: a lightweight DELETE is an UPDATE of a hidden column. */
const OF_ROWS =
  /^\(?(?:DELETE WHERE|UPDATE _row_exists = 0|MATERIALIZE (?:TTL|INDEX|PROJECTION|STATISTICS)|DROP (?:INDEX|PROJECTION|STATISTICS)) /;

function kindOf(command: string): ChangeKind {
  return OF_ROWS.test(command) ? 'rows' : 'values';
}

type AskedRows = readonly (readonly string[])[];

/** A mutation has a row for each of its commands. */
function changesOf(listed: AskedRows, parts: AskedRows): SeenSource['changes'] {
  const changes: Record<string, ChangeKind> = {};
  for (const [id = '', , command = ''] of listed) if (changes[id] !== 'values') changes[id] = kindOf(command);
  const numbers = new Set(listed.flatMap(([, , , of = '']) => of.split(',')));
  for (const [name = ''] of parts) {
    const { partition, number } = mutationOf(name) ?? {};
    if (number === undefined || numbers.has(`${partition} ${number}`) || numbers.has(` ${number}`)) continue;
    changes[`${partition} ${number}`] = 'values';
  }
  return changes;
}

/** Mutations that ended long ago are forgotten: their parts had the number before. */
function changesSince(before: SeenSource, now: SeenSource): readonly ChangeKind[] {
  const found = Object.entries(now.changes).filter(([id]) => !Object.hasOwn(before.changes, id));
  if (found.length === 0) return [];
  const names = [...Object.keys(before.parts), ...Object.keys(before.changes)];
  const known = new Set(names.map(mutationOf).map((each) => each && `${each.partition} ${each.number}`));
  return found.flatMap(([id, kind]) => (known.has(id) ? [] : [kind]));
}

/** Returns whether values of rows may have changed since. */
export function hasOtherValues(before: SeenSource, now: SeenSource): boolean {
  return before.uuid !== now.uuid || changesSince(before, now).includes('values');
}

/** Returns whether a column has another type or default, or is gone. */
export function hasOtherColumns(before: SeenSource, now: SeenSource): boolean {
  return Object.entries(before.columns).some(([name, text]) => now.columns[name] !== text);
}

/** Returns whether rows may have changed or gone since: inserts alone are none of it. */
export function hasChanged(before: SeenSource, now: SeenSource): boolean {
  return (
    before.uuid !== now.uuid ||
    hasOtherColumns(before, now) ||
    changesSince(before, now).length > 0 ||
    comparePartsOf(before.parts, now.parts).lost.size > 0
  );
}
