// Sandbox self-test: sends known escape attempts through the service's own checks, and past them directly over the
// consumer connection. Also checks what a ClickHouse server allows our users.
import type { Catalog } from '../endpoints/catalog.ts';
import { runEntries, type CheckEntry } from '../endpoints/checks/check.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { Problem } from '../../sql/base/problem.ts';
import { EngineError, isAway, type Engine, type Statement } from '../engine/engine.ts';
import { readAll } from '../engine/rows.ts';
import { PATH_ATTACKS, CONNECTION_ATTACKS } from '../../guard/sandbox/self-test-attacks.ts';
import { probeIsolation, type ProbeOptions } from './isolation-probe.ts';
import { checkServer } from './server-checks.ts';
import type { PreflightFinding } from './finding.ts';

export interface PreflightOptions extends ProbeOptions {
  readonly catalog: Catalog;
}

/** All endpoints share the checks, so testing more of them finds nothing new. */
const MAX_ENDPOINTS = 20;

/** The tests run in this order. Their results have names in place of codes. */
const SELF_TEST: readonly CheckEntry<'service', PreflightFinding, PreflightOptions>[] = [
  { needs: 'service', codes: {}, check: checkServerOf },
  { needs: 'service', codes: {}, check: attackEndpoints },
  {
    needs: 'service',
    codes: {},
    check: ({ engine, catalog }) => attackConnection(engine, sandboxedOf(catalog)[0]),
  },
  {
    needs: 'service',
    codes: {},
    check: (options) => (sandboxedOf(options.catalog).length > 0 ? probeIsolation(options) : []),
  },
];

/** Runs every test; rejects with EngineError only if the engine is unavailable. */
export function runPreflight(options: PreflightOptions): Promise<readonly PreflightFinding[]> {
  return runEntries(SELF_TEST, options);
}

async function checkServerOf({ engine, catalog }: PreflightOptions): Promise<readonly PreflightFinding[]> {
  if (engine.kind !== 'http') return [];
  return checkServer(engine, { isWatching: catalog.all.some(({ cache }) => cache?.check !== undefined) });
}

function sandboxedOf({ all }: Catalog): readonly Endpoint[] {
  return all.filter(({ sandbox }) => sandbox.enabled).slice(0, MAX_ENDPOINTS);
}

async function attackEndpoints(options: PreflightOptions): Promise<readonly PreflightFinding[]> {
  const findings: PreflightFinding[] = [];
  for (const endpoint of sandboxedOf(options.catalog))
    findings.push(...(await attackChecks(options, endpoint)));
  return findings;
}

async function attackChecks(
  { sandboxOf }: PreflightOptions,
  endpoint: Endpoint,
): Promise<PreflightFinding[]> {
  const sandbox = await sandboxOf(endpoint);
  const [table = 'nothing'] = sandbox.tables;
  const attempts = PATH_ATTACKS.map(async (attack): Promise<PreflightFinding> => {
    const text = attack.replaceAll('{table}', table);
    const held = await sandbox.check(text).then(() => false, isRejection);
    return { layer: 'checks', name: `${endpoint.name}: ${text}`, outcome: held ? 'held' : 'open' };
  });
  return Promise.all(attempts);
}

function isRejection(error: unknown): boolean {
  if (error instanceof Problem) return true;
  throw error;
}

async function attackConnection(engine: Engine, endpoint: Endpoint | undefined): Promise<PreflightFinding[]> {
  if (endpoint === undefined) return [];
  const findings: PreflightFinding[] = [];
  for (const { name, sql, knownEmbedded, onlyReads } of CONNECTION_ATTACKS) {
    const statement: Statement = {
      sql,
      parameters: {},
      limits: endpoint.limits,
      origin: 'consumer',
      int64: 'number',
    };
    const held = await returnsRows(engine, statement).then((rows) => onlyReads === true && !rows, isFailure);
    const known = engine.kind === 'embedded' && knownEmbedded === true;
    findings.push({ layer: 'connection', name, outcome: held ? 'held' : known ? 'known' : 'open' });
  }
  return findings;
}

async function returnsRows(engine: Engine, statement: Statement): Promise<boolean> {
  const { chunks } = await engine.run(statement, { format: 'JSONCompactEachRow' });
  return (await readAll(chunks)).length > 0;
}

function isFailure(error: unknown): boolean {
  if (error instanceof EngineError && !isAway(error)) return true;
  throw error;
}
