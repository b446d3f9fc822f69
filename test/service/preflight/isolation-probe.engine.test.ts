// The attacks that the service tries at startup: this engine blocks all, and each is detected if its protection is removed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDescribe } from '../../../src/service/endpoints/describe.ts';
import { createEmbeddedEngine } from '../../../src/service/engine/embedded/embedded-engine.ts';
import type { Engine, Statement } from '../../../src/service/engine/engine.ts';
import { splitStatements } from '../../../src/service/engine/statements.ts';
import { createAccessControl } from '../../../src/service/app/access.ts';
import { assembleCatalog } from '../../../src/service/endpoints/catalog.ts';
import { PROBE_SQL, probeIsolation } from '../../../src/service/preflight/isolation-probe.ts';
import type { PreflightFinding } from '../../../src/service/preflight/finding.ts';
import { createSandboxes } from '../../../src/service/request/consumer/sandboxes.ts';
import { ORACLES } from '../../../src/guard/sandbox/self-test-attacks.ts';
import { REAL_TIME } from '../../support/real-time.ts';

const folder = mkdtempSync(join(tmpdir(), 'millrace-probe-'));
let engine: Engine;

beforeAll(async () => {
  engine = await createEmbeddedEngine({
    ...REAL_TIME,
    path: join(folder, 'data'),
    connections: 2,
    queue: 100,
    memory: 2 ** 30,
    observe: () => undefined,
  });
  await createAccessControl(engine, REAL_TIME.after).apply(assembleCatalog([]).catalog);
});
afterAll(async () => {
  await engine.close(0);
  rmSync(folder, { recursive: true, force: true });
});

/** The probe over an engine that changes statements on their way. */
function probeWith(
  change: (statement: Statement) => Statement,
  parts: Partial<Engine> = {},
): Promise<readonly PreflightFinding[]> {
  const changed: Engine = {
    ...engine,
    run: (statement, options) => engine.run(change(statement), options),
    ...parts,
  };
  const { of } = createSandboxes(engine, createDescribe(engine));
  return probeIsolation({ engine: changed, sandboxOf: (endpoint) => of(endpoint, false) });
}

const open = (findings: readonly PreflightFinding[]): readonly PreflightFinding[] =>
  findings.filter(({ outcome }) => outcome !== 'held');
const withoutBarrier = (sql: string): string => sql.replaceAll(/ LIMIT 10{18}\)/g, ')');

test('every attack is blocked, twice in a row', async () => {
  for (let time = 0; time < 2; time++) {
    const findings = await probeWith((statement) => statement);
    expect(open(findings)).toEqual([]);
    expect(findings.length).toBeGreaterThanOrEqual(ORACLES.length);
  }
});

test('without barrier and settings every attack succeeds', async () => {
  const findings = await probeWith((each) => ({ ...each, sql: withoutBarrier(each.sql), origin: 'saved' }));
  expect(findings.filter(({ outcome }) => outcome === 'held')).toEqual([]);
});

test('without the settings, the attacks that they block succeed', async () => {
  const findings = await probeWith((each) => ({ ...each, origin: 'saved' }));
  const ofOracles = findings.filter(({ name }) => !name.startsWith('access rules'));
  expect(open(ofOracles).map(({ layer, outcome }) => [layer, outcome])).toEqual(
    ORACLES.filter(({ heldBySettings }) => heldBySettings === true).map(() => ['connection', 'open']),
  );
});

test('on a server without the table, the SQL to create it is suggested', async () => {
  await engine.execute('DROP DATABASE IF EXISTS millrace_probe');
  const findings = await probeWith((statement) => statement, { kind: 'http' });
  expect(findings).toMatchObject([{ layer: 'server', outcome: 'advice' }]);
  const statements = splitStatements(findings[0]?.fix ?? '');
  expect(statements).toHaveLength(splitStatements(PROBE_SQL).length + 1);
  await Promise.all(statements.map((text) => probeParse(text)));
});

async function probeParse(text: string): Promise<void> {
  const limits = { time: 5, memory: 2 ** 28, readRows: 0, resultBytes: 2 ** 20 };
  const sql = 'SELECT formatQuery({text:String})';
  const statement: Statement = { sql, parameters: { text }, limits, origin: 'saved', int64: 'number' };
  const { chunks } = await engine.run(statement, { format: 'JSONCompactEachRow' });
  for await (const _ of chunks);
}
