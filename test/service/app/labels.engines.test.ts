// Labels and reservations from the request header to the engine, the log and the metrics.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService, writeEndpoint, type TestService } from '../../support/service.ts';

let service: TestService;
const file = (n: number, name: string, rest: string): string =>
  `id: 00000000-0000-4000-8000-0000000000${n}\nname: ${name}\nquery: WITH t AS (SELECT 1 AS n) SELECT getSetting('workload') AS workload, @project AS project, n FROM t\nparameters: { project: { type: String, default: abc } }\nsandbox: { enabled: true }\n${rest}`;

beforeAll(async () => {
  service = await startService();
  const reservation = 'reservation: { enabled: true, workloads: [reports, exports], warming: background }\n';
  await writeEndpoint(
    service,
    'open',
    file(81, 'open', `${reservation}labels: { team: core, tenant: "@project", client: "@header" }\n`),
  );
  await writeEndpoint(service, 'closed', file(82, 'closed', 'reservation: { enabled: false }\n'));
  await writeEndpoint(
    service,
    'warm',
    file(
      83,
      'warm',
      `${reservation}cache: { ttl: 60 }\nwarming: { every: 30, examples: true }\nexamples: [{ name: one, parameters: { project: warmed } }]\n`,
    ),
  );
  await service.service.reload();
});
afterAll(() => service.stop());

const ask = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  service.call(`/api/endpoints/query/${path}`, { headers });
const workloadOf = async (response: Response): Promise<unknown> => {
  const { result } = (await response.json()) as { result: [{ workload: string }] };
  return result[0].workload;
};

describe('a reservation', () => {
  test('is applied if the file lists it', async () => {
    expect(await workloadOf(await ask('open'))).toBe('default');
    expect(await workloadOf(await ask('open', { 'SVC-ENDPOINT-RESERVATION': 'reports' }))).toBe('reports');
    expect(await workloadOf(await ask('open', { 'svc-endpoint-reservation': ' exports ' }))).toBe('exports');
  });

  test('applies to consumer queries too', async () => {
    const response = await ask('open?sql=SELECT%20n%20FROM%20t', { 'SVC-ENDPOINT-RESERVATION': 'reports' });
    expect([response.status, await response.json()]).toEqual([200, { result: [{ n: 1 }] }]);
  });

  test('of another name is rejected, also for a cached response', async () => {
    for (const path of ['open', 'warm', 'warm']) {
      await ask(path);
      const response = await ask(path, { 'SVC-ENDPOINT-RESERVATION': 'report' });
      expect([response.status, await response.json()]).toMatchObject([
        400,
        { code: 'workload.unknown', detail: expect.stringContaining('Did you mean reports?') as string },
      ]);
    }
  });

  test('is ignored if not enabled', async () => {
    expect(await workloadOf(await ask('closed', { 'SVC-ENDPOINT-RESERVATION': 'reports' }))).toBe('default');
  });

  test('warming has its own', async () => {
    const warmed = (): Promise<Response> => ask('warm?project=warmed', { 'Cache-Control': 'only-if-cached' });
    await expect.poll(async () => (await warmed()).status).toBe(200);
    expect(await workloadOf(await warmed())).toBe('background');
  });
});

test('labels are in the log and the metrics, and the values are bounded', async () => {
  const headers = { 'SVC-ENDPOINT-LABELS': 'client=web,team=evil', 'X-Request-Id': 'labelled' };
  await ask('open?project=xyz', headers);
  const seen = service.observed.find(
    (each) => each.kind === 'request.finished' && each.requestId === 'labelled',
  );
  expect(seen).toMatchObject({ labels: { team: 'core', tenant: 'xyz', client: 'web' } });
  await Promise.all(Array.from({ length: 120 }, (_, n) => ask(`open?project=p${n}`)));
  const text = await (await fetch(`${service.service.admin}/metrics`)).text();
  expect(text).toContain('millrace_labelled_requests_total{endpoint="open",label="client",value="web"} 1');
  const tenants = text.match(/label="tenant",value="[^"]*"/g) ?? [];
  expect([tenants.length, tenants.some((each) => each.includes('"other"'))]).toEqual([101, true]);
});
