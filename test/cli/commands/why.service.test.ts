// `millrace why` and `millrace top` against a service: what is printed, once and again and again.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { printReport } from '../../../src/cli/commands/why/print.ts';
import { top, type TopReport } from '../../../src/cli/commands/top/top.ts';
import { adminUrl, askAdmin } from '../../../src/cli/kit/admin-client.ts';
import type { CallReport } from '../../../src/service/request/why/report.ts';
import { createTerminal } from '../../../src/cli/kit/terminal.ts';
import { eventually } from '../../support/eventually.ts';
import { startService, writeEndpoint, type TestService } from '../../support/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService();
  await writeEndpoint(
    service,
    'one',
    'id: 00000000-0000-4000-8000-000000000081\nname: one\nquery: SELECT sum(number) AS n FROM numbers(10)\n',
  );
  await service.service.reload();
  await service.rows('one', { headers: { 'X-Request-Id': 'r-1' } });
});
afterAll(async () => {
  await service.stop();
});

function output(isTTY: boolean) {
  let text = '';
  const stream = { isTTY, write: (each: string | Uint8Array): boolean => ((text += String(each)), true) };
  const terminal = createTerminal(stream, stream, { NO_COLOR: '1' });
  return { terminal, text: () => text };
}
const ask = (path: string, query: Record<string, string>): Promise<unknown> =>
  askAdmin(service.service.admin, path, query);

test('the service of the data folder is found', async () => {
  expect(await adminUrl(undefined, service.settings)).toBe(service.service.admin);
  expect(await adminUrl('http://x.test/', service.settings)).toBe('http://x.test');
  const none = { ...service.settings, data: '/none', adminHost: '::1', adminPort: 4001 };
  expect(await adminUrl(undefined, none)).toBe('http://[::1]:4001');
});

test('a report has its reasons, and the changes or why none were looked for', async () => {
  const { terminal, text } = output(false);
  await eventually(() => ask('/why', { target: 'one' }));
  const { result } = (await ask('/why', { target: 'r-1' })) as { readonly result: CallReport };
  const finding = {
    code: 'cost.order',
    file: 'one.yaml',
    line: 3,
    column: 8,
    message: 'm',
    severity: 'warning',
  } as const;
  printReport(result, { findings: [finding] }, { terminal, isJson: false });
  expect(text()).toMatch(
    /^one: [\d.]+ ms, 200, .*, request r-1\n1 rows and \d+ bytes returned; cache: none\n\nReasons\n/,
  );
  expect(text()).toMatch(
    /Time in ms\n {2}auth [\s\S]+Plan\n[\s\S]+ReadFromSystemNumbers[\s\S]+Changes\n {2}one\.yaml:3:8: m\n$/,
  );
  const json = output(false);
  printReport(result, { reason: 'x' }, { terminal: json.terminal, isJson: true });
  expect(JSON.parse(json.text())).toMatchObject({ request: 'r-1', changes: { reason: 'x' } });
});

test('what is not known is an error that says what to do', async () => {
  await expect(ask('/why', { target: 'none' })).rejects.toThrow('Unknown request');
  await expect(askAdmin('http://127.0.0.1:9', '/top', {})).rejects.toThrow(/No service answers at/);
});

const OPTIONS = { isOnce: true, isJson: false, every: 2, group: 'both', by: 'time' } as const;
const read = async (): Promise<TopReport> => (await ask('/top', { group: 'both' })) as TopReport;

test('a table is printed once', async () => {
  const { terminal, text } = output(false);
  const noSignal = { after: () => () => undefined, onSignal: () => undefined };
  await top(read, OPTIONS, { terminal, ...noSignal });
  expect(text()).toMatch(/calls since .* of this process, by time\n\d+ calls .*\n\nendpoint +key +calls/);
  expect(text()).toMatch(/\none +everything +1 +0 +0 % +100 %/);
  const json = output(false);
  await top(read, { ...OPTIONS, isJson: true }, { terminal: json.terminal, ...noSignal });
  expect(JSON.parse(json.text())).toMatchObject({
    result: [{ endpoint: 'one', key: 'everything', calls: 1 }],
  });
});

test('a live table takes the place of the one before, until a signal ends it', async () => {
  const { terminal, text } = output(true);
  let stop = (): void => undefined;
  let tables = 0;
  await top(
    () => {
      if (++tables === 3) stop();
      return read();
    },
    { ...OPTIONS, isOnce: false },
    {
      terminal,
      after: (_ms, action) => {
        queueMicrotask(action);
        return () => undefined;
      },
      onSignal: (signals) => {
        stop = () => signals.stop('SIGINT');
      },
    },
  );
  expect([tables, text().split('\u001B[H\u001B[2J').length]).toEqual([3, 4]);
});
