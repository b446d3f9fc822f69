// What is checked on a server before consumer queries are accepted, and the SQL that fixes what is missing.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createHttpEngine } from '../../../src/service/engine/http/http-engine.ts';
import type { Engine } from '../../../src/service/engine/engine.ts';
import { splitStatements } from '../../../src/service/engine/statements.ts';
import { excessIn, rolesIn } from '../../../src/service/preflight/grants.ts';
import type { PreflightFinding } from '../../../src/service/preflight/finding.ts';
import { checkServer, profileFor } from '../../../src/service/preflight/server-checks.ts';
import type { ClickHouseFront } from '../../support/clickhouse-front/front.ts';
import { openClickHouseFront } from '../../support/clickhouse-front/front.ts';
import { collect, failureOf, statement } from '../../support/engine-statements.ts';
import { REAL_TIME } from '../../support/real-time.ts';

const folder = await mkdtemp(join(tmpdir(), 'millrace-checks-'));
const GUIDE = new URL('../../../docs/operate/clickhouse-user.md', import.meta.url);
const USERS: Record<string, { password: string; profile: readonly string[] }> = {
  service: { password: '', profile: ['--readonly=2'] },
  guest: { password: '', profile: [] },
};
let front: ClickHouseFront;
let engine: Engine;

/** A server where all is well. */
const WELL: readonly (readonly [part: string, answer: string])[] = [
  ['SHOW GRANTS', '["GRANT SELECT, SHOW TABLES ON logs.edge TO guest"]\n'],
  ['system.row_policies', ''],
  ['system.quota_usage', '["hourly", 0.2]\n'],
];

function tell(...answers: readonly (readonly [part: string, answer: string, user?: string])[]): void {
  front.override = (query, user) => {
    if (query.startsWith('SELECT currentUser()')) return `["${user}"]\n`;
    const told = [...answers, ...WELL].find(
      ([part, , whom]) => query.includes(part) && (whom === undefined || whom === user),
    );
    return told?.[1];
  };
}

const open = (consumer: string | undefined = 'guest'): Engine =>
  createHttpEngine({
    ...REAL_TIME,
    pingTimeoutMs: 1500,
    urls: [front.url],
    user: 'service',
    password: '',
    consumer: consumer === undefined ? undefined : { user: consumer, password: '' },
    connections: 4,
    queue: 100,
    observe: () => undefined,
  });
const notHeld = async (asked = engine): Promise<readonly PreflightFinding[]> =>
  (await checkServer(asked)).filter(({ outcome }) => outcome !== 'held');

beforeAll(async () => {
  front = await openClickHouseFront({ path: join(folder, 'data'), users: USERS });
  engine = open();
});
afterEach(() => {
  USERS['guest'] = { password: '', profile: [] };
});
afterAll(async () => {
  await engine.close(0);
  await front.close();
  await rm(folder, { recursive: true, force: true });
});

describe('a server', () => {
  test('without problems needs no fix', async () => {
    tell();
    expect(await notHeld()).toEqual([]);
    expect((await checkServer(engine)).length).toBeGreaterThan(10);
  });

  test.each<{
    why: string;
    told: readonly [part: string, answer: string, user?: string];
    outcome: string;
    name: RegExp;
    fix?: RegExp;
  }>([
    {
      why: 'an old release',
      told: ['version()', '["24.3.9.1"]', 'guest'],
      outcome: 'open',
      name: /24\.3\.9\.1.* 24\.8/,
    },
    {
      why: 'the analyzer off',
      told: ['allow_experimental_analyzer', '["0"]', 'guest'],
      outcome: 'open',
      name: /analyzer/,
      fix: /^ALTER USER `guest` SETTINGS enable_analyzer = 1;$/,
    },
    {
      why: 'grants to write',
      told: [
        'SHOW GRANTS',
        '["GRANT SELECT, INSERT, ALTER UPDATE ON logs.* TO guest WITH GRANT OPTION"]',
        'guest',
      ],
      outcome: 'advice',
      name: /INSERT, ALTER UPDATE on logs\.\*$/,
      fix: /^REVOKE SELECT, INSERT, ALTER UPDATE ON logs\.\* FROM guest;$/,
    },
    {
      why: 'a role that may write',
      told: ['SHOW GRANTS\n', '["GRANT writer TO guest"]', 'guest'],
      outcome: 'advice',
      name: /URL on \*\.\*$/,
      fix: /^REVOKE URL ON \*\.\* FROM writer;$/,
    },
    {
      why: 'a table with policies for others',
      told: ['system.row_policies', '["logs", "edge"]', 'service'],
      outcome: 'advice',
      name: /`logs`\.`edge` has row policies.*users_without_row_policies_can_read_rows/,
      fix: /^CREATE ROW POLICY millrace ON `logs`\.`edge` USING 1 TO `service`;$/,
    },
    {
      why: 'policies that cannot be seen',
      told: [
        'system.row_policies',
        "Code: 497. DB::Exception: guest: Not enough privileges. To execute this query, it's necessary to have the grant SHOW ROW POLICIES ON *.*. (ACCESS_DENIED)",
        'guest',
      ],
      outcome: 'advice',
      name: /cannot|not everything/,
      fix: /^GRANT SHOW ROW POLICIES ON \*\.\* TO `guest`;$/,
    },
    {
      why: 'no quota',
      told: ['quota_usage', '', 'guest'],
      outcome: 'advice',
      name: /no quota/,
      fix: /^CREATE QUOTA .* TO `guest`;$/,
    },
    {
      why: 'a quota that is nearly used up',
      told: ['quota_usage', '["hourly", 0.95]', 'guest'],
      outcome: 'advice',
      name: /hourly .*nearly/,
      fix: /^ALTER QUOTA `hourly` FOR INTERVAL/,
    },
  ])('with $why', async ({ told, outcome, name, fix }) => {
    tell(told, ['FOR writer', '["GRANT URL ON *.* TO writer"]']);
    const found = await notHeld();
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ layer: 'server', outcome });
    expect(found[0]?.name).toMatch(name);
    if (fix !== undefined) expect(found[0]?.fix).toMatch(fix);
  });

  test('where system tables may not be read, if responses are cached until the data changes', async () => {
    const denied = (table: string): readonly [string, string] => [
      `FROM system.${table} WHERE 0`,
      `Code: 497. DB::Exception: service: Not enough privileges. To execute this query, it's necessary to have the grant SELECT ON system.${table}. (ACCESS_DENIED)`,
    ];
    tell(denied('parts'), denied('dictionaries'), denied('clusters'));
    const fixes = async (isWatching: boolean): Promise<readonly (string | undefined)[]> =>
      (await checkServer(engine, { isWatching }))
        .filter(({ outcome }) => outcome !== 'held')
        .map(({ fix }) => fix);
    expect(await fixes(false)).toEqual([]);
    expect(await fixes(true)).toEqual([
      'GRANT SELECT ON system.parts TO `service`; GRANT SELECT ON system.dictionaries TO `service`;',
    ]);
    tell(["engine = 'Distributed'", '[1]'], denied('clusters'));
    expect(await fixes(true)).toEqual(['GRANT SELECT ON system.clusters TO `service`;']);
    tell();
    expect(await fixes(true)).toEqual([]);
  });

  test.each([
    { profile: ['--readonly=2'], off: /readonly = 2/, why: 'whose queries may change settings' },
    { profile: ['--readonly=1'], off: /max_execution_time = 0.*session_timezone = /, why: 'without limits' },
    {
      profile: [
        '--max_execution_time=5',
        '--max_memory_usage=100000000',
        '--max_result_bytes=1000000',
        '--readonly=1',
      ],
      off: /cannot be changed: (?!.*max_execution_time)/,
      why: 'with limits, and its own date settings',
    },
  ])('with a profile of consumers $why', async ({ profile, off }) => {
    USERS['guest'] = { password: '', profile };
    tell();
    const asked = open();
    const found = await notHeld(asked);
    await asked.close(0);
    expect(found).toMatchObject([{ outcome: 'open', fix: profileFor('`guest`', 'consumer') }]);
    expect(found[0]?.name).toMatch(off);
  });

  test('of a release that lacks settings gets a profile without them', async () => {
    tell(['name IN', '["readonly", "0"]\n["session_timezone", ""]\n["compile_expressions", "1"]\n', 'guest']);
    const [found] = await notHeld();
    expect(found).toMatchObject({
      outcome: 'open',
      fix: profileFor(
        '`guest`',
        'consumer',
        new Set(['readonly', 'session_timezone', 'compile_expressions']),
      ),
    });
    expect(found?.fix).toMatch(/readonly = 1, compile_expressions = 0, session_timezone = 'UTC', http_write/);
    expect(found?.fix).not.toMatch(
      /min_count_to_compile|allow_hyperscan|use_query_cache|output_format_json_array/,
    );
  });

  test('with one user for all', async () => {
    USERS['service'] = { password: '', profile: [] };
    tell();
    const asked = open('service');
    const found = await notHeld(asked);
    await asked.close(0);
    USERS['service'] = { password: '', profile: ['--readonly=2'] };
    expect(found.map(({ name }) => name)).toEqual([
      'consumer queries run as `service`, the same user as saved queries',
    ]);
  });

  test('that is unavailable is not a finding', async () => {
    const away = createHttpEngine({
      ...REAL_TIME,
      pingTimeoutMs: 1500,
      urls: ['http://127.0.0.1:9'],
      user: 'a',
      password: '',
      connections: 1,
      queue: 1,
      observe: () => undefined,
    });
    expect((await failureOf(checkServer(away))).failure).toBe('unavailable');
    await away.close(0);
  });
});

test.each([
  { line: 'GRANT SELECT ON logs.edge TO u', fix: undefined },
  { line: 'GRANT SELECT(a, b), SHOW COLUMNS ON logs.edge TO u', fix: undefined },
  { line: 'GRANT SELECT ON *.* TO u', fix: 'REVOKE SELECT ON *.* FROM u;' },
  { line: 'GRANT SHOW ROW POLICIES, SHOW QUOTAS ON *.* TO u', fix: undefined },
  {
    line: 'GRANT SELECT(a, b), INSERT(a, b), FILE ON *.* TO u',
    fix: 'REVOKE INSERT(a, b), FILE ON *.* FROM u;',
  },
  { line: 'GRANT TABLE ENGINE ON * TO `odd user`', fix: 'REVOKE TABLE ENGINE ON * FROM `odd user`;' },
  { line: 'GRANT SELECT ON a.b TO u WITH GRANT OPTION', fix: 'REVOKE SELECT ON a.b FROM u;' },
  { line: 'GRANT reader TO u', fix: undefined },
  { line: 'GRANT INSERT, CREATE TABLE ON millrace.* TO u', fix: undefined },
  { line: 'GRANT INSERT, DROP TABLE ON millrace.* TO u', fix: 'REVOKE DROP TABLE ON millrace.* FROM u;' },
])('$line', ({ line, fix }) => {
  expect(excessIn(line)?.fix).toBe(fix);
});

test('roles are resolved', () => {
  expect(rolesIn('GRANT reader, `odd role` TO u')).toEqual(['reader', '`odd role`']);
  expect(rolesIn('GRANT SELECT ON a.b TO u')).toEqual([]);
});

test('the statements in the guide are valid SQL', async () => {
  tell();
  const guide = await readFile(GUIDE, 'utf8');
  const blocks = [...guide.matchAll(/```sql\n(.*?)```/gs)].map(([, text = '']) => text);
  const statements = blocks.flatMap(splitStatements);
  expect(statements.length).toBeGreaterThan(6);
  const parsed = statements.map((text) =>
    collect(engine, statement('SELECT formatQuery({text:String})', { parameters: { text } })),
  );
  await Promise.all(parsed);
});

test('the guide has the profiles that the checks require', async () => {
  const guide = await readFile(GUIDE, 'utf8');
  const words = guide.replace(/\s+/g, ' ');
  expect(words).toContain(profileFor('millrace_consumer', 'consumer'));
  expect(words).toContain(profileFor('millrace', 'saved'));
});
