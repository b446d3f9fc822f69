// The public conformance suite of the protocol: which of its checks pass, and why the others cannot. Both lists are exact.
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { KEY, startService, type TestService } from '../support/service.ts';
import { runSuite, withKey, type Check, type Suite } from './conformance/suite.ts';

let service: TestService;
let proxy: Awaited<ReturnType<typeof withKey>>;
beforeAll(async () => {
  service = await startService({ endpoints: join(import.meta.dirname, 'conformance/endpoints') });
  proxy = await withKey(service.service.address, KEY);
});
afterAll(async () => {
  proxy.close();
  await service.stop();
});

/** Checks that need what this server has not, as `scenario/check`, by the reason. */
const WITHOUT: Readonly<Record<Suite, Readonly<Record<string, readonly string[]>>>> = {
  '@modelcontextprotocol/conformance': {},
  'mcp-conformance-2026': {},
};

/** Scenarios of which nothing fails: the server's part of the protocol. */
const PASSED: Readonly<Record<Suite, readonly string[]>> = {
  '@modelcontextprotocol/conformance': [],
  'mcp-conformance-2026': [],
};

const failed = ({ status }: Check): boolean => status === 'FAILURE' || status === 'WARNING';

test.each([
  { suite: '@modelcontextprotocol/conformance', options: [] },
  { suite: 'mcp-conformance-2026', options: ['--requirements', '2026-07-28'] },
] as const)('$suite', async ({ suite, options }) => {
  const checks = (await runSuite(suite, proxy.url, options)).filter(({ scenario }) => !scenario.startsWith('tasks-'));
  const bad = checks.filter(failed);
  const failing = new Set(bad.map(({ scenario }) => scenario));
  const passed = [...new Set(checks.map(({ scenario }) => scenario))].filter((scenario) => !failing.has(scenario));
  const others = [...new Set(bad.map(({ scenario, id }) => `${scenario}/${id}`))];
  expect({ passed, others: others.toSorted() }).toEqual({ passed: PASSED[suite], others: Object.values(WITHOUT[suite]).flat().toSorted() });
}); // prettier-ignore
