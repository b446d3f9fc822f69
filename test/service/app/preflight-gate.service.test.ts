// When consumer queries are accepted: only after a self-test has passed, and still if the engine was busy for a later one.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { preflight } from '../../../src/service/app/preflight.ts';
import { createCompile } from '../../../src/service/endpoints/compile.ts';
import type { Observation } from '../../../src/sql/base/observation.ts';
import { createDescribe } from '../../../src/service/endpoints/describe.ts';
import { EngineError, type Engine } from '../../../src/service/engine/engine.ts';
import { createPreflightGate } from '../../../src/service/preflight/gate.ts';
import { createSandboxes } from '../../../src/service/request/consumer/sandboxes.ts';
import { startService, type TestService, SHIPPED } from '../../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService({ endpoints: SHIPPED });
});
afterAll(() => service.stop());

/** A gate over the service's own engine, which is busy while `state.isBusy`; `retry` runs what was put off. */
function setUp() {
  const state = { isBusy: false };
  const retries: (() => void)[] = [];
  const observed: Observation[] = [];
  const engine: Engine = {
    ...service.engine,
    run: (...given) => {
      if (state.isBusy) return Promise.reject(new EngineError('busy', 'the queue is full'));
      return service.engine.run(...given);
    },
  };
  const describe = createDescribe(engine);
  const sandboxes = createSandboxes(engine, describe);
  const gate = createPreflightGate({
    selfTest: () => preflight(engine, service.service.catalog, describe),
    acceptSingleLayer: service.settings.acceptSingleLayer,
    switchConsumerQueries: sandboxes.switch,
    observe: (each) => void observed.push(each),
    after: (_, action) => {
      retries.push(action);
      return () => void retries.splice(retries.indexOf(action), 1);
    },
  });
  return { state, retries, observed, sandboxes, gate };
}

test('an engine that is busy at a reload changes nothing, and the self-test is retried', async () => {
  const { state, retries, observed, sandboxes, gate } = setUp();
  await gate.check();
  expect(sandboxes.offBecause()).toBeUndefined();
  state.isBusy = true;
  await gate.check();
  expect([sandboxes.offBecause(), retries.length]).toEqual([undefined, 1]);
  expect(observed.map(({ kind }) => kind)).toEqual(['sandbox.checked']);
});

test('an engine that is busy at startup: none are accepted until a self-test has run', async () => {
  const { state, retries, observed, sandboxes, gate } = setUp();
  state.isBusy = true;
  await gate.check();
  await gate.check();
  expect(sandboxes.offBecause()).toContain('busy');
  state.isBusy = false;
  await gate.check();
  expect([sandboxes.offBecause(), retries.length]).toEqual([undefined, 0]);
  expect(observed.map(({ kind }) => kind)).toEqual(['sandbox.not_checked', 'sandbox.checked']);
});

test('closed, it stops retrying', async () => {
  const { state, retries, gate } = setUp();
  state.isBusy = true;
  gate.close();
  await gate.check();
  expect(retries).toEqual([]);
});

test('an endpoint that redacts tables which are missing is tested as others are', async () => {
  const file = `id: 5f0c2f0e-7a4b-4c55-9d0f-0f1f5f4f1a01
name: without-table
query: WITH k AS (SELECT email FROM zoo.keepers) SELECT email FROM k
sandbox: { enabled: true }
pii: { redact: true, columns: { email: mask } }
`;
  const { candidate } = createCompile({ piiHashKey: undefined })('without-table.yaml', file);
  if (candidate === undefined) throw new Error('the file is valid');
  const { endpoint } = candidate;
  const catalog = {
    endpoints: [endpoint],
    all: [endpoint],
    find: () => endpoint,
    versions: () => [endpoint],
  };
  const { engine } = service;
  const findings = await preflight(engine, { current: () => catalog }, createDescribe(engine));
  const tried = findings.filter(({ name }) => name.startsWith('without-table: '));
  expect(tried.length).toBeGreaterThan(20);
  expect(tried.filter(({ outcome }) => outcome !== 'held')).toEqual([]);
});
