// Proves that a change makes a query read less: both forms run on made tables of several seeds, and have the same rows.
import { EngineError, type Engine, type Statement } from '../../../service/engine/engine.ts';
import { readAll } from '../../../service/engine/rows.ts';
import type { RollupDeps } from '../../../service/rollups/rebuild.ts';
import type { ReadSummary } from '../../../sql/base/observation.ts';
import { quoteIdentifier } from '../../../sql/clickhouse/literal.ts';
import type { ProposedRollup, TablePart } from './change.ts';
import { withRollup } from './made-rollup.ts';
import type { FillTables } from './varied-tables.ts';

/** A call, and the same call with a change. */
export interface ChangedCall {
  readonly before: Statement;
  /** It differs from `before`, or the tables get `part` or `rollup`. */
  readonly after: Statement;
  readonly part: TablePart | undefined;
  /** `after` reads it in place of rows. */
  readonly rollup: ProposedRollup | undefined;
  /** Both read these tables, `database.name`. */
  readonly tables: ReadonlySet<string>;
}

export interface Saving {
  readonly before: ReadSummary;
  readonly after: ReadSummary;
}

const SEEDS = [1, 2, 3] as const;
/** A query that reads fewer rows, of 4,096, is fast enough. */
const FEW_ROWS = 128;

/** The change makes the result another one, or is rejected. */
export const DIFFERENT = 'different';

/** It says what a change saves; undefined if it saves too little, or the result has no rows. */
export type VerifiedChange = Saving | typeof DIFFERENT | undefined;

/** Returns one for each of the calls, in their order. A call with a rollup is the only one. Rejects with EngineError if the engine is lost. */
export async function verifyChanges(
  deps: RollupDeps,
  fill: FillTables,
  calls: readonly ChangedCall[],
): Promise<readonly VerifiedChange[]> {
  const [first] = calls;
  const states = calls.map((): CallState => ({ isOpen: true, hasRows: false, outcome: undefined }));
  for (const seed of SEEDS) {
    const open = calls.filter((_, at) => states[at]?.isOpen === true);
    const failed = await fill(new Set(open.flatMap(({ tables }) => [...tables])), seed, first?.rollup);
    for (const [at, call] of calls.entries()) {
      const state = states[at];
      if (state?.isOpen !== true) continue;
      const isMade = [...call.tables].every((name) => !failed.has(name));
      const { hasRows, outcome } = isMade ? await compareForms(deps, call) : NOTHING;
      state.isOpen = outcome !== undefined && outcome !== DIFFERENT;
      state.hasRows ||= hasRows;
      state.outcome = state.isOpen ? (state.outcome ?? outcome) : outcome;
    }
  }
  return states.map(({ hasRows, outcome }) => (hasRows || outcome === DIFFERENT ? outcome : undefined));
}

interface CallState {
  isOpen: boolean;
  hasRows: boolean;
  outcome: VerifiedChange;
}

interface Compared {
  readonly hasRows: boolean;
  readonly outcome: VerifiedChange;
}

const NOTHING: Compared = { hasRows: false, outcome: undefined };

async function compareForms(deps: RollupDeps, call: ChangedCall): Promise<Compared> {
  const before = await runForm(deps.engine, call.before);
  if (before === undefined) return NOTHING;
  const after = await runChanged(deps, call);
  const isSame =
    after?.rows.length === before.rows.length && after.rows.every((row, at) => row === before.rows[at]);
  if (after === undefined || !isSame) return { ...NOTHING, outcome: DIFFERENT };
  const isSaved = before.read.rows >= FEW_ROWS && isLess(after.read, before.read);
  if (!isSaved) return NOTHING;
  return { hasRows: before.rows.length > 0, outcome: { before: before.read, after: after.read } };
}

/** Returns true for at most half of the rows, or of the bytes of as many rows. */
function isLess(after: ReadSummary, before: ReadSummary): boolean {
  return after.rows * 2 <= before.rows || (after.rows <= before.rows && after.bytes * 2 <= before.bytes);
}

interface Form {
  /** They are in no order: rows that are equal in ORDER BY have none. */
  readonly rows: readonly string[];
  readonly read: ReadSummary;
}

const LIMITS = { time: 2, memory: 2 ** 29, readRows: 0, resultBytes: 2 ** 24 };

/** A block of a large table has a few of very many granules. Here it has one, so that LIMIT ends as early. */
const SETTINGS = 'SETTINGS max_threads = 1, max_block_size = 16, use_query_condition_cache = 0';

/** Resolves to undefined for a statement that the engine rejects. */
async function runForm(engine: Engine, statement: Statement): Promise<Form | undefined> {
  let read: ReadSummary = { rows: 0, bytes: 0 };
  try {
    const sql = `SELECT * FROM (\n${statement.sql}\n${SETTINGS})`;
    const { chunks } = await engine.run(
      { ...statement, sql, limits: LIMITS, origin: 'saved' },
      { format: 'JSONEachRow', onRead: (summary) => (read = summary) },
    );
    const text = Buffer.from(await readAll(chunks)).toString();
    const rows = text.split('\n').filter(Boolean).toSorted();
    return { rows, read };
  } catch (error) {
    if (error instanceof EngineError && error.failure !== 'lost') return undefined;
    throw error;
  }
}

async function runChanged(deps: RollupDeps, { after, part, rollup }: ChangedCall): Promise<Form | undefined> {
  const { engine } = deps;
  if (rollup === undefined) return withPart(engine, part, () => runForm(engine, after));
  const use = (sql: string): Promise<Form | undefined> => runForm(engine, { ...after, sql });
  return unlessRejected(() => withRollup(deps, rollup, { sql: after.sql, use }));
}

async function unlessRejected<T>(run: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof EngineError && error.failure === 'rejected') return undefined;
    throw error;
  }
}

async function withPart<T>(
  engine: Engine,
  part: TablePart | undefined,
  use: () => Promise<T>,
): Promise<T | undefined> {
  if (part === undefined) return use();
  const { kind, definition } = part;
  const table = part.table.split('.').map(quoteIdentifier).join('.');
  const name = quoteIdentifier(part.name);
  const add = async (): Promise<T> => {
    await engine.execute(`ALTER TABLE ${table} ADD ${kind} ${name} ${definition}`);
    await engine.execute(`ALTER TABLE ${table} MATERIALIZE ${kind} ${name} SETTINGS mutations_sync = 2`);
    return use();
  };
  try {
    return await unlessRejected(add);
  } finally {
    await engine.execute(`ALTER TABLE ${table} DROP ${kind} IF EXISTS ${name} SETTINGS mutations_sync = 2`);
  }
}
