// The service attacks itself, twice: through its own checks, and past them straight at the consumers' connection. A server
// is asked what it lets our users do.
import type { Catalog } from '../catalog/catalog.ts';
import type { Endpoint } from '../catalog/endpoint.ts';
import { Problem } from '../core/problem.ts';
import { EngineError, isAway, type Engine, type Statement } from '../engine/engine.ts';
import { PATH_ATTACKS, WALL_ATTACKS } from '../sandbox/self-attacks.ts';
import { probeIsolation } from './isolation-probe.ts';
import type { Sandboxes } from './sandboxes.ts';
import { checkServer } from './server-checks.ts';

/**
 * One thing that was tried. `held`: it was refused, or is as it should be; `known`: it works, as the docs say; `open`: it
 * works and must not; `advice`: the walls would be thicker, or more could be seen.
 */
export interface PreflightFinding {
  readonly wall: 'checks' | 'connection' | 'server';
  readonly name: string;
  readonly outcome: 'held' | 'known' | 'open' | 'advice';
  /** SQL for the server, where that helps. */
  readonly mend?: string;
}

export interface PreflightOptions {
  readonly catalog: Catalog;
  readonly engine: Engine;
  readonly sandboxes: Sandboxes;
}

/** More endpoints than this have nothing new to tell: they share the checks. */
const MAX_ENDPOINTS = 20;

/** Tries everything; rejects with EngineError only when the engine is away. */
export async function runPreflight(options: PreflightOptions): Promise<readonly PreflightFinding[]> {
  const findings = options.engine.kind === 'http' ? [...(await checkServer(options.engine))] : [];
  const sandboxed = options.catalog.endpoints
    .filter((endpoint) => endpoint.sandbox.enabled)
    .slice(0, MAX_ENDPOINTS);
  for (const endpoint of sandboxed) findings.push(...(await attackChecks(options, endpoint)));
  findings.push(...(await attackConnection(options.engine, sandboxed[0])));
  if (sandboxed.length > 0) findings.push(...(await probeIsolation(options)));
  return findings;
}

async function attackChecks(
  { sandboxes }: PreflightOptions,
  endpoint: Endpoint,
): Promise<PreflightFinding[]> {
  const sandbox = await sandboxes.of(endpoint);
  const [table = 'nothing'] = sandbox.tables;
  const attempts = PATH_ATTACKS.map(async (attack): Promise<PreflightFinding> => {
    const text = attack.replaceAll('{table}', table);
    const held = await sandbox.check(text).then(() => false, isRefusal);
    return { wall: 'checks', name: `${endpoint.name}: ${text}`, outcome: held ? 'held' : 'open' };
  });
  return Promise.all(attempts);
}

function isRefusal(error: unknown): boolean {
  if (error instanceof Problem) return true;
  throw error;
}

async function attackConnection(engine: Engine, endpoint: Endpoint | undefined): Promise<PreflightFinding[]> {
  if (endpoint === undefined) return [];
  const findings: PreflightFinding[] = [];
  for (const { name, sql, knownEmbedded } of WALL_ATTACKS) {
    const statement: Statement = {
      sql,
      parameters: {},
      limits: endpoint.limits,
      origin: 'consumer',
      int64: 'number',
    };
    const held = await drain(engine, statement).then(() => false, isFailure);
    const known = engine.kind === 'embedded' && knownEmbedded === true;
    findings.push({ wall: 'connection', name, outcome: held ? 'held' : known ? 'known' : 'open' });
  }
  return findings;
}

async function drain(engine: Engine, statement: Statement): Promise<void> {
  const { chunks } = await engine.run(statement, { format: 'JSONCompactEachRow' });
  for await (const _ of chunks);
}

function isFailure(error: unknown): boolean {
  if (error instanceof EngineError && !isAway(error)) return true;
  throw error;
}
