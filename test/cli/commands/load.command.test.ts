// `millrace load` as an operator runs it: compressed files, a service that has the data folder, and processes that are killed.
import { execFileSync } from 'node:child_process';
import { createWriteStream, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { compress } from '@bokuweb/zstd-wasm';
import { loadZstd } from '../../../src/service/http/zstd.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { run, scratch, start, type Running } from '../../support/command.ts';
import { eventually } from '../../support/eventually.ts';

const TABLES = `CREATE TABLE app.events (id UInt32, tag String) ENGINE = MergeTree ORDER BY id;
CREATE TABLE app.totals (tag String, n UInt64) ENGINE = SummingMergeTree ORDER BY tag;
CREATE MATERIALIZED VIEW app.to_totals TO app.totals AS SELECT tag, count() AS n FROM app.events GROUP BY tag;
`;
const COUNT = `id: 00000000-0000-4000-8000-000000000001
name: counts
query: SELECT (SELECT count() FROM app.events) AS events, (SELECT sum(n) FROM app.totals) AS totals
`;

function folder(): string {
  const cwd = scratch();
  for (const name of ['endpoints', 'schema']) mkdirSync(join(cwd, name));
  writeFileSync(join(cwd, 'schema/tables.sql'), TABLES);
  writeFileSync(join(cwd, 'endpoints/counts.yaml'), COUNT);
  return cwd;
}

const rows = (count: number, tag = 'a'): string =>
  Array.from({ length: count }, (_, id) => `${JSON.stringify({ id, tag })}\n`).join('');
const load = (cwd: string, ...args: string[]) => run(['load', '--table', 'app.events', ...args], { cwd });
const counts = async (cwd: string): Promise<string> =>
  (await run(['query', 'counts', '--output', 'csv'], { cwd })).out.split('\r\n')[1] ?? '';

/** Node 20 has no zstd; the package compresses frames as other programs do. */
const zstd = (bytes: Buffer): Uint8Array => compress(bytes, 10);
beforeAll(loadZstd);

test('files with and without compression, and standard input', async () => {
  const cwd = folder();
  writeFileSync(join(cwd, 'a.jsonl'), rows(3));
  writeFileSync(join(cwd, 'b.ndjson.gz'), Buffer.concat([gzipSync(rows(2, 'b')), gzipSync(rows(2, 'c'))]));
  writeFileSync(
    join(cwd, 'c.csv.zst'),
    Buffer.concat([zstd(Buffer.from('id,tag\n1,x\n')), zstd(Buffer.from('2,y\n'))]),
  );
  const all = await load(cwd, 'a.jsonl', 'b.ndjson.gz', 'c.csv.zst');
  expect([all.code, all.out.match(/Loaded \d+ rows of [a-z.]+/g)]).toEqual([
    0,
    ['Loaded 3 rows of a.jsonl', 'Loaded 4 rows of b.ndjson.gz', 'Loaded 2 rows of c.csv.zst'],
  ]);
  const args = ['load', '-', '--table', 'app.events', '--format', 'ndjson'];
  const piped = start(args, { cwd, through: ['sh', '-c', 'gzip -c a.jsonl | exec "$0" "$@"'] });
  expect((await piped.finished).out).toContain('standard input is in app.events already');
  expect(await counts(cwd)).toBe('9,9');
});

test('damaged, unknown and misused files exit 1 or 2, and load nothing', async () => {
  const cwd = folder();
  const whole = { gz: gzipSync(rows(5000)), zst: Buffer.from(zstd(Buffer.from(rows(5000)))) };
  for (const [kind, bytes] of Object.entries(whole)) {
    writeFileSync(join(cwd, `cut.ndjson.${kind}`), bytes.subarray(0, bytes.length - 20));
    const half = bytes.length >> 1;
    writeFileSync(
      join(cwd, `noise.ndjson.${kind}`),
      Buffer.concat([bytes.subarray(0, half), Buffer.alloc(500, 7), bytes.subarray(half)]),
    );
  }
  // A frame that asks for 2 GiB of memory.
  writeFileSync(
    join(cwd, 'huge.ndjson.zst'),
    Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0xa8, 1, 0, 0, 0, 0, 0]),
  );
  writeFileSync(join(cwd, 'a.txt'), rows(1));
  writeFileSync(join(cwd, 'a.parquet'), rows(1));
  writeFileSync(join(cwd, 'bad.ndjson'), `${rows(2)}{"id":"x"}\n`);
  writeFileSync(join(cwd, 'there'), 'mine');
  const runs: readonly (readonly [code: number, args: readonly string[]])[] = [
    [1, ['cut.ndjson.gz']],
    [1, ['cut.ndjson.zst']],
    [1, ['noise.ndjson.gz']],
    [1, ['noise.ndjson.zst']],
    [1, ['huge.ndjson.zst']],
    [1, ['absent.ndjson']],
    [1, ['a.parquet']],
    [1, ['bad.ndjson']],
    [2, ['a.txt']],
    [2, ['-']],
    [2, ['endpoints']],
    [2, ['a.parquet', '--rejects', 'new']],
    [2, ['bad.ndjson', '--rejects', 'there']],
    [2, ['bad.ndjson', '--format', 'xml']],
  ];
  for (const [code, args] of runs) {
    const result = await load(cwd, ...args);
    expect([args, result.code, result.out]).toEqual([args, code, '']);
  }
  expect((await load(cwd, 'bad.ndjson')).err).toContain('bad.ndjson:3: ');
  expect(readFileSync(join(cwd, 'there'), 'utf8')).toBe('mine');
  const absent = await load(cwd, 'absent.ndjson', '--rejects', 'unused');
  expect([absent.code, absent.err]).toEqual([1, 'millrace: absent.ndjson does not exist\n']);
  expect((await load(cwd, 'bad.ndjson', '--table', 'app.evnts', '--rejects', 'unused')).code).toBe(1);
  expect(existsSync(join(cwd, 'unused'))).toBe(false);
  const server = { CLICKHOUSE_URL: 'http://127.0.0.1:1' };
  expect((await run(['load', 'bad.ndjson', '--table', 'app.events'], { cwd, env: server })).code).toBe(2);
  expect(await counts(cwd)).toBe('0,0');
});

describe('a service that has the data folder', () => {
  interface Served {
    readonly cwd: string;
    readonly service: Running;
    readonly admin: { readonly address: string; readonly key: string };
  }
  async function serve(cwd: string, ...through: string[]): Promise<Served> {
    const env = { MILLRACE_PORT: '0', MILLRACE_ADMIN_PORT: '0' };
    const service = start(['serve', '--dev'], { cwd, env, through });
    await service.says(/Press Ctrl\+C/);
    const admin = JSON.parse(readFileSync(join(cwd, '.millrace/admin.json'), 'utf8')) as Served['admin'];
    return { cwd, service, admin };
  }
  async function eventsOf({ cwd, service }: Served): Promise<string> {
    const [, url = '', key = ''] = await service.says(/on (http:\S+) with .*: (\S+)/);
    const response = await fetch(`${url}/api/endpoints/query/counts`, { headers: { 'X-API-KEY': key } });
    const { result } = (await response.json()) as { result: { events: number; totals: number }[] };
    expect(cwd).not.toBe('');
    return `${result[0]?.events},${result[0]?.totals}`;
  }
  /** What `POST /load` answers: its status and body, or how the connection ended. */
  function post(
    { admin }: Served,
    path: string,
    headers: Record<string, string>,
    body = '{"id":1}\n',
  ): Promise<string> {
    return new Promise((resolve) => {
      const call = request(new URL(path, admin.address), { method: 'POST', headers }, (response) => {
        let text = `${response.statusCode} `;
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.on('end', () => resolve(text)).on('error', () => resolve('aborted'));
      });
      call.on('error', () => resolve('aborted')).end(body);
    });
  }

  test('loads the rows itself, under the same rules; only for readers of the folder', async () => {
    const served = await serve(folder());
    const { cwd, service, admin } = served;
    writeFileSync(join(cwd, 'a.csv.gz'), gzipSync('id,tag\n1,x\n2,y\n'));
    writeFileSync(join(cwd, 'bad.ndjson'), `${rows(2)}{"id":"x"}\n${rows(1)}`);
    expect((await load(cwd, 'a.csv.gz')).out).toMatch(
      /^Loaded 2 rows of a\.csv\.gz into app\.events in [\d.]+ s\n$/,
    );
    expect((await load(cwd, 'a.csv.gz')).out).toContain('a.csv.gz is in app.events already: 2 rows');
    expect(await load(cwd, 'bad.ndjson')).toMatchObject({
      code: 1,
      err: expect.stringContaining('bad.ndjson:3: '),
    });
    expect((await load(cwd, 'bad.ndjson', '--rejects', 'r')).code).toBe(0);
    expect(JSON.parse(readFileSync(join(cwd, 'r'), 'utf8'))).toMatchObject({
      file: 'bad.ndjson',
      line: 3,
      row: '{"id":"x"}',
    });
    expect(await eventsOf(served)).toBe('5,5');

    const at = '/load?table=app.events&name=n&format=ndjson';
    const good = { Authorization: `Bearer ${admin.key}` };
    const wrong: readonly (readonly [status: string, path: string, headers: Record<string, string>])[] = [
      ['401 ', at, {}],
      ['401 ', at, { Authorization: 'Bearer' }],
      ['401 ', at, { Authorization: `Bearer ${admin.key}x` }],
      ['401 ', at, { Authorization: `Basic ${admin.key}` }],
      ['401 ', at, { Authorization: `Bearer ${'x'.repeat(8000)}` }],
      ['403 ', at, { ...good, Host: 'evil.example' }],
      ['403 ', at, { ...good, Origin: 'https://evil.example' }],
      ['400 ', '/load?name=n&format=ndjson', good],
      ['400 ', '/load?table=app.events&format=arrow', good],
      ['400 ', `/load?table=${'t'.repeat(2000)}&format=csv`, good],
    ];
    for (const [status, path, headers] of wrong)
      expect([path, headers, (await post(served, path, headers)).slice(0, 4)]).toEqual([
        path,
        headers,
        status,
      ]);
    expect(await post(served, at.replace('app.events', 'system.tables'), good)).toContain('"kind":"failed"');
    expect(await eventsOf(served)).toBe('5,5');

    // A client that disconnects in the middle of a file leaves nothing, and does not keep others from loading.
    const call = request(new URL(at, admin.address), { method: 'POST', headers: good }).on(
      'error',
      () => undefined,
    );
    call.write('{"id":10}\n');
    await eventually(() =>
      expect(readFileSync(join(cwd, '.millrace/loads.json'), 'utf8')).toContain('"pending"'),
    );
    expect(await post(served, at, good)).toContain('another file is being loaded');
    call.destroy();
    await eventually(async () => expect(await post(served, at, good)).toContain('"kind":"loaded"'));
    expect(await eventsOf(served)).toBe('6,6');
    service.child.kill('SIGTERM');
    await service.finished;
  });

  test('and was killed while it added rows has none of them when the folder is opened again', async () => {
    const cwd = folder();
    const slow =
      'CREATE MATERIALIZED VIEW app.slow (n UInt8) ENGINE = MergeTree ORDER BY n AS SELECT sleepEachRow(0.001) AS n FROM app.events;';
    writeFileSync(join(cwd, 'schema/tables.sql'), `${TABLES}${slow}`);
    writeFileSync(join(cwd, 'a.ndjson'), rows(2000));
    expect(await counts(cwd)).toBe('0,0');
    const command = start(['load', 'a.ndjson', '--table', 'app.events'], { cwd });
    await eventually(() =>
      expect(readFileSync(join(cwd, '.millrace/loads.json'), 'utf8')).toContain('copy_0'),
    );
    command.child.kill('SIGKILL');
    await command.finished;
    await eventually(async () => expect(await counts(cwd)).toBe('0,0'));
    const again = await load(cwd, 'a.ndjson');
    expect(again.err).toContain('The load of a.ndjson into app.events');
    expect(again.out).toMatch(/^Loaded 2000 rows/);
    expect((await load(cwd, 'a.ndjson')).out).toContain('already');
    expect(await counts(cwd)).toBe('2000,2000');
  });
});

test('killed while it reads, and a folder that another command has', async () => {
  const cwd = folder();
  expect(await counts(cwd)).toBe('0,0');
  execFileSync('mkfifo', ['pipe.ndjson'], { cwd });
  const command = start(['load', 'pipe.ndjson', '--table', 'app.events'], { cwd });
  const pipe = createWriteStream(join(cwd, 'pipe.ndjson')).on('error', () => undefined);
  pipe.write(rows(200_000));
  await eventually(() =>
    expect(readFileSync(join(cwd, '.millrace/loads.json'), 'utf8')).toContain('"pending"'),
  );
  writeFileSync(join(cwd, 'b.ndjson'), rows(1));
  expect(await load(cwd, 'b.ndjson')).toMatchObject({
    code: 1,
    err: expect.stringContaining('in use by process'),
  });
  command.child.kill('SIGKILL');
  await command.finished;
  pipe.destroy();
  const next = await eventually(async () => {
    const result = await load(cwd, 'b.ndjson');
    expect(result.code).toBe(0);
    return result;
  });
  expect(next.err).toContain('The load of pipe.ndjson into app.events');
  expect(await counts(cwd)).toBe('1,1');
});
