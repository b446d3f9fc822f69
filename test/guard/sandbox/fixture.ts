// The corpus and its environment: two tenants in the real engine, the endpoint over them, its sandbox.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { createFunctionPolicy } from '../../../src/guard/sandbox/functions/policy.ts';
import { lexConsumerQuery } from '../../../src/guard/sandbox/lexed-query.ts';
import {
  createSandbox,
  createVerdictCache,
  type Sandbox,
  type SandboxOptions,
} from '../../../src/guard/sandbox/sandbox.ts';
import type { Explained } from '../../../src/guard/sandbox/explain.ts';
import type { Surface } from '../../../src/guard/sandbox/scan/scan.ts';
import { scanConsumerQuery, type ScanResult } from '../../../src/guard/sandbox/scan/scanner.ts';
import type { TableColumn } from '../../../src/guard/sandbox/columns.ts';
import { passThroughs } from '../../../src/guard/sandbox/pass-through.ts';
import { readClause } from '../../../src/sql/clickhouse/clause.ts';
import type { Verdict } from '../../../src/guard/sandbox/verdict.ts';
import { parseSavedText } from '../../../src/sql/clickhouse/tree/parse.ts';
import { outlineQuery } from '../../../src/sql/clickhouse/outline.ts';
import type { Outline } from '../../../src/sql/clickhouse/outline.ts';
import { bindPlaceholders } from '../../../src/sql/clickhouse/placeholders.ts';
import { openOracle } from '../../sql/clickhouse/oracle.ts';
import type { Oracle } from '../../sql/clickhouse/oracle.ts';

export interface CorpusEntry {
  readonly id: string;
  readonly cat: string;
  readonly sql: string;
}

function read(name: string): string {
  return readFileSync(new URL(`../../corpus/${name}`, import.meta.url), 'utf8');
}

// Both files are arrays of such entries.
export const ATTACKS = JSON.parse(read('attacks.json')) as readonly CorpusEntry[];
export const BENIGN = JSON.parse(read('benign.json')) as readonly CorpusEntry[];

/** The corpus' endpoint: its query with `@project` bound. */
export const BOUND_SQL = bound((parse(read('corpus.yaml')) as { query: string }).query); // as the file's schema has it

export function bound(query: string): string {
  const { sql, findings } = bindPlaceholders(query, () => 'String');
  if (findings.length > 0) throw new Error(JSON.stringify(findings));
  return sql;
}

export function outlineOf(sql: string): Outline {
  const { outline, findings } = outlineQuery(sql);
  if (outline === undefined) throw new Error(JSON.stringify(findings));
  return outline;
}

/** The engine with the corpus' tables; every statement runs as the caller `mine`, with an empty current database. */
export interface World {
  readonly run: (sql: string, options?: { database?: string; format?: string }) => Promise<string>;
  readonly explain: (sql: string) => Promise<Explained>;
  readonly oracle: Oracle;
}

export async function openWorld(): Promise<World> {
  const oracle = openOracle();
  await oracle.ask(`${read('seeds.sql')}; CREATE DATABASE nothing`);
  const run: World['run'] = (
    sql,
    { database = 'nothing', format = 'JSONCompactEachRowWithNamesAndTypes' } = {},
  ) =>
    oracle.ask(
      `USE ${database}; SET param_project = 'mine', max_threads = 1, max_expanded_ast_elements = 50000; ${sql}`,
      format,
    );
  return {
    oracle,
    run,
    async explain(sql) {
      try {
        return { kind: 'tree', text: await run(sql, { format: 'TSVRaw' }) };
      } catch (error) {
        return { kind: 'rejected', engineCode: codeOf(error), message: String(error) };
      }
    },
  };
}

/** The columns of an endpoint's tables, as the engine describes them. */
export async function describeTables(
  { run }: Pick<World, 'run'>,
  boundSql = BOUND_SQL,
): Promise<ReadonlyMap<string, readonly TableColumn[]>> {
  const { elements, withEnd } = outlineOf(boundSql);
  const tables = elements.filter(({ kind }) => kind === 'table');
  const entries = tables.map(async ({ name }) => {
    const sql = `DESCRIBE (${boundSql.slice(0, withEnd)} SELECT * FROM ${name})`;
    const lines = (await run(sql, { format: 'JSONEachRow' })).trim().split('\n');
    return [name, lines.map((line): TableColumn => JSON.parse(line))] as const; // as DESCRIBE answers
  });
  return new Map(await Promise.all(entries));
}

/** The columns with a dot in their name of the stored tables behind an endpoint's tables. */
export async function describeDotted(
  { run }: Pick<World, 'run'>,
  boundSql = BOUND_SQL,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const outline = outlineOf(boundSql);
  const saved = parseSavedText(boundSql);
  const passThrough = passThroughs(saved, readClause(saved, outline));
  const entries = outline.elements.map(async ({ name }) => {
    const stored = passThrough(name)?.stored;
    if (stored === undefined) return [];
    const described = await run(`DESCRIBE (SELECT 1, COLUMNS('[.]') FROM ${stored})`, {
      format: 'JSONEachRow',
    });
    const [, ...columns] = described.trim().split('\n');
    return [[name, columns.map((line) => (JSON.parse(line) as TableColumn).name)] as const]; // as DESCRIBE answers
  });
  return new Map((await Promise.all(entries)).flat());
}

/** ClickHouse's error code in a failure of the engine. */
export function codeOf(error: unknown): number | undefined {
  const code = /Code: (\d+)/.exec(String(error))?.[1];
  return code === undefined ? undefined : Number(code);
}

/** The sandbox of the corpus' endpoint, or of another; without `explain` the scanner decides alone. */
export function openSandbox(options: Partial<SandboxOptions> = {}): Sandbox {
  const boundSql = options.boundSql ?? BOUND_SQL;
  return createSandbox({
    boundSql,
    outline: outlineOf(boundSql),
    revision: 'r1',
    functions: createFunctionPolicy({ allow: [], deny: [] }),
    cache: createVerdictCache(1_000_000),
    explain: undefined,
    mapKeys: new Set(options.columns?.keys()),
    ...options,
  });
}

/** A verdict on a query that the checks need not have accepted. */
export function unchecked(joined: string): Verdict {
  return {
    source: joined,
    joined,
    tables: [],
    names: new Set(),
    hasStates: false,
    isLeakproof: true,
    isApart: false,
  };
}

/** The scan of a query over tables of these names, any columns. */
export function scanTables(sql: string, tables: readonly string[]): ScanResult {
  const surface: Surface = {
    tables: new Map(tables.map((table) => [table, 1])),
    reservedNames: new Set(),
    functions: createFunctionPolicy({ allow: [], deny: [] }),
    stateColumns: new Map(),
    columnsOf: () => new Set(),
  };
  return scanConsumerQuery(lexConsumerQuery(sql), surface, () => true);
}
