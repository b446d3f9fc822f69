// The corpus fixture on the embedded engine: LQL and hand-written SQL over the tables that its endpoint exposes.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEmbeddedEngine } from '../../../src/service/engine/embedded/embedded-engine.ts';
import type { Engine } from '../../../src/service/engine/engine.ts';
import { compile, type Compiled } from '../../../src/sql/lql/compile.ts';
import type { LqlFinding } from '../../../src/sql/lql/finding.ts';
import { parse } from '../../../src/sql/lql/parse.ts';
import type { Table } from '../../../src/sql/lql/resolve.ts';
import { rows, statement } from '../../support/engine-statements.ts';
import { REAL_TIME } from '../../support/real-time.ts';

/** The clock of all tests: the corpus' rows are of 2024-01-01 and the day after. 2024-01-02 is a Tuesday. */
export const NOW = micros('2024-01-02T05:30:15.250Z');

export function micros(iso: string): bigint {
  return BigInt(Date.parse(iso)) * 1000n;
}

/** The endpoint's tables, as corpus.yaml has them, for the caller `mine`. */
const CORPUS: Readonly<Record<string, string>> = {
  edge_logs: `SELECT id, timestamp, event_message, method, path, status, ms, ip, user_id, tags, attrs, metadata
    FROM app.logs WHERE project = 'mine' AND source = 'edge'`,
  auth_logs: `SELECT id, timestamp, event_message, user_id, action, ip, metadata
    FROM app.logs WHERE project = 'mine' AND source = 'auth'`,
};

export interface Lab {
  readonly engine: Engine;
  readonly tables: readonly Table[];
  /** The SQL of a query; throws with its findings when it has some. */
  readonly compile: (lql: string) => string;
  /** The rows of a query, each value of a row in the order of the columns. */
  readonly ask: (lql: string) => Promise<readonly unknown[]>;
  /** The rows of SQL over the same tables. */
  readonly sql: (sql: string) => Promise<readonly unknown[]>;
  readonly close: () => Promise<void>;
}

interface LabOptions {
  /** SELECTs of further tables, by name. */
  readonly tables?: Readonly<Record<string, string>>;
  /** Statements that make what those read. */
  readonly setup?: string;
}

export async function openLab({ tables: more = {}, setup }: LabOptions = {}): Promise<Lab> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-lql-'));
  const path = join(folder, 'data');
  const engine = await createEmbeddedEngine({
    ...REAL_TIME,
    path,
    memory: 2 ** 30,
    observe: () => {},
    connections: 2,
    queue: 100,
  });
  await engine.execute(await readFile(join(import.meta.dirname, '../../corpus/seeds.sql'), 'utf8'));
  if (setup !== undefined) await engine.execute(setup);
  const bodies = { ...CORPUS, ...more };
  const described = Object.entries(bodies).map(async ([name, body]) => {
    return { name, columns: await engine.describe(statement(body)) };
  });
  const tables = await Promise.all(described);
  const ctes = Object.entries(bodies).map(([name, body]) => `${name} AS (SELECT * FROM view(${body}))`);
  const sql = (text: string) =>
    rows(engine, statement(`WITH ${ctes.join(',\n')}\nSELECT * FROM (\n${text}\n)`));
  const compileText = (lql: string) => compiled(lql, tables).sql;
  return {
    engine,
    tables,
    compile: compileText,
    ask: (lql) => sql(compileText(lql)),
    sql,
    close: async () => {
      await engine.close(0);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface QueryOptions {
  readonly defaultTable?: string | undefined;
  readonly maxRows?: number;
}

/** Compiles a query over these tables, `edge_logs` by default. */
export function compiled(lql: string, tables: readonly Table[], options: QueryOptions = {}): Compiled {
  const result = compileOrFindings(lql, tables, options);
  if ('findings' in result) throw new Error(`${lql}: ${JSON.stringify(result.findings)}`);
  return result;
}

export function findingsOf(
  lql: string,
  tables: readonly Table[],
  options: QueryOptions = {},
): readonly LqlFinding[] {
  const result = compileOrFindings(lql, tables, options);
  return 'findings' in result ? result.findings : [];
}

function compileOrFindings(lql: string, tables: readonly Table[], options: QueryOptions) {
  const parsed = parse(lql);
  if ('findings' in parsed) return parsed;
  return compile(parsed.tree, { tables, defaultTable: 'edge_logs', now: NOW, ...options });
}

/** One column of rows. */
export function column(rows: readonly unknown[], name: string): readonly unknown[] {
  return rows.map((row) => new Map<string, unknown>(Object.entries(row ?? {})).get(name));
}
