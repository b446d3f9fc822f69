// Seeds as an operator sees them: failures with their location, nothing half-made, and files that were added later.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run, scratch, start } from '../../support/command.ts';
import { eventually } from '../../support/eventually.ts';

const GOOD =
  'CREATE DATABASE app;\nCREATE TABLE app.t (n UInt8) ORDER BY n AS SELECT number FROM numbers(3);\n';
const BAD = `${GOOD}-- then\nSELECT 1; INSERT INTO app.t\n  SELECT nope FROM app.t;\n`;

function folder(seeds: Readonly<Record<string, string>>): string {
  const cwd = scratch();
  for (const name of ['endpoints', 'seeds']) mkdirSync(join(cwd, name));
  writeFileSync(
    join(cwd, 'endpoints/one.yaml'),
    'id: 00000000-0000-4000-8000-000000000001\nname: one\nquery: SELECT count() AS n FROM app.t\n',
  );
  for (const [name, text] of Object.entries(seeds)) writeFileSync(join(cwd, 'seeds', name), text);
  return cwd;
}

const count = (cwd: string) => run(['query', 'one', '--output', 'csv'], { cwd });

test('a seed that fails names its file, line and statement, and leaves nothing', async () => {
  const cwd = folder({ '1.sql': GOOD.replaceAll('app', 'early'), '2.sql': BAD });
  const first = await count(cwd);
  expect([first.code, first.out]).toEqual([1, '']);
  expect(first.err).toMatch(/seeds\/2\.sql:4: .*nope/);
  expect(first.err).toContain('statement: INSERT INTO app.t SELECT nope FROM app.t');
  expect(first.err).toContain('Nothing was loaded into .millrace/. Correct the file and start again');
  expect(first.err).not.toMatch(/ {4}at /);
  expect((await count(cwd)).err).toBe(first.err); // the statements before it have left nothing to fail on
  writeFileSync(join(cwd, 'seeds/2.sql'), GOOD);
  expect((await count(cwd)).out).toBe('n\r\n3\r\n');
});

test('an interrupted load is undone before the next one; tables of a schema beside seeds are not created', async () => {
  const cwd = folder({ '1.sql': GOOD });
  mkdirSync(join(cwd, 'schema'));
  writeFileSync(join(cwd, 'schema/own.sql'), 'CREATE TABLE app.own (n UInt8) ENGINE = MergeTree ORDER BY n;');
  const first = await count(cwd);
  expect([first.code, first.err]).toEqual([
    0,
    expect.stringContaining('The tables of schema/ were not created'),
  ]);
  // As left by a process that was killed after the first statements.
  writeFileSync(
    join(cwd, '.millrace/seeds-state'),
    'loading ["default","system","INFORMATION_SCHEMA","information_schema","millrace_empty"]',
  );
  expect((await count(cwd)).out).toBe('n\r\n3\r\n');
});

test('a reload that fails says so, and so does the next run', async () => {
  const cwd = folder({
    '1.sql': GOOD.replace('CREATE DATABASE', 'CREATE DATABASE IF NOT EXISTS').replace(
      'CREATE TABLE',
      'CREATE OR REPLACE TABLE',
    ),
  });
  expect((await run(['seed'], { cwd })).code).toBe(0);
  writeFileSync(join(cwd, 'seeds/2.sql'), 'SELEC 1');
  const failed = await run(['seed'], { cwd });
  expect(failed.code).toBe(1);
  expect(failed.err).toMatch(
    /seeds\/2\.sql:1: .*\n.*\n.*Tables in \.millrace\/ may be incomplete\. Correct the file and run: millrace seed/,
  );
  const next = await count(cwd);
  expect([next.code, next.err]).toEqual([0, expect.stringMatching(/did not end.*millrace seed/)]);
});

test('seeds that were added or changed since are noticed', async () => {
  const cwd = folder({ '1.sql': GOOD, '2.sql': 'SELECT 1' });
  expect((await count(cwd)).err).not.toContain('new or changed');
  expect((await count(cwd)).err).not.toContain('new or changed');
  writeFileSync(join(cwd, 'seeds/2.sql'), 'SELECT 2');
  writeFileSync(join(cwd, 'seeds/3.sql'), 'SELECT 3');
  expect((await count(cwd)).err).toMatch(
    /^seeds\/2\.sql, seeds\/3\.sql: new or changed .* run: millrace seed$/m,
  );
});

test('a file that never ends is not read', async () => {
  const cwd = folder({ '1.sql': GOOD });
  rmSync(join(cwd, 'seeds/1.sql'));
  execFileSync('mkfifo', [join(cwd, 'seeds/1.sql')]);
  const { code, err } = await count(cwd);
  expect([code, err]).toEqual([1, expect.stringMatching(/seeds\/1\.sql: this is not a file/)]);
});

test('npm start passes SIGTERM on to the service', async () => {
  const cwd = folder({});
  const child = spawn(
    'npm',
    [
      'start',
      '--',
      '--port',
      '0',
      '--admin-port',
      '0',
      '--data',
      join(cwd, 'data'),
      '--seeds',
      join(cwd, 'seeds'),
      '--endpoints',
      join(cwd, 'endpoints'),
    ],
    {
      cwd: join(import.meta.dirname, '../../..'),
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  let out = '';
  const port = await new Promise<number>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString();
      const [, found] = /listening on http:\/\/[^:]+:(\d+)/.exec(out) ?? [];
      if (found !== undefined) resolve(Number(found));
    });
  });
  const exited = new Promise((resolve) => child.once('close', resolve)); // once nothing holds its output open
  child.kill('SIGTERM');
  await exited;
  const server = createServer();
  const listening = new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  await expect(listening).resolves.toBeUndefined(); // the port is free
  server.close();
});

const EVENTS = `CREATE TABLE app.events (id UInt32) ENGINE = MergeTree ORDER BY id;
CREATE TABLE app.totals (n UInt64) ENGINE = MergeTree ORDER BY n;
CREATE MATERIALIZED VIEW app.to_totals TO app.totals AS SELECT count() AS n FROM app.events;
`;
const ENDPOINT = 'id: 00000000-0000-4000-8000-000000000001\nname: one\nquery: ';

/** A folder with a schema and fixtures, and without seeds. */
function schemaFolder(): string {
  const cwd = scratch();
  mkdirSync(join(cwd, 'schema/deeper'), { recursive: true });
  mkdirSync(join(cwd, 'endpoints/fixtures'), { recursive: true });
  writeFileSync(join(cwd, 'schema/deeper/tables.sql'), EVENTS);
  writeFileSync(join(cwd, 'endpoints/fixtures/app.events.ndjson'), '{"id":1}\n');
  writeFileSync(join(cwd, 'endpoints/one.yaml'), `${ENDPOINT}SELECT count() AS n FROM app.events\n`);
  return cwd;
}

test('without seeds, millrace seed makes the tables of the schema again, unless they would be worse', async () => {
  const cwd = schemaFolder();
  expect((await count(cwd)).out).toBe('n\r\n1\r\n');
  writeFileSync(join(cwd, 'endpoints/fixtures/app.events.ndjson'), '{"id":1}\n{"id":2}\n');
  expect((await count(cwd)).err).toContain('run: millrace seed');
  expect((await run(['seed'], { cwd })).code).toBe(0);
  expect(await count(cwd)).toMatchObject({
    out: 'n\r\n2\r\n',
    err: expect.not.stringContaining('millrace seed'),
  });
  writeFileSync(join(cwd, 'schema/deeper/tables.sql'), EVENTS.replace('UInt32', 'UInt3'));
  const worse = await run(['seed'], { cwd });
  expect(worse).toMatchObject({ code: 1, err: expect.stringContaining('schema/deeper/tables.sql:1:29') });
  expect((await count(cwd)).out).toBe('n\r\n2\r\n');
  expect((await run(['seed'], { cwd: scratch() })).code).toBe(1);
});

test('serve --dev follows the schema, the fixtures and the seeds, and keeps its address and key', async () => {
  const cwd = schemaFolder();
  const env = { MILLRACE_PORT: '0', MILLRACE_ADMIN_PORT: '0' };
  const service = start(['serve', '--dev'], { cwd, env });
  const [, url = '', key = ''] = await service.says(/on (http:\S+) with .*: (\S+)/);
  const answer = async (): Promise<unknown> => {
    const response = await fetch(`${url}/api/endpoints/query/one`, { headers: { 'X-API-KEY': key } });
    return response.status === 200
      ? ((await response.json()) as { result: unknown }).result
      : response.status;
  };
  const becomes = (expected: unknown): Promise<void> =>
    eventually(async () => expect(await answer()).toEqual(expected));
  expect(await answer()).toEqual([{ n: 1 }]);
  writeFileSync(join(cwd, 'a.ndjson'), '{"id":7}\n');
  expect((await run(['load', 'a.ndjson', '--table', 'app.events'], { cwd })).code).toBe(0);
  // A column, with rows that have it, and a query that reads it.
  writeFileSync(join(cwd, 'endpoints/one.yaml'), `${ENDPOINT}SELECT tag FROM app.events ORDER BY tag\n`);
  await becomes(500);
  writeFileSync(
    join(cwd, 'schema/deeper/tables.sql'),
    EVENTS.replace('id UInt32', "id UInt32, tag String DEFAULT 'new'"),
  );
  await becomes([{ tag: 'new' }]);
  expect(service.output()).toContain('Load them again: a.ndjson into app.events');
  writeFileSync(
    join(cwd, 'endpoints/fixtures/app.events.ndjson'),
    '{"id":1,"tag":"b"}\n{"id":2,"tag":"a"}\n',
  );
  await becomes([{ tag: 'a' }, { tag: 'b' }]);
  // What cannot be created changes nothing, and the next change counts.
  writeFileSync(join(cwd, 'schema/deeper/tables.sql'), EVENTS.replace('UInt32', 'UInt3'));
  await service.says(/The tables stay as they were/);
  expect(await answer()).toEqual([{ tag: 'a' }, { tag: 'b' }]);
  // Seeds come in place of the schema.
  mkdirSync(join(cwd, 'seeds'));
  writeFileSync(
    join(cwd, 'seeds/1.sql'),
    "CREATE DATABASE app;\nCREATE TABLE app.events (tag String) ORDER BY tag AS SELECT 'seed' AS tag;\n",
  );
  await becomes([{ tag: 'seed' }]);
  // Statements that only development runs are added while the service runs.
  mkdirSync(join(cwd, 'seeds/dev/minute'), { recursive: true });
  writeFileSync(join(cwd, 'seeds/dev/minute/1.sql'), "INSERT INTO app.events VALUES ('of this minute');\n");
  writeFileSync(join(cwd, 'seeds/dev/minute/2.sql'), 'INSERT INTO app.nothing VALUES (1);\n');
  await becomes([{ tag: 'of this minute' }, { tag: 'seed' }]);
  await service.says(/Cannot load the seeds: \S*seeds\/dev\/minute\/2\.sql:1: /);
  service.child.kill('SIGTERM');
  expect((await service.finished).code).toBe(0);
  rmSync(join(cwd, '.millrace'), { recursive: true });
  expect((await count(cwd)).out).toBe('tag\r\nseed\r\n');
});
