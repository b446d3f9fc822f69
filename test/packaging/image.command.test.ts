// The Dockerfile and the compose file: checks that need no build or start.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { validate } from 'dockerfile-utils';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Engine } from '../../src/service/engine/engine.ts';
import { createEmbeddedEngine } from '../../src/service/engine/embedded/embedded-engine.ts';
import { splitStatements } from '../../src/service/engine/statements.ts';
import { scratch } from '../support/command.ts';
import { rows, statement } from '../support/engine-statements.ts';
import { freePort } from '../support/redis.ts';
import { sampleTables } from '../support/service.ts';
import {
  at,
  DEPLOY,
  dockerInstructions,
  mapping,
  readText,
  readYaml,
  ROOT,
  textAt,
  texts,
} from './deploy-files.ts';
import { REAL_TIME } from '../support/real-time.ts';

const instructions = dockerInstructions();
const all = (name: string): readonly string[] =>
  instructions.filter((each) => each.name === name).map(({ rest }) => rest);
const lastStage = instructions.slice(instructions.findLastIndex(({ name }) => name === 'FROM'));
const last = (name: string): string => lastStage.findLast((each) => each.name === name)?.rest ?? '';

describe('the Dockerfile', () => {
  test('is valid', () => {
    expect(validate(readText('deploy/Dockerfile'))).toEqual([]);
  });

  test('uses a single external image, of a fixed version line, and downloads nothing by URL', () => {
    const stages = new Set(all('FROM').map((rest) => / AS (\w+)$/.exec(rest)?.[1]));
    const outside = all('FROM').filter((rest) => !stages.has(rest.split(' ')[0]));
    expect(outside).toEqual(['node:${NODE} AS base']);
    expect(all('ARG')).toContain('NODE=24-bookworm-slim');
    expect([...all('ADD'), ...all('RUN').filter((rest) => /curl|wget|http/.test(rest))]).toEqual([]);
  });

  test('installs from the lock file, and runs no install scripts', () => {
    const installs = all('RUN').flatMap((rest) => rest.match(/npm (ci|i|install)\b[^;&]*/g) ?? []);
    expect(installs.length).toBeGreaterThan(0);
    for (const install of installs) expect(install).toMatch(/^npm ci .*--ignore-scripts/);
  });

  test('copies only files that exist and are in the build context', () => {
    const ignore = readText('deploy/Dockerfile.dockerignore').split('\n');
    const sent = ignore.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
    const copied = all('COPY')
      .filter((rest) => !rest.startsWith('--from'))
      .flatMap((rest) => rest.split(' ').slice(0, -1));
    expect(new Set(copied)).toEqual(new Set(sent));
    expect(sent.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    expect(ignore).toContain('*');
  });

  test('runs as its own process and as an unprivileged user, and stops by the signal that drains', () => {
    expect(last('USER')).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect(JSON.parse(last('ENTRYPOINT'))).toEqual(['node', '/app/bin/millrace.cjs']);
    expect(JSON.parse(last('CMD'))).toEqual(['serve']);
    expect(last('STOPSIGNAL')).toBe('SIGTERM');
  });
});

describe('the health check', () => {
  const command: unknown = JSON.parse(/CMD (\[.*\])/.exec(last('HEALTHCHECK'))?.[1] ?? '[]');
  const [, ...args] = command as [string, ...string[]]; // of the file under test
  const check = async (port: number): Promise<number | null> => {
    const env = { PATH: process.env['PATH'], MILLRACE_PORT: String(port) };
    return new Promise((done) => spawn(process.execPath, args, { env }).on('close', done));
  };

  test.each([
    { status: 200, code: 0, why: 'alive' },
    { status: 503, code: 1, why: 'another service' },
    { status: undefined, code: 1, why: 'no listener' },
  ])('$why: $code', async ({ status, code }) => {
    const asked: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url);
      response.writeHead(status ?? 500).end();
    });
    const port = await freePort();
    if (status !== undefined) await new Promise<void>((ready) => server.listen(port, '127.0.0.1', ready));
    expect(await check(port)).toBe(code);
    expect(asked).toEqual(status === undefined ? [] : ['/health/live']);
    server.close();
  });
});

describe('compose', () => {
  const [compose] = readYaml('deploy/compose.yaml');
  const services = mapping(compose, 'services');

  test('mounts existing paths, and waits for services with a health check', () => {
    for (const [name, service] of services) {
      const sources = texts(service, 'volumes').map((volume) => volume.split(':')[0] ?? '');
      const volumes = sources.filter((source) => !source.startsWith('.'));
      expect([...mapping(compose, 'volumes').keys()]).toEqual(expect.arrayContaining(volumes));
      const missing = sources.filter((each) => each.startsWith('.') && !existsSync(join(DEPLOY, each)));
      expect(missing, 'made by the guide: it holds keys').toEqual(name === 'millrace' ? ['./tokens'] : []);
      for (const other of mapping(service, 'depends_on').keys()) {
        expect(at(services.get(other), 'healthcheck.test')).toBeDefined();
      }
      expect(at(service, 'image')).toMatch(/:(server|\d[\w.-]+)$/);
    }
  });

  test('runs the service with the least privileges', () => {
    const service = services.get('millrace');
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
    for (const port of texts(service, 'ports')) expect(port).toMatch(/^127\.0\.0\.1:4000:/);
    expect(Number.parseInt(textAt(service, 'stop_grace_period'), 10)).toBeGreaterThan(8);
  });
});

describe('ClickHouse configuration files, checked against the engine', () => {
  let engine: Engine;
  beforeAll(async () => {
    const limits = { connections: 2, queue: 10, memory: 2 ** 30 };
    engine = await createEmbeddedEngine({
      ...REAL_TIME,
      path: scratch(),
      ...limits,
      observe: () => undefined,
    });
  });
  afterAll(() => engine.close(0));
  const [users] = readYaml('deploy/clickhouse/users.yaml');
  const [config] = readYaml('deploy/clickhouse/config.yaml');
  const [compose] = readYaml('deploy/compose.yaml');

  const isSql = async (sql: string): Promise<unknown> => {
    const what = statement('SELECT isNotNull(formatQuerySingleLineOrNull({q:String})) AS ok', {
      parameters: { q: sql },
    });
    return at(await rows(engine, what), '0.ok');
  };

  test.each(['millrace', 'millrace_consumer'])(
    'the settings of the profile %s are settings',
    async (profile) => {
      const named = [...mapping(users, `profiles.${profile}`).keys()];
      const sql = `SELECT name FROM system.settings WHERE name IN ('${named.join("','")}')`;
      expect(await rows(engine, statement(sql))).toHaveLength(named.length);
      expect(at(config, 'max_concurrent_queries')).toBeGreaterThan(0);
      const server = "SELECT name FROM system.server_settings WHERE name = 'max_concurrent_queries'";
      expect(await rows(engine, statement(server))).toHaveLength(1);
    },
  );

  test('grants and workloads are statements', async () => {
    // In this file they have no TO: they are the user's in whose mapping they stand.
    const grants = [...mapping(users, 'users.millrace.grants').values()].map(
      (each) => `${textAt(each, 'query')} TO millrace`,
    );
    const statements = [...grants, ...splitStatements(readText('deploy/clickhouse/workloads.sql'))];
    expect(statements.length).toBeGreaterThan(3);
    for (const sql of statements) expect([sql, await isSql(sql)]).toEqual([sql, 1]);
    expect(await isSql('GRANT SELECT logs.*')).toBe(0);
  });

  test('the pre-aggregation in the scale guide counts rows; its cluster statements are valid SQL', async () => {
    const [ahead = '', cluster = ''] = [
      ...readText('docs/operate/scale.md').matchAll(/```sql\n([^]*?)```/g),
    ].map(([, sql = '']) => sql);
    await engine.execute(await sampleTables());
    await engine.execute(ahead);
    await engine.execute(
      `INSERT INTO logs.edge_logs (project, timestamp, metadata) SELECT 'abc', now(), '{"request":{"path":"/rest/v1/x"}}' FROM numbers(3)`,
    );
    const counted =
      'SELECT project, sum(rest) AS rest, sum(auth) AS auth FROM logs.request_counts GROUP BY project';
    expect(await rows(engine, statement(counted))).toEqual([{ project: 'abc', rest: 3, auth: 0 }]);
    const statements = splitStatements(cluster);
    expect(statements).toHaveLength(2);
    for (const sql of statements) expect([sql, await isSql(sql)]).toEqual([sql, 1]);
  });

  test.each(['CLICKHOUSE', 'CLICKHOUSE_CONSUMER'])('%s_USER is defined, with the same password', (prefix) => {
    const service = mapping(compose, 'services.millrace.environment');
    const user = mapping(users, 'users').get(String(service.get(`${prefix}_USER`)));
    const given = mapping(compose, 'services.clickhouse.environment').get(textAt(user, 'password.@from_env'));
    expect(given).toBe(service.get(`${prefix}_PASSWORD`));
    expect(given).toMatch(/^\$\{\w+:\?/);
    expect([...mapping(users, 'profiles').keys()]).toContain(at(user, 'profile'));
  });
});
