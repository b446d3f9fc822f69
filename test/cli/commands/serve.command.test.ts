// The service as a process: start, serve, reload, stop.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { hashKey } from '../../../src/service/auth/keyring.ts';
import { run, scratch, start, type Running } from '../../support/command.ts';
import { startGate, type Gate } from '../../support/gate.ts';
import { startRedis } from '../../support/redis.ts';
import { eventually } from '../../support/eventually.ts';

let running: Running | undefined;
let gate: Gate;
beforeAll(async () => {
  gate = await startGate();
});
afterAll(() => gate.close());
afterEach(async () => {
  running?.child.kill('SIGKILL');
  await running?.finished;
});

function folder(): string {
  const cwd = scratch();
  mkdirSync(join(cwd, 'endpoints'));
  mkdirSync(join(cwd, 'seeds'));
  writeFileSync(
    join(cwd, 'seeds', '1.sql'),
    'CREATE DATABASE app; CREATE OR REPLACE TABLE app.t (n UInt32) ORDER BY n AS SELECT number FROM numbers(3);',
  );
  writeFileSync(
    join(cwd, 'endpoints', 'numbers.yaml'),
    'id: 00000000-0000-4000-8000-000000000001\nname: numbers\nquery: SELECT n FROM app.t WHERE n < @below ORDER BY n\nparameters: { below: { type: UInt32, default: 10 } }\nexamples: [{ name: two, parameters: { below: 2 } }]\n',
  );
  writeFileSync(
    join(cwd, 'endpoints', 'gated.yaml'),
    `id: 00000000-0000-4000-8000-000000000002\nname: gated\nquery: SELECT passed FROM ${gate.table}\n`,
  );
  return cwd;
}

interface Served {
  readonly address: string;
  readonly key: string;
  readonly process: Running;
}

const PORTS = ['--port', '0', '--admin-port', '0'];

/** Ends with the test. Its engine reaches the gate. */
async function serve(
  cwd: string,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<Served> {
  const process = start(['serve', '--dev', ...PORTS, '--engine-sources', 'url', ...args], { cwd, env });
  running = process;
  const [, address = '', key = ''] = await process.says(
    /listening on (\S+) with a temporary key for this run: (\S+)/,
  );
  return { address, key, process };
}

const call = (address: string, key: string, path: string): Promise<Response> =>
  fetch(`${address}/api/endpoints/query/${path}`, { headers: { 'X-API-KEY': key } });

const PARTS = ['settings ok', 'keys ok', 'engine ok', 'catalog ok 2 endpoints', 'redis off', 'preflight ok'];
const LAYERS = ['landlock', 'seccomp'];

/** Names the modules that a process and those that it starts load. */
function recorder(cwd: string): {
  readonly env: Record<string, string>;
  readonly loaded: () => readonly string[];
} {
  const list = join(cwd, 'loaded.txt');
  const hooks = `import { appendFileSync } from 'node:fs';
    export async function load(url, context, next) { appendFileSync(${JSON.stringify(list)}, url + '\\n'); return next(url, context); }`;
  const program = join(cwd, 'recorder.mjs');
  writeFileSync(
    program,
    `import { register } from 'node:module'; register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(hooks)}));`,
  );
  return {
    env: { NODE_OPTIONS: `--import ${pathToFileURL(program).href}` },
    loaded: () => [...new Set(readFileSync(list, 'utf8').trim().split('\n'))],
  };
}

test('the built service loads no import, no offline dialect, no writer of YAML and none of their libraries', async () => {
  const cwd = folder();
  const { env, loaded } = recorder(cwd);
  const { address, key } = await serve(cwd, [], env);
  expect((await call(address, key, 'numbers')).status).toBe(200);
  const libraries = loaded().filter((url) => url.includes('/node_modules/'));
  expect(libraries.some((url) => url.includes('/node_modules/yaml/'))).toBe(true);
  expect(libraries.filter((url) => /\/(node-sql-parser|yauzl|vscode-\w+)\//.test(url))).toEqual([]);
  // The runtime of the bundler has no sources.
  const chunks = loaded().filter((url) => /\/dist\/commands\/(?!rolldown-runtime)[^/]+\.js$/.test(url));
  const sources = chunks.flatMap((url) => {
    const map = JSON.parse(readFileSync(new URL(`${url}.map`), 'utf8')) as {
      readonly sources: readonly string[];
    }; // as Vite writes it
    return map.sources.map((source) => source.replace(/^(\.\.\/)*/, ''));
  });
  expect(sources).toContain('src/service/app/service.ts');
  const offline =
    /^src\/cli\/(convert|commands\/(import|new|reconvert))\/|\/yaml-edit\.ts$|\/format-yaml\.ts$|\/dialects\/(dialects\.ts$|(?!bigquery\/)\w+\/dialect\.ts$)/;
  expect(sources.filter((source) => offline.test(source))).toEqual([]);
});

describe('serve --check', () => {
  test('reports the state of every part, and serves nothing', async () => {
    const { code, out } = await run(['serve', '--dev', '--check', '--engine-sources', 'url'], {
      cwd: folder(),
    });
    expect([code, out.split('\n').map((line) => line.trim().replace(/ +/g, ' '))]).toEqual([
      0,
      [...PARTS, ...LAYERS.map((layer) => `${layer} ok`), 'data ok', ''],
    ]);
  });

  test('says that the engine process is not confined', async () => {
    const args = ['serve', '--dev', '--check', '--engine-sources', 'url', '--engine-confinement', 'off'];
    const { code, out } = await run(args, { cwd: folder() });
    expect([code, out.split('\n').map((line) => line.trim().replace(/ +/g, ' '))]).toEqual([
      0,
      [...PARTS, ...LAYERS.map((layer) => `${layer} off`), 'data ok', ''],
    ]);
  });

  test('exits 1 for files that would not be served, with the first cause', async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'endpoints', 'broken.yaml'), 'name: [\n');
    const { code, out, err } = await run(['serve', '--dev', '--check', '--engine-sources', 'url'], { cwd });
    expect(code).toBe(1);
    expect(out).toMatch(/^catalog +degraded +2 endpoints; endpoints\/broken\.yaml:\d+:\d+.*\w/m);
    expect(err).toMatch(/broken\.yaml:\d+:\d+/);
  });

  test('warns of a Redis that is away, with the cause', async () => {
    const args = [
      'serve',
      '--dev',
      '--check',
      '--engine-sources',
      'url',
      '--redis-url',
      'redis://127.0.0.1:1',
    ];
    const { code, out } = await start(args, { cwd: folder() }).finished; // reconnecting must end with it
    expect([code, out]).toEqual([0, expect.stringMatching(/^redis +degraded +\S.*(ECONNREFUSED|Redis)/m)]);
  });

  test('fails where serve would: on seeds that cannot be loaded', async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'seeds', '2.sql'), 'SELECT 1;\nSELEC 2');
    const { code, err } = await run(['serve', '--dev', '--check', '--engine-sources', 'url'], { cwd });
    expect([code, err]).toEqual([1, expect.stringMatching(/seeds\/2\.sql:2: /)]);
  });

  test('warns of a shared cache without a key of its own', async () => {
    const redis = await startRedis();
    const args = ['serve', '--dev', '--check', '--engine-sources', 'url', '--redis-url', redis.url];
    const [without, given] = [
      await run(args, { cwd: folder() }),
      await run([...args, '--cache-key', 'k'.repeat(32)], { cwd: folder() }),
    ];
    await redis.kill();
    expect(without.out).toMatch(/^cache key +derived +No cache_key is set.*Set MILLRACE_CACHE_KEY/m);
    expect(given.out).not.toContain('cache key');
    expect([without.code, given.code]).toEqual([0, 0]);
  });

  test('is one line if there are no keys', async () => {
    const { code, err } = await run(['serve', '--check', '--engine-sources', 'url'], { cwd: folder() });
    expect([code, err]).toEqual([1, expect.stringContaining('No keys configured')]);
  });
});

describe('serve --dev', () => {
  test('loads the seeds once, prints calls that work, and exits 0 on SIGTERM, also if a request exceeds the grace period', async () => {
    const cwd = folder();
    const first = await serve(cwd);
    expect(running?.output()).toContain('Loaded the seeds from seeds/');
    const [, header = '', url = ''] = await (running as Running).says(
      /curl -H '([^']+)' '([^']+numbers[^']+)'/,
    );
    const [name = '', key = ''] = header.split(': ');
    const answer = await fetch(url, { headers: { [name]: key } });
    expect(await answer.text()).toBe('{"result":[{"n":0},{"n":1}]}');
    running?.child.kill('SIGTERM');
    expect((await running?.finished)?.code).toBe(0);

    const second = await serve(cwd, ['--drain-timeout', '0']);
    expect(second.key).not.toBe(first.key);
    expect(running?.output()).not.toContain('Loaded the seeds');
    expect(await (await call(second.address, second.key, 'numbers')).text()).toBe(
      '{"result":[{"n":0},{"n":1},{"n":2}]}',
    );

    const before = gate.arrived();
    const gated = call(second.address, second.key, 'gated').then(
      (response) => response.status,
      () => 'reset',
    );
    await gate.reached(before + 1);
    running?.child.kill('SIGTERM');
    expect([503, 'reset']).toContain(await gated);
    expect((await running?.finished)?.code).toBe(0);
  });
});

/** In this order: the last one stops it. */
describe('a running service', () => {
  const cwd = scratch();
  let served: Served;
  beforeAll(async () => {
    cpSync(folder(), cwd, { recursive: true });
    writeFileSync(
      join(cwd, 'endpoints', 'own.yaml'),
      'id: 00000000-0000-4000-8000-000000000003\nname: own\nquery: WITH rows AS (SELECT n FROM app.t) SELECT n FROM rows\nsandbox: { enabled: true }\n',
    );
    served = await serve(cwd);
    running = undefined; // it does not end with the first test
  });
  afterAll(() => void served.process.child.kill('SIGKILL'));

  test('the calls that it prints are answered with 200, and are not one for each of many endpoints', async () => {
    const cwd = folder();
    writeFileSync(
      join(cwd, 'endpoints/frozen.yaml'),
      "id: 00000000-0000-4000-8000-000000000003\nname: a-frozen\nquery: SELECT n FROM app.t WHERE n < @below AND @day > '2000-01-01' AND @kind != ''\nparameters: { below: { type: UInt32, required: true, min: 1 }, day: { type: Date, required: true }, kind: { type: String, required: true, enum: [x, y] } }\nexamples: [{ name: then, parameters: { below: 2, day: '2024-01-01', kind: x }, now: '2024-01-01T00:00:00Z' }]\n",
    );
    writeFileSync(
      join(cwd, 'endpoints/hashed.yaml'),
      "id: 00000000-0000-4000-8000-000000000004\nname: a-hashed\nquery: SELECT 'ann' AS user\npii: { redact: true, columns: { user: hash } }\n",
    );
    for (let index = 10; index < 30; index++)
      writeFileSync(
        join(cwd, `endpoints/e${index}.yaml`),
        `id: 00000000-0000-4000-8000-0000000000${index}\nname: e${index}\nquery: SELECT ${index} AS n\n`,
      );
    const { process, key } = await serve(cwd);
    await process.says(/Press Ctrl/);
    const text = process.output();
    expect(text).toContain('… and 14 more endpoints');
    expect(text).toContain('columns are hashed with a key for this run');
    const urls = [...text.matchAll(/^curl -H '[^']+' '([^']+)'$/gm)].map(([, url = '']) => url);
    expect(urls).toHaveLength(10);
    const statuses = urls.map(async (url) => (await fetch(url, { headers: { 'X-API-KEY': key } })).status);
    expect(await Promise.all(statuses)).toEqual(urls.map(() => 200));
  });

  test('query --url asks it, prints as a local query does, and names its problems', async () => {
    const ask = (...args: string[]) =>
      run(['query', ...args, '--url', `${served.address}/`], { cwd, env: { MILLRACE_KEY: served.key } });
    expect(await ask('numbers', 'below=2')).toEqual({
      code: 0,
      out: 'n\n-\n0\n1\n',
      err: expect.stringMatching(/^2 rows, \d+ ms in the engine\n$/),
    });
    expect((await ask('numbers', 'below=1', '--output', 'csv')).out).toBe('n\r\n0\r\n');
    expect((await ask('numbers', 'below=1', '--output', 'json')).out).toBe('[\n  {"n":0}\n]\n');
    expect(await ask('numbers', 'below=x')).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/request\.parameters_invalid[^]*below: must be/),
    });
    expect((await ask('number')).err).toContain('route.endpoint_unknown');
    const wrong = await run(['query', 'numbers', '--url', served.address, '--key', 'wrong']);
    expect(wrong.err).toContain('auth.');
    expect(await ask('numbers', '--explain')).toMatchObject({
      code: 0,
      out: expect.stringContaining('1. saved: The query of the endpoint'),
    });
    expect(await ask('own', '--lql', 's:n f:rows', '--explain')).toMatchObject({
      code: 0,
      out: expect.stringContaining('FROM `rows`'),
    });
  });

  test('a second process on the data folder reports that it is in use', async () => {
    const second = await run(['query', 'numbers'], { cwd });
    expect(second.code).toBe(1);
    expect(second.err).toMatch(/\.millrace[^]*in use[^]*--url http/);
    expect((await run(['doctor'], { cwd })).err).toMatch(/in use[^]*--data "\$\(mktemp -d\)"/);
    expect((await run(['seed'], { cwd })).err).toMatch(/in use[^]*Stop the service, run millrace seed/);
  });

  test('finishes a running request on SIGTERM, and accepts no new connections', async () => {
    const { address, key, process } = served;
    const before = gate.arrived();
    const gated = call(address, key, 'gated');
    await gate.reached(before + 1);
    process.child.kill('SIGTERM');
    await eventually(() => expect(call(address, key, 'numbers')).rejects.toThrow('fetch failed'));
    gate.open();
    expect(await (await gated).text()).toBe('{"result":[{"passed":1}]}');
    expect((await process.finished).code).toBe(0);
    await expect(call(address, key, 'numbers')).rejects.toThrow('fetch failed');
  });
});

describe('query --url', () => {
  test.each([
    { url: 'ftp://127.0.0.1/', code: 2, says: /Invalid --url "ftp:/ },
    { url: 'http://key@127.0.0.1/', code: 2, says: /Invalid --url/ },
    { url: 'http://127.0.0.1:1', code: 1, says: /No response from http:\/\/127\.0\.0\.1:1: / },
  ])('$url: $says', async ({ url, code, says }) => {
    const result = await run(['query', 'numbers', '--url', url]);
    expect(result).toMatchObject({ code, out: '', err: expect.stringMatching(says) });
  });

  test('a key without a service is an error', async () => {
    expect(await run(['query', 'numbers', '--key', 'k'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('add --url'),
    });
  });
});

describe('serve with a tokens file', () => {
  test('uses its keys, and follows changes; SIGHUP reloads it; logs are JSON without keys', async () => {
    const cwd = folder();
    const tokens = (...keys: string[]): string =>
      `tokens:\n${keys.map((key) => `  - { name: ${key}, sha256: ${hashKey(key)}, endpoints: ["*"] }\n`).join('')}`;
    writeFileSync(join(cwd, 'tokens.yaml'), tokens('one'));
    running = start(['serve', '--port', '0', '--admin-port', '0'], {
      cwd,
      env: { MILLRACE_TOKENS: 'tokens.yaml' },
    });
    const [, address = ''] = await running.says(/"event":"service.started","address":"([^"]+)"/);
    const status = async (key: string): Promise<number> => (await call(address, key, 'numbers')).status;
    expect([await status('one'), await status('two')]).toEqual([200, 401]);
    writeFileSync(join(cwd, 'tokens.yaml'), tokens('two'));
    await eventually(async () => expect([await status('one'), await status('two')]).toEqual([401, 200]));
    writeFileSync(join(cwd, 'tokens.yaml'), 'tokens: [');
    running.child.kill('SIGHUP');
    await running.says(/"event":"tokens.rejected"/);
    expect(await status('two')).toBe(200);
    running.child.kill('SIGTERM');
    const { code, out } = await running.finished;
    expect(code).toBe(0);
    for (const line of out.trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('event');
    expect(out).not.toContain(hashKey('one'));
  });
});
