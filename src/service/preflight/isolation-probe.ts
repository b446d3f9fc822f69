// Tests tenant isolation: runs conditions that fail on another tenant's row, over a table of two tenants. Each must
// succeed, since that row must not be read; an error would reveal what rows other tenants have.
import { createCompile } from '../endpoints/compile.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import type { DefinedTable } from '../engine/access-rules.ts';
import { EngineError, isAway, type Engine, type Statement } from '../engine/engine.ts';
import { readRows } from '../engine/rows.ts';
import type { Sandbox } from '../../guard/sandbox/sandbox.ts';
import { ORACLES } from '../../guard/sandbox/self-test-attacks.ts';
import type { PreflightFinding } from './finding.ts';

/** Rows of the tenant `mine`; another tenant has one row in the same granule, whose values fail every conversion. */
const ROWS = 7;
const MAKE_TABLE = `CREATE OR REPLACE TABLE millrace_probe.rows (project LowCardinality(String), number Int64, word String,
  doc JSON(project String, word String), INDEX words word TYPE set(0) GRANULARITY 1)
ENGINE = MergeTree ORDER BY number SETTINGS index_granularity = 2
AS SELECT project, number, word, concat('{"project":"', project, '","word":"', word, '"}')::JSON(project String, word String) AS doc
FROM (SELECT 'mine' AS project, toInt64(number + 1) AS number, toString(number) AS word FROM numbers(${ROWS})
  UNION ALL SELECT 'other', -32769, 'not a number');`;

/** A table that no endpoint exposes. */
const MAKE_HIDDEN = `CREATE OR REPLACE TABLE millrace_probe.hidden (secret String) ENGINE = MergeTree ORDER BY secret AS SELECT 'secret'`;

/** What an administrator runs once on a server, where consumers have no CREATE privilege. */
export const PROBE_SQL = `CREATE DATABASE IF NOT EXISTS millrace_probe;\n${MAKE_TABLE}`;

/** The columns of the table that row filters may compare, for the rules of the embedded engine, which are made before the table. */
export const PROBE_TABLE: DefinedTable = {
  database: 'millrace_probe',
  table: 'rows',
  engine: 'MergeTree',
  columns: new Map([['project', 'LowCardinality(String)']]),
  definition: '',
};

const FILE = `id: 00000000-0000-4000-8000-000000000000
name: millrace.probe
query: |
  WITH
  rows AS (SELECT number, word, doc FROM millrace_probe.rows WHERE project = @project ORDER BY number),
  paths AS (SELECT number, word, doc FROM millrace_probe.rows WHERE doc.project = @project)
  SELECT * FROM rows
parameters:
  project: { type: String, required: true }
sandbox: { enabled: true }
`;

/** Every read of it has a condition that a row filter repeats. */
const FILTERED_FILE = `id: 00000000-0000-4000-8000-000000000001
name: millrace.probe.filtered
query: |
  WITH rows AS (SELECT number FROM millrace_probe.rows WHERE project = @project)
  SELECT * FROM rows
parameters:
  project: { type: String, required: true }
sandbox: { enabled: true }
`;

/** The endpoints of the probe, for the rules of the embedded engine. */
export function probeEndpoints(): readonly Endpoint[] {
  return [compiled(FILE), compiled(FILTERED_FILE)];
}

export interface ProbeOptions {
  readonly engine: Engine;
  /** The sandbox of an endpoint, while consumer queries are enabled or not. */
  readonly sandboxOf: (endpoint: Endpoint) => Promise<Sandbox>;
}

/**
 * Tests every form; on the embedded engine it creates the table first. Rejects with EngineError only if the engine is
 * unavailable.
 */
export async function probeIsolation(options: ProbeOptions): Promise<readonly PreflightFinding[]> {
  const { engine } = options;
  if (engine.kind === 'embedded') await engine.execute(PROBE_SQL);
  const endpoint = compiled(FILE);
  const missing = await tryForm(
    engine,
    statementOf(endpoint, 'SELECT count() AS n FROM millrace_probe.rows'),
  );
  if (missing !== undefined) return [noTable(missing)];
  const findings: PreflightFinding[] = engine.restrict === undefined ? [] : [...(await probeAccess(engine))];
  for (const { text, heldBySettings } of ORACLES) {
    const sandbox = await options.sandboxOf(endpoint);
    const verdict = await sandbox.check(text);
    const failure = await tryForm(engine, statementOf(endpoint, sandbox.assemble(verdict, ROWS).sql));
    findings.push(found('checks', text, failure));
    if (heldBySettings !== true) continue;
    const open = sandbox.assemble({ ...verdict, isLeakproof: true }, ROWS);
    findings.push(
      found(
        'connection',
        `without a barrier: ${text}`,
        await tryForm(engine, statementOf(endpoint, open.sql)),
      ),
    );
  }
  return findings;
}

function compiled(file: string): Endpoint {
  const { candidate, diagnostics } = createCompile({ piiHashKey: undefined })('probe.yaml', file);
  if (candidate === undefined) throw new Error(diagnostics.map(({ message }) => message).join('; '));
  return candidate.endpoint;
}

function statementOf({ name, revision, limits, int64 }: Endpoint, sql: string): Statement {
  const parameters = { project: 'mine' };
  const rowPolicy = { endpoint: name, revision, values: parameters };
  return { sql, parameters, limits, origin: 'consumer', int64, rowPolicy };
}

/**
 * What the embedded engine itself must not show to a consumer connection, whatever the statement: each returns a row if grants or
 * row filters do not hold.
 */
const BEYOND: readonly { readonly name: string; readonly sql: string }[] = [
  { name: 'a table that no endpoint exposes', sql: 'SELECT secret FROM millrace_probe.hidden' },
  { name: 'the queries of others', sql: 'SELECT query FROM system.processes' },
  { name: "another tenant's rows", sql: "SELECT 1 FROM millrace_probe.rows WHERE project = 'other'" },
  {
    name: "another tenant's rows by a setting",
    sql: "SELECT 1 FROM (SELECT project FROM millrace_probe.rows SETTINGS format_schema = ';project=6F74686572;') WHERE project = 'other'",
  },
];

/** Tests grants and row filters by themselves, without the checks and the statement. Rejects as `probeIsolation`. */
async function probeAccess(engine: Engine): Promise<readonly PreflightFinding[]> {
  await engine.execute(MAKE_HIDDEN);
  const endpoint = compiled(FILTERED_FILE);
  const rowsOf = (sql: string): Promise<readonly unknown[]> =>
    readRows(engine, sql, statementOf(endpoint, sql)).catch((error: unknown) => {
      if (!(error instanceof EngineError) || isAway(error)) throw error;
      return [];
    });
  const findings: PreflightFinding[] = [];
  for (const { name, sql } of BEYOND) {
    const isShown = (await rowsOf(sql)).length > 0;
    findings.push({ layer: 'connection', name: `access rules: ${name}`, outcome: isShown ? 'open' : 'held' });
  }
  return findings;
}

/** The engine's failure, or undefined on success. */
async function tryForm(engine: Engine, statement: Statement): Promise<EngineError | undefined> {
  try {
    const { chunks } = await engine.run(statement, { format: 'JSONCompactEachRow' });
    for await (const _ of chunks);
    return undefined;
  } catch (error) {
    if (!(error instanceof EngineError) || isAway(error)) throw error;
    return error;
  }
}

function found(
  layer: PreflightFinding['layer'],
  text: string,
  failure: EngineError | undefined,
): PreflightFinding {
  const name = `rows of other tenants: ${text}`;
  return { layer, name, outcome: failure === undefined ? 'held' : 'open' };
}

function noTable({ message }: EngineError): PreflightFinding {
  const [reason = ''] = message.split('\n', 1);
  return {
    layer: 'server',
    name: `tenant isolation was not tested, since millrace_probe.rows cannot be read: ${reason.slice(0, 200)}`,
    outcome: 'advice',
    fix: `${PROBE_SQL}\nGRANT SELECT ON millrace_probe.rows TO millrace, millrace_consumer;`,
  };
}
