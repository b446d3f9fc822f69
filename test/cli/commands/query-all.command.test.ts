// `millrace query --all`: all pages, in every output, from this process and from a service.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { queryService } from '../../../src/cli/commands/query/query-service.ts';
import { scanCsv } from '../../../src/cli/commands/query/all-pages.ts';
import { createTerminal } from '../../../src/cli/kit/terminal.ts';
import { run, scratch } from '../../support/command.ts';
import { KEY, startService, writeEndpoint, type TestService } from '../../support/service.ts';

const PAGED = `id: 00000000-0000-4000-8000-000000000001
name: paged
description: Numbers.
page: { by: [n], size: 4 }
max_rows: 10
query: SELECT number AS n, 'a\\n"b"' AS text FROM numbers(10)
`;
const OPEN = `id: 00000000-0000-4000-8000-000000000002
name: open
page: { by: [n], size: 4 }
sandbox: { enabled: true }
query: WITH t AS (SELECT number AS n FROM numbers(5)) SELECT n FROM t
`;
const NONE = 'id: 00000000-0000-4000-8000-000000000003\nname: none\npage: { by: [n] }\nquery: SELECT 1::UInt8 AS n WHERE 0\n'; // prettier-ignore

let service: TestService;
beforeAll(async () => {
  service = await startService();
  await writeEndpoint(service, 'paged', PAGED);
  await writeEndpoint(service, 'open', OPEN);
  await writeEndpoint(service, 'none', NONE);
  await service.service.reload();
});
afterAll(() => service.stop());

interface Asked {
  readonly endpoint?: string;
  readonly parameters?: readonly string[];
  readonly sql?: string;
  readonly output?: 'table' | 'json' | 'csv';
  readonly allPages?: number;
  readonly isTerminal?: boolean;
}

async function ask({ isTerminal = false, ...asked }: Asked): Promise<{ out: string; err: string }> {
  const texts = { out: '', err: '' };
  const output = (name: 'out' | 'err') => ({
    isTTY: isTerminal,
    write: (text: string | Uint8Array) => ((texts[name] += String(text)), true),
  });
  const options = {
    endpoint: 'paged',
    parameters: [],
    sql: undefined,
    lql: undefined,
    output: 'json' as const,
    explain: false,
    meta: false,
    allPages: 1000,
    ...asked,
  };
  const address = { url: service.service.address, key: KEY };
  await queryService(address, options, createTerminal(output('out'), output('err'), { NO_COLOR: '1' }));
  return texts;
}

const numbers = (text: string): number[] => (JSON.parse(text) as { n: number }[]).map(({ n }) => n);

describe('from a service', () => {
  test('all rows, once, in JSON, CSV and a table', async () => {
    const json = await ask({});
    expect(numbers(json.out)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(json.err).toMatch(/^10 rows, 3 pages, \d+ ms in the engine\n$/);
    const csv = await ask({ output: 'csv' });
    expect(csv.out).toBe(`n,text\r\n${Array.from({ length: 10 }, (_, n) => `${n},"a\n""b"""\r\n`).join('')}`);
    expect(csv.err).toContain('10 rows, 3 pages');
    const table = await ask({ output: 'table' });
    expect(table.out.match(/^n /gm)).toHaveLength(1);
    expect(table.out.match(/^\d /gm)).toHaveLength(10);
  });

  test('a page after the maximum is not requested, and its cursor continues', async () => {
    const { out, err } = await ask({ allPages: 5 });
    expect(numbers(out)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    const [, next] = /stopped at --max-rows 5, next page: cursor=([\w-]+)\n$/.exec(err) ?? [];
    const rest = await ask({ parameters: [`cursor=${next}`] });
    expect(numbers(rest.out)).toEqual([8, 9]);
  });

  test('no rows', async () => {
    expect((await ask({ endpoint: 'none' })).out).toBe('[]\n');
    expect((await ask({ endpoint: 'none', output: 'table' })).out).toBe('');
  });

  test('a consumer query', async () => {
    const { out } = await ask({ endpoint: 'open', sql: 'SELECT n FROM t', parameters: ['page_size=2'] });
    expect(numbers(out)).toEqual([0, 1, 2, 3, 4]);
  });

  test('progress on a terminal only', async () => {
    expect((await ask({ isTerminal: true, output: 'table' })).err).toContain('4 rows, 1 page\r\u001b[K');
    expect((await ask({ output: 'table' })).err).not.toContain('\r');
  });
});

test('in this process', async () => {
  const cwd = scratch();
  mkdirSync(join(cwd, 'endpoints'));
  writeFileSync(join(cwd, 'endpoints/paged.yaml'), PAGED);
  const { code, out, err } = await run(['query', 'paged', '--all', '--output', 'json', 'page_size=3'], { cwd }); // prettier-ignore
  expect([code, numbers(out)]).toEqual([0, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]]);
  expect(err).toContain('10 rows, 4 pages');
});

test('in this process, columns are hashed with a key of the run, and a file with errors is named', async () => {
  const cwd = scratch();
  mkdirSync(join(cwd, 'endpoints'));
  const hashed = NONE.replace('page: { by: [n] }', 'pii: { redact: true, columns: { n: hash } }').replace(
    'WHERE 0',
    'WHERE 1',
  );
  writeFileSync(join(cwd, 'endpoints/none.yaml'), hashed);
  writeFileSync(join(cwd, 'endpoints/open.yaml'), OPEN.replace('size: 4', 'sizes: 4'));
  const found = await run(['query', 'none', '--output', 'json'], { cwd });
  expect([found.code, found.out]).toEqual([0, expect.stringMatching(/"n":"[0-9a-f]{32}"/)]);
  expect(found.err).toContain('MILLRACE_PII_HASH_KEY');
  const missing = await run(['query', 'open'], { cwd });
  expect([missing.code, missing.err]).toEqual([
    1,
    expect.stringMatching(/endpoint_unknown[^]*open\.yaml:3:\d+/),
  ]);
});

test.each([
  [['--all', '--meta'], '--all prints rows only'],
  [['--all', '--explain'], 'leave out --all'],
  [['--all', '--sql', 'SELECT 1'], 'add page_size='],
  [['--all', '--max-rows', '0'], 'Invalid --max-rows "0"'],
])('%s is misuse', async (flags, says) => {
  const { code, err } = await run(['query', 'paged', ...flags], { cwd: scratch() });
  expect([code, err]).toEqual([2, expect.stringContaining(says)]);
});

test.each([
  ['a,b\r\n1,2\r\n', 5, 1],
  ['"a\n""",b\r\n"\r\n",2\r\n', 10, 1],
  ['a\r\n', 3, 0],
  ['', 0, 0],
])('the header and the records of %j', (text, header, records) => {
  expect(scanCsv(Buffer.from(text))).toEqual({ header, records });
});
