// Creates the tables of a schema on an empty embedded engine, in whatever order its statements are written.
import type { Finding } from '../../sql/base/finding.ts';
import type { EngineSources } from '../../sql/clickhouse/outside-sources.ts';
import { EngineError, type Engine } from '../../service/engine/engine.ts';
import { readRows } from '../../service/engine/rows.ts';
import { quoteIdentifier } from '../../sql/clickhouse/literal.ts';
import { readEngineSettings, readNames } from './engine-settings.ts';
import { ALIAS } from './engine-clause.ts';
import { isCausedBy, type BrokenStatements } from './broken.ts';
import { MISSING, namesIn, rejection, unknownColumn, unknownEngine, unknownTable } from './findings.ts';
import { keyOf, printName, type QualifiedName } from '../../sql/definition/qualified-name.ts';
import { planSchema, type PlannedStep } from './plan.ts';
import type { SchemaFile } from './schema-files.ts';
import type { Step } from './step.ts';
import { checkedName } from './tables.ts';

/** What was created, and what was not. */
export interface LoadedSchema {
  /** Warnings, at the statements that could not be carried out; errors, at those that are not. */
  readonly findings: readonly Finding[];
  readonly broken: BrokenStatements;
  /** How many statements were carried out, and how many of those only in a reduced form. */
  readonly counts: { readonly carriedOut: number; readonly reduced: number; readonly rejected: number };
  /** These tables, by `database.name`, were created without a part that the engine rejects, such as their keys. */
  readonly reduced: ReadonlySet<string>;
  /** These ALTER commands, by `database.name`, add the indexes and projections of tables; they were not carried out. */
  readonly indexes: ReadonlyMap<string, readonly string[]>;
  /** How many statements were left out, by kind. */
  readonly skipped: ReadonlyMap<string, number>;
}

/** A step that is being carried out. */
interface Pending extends PlannedStep {
  /** Index of the attempt that is next. */
  attempt: number;
  failure: EngineError | undefined;
  /** Why the statement is not carried out as written. */
  reason: EngineError | undefined;
}

/** Passes over the statements that failed; each carries out at least one. */
const MAX_PASSES = 200;

export interface LoadSchemaOptions {
  /** Of names without one; default: `default`. */
  readonly database?: string | undefined;
  /** What statements may reach outside of the tables; default: nothing. */
  readonly engineSources?: EngineSources;
}

/** Rejects with SchemaError if there are too many statements, and with EngineError if the engine is lost. */
export async function loadSchema(
  engine: Engine,
  files: readonly SchemaFile[],
  { database = 'default', engineSources = [] }: LoadSchemaOptions = {},
): Promise<LoadedSchema> {
  const settings = await readEngineSettings(engine);
  const { steps, findings, broken, skipped } = planSchema(files, { database, settings, engineSources });
  const pending = steps.map((step): Pending => ({
    ...step,
    attempt: 0,
    failure: undefined,
    reason: undefined,
  }));
  const known = new Set<string>();
  for (const { step } of pending) known.add(step.target.database);
  for (const name of known)
    if (name !== '') await engine.execute(`CREATE DATABASE IF NOT EXISTS ${quoteIdentifier(name)}`);
  const left = await run(engine, pending);
  const types = left.length === 0 ? [] : await readNames(engine, 'data_type_families');
  const names = (): readonly string[] => [
    ...types,
    ...pending.flatMap(({ statement }) => namesIn(statement)),
  ];
  const created = [
    ...pending.flatMap(({ step }) => (step.action === 'create' ? [step.target] : [])),
    ...(pending.some(({ step }) => step.needs !== undefined) ? await presentTables(engine) : []),
  ];
  const tables = (): readonly string[] => created.filter(({ name }) => name !== '').map(keyOf);
  const misnamed = pending.map((each) => unknownTable(each, created));
  // One that waits for another has no failure of its own.
  const rejected = left.filter(({ step, failure }) => failure !== undefined || step.action === 'create');
  const failed = rejected.flatMap((each) => {
    const { statement, step, failure } = each;
    const known = misnamed[pending.indexOf(each)];
    const finding = known ?? rejection({ statement, step }, failure, { names, tables });
    if (step.action === 'create') broken.set(keyOf(step.target), finding);
    return known === undefined ? [finding] : [];
  });
  const reduced = pending.filter(({ attempt, failure }) => failure === undefined && attempt > 0);
  const carriedOut = pending.filter(({ failure }) => failure === undefined);
  const misspelled = carriedOut.flatMap(
    ({ statement, step, reason }) => unknownColumn({ statement, step }, reason, names) ?? [],
  );
  const counts = {
    carriedOut: pending.length - left.length,
    reduced: reduced.length,
    rejected: left.length + findings.length,
  };
  const engines = pending.flatMap((each) => unknownEngine(each, settings.engines) ?? []);
  const own = failed.filter((each) => !isCausedBy(each, broken));
  return {
    findings: [...findings, ...own, ...misspelled, ...misnamed.flatMap((each) => each ?? []), ...engines],
    broken,
    counts,
    skipped,
    reduced: new Set(reduced.map(({ step }) => keyOf(step.target))),
    indexes: indexesOf(carriedOut),
  };
}

function indexesOf(carriedOut: readonly Pending[]): LoadedSchema['indexes'] {
  const found = new Map<string, readonly string[]>();
  for (const { step } of carriedOut) {
    const before = step.action === 'change' ? (found.get(keyOf(step.target)) ?? []) : [];
    if (step.indexes !== undefined) found.set(keyOf(step.target), [...before, ...step.indexes]);
  }
  return found;
}

/** The tables of the engine: some may have been there before. */
async function presentTables(engine: Engine): Promise<readonly QualifiedName[]> {
  const rows = await readRows(engine, 'SELECT database, name FROM system.tables');
  return (rows as readonly [string, string][]).map(([database, name]) => ({ database, name })); // columns of strings
}

/**
 * Runs the statements in order, and those that failed again as long as one succeeds: views may come before their
 * sources. Then some of those that have a reduced form are tried in that form. Resolves to those that failed.
 */
async function run(engine: Engine, all: readonly Pending[]): Promise<readonly Pending[]> {
  const done = { aliases: new Set<string>(), created: new Set<string>() };
  let left: readonly Pending[] = all;
  for (let pass = 0; pass < MAX_PASSES && left.length > 0; pass++) {
    const isFirst = pass === 0;
    const failed = await runOnce(engine, left, { ...done, isFirst });
    if (failed.length === left.length && !isFirst) {
      const reduced = chooseReduced(failed);
      if (reduced.length === 0) return failed;
      for (const each of reduced) {
        each.reason ??= each.failure;
        each.attempt++;
      }
    }
    left = failed;
  }
  return left;
}

/** Those that fail for a reason of their own; otherwise tables before the views that read them. */
function chooseReduced(failed: readonly Pending[]): readonly Pending[] {
  const reducible = failed.filter(({ attempt, step }) => attempt + 1 < step.attempts.length);
  const own = reducible.filter(({ failure }) => failure !== undefined && !MISSING.has(failure.engineCode));
  if (own.length > 0) return own;
  const sources = reducible.filter(({ step }) => step.what === 'table' || step.what === 'dictionary');
  return sources.length > 0 ? sources : reducible;
}

interface Progress {
  /** Tables that are only names of others: their columns are changed with those. */
  readonly aliases: Set<string>;
  readonly created: Set<string>;
  readonly isFirst: boolean;
}

async function runOnce(
  engine: Engine,
  pending: readonly Pending[],
  progress: Progress,
): Promise<readonly Pending[]> {
  const { aliases, created } = progress;
  const failed: Pending[] = [];
  const waiting = new Set<string>();
  for (const each of pending) {
    const { step, before, after, attempt } = each;
    const key = keyOf(step.target);
    const sql = step.attempts[attempt] ?? '';
    if (aliases.has(key) && step.isAlter === true) continue;
    if (mustWait(step, waiting, progress)) {
      failed.push(each);
      waiting.add(key);
      continue;
    }
    each.failure = await engine.execute(`${before}${sql}${after}`).then(() => undefined, failureOf);
    if (each.failure !== undefined && !isHarmless(step, each.failure)) {
      failed.push(each);
      waiting.add(key);
      continue;
    }
    each.failure = undefined;
    if (step.action === 'create') created.add(key);
    if (sql.includes(ALIAS)) aliases.add(key);
    else if (step.action !== 'change') aliases.delete(key);
    if (attempt === 0) each.reason = await checkStep(engine, each);
  }
  return failed;
}

/** Finds out why the engine rejects parts of a statement that was carried out without them. */
async function checkStep(
  engine: Engine,
  { step, before, after }: PlannedStep,
): Promise<EngineError | undefined> {
  if (step.check === undefined) return undefined;
  const reason = await engine.execute(`${before}${step.check}${after}`).then(() => undefined, failureOf);
  if (reason !== undefined)
    await engine.execute(`DROP TABLE IF EXISTS ${printName(checkedName(step.target))}`);
  return reason;
}

/** What changes an object comes after what creates it. A failure costs a connection, so that some are foreseen. */
function mustWait(
  { target, what, needs }: Step,
  waiting: ReadonlySet<string>,
  { created, isFirst }: Progress,
): boolean {
  if (waiting.has(keyOf(target))) return true;
  if (what === 'database' && waiting.size > 0 && isWaitedFor(target, waiting)) return true;
  return isFirst && needs !== undefined && !created.has(keyOf(needs));
}

function isWaitedFor({ database }: QualifiedName, waiting: ReadonlySet<string>): boolean {
  return [...waiting].some((key) => key.startsWith(`${database}.`));
}

/** Removing what does not exist. */
function isHarmless({ action }: Step, { engineCode }: EngineError): boolean {
  return action === 'remove' && MISSING.has(engineCode);
}

function failureOf(cause: unknown): EngineError {
  if (cause instanceof EngineError && cause.failure !== 'lost' && cause.failure !== 'unavailable')
    return cause;
  throw cause;
}
