// Which tables statements read, through views and tables that store nothing themselves, and what of it cannot be watched
// for changes.
import type { Engine } from '../engine/engine.ts';
import { readRows } from '../engine/rows.ts';
import type { QuerySource } from '../../guard/query/sources.ts';
import type { Expression } from '../../guard/query/tree/nodes.ts';
import { clockReads, commonEvery, functionCalls, type ClockRead } from '../../sql/clickhouse/clock-reads.ts';
import { quoteString, stringValue } from '../../sql/clickhouse/literal.ts';
import {
  byBytes,
  DICTIONARY_NAME,
  isOneOf,
  matchesPattern,
  type ShardedTable,
  type TableName,
  type TablePattern,
  type TableSet,
} from './fingerprint.ts';
import { modelOfStatement } from './query-models.ts';
import { readShards } from './shards.ts';
import {
  patternOf,
  readsOfEngine,
  type ComputedColumn,
  type EngineReads,
  type StoredTable,
} from './table-engines.ts';
import { usedColumns, type ReadNames } from './computed-columns.ts';
import { MAX_TABLES, readTables } from './stored-tables.ts';
import type { ReadingStatement } from './reading-statements.ts';

/** What of a statement cannot be watched for changes. */
export interface Unwatched {
  /** Index of the statement. */
  readonly statement: number;
  /** The source in the statement, or that leads to it; undefined: the statement as a whole. */
  readonly source: QuerySource | undefined;
  readonly reason: string;
}

/** A read of the clock in a statement, or in a view that it reads. */
export interface LateRead extends ClockRead {
  readonly statement: number;
  /** The view, or the table with a computed column; undefined: the statement itself. */
  readonly table: string | undefined;
  /** The source in the statement that leads to it. */
  readonly source: QuerySource | undefined;
}

export interface ResolvedSet {
  readonly set: TableSet;
  readonly unwatched: readonly Unwatched[];
  readonly clock: readonly LateRead[];
}

/** Resolves what statements read, as it is now. Rejects with EngineError if the engine could not be asked. */
export async function resolveTables(
  engine: Engine,
  statements: readonly ReadingStatement[],
): Promise<ResolvedSet> {
  const resolution: Resolution = {
    engine,
    ownFunctions: await readOwnFunctions(engine),
    tables: new Map(),
    patterns: new Map(),
    sharded: new Map(),
    shards: new Set(),
    dictionaries: new Set(),
    passed: new Set(),
    computed: new Set(),
    unwatched: [],
    clock: [],
  };
  for (const [statement, each] of statements.entries())
    await addQuery(resolution, each, { statement, source: undefined, table: undefined });
  rejectMixed(resolution);
  return resultOf(resolution);
}

/**
 * Shards evaluate subqueries, joins and lookups themselves, on their own tables and dictionaries of these names: those are not
 * the ones that are watched.
 */
function rejectMixed(resolution: Resolution): void {
  const { sharded, tables, dictionaries } = resolution;
  const [first] = sharded.values();
  if (first === undefined) return;
  const others = [...tables.values()].filter(({ engine }) => engine !== 'View');
  if (others.length > 1 || dictionaries.size > 0)
    reject(resolution, first.origin, `${first.origin.table} is read with other tables or dictionaries, of which shards may read their own`); // prettier-ignore
}

/** Functions that are not the engine's own: what they read is not known. In lower case. */
async function readOwnFunctions(engine: Engine): Promise<ReadonlySet<string>> {
  const rows = await readRows(engine, `SELECT name FROM system.functions WHERE origin != 'System'`);
  return new Set((rows as readonly [string][]).map(([name]) => name.toLowerCase())); // one string column
}

interface Origin {
  readonly statement: number;
  readonly source: QuerySource | undefined;
  /** The view that is being read. */
  readonly table: string | undefined;
}

interface ShardedRead {
  readonly table: ShardedTable;
  readonly origin: Origin;
  readonly computed: readonly ComputedColumn[];
}

/** What is known so far. */
interface Resolution {
  readonly engine: Engine;
  readonly ownFunctions: ReadonlySet<string>;
  readonly tables: Map<string, StoredTable>;
  readonly patterns: Map<string, TablePattern>;
  readonly sharded: Map<string, ShardedRead>;
  /** Definitions of shards and their tables. */
  readonly shards: Set<string>;
  readonly dictionaries: Set<string>;
  /** Other tables have the rows of these tables; each key also has the columns that were looked at. */
  readonly passed: Set<string>;
  /** Columns that are computed on read, with their tables. */
  readonly computed: Set<string>;
  readonly unwatched: Unwatched[];
  readonly clock: LateRead[];
}

function reject({ unwatched }: Resolution, { statement, source, table }: Origin, reason: string): void {
  const isDirect = table === undefined || table === source?.name || reason.startsWith(table);
  unwatched.push({ statement, source, reason: isDirect ? reason : `${reason} (through ${table})` });
}

function resultOf(resolution: Resolution): ResolvedSet {
  const { patterns, sharded, shards, dictionaries, unwatched, clock } = resolution;
  const all = [...resolution.tables.values()];
  const set: TableSet = {
    tables: namesOf(all),
    patterns: [...patterns.values()],
    buffers: namesOf(all.filter(({ engine }) => engine === 'Buffer')),
    sharded: [...sharded.values()].map(({ table }) => table),
    dictionaries: [...dictionaries],
    definitions: [...all.map(({ definition }) => definition), ...shards].toSorted(byBytes),
    every: clock.length === 0 ? undefined : commonEvery(clock),
  };
  return { set, unwatched, clock };
}

function namesOf(tables: readonly StoredTable[]): readonly TableName[] {
  return tables.map(({ database, name }) => ({ database, name }));
}

/** Notes what the text of a query or an expression says; returns the number of its lookups in dictionaries and Join tables. */
function readText(resolution: Resolution, sql: string, origin: Origin): number {
  const { clock, ownFunctions } = resolution;
  for (const read of clockReads(sql)) clock.push({ ...read, ...origin });
  const calls = functionCalls(sql);
  const own = calls.find((name) => ownFunctions.has(name));
  if (own !== undefined) reject(resolution, origin, `the function ${own} is not one of the engine's`);
  const stored = calls.find((name) =>
    /^(?:file|hascolumnintable|catboostevaluate|naivebayes\w*)$/.test(name),
  );
  if (stored !== undefined)
    reject(resolution, origin, `the function ${stored} reads what has no fingerprint`);
  return calls.filter((name) => /^dict(?:get|has|isin)|^joinget/.test(name)).length;
}

async function addQuery(
  resolution: Resolution,
  { sql, samples }: ReadingStatement,
  origin: Origin,
): Promise<void> {
  const lookups = readText(resolution, sql, origin);
  const result = await modelOfStatement(resolution.engine, { sql, samples });
  if ('fault' in result) return reject(resolution, origin, result.fault);
  const { sources } = result.model;
  // Fails closed: a lookup that the engine has replaced by its result is no source.
  if (sources.filter(({ kind }) => kind === 'dictionary').length < lookups)
    reject(resolution, origin, 'it is not known which dictionary is read');
  for (const source of sources)
    await addSource(resolution, source, { ...origin, source: origin.source ?? source });
}

async function addSource(resolution: Resolution, source: QuerySource, origin: Origin): Promise<void> {
  const { name, kind, columns } = source;
  if (kind === 'table_function') return addFunction(resolution, source, origin);
  if (kind === 'dictionary') return addDictionary(resolution, name, origin);
  await addTables(resolution, { name, condition: isOneOf(candidates(name), 'name'), columns }, origin);
}

/** `merge('database', 'regexp')`, also with `REGEXP('…')` as the database, and `dictionary('name')`. */
async function addFunction(
  resolution: Resolution,
  { name, arguments: list, columns }: QuerySource,
  origin: Origin,
): Promise<void> {
  const [first, second] = list;
  if (name === 'dictionary') return addDictionary(resolution, constantOf(first) ?? '', origin);
  if (name !== 'merge')
    return reject(resolution, origin, `the table function ${name} reads what has no fingerprint`);
  const isRegex = first?.kind === 'function' && first.name.toUpperCase() === 'REGEXP';
  const database = constantOf(isRegex ? first.arguments[0] : first);
  const names = constantOf(second);
  if (database === undefined || names === undefined)
    return reject(resolution, origin, 'it is not known which tables merge reads: name the database and the regular expression'); // prettier-ignore
  return addPattern(resolution, patternOf({ database, isRegex }, names), origin, columns);
}

function constantOf(expression: Expression | undefined): string | undefined {
  return expression?.kind === 'constant' ? stringValue(expression.text) : undefined;
}

async function addPattern(
  resolution: Resolution,
  pattern: TablePattern,
  origin: Origin,
  columns: ReadNames,
): Promise<void> {
  const condition = matchesPattern(pattern);
  resolution.patterns.set(condition, pattern);
  return addTables(resolution, { condition, columns }, origin);
}

/** A table of the shards of a cluster. */
async function addShards(
  resolution: Resolution,
  table: ShardedTable,
  origin: Origin,
  columns: ReadNames,
): Promise<void> {
  const { engine, sharded, shards } = resolution;
  const key = JSON.stringify(table);
  const known = sharded.get(key);
  if (known !== undefined) return addComputed(resolution, usedColumns(known.computed, columns).used, origin);
  const found = await readShards(engine, table);
  if ('reason' in found) return reject(resolution, origin, `${origin.table}: ${found.reason}`);
  sharded.set(key, { table, origin, computed: found.computed });
  for (const each of found.definitions) shards.add(each);
  addComputed(resolution, usedColumns(found.computed, columns).used, origin);
}

/** Columns of a table that are computed on read. */
function addComputed(resolution: Resolution, columns: readonly ComputedColumn[], origin: Origin): void {
  for (const { name, sql } of columns) {
    const key = JSON.stringify([origin.table, name]);
    if (resolution.computed.has(key)) continue;
    resolution.computed.add(key);
    if (readText(resolution, sql, origin) > 0)
      reject(resolution, origin, `a column of ${origin.table} is computed with a dictionary or a Join table`);
  }
}

/** A condition reads these columns of these tables; if it has a name, there must be one such table. */
interface WantedTables {
  readonly condition: string;
  readonly name?: string;
  readonly columns?: ReadNames;
}

async function addTables(
  resolution: Resolution,
  { condition, name, columns }: WantedTables,
  origin: Origin,
): Promise<void> {
  const found = await readTables(resolution.engine, condition);
  if (found.length === 0 && name !== undefined) reject(resolution, origin, `${name} is not in system.tables`);
  for (const table of found) {
    const { used, names } = usedColumns(table.computed, columns);
    addComputed(resolution, used, { ...origin, table: `${table.database}.${table.name}` });
    await addTable(resolution, table, origin, names);
  }
}

async function addDictionary(resolution: Resolution, name: string, origin: Origin): Promise<void> {
  const { engine, dictionaries } = resolution;
  if (dictionaries.has(name)) return;
  const condition = `${DICTIONARY_NAME} = ${quoteString(name)} OR name = ${quoteString(name)}`;
  const sql = `SELECT database, name, type FROM system.dictionaries WHERE ${condition}`;
  const rows = (await readRows(engine, sql)) as readonly [string, string, string][]; // three string columns
  if (name === '' || rows.length === 0)
    return reject(resolution, origin, `${name === '' ? 'a computed name' : name} is no known dictionary`);
  dictionaries.add(name);
  for (const [database, own, type] of rows) {
    if (/cache|direct/i.test(type)) reject(resolution, origin, readsAtLookup(name));
    if (database !== '')
      await addTables(resolution, { condition: isOneOf([{ database, name: own }], 'name') }, origin);
  }
}

function readsAtLookup(dictionary: string): string {
  return `the dictionary ${dictionary} reads its source at each lookup`;
}

async function addTable(
  resolution: Resolution,
  table: StoredTable,
  origin: Origin,
  columns: ReadNames,
): Promise<void> {
  const { tables } = resolution;
  const key = `${table.database}.${table.name}`;
  const isKnown = tables.has(key);
  if (!isKnown && tables.size >= MAX_TABLES)
    return reject(resolution, origin, `more than ${MAX_TABLES} tables are read`);
  if (!isKnown) tables.set(key, table);
  const reads = readsOfEngine(table);
  const inside = { ...origin, table: key };
  if (passesColumns(reads)) return addSameColumns(resolution, reads, inside, columns);
  if (isKnown) return;
  if (reads.kind === 'unknown') return reject(resolution, inside, `${key} ${reads.reason}`);
  if (reads.kind === 'query') return addQuery(resolution, { sql: reads.sql, samples: [{}] }, inside);
  if (reads.isDirect) reject(resolution, inside, readsAtLookup(key));
  return addDictionary(resolution, key, inside);
}

/** Such a table has the rows of others, whose columns it reads by name. */
type PassingReads = Extract<EngineReads, { readonly kind: 'tables' | 'pattern' | 'shards' }>;

function passesColumns(reads: EngineReads): reads is PassingReads {
  return reads.kind === 'tables' || reads.kind === 'pattern' || reads.kind === 'shards';
}

async function addSameColumns(
  resolution: Resolution,
  reads: PassingReads,
  inside: Origin,
  columns: ReadNames,
): Promise<void> {
  // Buffers may name each other.
  const key = JSON.stringify([inside.table, columns && [...columns].toSorted()]);
  if (resolution.passed.has(key)) return;
  resolution.passed.add(key);
  if (reads.kind === 'pattern') return addPattern(resolution, reads.pattern, inside, columns);
  if (reads.kind === 'shards') return addShards(resolution, reads.table, inside, columns);
  for (const each of reads.tables) {
    const name = `${each.database}.${each.name}`;
    await addTables(resolution, { name, condition: isOneOf([each], 'name'), columns }, inside);
  }
}

/** `a.b.c` is `b.c` in `a`, or `c` in `a.b`. */
export function candidates(name: string): readonly TableName[] {
  const parts = name.split('.');
  return parts
    .slice(1)
    .map((_, at) => ({ database: parts.slice(0, at + 1).join('.'), name: parts.slice(at + 1).join('.') }));
}
