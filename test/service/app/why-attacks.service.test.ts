// The attack corpus through the reports about calls: a query that was rejected is not planned, and a plan shows nothing but names.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hashKey } from '../../../src/service/auth/keyring.ts';
import type { CallReport } from '../../../src/service/request/why/report.ts';
import { ATTACKS, BENIGN } from '../../guard/sandbox/fixture.ts';
import { startAttacked } from '../../support/attacked-service.ts';
import { eventually } from '../../support/eventually.ts';
import { someOfEach } from '../../support/runs.ts';
import type { TestService } from '../../support/service.ts';

let service: TestService;

beforeAll(async () => {
  const author = { name: 'author', sha256: hashKey('author'), endpoints: ['*'], allow: ['sql' as const] };
  service = await startAttacked({ kinds: [], tokens: [{ ...author, statements: true }] });
}, 600_000);
afterAll(() => service.stop());

async function explained(
  id: string,
  sql: string,
): Promise<{ readonly status: number; readonly report: CallReport }> {
  const headers = { 'X-API-KEY': 'author', 'X-Request-Id': id };
  const { status } = await service.call('/api/endpoints/query/corpus', {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({ project: 'mine', sql }),
  });
  return eventually(async () => {
    const response = await service.call(`/api/why?request=${id}`, { headers });
    expect(response.status).toBe(200);
    return { status, report: ((await response.json()) as { readonly result: CallReport }).result };
  });
}

test('attacks are not planned again, and their reports do not quote them', async () => {
  for (const [index, { id, sql }] of someOfEach(ATTACKS, ({ cat }) => cat, { each: 12 }).entries()) {
    const { status, report } = await explained(`attack-${index}`, sql);
    expect([id, status >= 400, report.plan, report.read]).toEqual([id, true, undefined, undefined]);
    expect([id, JSON.stringify(report)]).toEqual([
      id,
      expect.not.stringMatching(/CANARY|_secret|DB::Exception/),
    ]);
    expect([id, JSON.stringify(report).includes(sql)]).toEqual([id, false]);
  }
}, 600_000);

test('plans of the consumer queries of the corpus have names of tables and steps, and no values', async () => {
  for (const [index, { id, sql }] of someOfEach(BENIGN, ({ cat }) => cat, { each: 24 }).entries()) {
    const { status, report } = await explained(`benign-${index}`, sql);
    expect([id, status]).toEqual([id, 200]);
    expect([id, JSON.stringify(report)]).toEqual([id, expect.not.stringMatching(/CANARY|mine|'/)]);
  }
}, 600_000);
