// `millrace query --export FILE`: the file that a running service makes, and what is left when it fails.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, type Finished } from '../../support/command.ts';
import { KEY, startService, writeEndpoint, type TestService } from '../../support/service.ts';

let service: TestService;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-export-'));
  service = await startService();
  await writeEndpoint(
    service,
    'numbers',
    `id: 00000000-0000-4000-8000-000000000081
name: numbers
query: SELECT number AS n FROM numbers(@n)
parameters: { n: { type: UInt64, default: 10 } }
max_rows: 2
export: { max_rows: 1000 }
`,
  );
  await service.service.reload();
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

const query = (...args: readonly string[]): Promise<Finished> =>
  run(['query', 'numbers', ...args, '--url', service.service.address], { env: { MILLRACE_KEY: KEY } });

test('writes all rows, and removes the export from the service', async () => {
  const file = join(folder, 'rows.csv');
  const { code, err } = await query('n=1000', '--export', file);
  expect([code, err]).toEqual([0, expect.stringContaining('rows.csv: 1000 rows, ')]);
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\r\n');
  expect([lines.length, lines[0], lines.at(-1)]).toEqual([1001, 'n', '999']);
  const list = await service.call('/api/endpoints/query/numbers/exports');
  expect(await list.json()).toEqual({ result: [] });
});

test('leaves nothing if the export fails or cannot be asked for', async () => {
  const rows: readonly (readonly [args: readonly string[], code: number, text: string])[] = [
    [['n=1001', '--export', join(folder, 'more.ndjson')], 1, 'The result has more than 1000 rows'],
    [['n=x', '--export', join(folder, 'invalid.csv')], 1, 'request.parameters_invalid'],
    [['--export', join(folder, 'rows.txt')], 2, 'end the name in .parquet'],
    [['--all', '--export', join(folder, 'all.csv')], 2, 'leave out --all'],
  ];
  for (const [args, code, text] of rows) {
    const finished = await query(...args);
    expect([args, finished.code, finished.err]).toEqual([args, code, expect.stringContaining(text)]);
  }
  expect((await readdir(folder)).filter((name) => name !== 'rows.csv')).toEqual([]);
});
