// The sandbox of each endpoint, created on first use and kept as long as the compiled endpoint.
import type { Endpoint } from '../../endpoints/endpoint.ts';
import type { Describe } from '../../endpoints/describe.ts';
import type { TableColumns } from '../../endpoints/read-tables.ts';
import { explain } from '../../endpoints/explain.ts';
import { Problem } from '../../../sql/base/problem.ts';
import { EngineError, type Column, type Engine, type RunHooks, type Statement } from '../../engine/engine.ts';
import { quoteIdentifier } from '../../../sql/clickhouse/literal.ts';
import { createFunctionPolicy, type FunctionPolicy } from '../../../guard/sandbox/functions/policy.ts';
import {
  createSandbox,
  createVerdictCache,
  type Explain,
  type Explained,
  type Sandbox,
  type SandboxOptions,
  type Verdict,
} from '../../../guard/sandbox/sandbox.ts';
import { createRedactTable } from '../../../guard/sandbox/redaction/source-redaction.ts';
import { createTreeCache } from '../../../guard/sandbox/query-tree/shape.ts';
import { hasState } from '../../../sql/types/traits.ts';
import { parseType } from '../../../sql/types/type.ts';

export interface Sandboxes {
  /**
   * The sandbox over the endpoint's tables, redacted or not. Throws Problem `sandbox.switched_off` while consumer queries are
   * disabled, and what `tablesProblem` returns if tables have to be redacted and cannot be described.
   */
  readonly of: (endpoint: Endpoint, isRedacted: boolean) => Promise<Sandbox>;
  /**
   * Describes the endpoint's tables, creates its sandbox and checks a query, so that the first consumer query need not wait for
   * any of that. Never rejects: if the engine is unavailable now, the first consumer query does it.
   */
  readonly prepare: (endpoint: Endpoint) => Promise<void>;
  /** Returns whether the engine can analyse a checked statement, resolving all names and types. Runs its scalar subqueries only. */
  readonly canRun: (endpoint: Endpoint, statement: Statement) => Promise<boolean>;
  /** Why the engine cannot analyse a checked statement; undefined if it can. Runs its scalar subqueries only. */
  readonly rejection: (endpoint: Endpoint, statement: Statement) => Promise<EngineError | undefined>;
  /** The first column of a checked statement that is an aggregate function state. Runs its scalar subqueries only. */
  readonly stateColumn: (endpoint: Endpoint, statement: Statement) => Promise<string | undefined>;
  /**
   * Runs EXPLAIN of a query of that caller, who pays for it, and is held responsible if it ends the engine. A failure that running the query
   * reports better is a rejection.
   */
  readonly explainFor: (caller: Pick<Statement, 'key' | 'onFatal' | 'analysis'>) => Explain;
  readonly functions: (endpoint: Endpoint) => FunctionPolicy;
  /** Disables consumer queries for the given reason, or enables them again. Saved queries are not affected. */
  readonly switch: (offBecause: string | undefined) => void;
  /** Why consumer queries are disabled; undefined if they are enabled. */
  readonly offBecause: () => string | undefined;
}

/** Size of the verdict cache, in characters of SQL: about 32 MiB including the parsed trees. */
const VERDICT_CHARACTERS = 8_000_000;

/** Size of the cache of analysed statements, in characters of SQL. */
const ANALYSED_CHARACTERS = 4_000_000;

/** Parsing a query is fast and needs little memory; queries that need more are rejected. */
export function createSandboxes(engine: Engine, describe: Describe): Sandboxes {
  const cache = createVerdictCache<Verdict>(VERDICT_CHARACTERS);
  const analysed = createVerdictCache<EngineError | undefined>(ANALYSED_CHARACTERS);
  const stateColumns = createVerdictCache<string | undefined>(ANALYSED_CHARACTERS);
  const known = { plain: new WeakMap<Endpoint, Sandbox>(), redacted: new WeakMap<Endpoint, Sandbox>() };
  const policies = new WeakMap<Endpoint, FunctionPolicy>();
  const remembered = createTreeCache();
  let off: string | undefined;

  const functions = (endpoint: Endpoint): FunctionPolicy => {
    const policy = policies.get(endpoint) ?? createFunctionPolicy(endpoint.sandbox);
    policies.set(endpoint, policy);
    return policy;
  };
  const find = (endpoint: Endpoint, isRedacted: boolean): Sandbox | undefined =>
    (isRedacted ? known.redacted : known.plain).get(endpoint);
  const make = async (endpoint: Endpoint, isRedacted: boolean): Promise<Sandbox> => {
    const options = await describedOptions(describe, endpoint, isRedacted);
    const sandbox = createSandbox({
      boundSql: endpoint.query,
      outline: endpoint.outline,
      functions: functions(endpoint),
      cache,
      explain: remembered((sql) => explain(engine, sql)),
      ...options,
    });
    if (options.columns !== undefined) (isRedacted ? known.redacted : known.plain).set(endpoint, sandbox);
    return sandbox;
  };
  const rejection: Sandboxes['rejection'] = (endpoint, statement) =>
    analysed.get(keyOf(endpoint, statement), () => analyse(engine, statement));
  return {
    of: async (endpoint, isRedacted) => {
      if (off !== undefined) throw new Problem('sandbox.switched_off');
      return find(endpoint, isRedacted) ?? make(endpoint, isRedacted);
    },
    prepare: async (endpoint) => {
      const { always } = endpoint.redaction;
      const found = find(endpoint, always) ?? (await make(endpoint, always).catch(() => undefined));
      await (found && checkAny(found));
    },
    canRun: async (endpoint, statement) => (await rejection(endpoint, statement)) === undefined,
    rejection,
    stateColumn: (endpoint, statement) =>
      stateColumns.get(keyOf(endpoint, statement), () => stateColumn(engine, statement)),
    explainFor: (caller) => remembered((sql) => explainAs(engine, sql, caller)),
    functions,
    switch: (reason) => {
      off = reason;
    },
    offBecause: () => off,
  };
}

function explainAs(
  engine: Engine,
  sql: string,
  { analysis, ...caller }: Pick<Statement, 'key' | 'onFatal' | 'analysis'>,
): Promise<Explained> {
  const ask = (hooks: RunHooks = {}): Promise<Explained> =>
    explain(engine, sql, { caller, isRejection: isOwnFailure, hooks });
  return analysis === undefined ? ask() : analysis.count(ask);
}

/** During analysis the engine computes scalar subqueries, with the values of the call. */
function keyOf({ revision, variant }: Endpoint, { sql, parameters }: Statement): string {
  return `${revision} ${variant} ${JSON.stringify(parameters ?? null)} ${sql}`;
}

/** What a sandbox knows from the engine. Throws what `tablesProblem` returns if that is not enough to redact its tables. */
async function describedOptions(
  describe: Describe,
  endpoint: Endpoint,
  isRedacted: boolean,
): Promise<Omit<SandboxOptions, 'boundSql' | 'outline' | 'functions' | 'cache' | 'explain'>> {
  const described = await describe.tables(endpoint);
  const computed = described && (await describe.computed(endpoint)); // of tables that exist
  const source = isRedacted ? endpoint.redaction.redactor.source : undefined;
  const own = endpoint.variant === '' ? endpoint.revision : `${endpoint.revision} (${endpoint.variant})`;
  const revision = source === undefined ? own : `${own}+redacted`;
  if (described !== undefined && computed !== undefined) {
    const stateColumns = stateColumnsOf(described);
    const redact = source && createRedactTable(source);
    const minGroup = source && endpoint.redaction.minGroup;
    return { revision, computed, stateColumns, redact, minGroup, ...columnsOf(described) };
  }
  if (source !== undefined) throw tablesProblem(describe, endpoint);
  // A verdict reached without column types is not reused once the types are known.
  return { revision: `${revision}?`, stateColumns: 'unknown' };
}

/** Why the tables of an endpoint are not known. */
export function tablesProblem(describe: Pick<Describe, 'tablesFailure'>, endpoint: Endpoint): unknown {
  const cause = describe.tablesFailure(endpoint);
  if (cause instanceof EngineError && cause.failure !== 'rejected') return cause; // not caused by the saved query
  return new Problem('endpoint.failed', {
    detail: 'The tables of this endpoint are currently unavailable',
    cause,
  });
}

/** The first check opens a connection and compiles code. */
async function checkAny({ tables: [table], check }: Sandbox): Promise<void> {
  if (table === undefined) return;
  await check(`SELECT count() AS n FROM ${quoteIdentifier(table)}`).catch(() => undefined);
}

/** What the engine knows of the tables' columns. */
function columnsOf(tables: readonly TableColumns[]): Pick<SandboxOptions, 'columns' | 'dotted' | 'mapKeys'> {
  const columns = new Map(tables.map(({ name, columns: all }) => [name, all] as const));
  return { columns, dotted: dottedOf(tables), mapKeys: mapKeysOf(tables) };
}

/** Columns of the stored tables that have a dot in their name, by table. */
function dottedOf(tables: readonly TableColumns[]): ReadonlyMap<string, readonly string[]> {
  return new Map(
    tables.flatMap(({ name, dotted }) => (dotted === undefined ? [] : [[name, dotted] as const])),
  );
}

function mapKeysOf(tables: readonly TableColumns[]): ReadonlySet<string> {
  return new Set(tables.filter(({ hasMapKeys }) => hasMapKeys === true).map(({ name }) => name));
}

/** Columns that hold aggregate function states, by table. */
function stateColumnsOf(tables: readonly TableColumns[]): ReadonlyMap<string, readonly string[]> {
  return new Map(
    tables.map(({ name, columns }) => [name, columns.filter(isState).map((column) => column.name)]),
  );
}

/** Returns whether a column is, or contains, an aggregate function state. */
function isState({ type }: Column): boolean {
  return hasState(parseType(type));
}

/** A statement that the engine rejects has no columns: running it reports the error with its position in the query. */
async function stateColumn(engine: Engine, statement: Statement): Promise<string | undefined> {
  const columns = await engine.describe(statement).catch((error: unknown) => {
    if (error instanceof EngineError && error.failure === 'rejected') return [];
    throw error;
  });
  return columns.find(isState)?.name;
}

async function analyse(engine: Engine, statement: Statement): Promise<EngineError | undefined> {
  return engine.describe(statement).then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof EngineError && error.failure === 'rejected') return error;
      throw error;
    },
  );
}

/** Also of a limit, which the endpoint may set higher, and of a defect of the engine's EXPLAIN: the query itself may run. */
function isOwnFailure({ failure, engineCode }: EngineError): boolean {
  return failure === 'rejected' || failure === 'limit' || engineCode === LOGICAL_ERROR;
}

const LOGICAL_ERROR = 49;
