// Which tables statements read, through views and tables that store nothing themselves, and what of it cannot be watched
// for changes.
import type { Engine } from '../engine/engine.ts';
import { readRows } from '../engine/rows.ts';
import { resolveModel } from '../query-model/resolve.ts';
import { NO_SCHEMA } from '../query-model/schema.ts';
import type { Source } from '../query-model/sources.ts';
import { clockReads, commonEvery, functionCalls, type ClockRead } from '../sql/clock-reads.ts';
import { quoteIdentifier, quoteString } from '../sql/literal.ts';
import type { Endpoint } from './endpoint.ts';
import {
  DEFINITION,
  DICTIONARY_NAME,
  isOneOf,
  matchesPattern,
  type TableName,
  type TablePattern,
  type TableSet,
} from './fingerprint.ts';
import { askOf } from './query-models.ts';
import { readsOfEngine, type StoredTable } from './table-engines.ts';

/** A statement with typed placeholders, and values with which the engine may accept it. */
export interface ReadingStatement {
  readonly sql: string;
  readonly samples: readonly Readonly<Record<string, string>>[];
}

/** What of a statement cannot be watched for changes. */
export interface Unwatched {
  /** Index of the statement. */
  readonly statement: number;
  /** The source in the statement, or that leads to it; undefined: the statement as a whole. */
  readonly source: Source | undefined;
  readonly reason: string;
}

/** A read of the clock in a statement, or in a view that it reads. */
export interface LateRead extends ClockRead {
  readonly statement: number;
  /** The view, or the table with a computed column; undefined: the statement itself. */
  readonly table: string | undefined;
}

/** The saved query of an endpoint, or those that read these tables of its WITH clause. */
export function readingStatements(
  { query, outline, samples }: Pick<Endpoint, 'query' | 'outline' | 'samples'>,
  tables: readonly string[] | undefined,
): readonly ReadingStatement[] {
  const clause = query.slice(outline.withStart, outline.withEnd);
  const isPlain = outline.elements.every(({ kind }) => kind === 'table');
  // What other elements compute may be in any query.
  const saved = tables === undefined || !isPlain ? [query] : [];
  const reads = (tables ?? []).map((name) => `${clause}\nSELECT * FROM ${quoteIdentifier(name)}`);
  return [...reads, ...saved].map((sql) => ({ sql, samples: samples() }));
}

export interface ResolvedSet {
  readonly set: TableSet;
  readonly unwatched: readonly Unwatched[];
  readonly clock: readonly LateRead[];
}

/** More would make each check slow. */
const MAX_TABLES = 1000;

/** Resolves what statements read, as it is now. Rejects with EngineError if the engine could not be asked. */
export async function resolveTables(
  engine: Engine,
  statements: readonly ReadingStatement[],
): Promise<ResolvedSet> {
  const resolution = createResolution(engine, await readOwnFunctions(engine));
  for (const [index, each] of statements.entries()) await resolution.add(each, index);
  return resolution.result();
}

/** Functions that somebody has defined on the engine: what they read is not known. In lower case. */
async function readOwnFunctions(engine: Engine): Promise<ReadonlySet<string>> {
  const rows = await readRows(engine, `SELECT name FROM system.functions WHERE origin != 'System'`);
  return new Set((rows as readonly [string][]).map(([name]) => name.toLowerCase())); // one string column
}

interface Origin {
  readonly statement: number;
  readonly source: Source | undefined;
  /** The view that is being read. */
  readonly table: string | undefined;
}

function createResolution(engine: Engine, ownFunctions: ReadonlySet<string>) {
  const tables = new Map<string, StoredTable>();
  const patterns = new Map<string, TablePattern>();
  const dictionaries = new Set<string>();
  const unwatched: Unwatched[] = [];
  const clock: LateRead[] = [];

  const reject = ({ statement, source, table }: Origin, reason: string): void => {
    const through = table === undefined || table === source?.name ? '' : ` (through ${table})`;
    unwatched.push({ statement, source, reason: reason + through });
  };

  /** Notes what the text of a query or an expression says; returns its calls that read dictionaries. */
  const readText = (sql: string, origin: Origin): number => {
    for (const read of clockReads(sql))
      clock.push({ ...read, statement: origin.statement, table: origin.table });
    const calls = functionCalls(sql);
    const own = calls.find((name) => ownFunctions.has(name));
    if (own !== undefined) reject(origin, `the function ${own} is not one of the engine's`);
    const stored = calls.find((name) => name === 'file' || name === 'hascolumnintable');
    if (stored !== undefined) reject(origin, `the function ${stored} reads what has no fingerprint`);
    return calls.filter((name) => /^dict(?:get|has|isin)|^joinget/.test(name)).length;
  };

  const addQuery = async ({ sql, samples }: ReadingStatement, origin: Origin): Promise<void> => {
    const lookups = readText(sql, origin);
    const parts = { ask: askOf(engine), schema: NO_SCHEMA };
    const result = await resolveModel(parts, { sql, samples }, { parameters: [] });
    if ('fault' in result) return reject(origin, result.fault);
    const { sources } = result.model;
    // The engine may have computed one with constant arguments, which is no source then.
    if (sources.filter(({ kind }) => kind === 'dictionary').length < lookups)
      reject(origin, 'a dictionary is read with constant arguments');
    for (const source of sources) await addSource(source, { ...origin, source: origin.source ?? source });
  };

  const addSource = async (source: Source, origin: Origin): Promise<void> => {
    if (source.kind === 'table_function')
      return reject(origin, `the table function ${source.name} reads what has no fingerprint`);
    if (source.kind === 'dictionary') return addDictionary(source.name, origin);
    const found = await readTables(engine, isOneOf(candidates(source.name), 'name'));
    if (found.length === 0) return reject(origin, `${source.name} is not in system.tables`);
    for (const table of found) await addTable(table, origin);
  };

  const addDictionary = async (name: string, origin: Origin): Promise<void> => {
    if (dictionaries.has(name)) return;
    const condition = `${DICTIONARY_NAME} = ${quoteString(name)} OR name = ${quoteString(name)}`;
    const rows = (await readRows(
      engine,
      `SELECT database, name, type FROM system.dictionaries WHERE ${condition}`,
    )) as readonly [string, string, string][]; // three string columns
    if (name === '' || rows.length === 0)
      return reject(origin, `${name === '' ? 'a computed name' : name} is no known dictionary`);
    dictionaries.add(name);
    for (const [database, own, type] of rows) {
      if (/cache|direct/i.test(type)) reject(origin, `the dictionary ${name} reads its source at each lookup`);
      if (database === '') continue;
      const found = await readTables(engine, isOneOf([{ database, name: own }], 'name'));
      for (const table of found) await addTable(table, origin);
    }
  };

  const addTable = async (table: StoredTable, origin: Origin): Promise<void> => {
    const key = `${table.database}.${table.name}`;
    if (tables.has(key)) return;
    if (tables.size >= MAX_TABLES) return reject(origin, `more than ${MAX_TABLES} tables are read`);
    tables.set(key, table);
    const reads = readsOfEngine(table);
    const inside = { ...origin, table: key };
    if (reads.kind === 'unknown') return reject(inside, `${key} ${reads.reason}`);
    if (reads.kind === 'query') return addQuery({ sql: reads.sql, samples: [{}] }, inside);
    if (reads.kind === 'dictionary') {
      if (/\bLAYOUT\s*\(\s*\w*(?:CACHE|DIRECT)/i.test(table.create))
        reject(inside, `the dictionary ${key} reads its source at each lookup`);
      return addDictionary(key, inside);
    }
    for (const column of table.computed)
      if (readText(column, inside) > 0)
        reject(inside, `a column of ${key} is computed with a dictionary or a Join table`);
    if (reads.kind === 'tables') {
      for (const each of reads.tables) {
        const found = await readTables(engine, isOneOf([each], 'name'));
        if (found.length === 0) reject(inside, `${each.database}.${each.name} is not in system.tables`);
        for (const next of found) await addTable(next, inside);
      }
    }
    if (reads.kind !== 'pattern') return;
    patterns.set(matchesPattern(reads.pattern), reads.pattern);
    for (const next of await readTables(engine, matchesPattern(reads.pattern))) await addTable(next, inside);
  };

  const result = (): ResolvedSet => {
    const definitions = [...tables.values()].map(({ definition }) => definition).toSorted(byBytes);
    const names = [...tables.values()].map(({ database, name }) => ({ database, name }));
    const every = clock.length === 0 ? undefined : commonEvery(clock);
    const set = { tables: names, patterns: [...patterns.values()], dictionaries: [...dictionaries] };
    return { set: { ...set, definitions, every }, unwatched, clock };
  };

  return {
    add: (statement: ReadingStatement, index: number) =>
      addQuery(statement, { statement: index, source: undefined, table: undefined }),
    result,
  };
}

/** The order of the engine. */
function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** `a.b.c` is `b.c` in `a`, or `c` in `a.b`. */
function candidates(name: string): readonly TableName[] {
  const parts = name.split('.');
  return parts
    .slice(1)
    .map((_, at) => ({ database: parts.slice(0, at + 1).join('.'), name: parts.slice(at + 1).join('.') }));
}

const COLUMNS = `database, name, engine, engine_full, as_select, create_table_query, toString(uuid), ${DEFINITION}`;

/** With the expressions of columns that are computed on read. */
async function readTables(engine: Engine, condition: string): Promise<readonly StoredTable[]> {
  const rows = await readRows(
    engine,
    `SELECT ${COLUMNS}, (SELECT groupArray((database, table, default_expression)) FROM system.columns WHERE default_kind IN ('DEFAULT', 'ALIAS') AND (database, table) IN (SELECT database, name FROM system.tables WHERE ${condition})) FROM system.tables WHERE ${condition} LIMIT ${MAX_TABLES + 1}`,
  );
  type Row = readonly [string, string, string, string, string, string, string, string, readonly (readonly [string, string, string])[]]; // prettier-ignore
  return (rows as readonly Row[]).map(
    ([database, name, kind, full, select, create, uuid, definition, computed]) => ({
      database, name, engine: kind, full, select, create, uuid, definition,
      computed: computed.flatMap(([of, table, text]) => (of === database && table === name ? [text] : [])),
    }),
  ); // prettier-ignore
}
