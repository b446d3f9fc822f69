// `millrace doctor`: its output, and when it fails.
import { randomUUID } from 'node:crypto';
import { mkdirSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, scratch } from '../../support/command.ts';
import { startFront, type FrontProcess } from '../../support/clickhouse-front/process.ts';
import { fillData } from '../../support/damaged-data.ts';
import { deploy } from '../../support/serving.ts';

const SANDBOXED = `query: WITH t AS (SELECT 1 AS n) SELECT n FROM t
sandbox: { enabled: true }
`;

let front: FrontProcess;

beforeAll(async () => {
  front = await startFront(scratch());
});
afterAll(() => front.kill());

test('a server that grants too much: each finding with its fix, and exit 1', async () => {
  const { code, out, err } = await run(['doctor'], deploy(front, { own: SANDBOXED }));
  expect(code).toBe(1);
  expect(out).toMatch(/^open {4}connection: read a file by function$/m);
  expect(out).toMatch(/^advice {2}server: the service runs as `default`.*\n {8}CREATE USER millrace /m);
  expect(out).toMatch(
    /^advice {2}server: `default` cannot read everything that is checked.*\n {8}GRANT SHOW ROW POLICIES ON \*\.\* TO `default`;$/m,
  );
  expect(out).toMatch(/^advice {2}server: consumer queries run as `default`/m);
  expect(out).toMatch(/^advice {2}server: tenant isolation was not tested.*\n {8}CREATE DATABASE /m);
  expect(err).toMatch(/^\d+ checks: \d+ held, 0 known, \d+ open, 4 to consider$/m);
});

test('an unavailable server is reported in one line', async () => {
  const { code, err } = await run(['doctor'], {
    ...deploy(front, { own: SANDBOXED }),
    env: { CLICKHOUSE_URL: 'http://127.0.0.1:9' },
  });
  expect([code, err.trim()]).toEqual([
    1,
    'millrace: The engine cannot be queried: no connection: connect ECONNREFUSED 127.0.0.1:9',
  ]);
});

test('the embedded engine: whether its process is confined', async () => {
  const shown = /^advice {2}process: the engine process is not confined\n {8}\w/m;
  const cwd = scratch();
  mkdirSync(join(cwd, 'endpoints'));
  const confined = await run(['doctor'], { cwd, env: {} });
  expect(confined.out).not.toMatch(/process:/);
  const off = await run(['doctor', '--engine-confinement', 'off'], { cwd, env: {} });
  expect([off.code, off.out]).toEqual([0, expect.stringMatching(shown)]);
});

test('files that are rejected are named, and are not tested', async () => {
  const cwd = scratch();
  mkdirSync(join(cwd, 'endpoints'));
  writeFileSync(join(cwd, 'endpoints/broken.yaml'), 'name: broken\n');
  writeFileSync(join(cwd, 'endpoints/own.yaml'), `id: ${randomUUID()}\nname: own\n${SANDBOXED}`);
  const { code, out } = await run(['doctor'], { cwd, env: {} });
  expect([code, out]).toEqual([1, expect.stringMatching(/^rejected .*broken\.yaml:1:1 /m)]);
  expect(out).not.toContain('own.yaml');
});

test('damaged data of the embedded engine: each table with what to do, and exit 1', async () => {
  const { data, folder, definition } = await fillData();
  const cwd = scratch();
  mkdirSync(join(cwd, 'endpoints'));
  const whole = await run(['doctor', '--data', data], { cwd, env: {} });
  expect([whole.code, whole.out]).toEqual([0, expect.not.stringMatching(/data:/)]);
  truncateSync(join(folder('wide', 'all_2_2_0'), 'text.bin'), 100);
  unlinkSync(definition('logged'));
  const { code, out, err } = await run(['doctor', '--data', data], { cwd, env: {} });
  expect(code).toBe(1);
  expect(out).toMatch(
    /^damaged data: app\.wide: .*broken-on-start_all_2_2_0\n {8}.*\n {8}.*DROP DETACHED PART/m,
  );
  expect(out).toMatch(/^damaged data: app\.logged: .*\n {8}\w/m);
  expect(err).toMatch(/ 0 open, 2 damaged, /);
  const check = await run(['serve', '--check', '--dev', '--data', data], { cwd, env: {} });
  expect(check.code).toBe(1);
  expect(check.out).toMatch(/^data +degraded .*app\.wide \(1\).*app\.logged/m);
});

test('row policies: their SQL, or what prevents them', async () => {
  const { code, out } = await run(['doctor', '--row-policies'], deploy(front, { own: SANDBOXED }));
  expect([code, out.trim()]).toEqual([
    0,
    '-- row policies need a separate user for consumer queries: set CLICKHOUSE_CONSUMER_USER (docs/operate/clickhouse-user.md)',
  ]);
  const embedded = await run(['doctor', '--row-policies'], { cwd: scratch(), env: {} });
  expect([embedded.code, embedded.err.trim()]).toEqual([
    2,
    'millrace: Row policies need a ClickHouse server: set CLICKHOUSE_URL',
  ]);
});

test('row policies that the service is set to use are checked', async () => {
  const env = { MILLRACE_CLICKHOUSE_ROW_POLICIES: 'true' };
  const { code, out } = await run(['doctor'], deploy(front, { own: SANDBOXED }, env));
  expect(code).toBe(1);
  expect(out).toMatch(/^open {4}server: row policies need a separate user/m);
});
