// Access rules on the embedded engine: what a consumer connection may read, whatever its statement says, and how the rules change
// while statements run.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Observation } from '../../../src/sql/base/observation.ts';
import type { AccessRules, GrantedTable } from '../../../src/service/engine/access-rules.ts';
import { createEmbeddedEngine } from '../../../src/service/engine/embedded/embedded-engine.ts';
import { isFilterable } from '../../../src/service/engine/embedded/users-file.ts';
import type { Engine, RowPolicyContext, Statement } from '../../../src/service/engine/engine.ts';
import { contextText, EMBEDDED_CARRIER } from '../../../src/service/engine/row-policy.ts';
import { failureOf, collect, rows, statement } from '../../support/engine-statements.ts';
import { REACHING_GATES, startGate } from '../../support/gate.ts';
import { REAL_TIME } from '../../support/real-time.ts';

const folder = await mkdtemp(join(tmpdir(), 'millrace-access-'));
const observed: Observation[] = [];
let engine: Engine;

const { isGiven, value } = EMBEDDED_CARRIER;
const TENANT = `${isGiven('project')} AND project = ${value('project')}`;

function granted(table: string, filter: string | undefined = TENANT): GrantedTable {
  return { database: 'app', table, filter };
}

function rulesOf(tables: readonly GrantedTable[], more: Partial<AccessRules> = {}): AccessRules {
  const hidden = ['tables', 'columns', 'parts', 'processes', 'settings', 'databases'].map((table) => {
    return { database: 'system', table };
  });
  return { tables, dictionaries: [], hidden, revisions: new Map([['e', '1']]), ...more };
}

function asTenant(project: string | null, sql: string, more: Partial<RowPolicyContext> = {}): Statement {
  const rowPolicy = { endpoint: 'e', revision: '1', values: { project }, ...more };
  return statement(sql, { origin: 'consumer', rowPolicy });
}

const restrict = (rules: AccessRules): Promise<void> => engine.restrict?.(rules) ?? Promise.resolve();
const deniedTo = async (what: Statement): Promise<number | undefined> =>
  (await failureOf(collect(engine, what))).engineCode;

beforeAll(async () => {
  engine = await createEmbeddedEngine({
    ...REAL_TIME,
    path: join(folder, 'engine'),
    connections: 4,
    queue: 100,
    memory: 2 ** 29,
    ...REACHING_GATES,
    observe: (each) => void observed.push(each),
  });
  for (const sql of [
    'CREATE DATABASE app',
    'CREATE TABLE app.t (project String, n UInt64) ENGINE = MergeTree ORDER BY (project, n)',
    'CREATE TABLE app.hidden (project String) ENGINE = MergeTree ORDER BY project',
    "INSERT INTO app.t VALUES ('mine', 1), ('mine', 2), ('other', 3), ('*', 4), ('', 5)",
    "INSERT INTO app.hidden VALUES ('mine')",
    'CREATE TABLE app.target (project String, n UInt64) ENGINE = MergeTree ORDER BY n',
    'CREATE MATERIALIZED VIEW app.inserted TO app.target AS SELECT project, n FROM app.t',
    "CREATE DICTIONARY app.names (n UInt64, project String) PRIMARY KEY n SOURCE(CLICKHOUSE(DB 'app' TABLE 't')) LAYOUT(HASHED()) LIFETIME(0)",
  ])
    await engine.execute(sql);
  await restrict(rulesOf([granted('t')]));
});
afterAll(async () => {
  await engine.close(0);
  await rm(folder, { recursive: true, force: true });
});

describe('rows of a tenant', () => {
  test.each([
    { project: 'mine', n: [1, 2] },
    { project: 'other', n: [3] },
    { project: '*', n: [4], why: 'a value that another filter would take for a mark' },
    { project: '', n: [5] },
    { project: null, n: [], why: 'no value' },
    { project: 'nobody', n: [] },
    { project: contextText({ endpoint: 'e', values: { project: 'other' } }), n: [], why: 'a whole context' },
    { project: ';project=6F74686572;', n: [] },
    { project: "' OR 1 --", n: [] },
  ])('of $project: $n', async ({ project, n }) => {
    expect(await rows(engine, asTenant(project, 'SELECT n FROM app.t ORDER BY n'))).toEqual(
      n.map((each) => ({ n: each })),
    );
  });

  test('none without a context', async () => {
    const what = statement('SELECT n FROM app.t', { origin: 'consumer' });
    expect(await rows(engine, what)).toEqual([]);
  });

  test.each([
    ['another tenant', `format_schema = '${contextText({ endpoint: 'e', values: { project: 'other' } })}'`],
    ['a mark', `s3queue_default_zookeeper_path = '*'`],
    ['no seal', `s3queue_default_zookeeper_path = ''`],
    ['neither', `s3queue_default_zookeeper_path = '', format_schema = ''`],
  ])('a setting inside of a query does not name %s', async (_, settings) => {
    const sql = `SELECT n FROM (SELECT n, project FROM app.t SETTINGS ${settings}) WHERE project != 'mine'`;
    expect(await rows(engine, asTenant('mine', sql))).toEqual([]);
  });

  test('connections of tenants are not mixed up', async () => {
    const all = Array.from({ length: 60 }, (_, index) => ['mine', 'other', '*', 'nobody'][index % 4] ?? '');
    const counts = await Promise.all(
      all.map((project) => rows(engine, asTenant(project, 'SELECT toUInt8(count()) AS c FROM app.t'))),
    );
    const expected: Readonly<Record<string, number>> = { mine: 2, other: 1, '*': 1, nobody: 0 };
    expect(counts).toEqual(all.map((project) => [{ c: expected[project] }]));
  });
});

describe('a consumer connection is denied', () => {
  test.each([
    'SELECT * FROM app.hidden',
    'SELECT count() FROM app.hidden',
    'SELECT 1 FROM app.t JOIN app.hidden USING project',
    'SELECT project IN (SELECT project FROM app.hidden) FROM app.t',
    "SELECT * FROM url('http://127.0.0.1:1/', 'LineAsString')",
    "SELECT * FROM file('/etc/hostname', 'LineAsString')",
    "SELECT * FROM remote('127.0.0.1:1', app.t)",
    "SELECT * FROM postgresql('127.0.0.1:1', 'a', 'b', 'c', 'd')",
    "SELECT dictGet('app.names', 'project', toUInt64(3))",
    'SELECT * FROM app.names',
    'SELECT * FROM app.target',
    'SELECT * FROM app.inserted',
    'SELECT name FROM system.users',
    'SELECT * FROM system.row_policies',
    "SELECT hasColumnInTable('app', 'hidden', 'project')",
  ])('%s', async (sql) => {
    expect([497, 164]).toContain(await deniedTo(asTenant('mine', sql)));
  });

  test.each(['tables', 'columns', 'parts', 'processes', 'settings', 'databases'])(
    'every row of system.%s',
    async (table) => {
      const what = asTenant('mine', `SELECT toUInt8(count()) AS n FROM system.${table}`);
      expect(await rows(engine, what)).toEqual([{ n: 0 }]);
    },
  );
});

describe('what the engine reads by itself', () => {
  test('a dictionary has every row', async () => {
    const what = statement("SELECT dictGet('app.names', 'project', toUInt64(3)) AS project");
    expect(await rows(engine, what)).toEqual([{ project: 'other' }]);
    await engine.execute('SYSTEM RELOAD DICTIONARY app.names');
    expect(await rows(engine, statement('SELECT toUInt8(count()) AS n FROM app.names'))).toEqual([{ n: 5 }]);
  });

  test('a materialized view sees what is inserted', async () => {
    await engine.execute("INSERT INTO app.t VALUES ('third', 6)");
    expect(await rows(engine, statement("SELECT n FROM app.target WHERE project = 'third'"))).toEqual([
      { n: 6 },
    ]);
  });

  test('a refreshable materialized view', async () => {
    await engine.execute(
      'CREATE MATERIALIZED VIEW app.refreshed REFRESH EVERY 1 DAY ENGINE = MergeTree ORDER BY n AS SELECT n FROM app.t',
    );
    await engine.execute('SYSTEM WAIT VIEW app.refreshed');
    expect(await rows(engine, statement('SELECT toUInt8(count()) AS n FROM app.refreshed'))).toEqual([
      { n: 6 },
    ]);
  });

  test('mutations and TTL', async () => {
    await engine.execute("ALTER TABLE app.t DELETE WHERE project = 'third' SETTINGS mutations_sync = 2");
    await engine.execute(
      'CREATE TABLE app.old (project String, at DateTime) ENGINE = MergeTree ORDER BY at TTL at + INTERVAL 1 DAY SETTINGS merge_with_ttl_timeout = 0',
    );
    await engine.execute("INSERT INTO app.old VALUES ('other', '2001-01-01')");
    await engine.execute('OPTIMIZE TABLE app.old FINAL');
    const left =
      'SELECT toUInt8((SELECT count() FROM app.t)) AS t, toUInt8((SELECT count() FROM app.old)) AS old';
    expect(await rows(engine, statement(left))).toEqual([{ t: 5, old: 0 }]);
  });

  test('a saved query whose own settings are those of other features', async () => {
    for (const setting of [
      "query_cache_tag = 'reports'",
      "format_schema = 'a'",
      "insert_deduplication_token = 'b'",
    ]) {
      const sql = `SELECT toUInt8(count()) AS n FROM (SELECT n FROM app.t SETTINGS ${setting})`;
      expect([setting, await rows(engine, statement(sql))]).toEqual([setting, [{ n: 5 }]]);
    }
  });

  test('saved queries and the author read every row', async () => {
    expect(await rows(engine, statement('SELECT toUInt8(count()) AS n FROM app.t'))).toEqual([{ n: 5 }]);
    await engine.execute('CREATE TABLE app.copied ENGINE = MergeTree ORDER BY n AS SELECT * FROM app.t');
    expect(await rows(engine, statement('SELECT toUInt8(count()) AS n FROM app.copied'))).toEqual([{ n: 5 }]);
  });
});

test.each([
  "SELECT * FROM file('/etc/hostname', 'LineAsString')",
  "SELECT * FROM remote('127.0.0.1:1', app.t)",
  "SELECT * FROM postgresql('127.0.0.1:1', 'a', 'b', 'c', 'd')",
  "SELECT * FROM mysql('127.0.0.1:1', 'a', 'b', 'c', 'd')",
])('a saved query reaches only the sources that are allowed: %s', async (sql) => {
  expect(await deniedTo(statement(sql))).toBe(497);
});

test.each([
  "INSERT INTO FUNCTION file('/tmp/millrace-access', 'CSV', 'a Int8') VALUES (1)",
  "CREATE TABLE app.from_file ENGINE = Memory AS SELECT * FROM file('/etc/hostname', 'LineAsString')",
  "BACKUP TABLE app.t TO File('/tmp/millrace-access')",
])('nor does the author: %s', async (sql) => {
  expect(await failureOf(engine.execute(sql))).toMatchObject({ engineCode: 497 });
});

describe('a change of rules', () => {
  const changes = (): readonly Observation[] =>
    observed.filter(({ kind }) => kind === 'engine.access_changed');

  test('waits for running statements, and holds waiting ones back', async () => {
    const gate = await startGate();
    const running = rows(engine, statement(`SELECT passed FROM ${gate.table}`));
    await gate.reached(1);
    const rules = rulesOf([granted('t'), granted('hidden')]);
    const changing = restrict(rules);
    const waiting = rows(engine, asTenant('mine', 'SELECT project FROM app.hidden'));
    await expect.poll(() => engine.load()).toEqual({ running: 1, waiting: 1 });
    gate.open();
    expect(await running).toEqual([{ passed: 1 }]);
    await changing;
    expect(await waiting).toEqual([{ project: 'mine' }]);
    await gate.close();
    await restrict(rulesOf([granted('t')]));
    expect(await deniedTo(asTenant('mine', 'SELECT project FROM app.hidden'))).toBe(497);
  });

  test('ends what runs for too long, which runs again', async () => {
    const gate = await startGate();
    let runNow: () => void = () => undefined;
    const other = await createEmbeddedEngine({
      ...REAL_TIME,
      after: (ms, run) => {
        if (ms !== 5000) return REAL_TIME.after(ms, run);
        runNow = run;
        return () => undefined;
      },
      path: join(folder, 'other'),
      connections: 2,
      queue: 10,
      memory: 2 ** 29,
      ...REACHING_GATES,
      observe: (each) => void observed.push(each),
    });
    const running = rows(other, statement(`SELECT passed FROM ${gate.table}`));
    await gate.reached(1);
    const changing = other.restrict?.(rulesOf([]));
    const ended = other.load();
    runNow();
    await gate.reached(2);
    gate.open();
    expect([ended, await running]).toEqual([{ running: 1, waiting: 0 }, [{ passed: 1 }]]);
    await changing;
    expect(observed).toContainEqual(
      expect.objectContaining({ kind: 'engine.process_ended', reason: 'rules' }),
    );
    await other.close(0);
    await gate.close();
  });

  test('is none if the same is allowed', async () => {
    const before = changes().length;
    await restrict(rulesOf([granted('t')], { revisions: new Map([['e', '2']]) }));
    expect(changes()).toHaveLength(before);
    // A statement that was planned before the change of the file that changes nothing here.
    for (const revision of ['1', '2'])
      expect(await rows(engine, asTenant('other', 'SELECT n FROM app.t', { revision }))).toEqual([{ n: 3 }]);
  });

  test('rejects statements that were planned for an endpoint as it was before', async () => {
    await restrict(rulesOf([granted('t', `(${TENANT}) AND n > 0`)], { revisions: new Map([['e', '3']]) }));
    const planned = asTenant('mine', 'SELECT n FROM app.t', { revision: '2' });
    expect((await failureOf(collect(engine, planned))).failure).toBe('unavailable');
    const now = asTenant('other', 'SELECT n FROM app.t', { revision: '3' });
    expect(await rows(engine, now)).toEqual([{ n: 3 }]);
    await restrict(rulesOf([granted('t')]));
  });

  test('holds for a process that replaces another', async () => {
    const ended = engine.memory; // the process is replaced below: its rules are those of the engine
    expect(ended).toBeDefined();
    const overdue = statement('SELECT arrayLevenshteinDistance(range(400000), range(300000))', {
      origin: 'consumer',
      limits: { time: 1 },
    });
    await failureOf(collect(engine, overdue));
    await expect
      .poll(() => observed.some((each) => each.kind === 'engine.process_restarted'), { timeout: 60_000 })
      .toBe(true);
    expect(await deniedTo(asTenant('mine', 'SELECT project FROM app.hidden'))).toBe(497);
    expect(await rows(engine, asTenant('other', 'SELECT n FROM app.t'))).toEqual([{ n: 3 }]);
  });
});

test('the users file does not stay in the data folder, nor a copy of it', async () => {
  const names = await readdir(join(folder, 'engine'), { recursive: true });
  const users = names.filter((name) => /users|preprocessed/i.test(name));
  expect(users).toEqual([]);
  expect(await readFile(join(folder, 'engine', 'millrace.xml'), 'utf8')).not.toContain(
    's3queue_default_zookeeper_path',
  );
});

test.each([
  ['t', true],
  ['T_2-x', true],
  ['2024', false],
  ['a.b', false],
  ['a b', false],
  ['ü', false],
])('a table named %s can have a filter: %s', (table, can) => {
  expect(isFilterable({ database: 'app', table })).toBe(can);
});
