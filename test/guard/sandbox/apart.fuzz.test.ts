// Tables without a scope of their own against the same tables within one: the same rows, names, types and errors.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Problem } from '../../../src/sql/base/problem.ts';
import type { Sandbox, Verdict } from '../../../src/guard/sandbox/sandbox.ts';
import { sizeOf, some } from '../../support/runs.ts';
import { ACCEPTED } from './accepted.ts';
import {
  ATTACKS,
  BENIGN,
  bound,
  codeOf,
  describeTables,
  openSandbox,
  openWorld,
  type World,
} from './fixture.ts';
import { createRandom, mutants } from './mutants.ts';

const CASES = Math.max(sizeOf(30, 100), Number(process.env['FUZZ_CASES'] ?? 0) / 10);
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_240_101);

/** Saved queries over the tables of the corpus, whose names have many kinds of meanings inside. */
const SAVED: readonly string[] = [
  `WITH edge_logs AS (SELECT id, timestamp, event_message, method, path, status, ms, ip, user_id, tags, attrs, metadata
      FROM app.logs WHERE project = @project AND source = 'edge'),
    auth_logs AS (SELECT id, timestamp, event_message, user_id, action, ip, metadata
      FROM app.logs WHERE project = @project AND source = 'auth')
    SELECT id FROM edge_logs`,
  `WITH kinds AS (SELECT 'edge' AS kind UNION ALL SELECT 'auth'), 100 AS least, x -> x * 2 AS twice, (SELECT max(ms) FROM app.logs WHERE project = @project) AS most,
    base AS (SELECT l.*, l.source AS kind FROM app.logs AS l WHERE l.project = @project AND l.ms < most),
    edge_logs AS (SELECT * EXCEPT (project, source), twice(status) AS doubled, arrayMap(y -> upper(y), tags) AS upper_tags FROM base WHERE source = 'edge' AND status > least
      AND kind IN (SELECT kind FROM kinds) ORDER BY timestamp DESC),
    auth_logs AS (SELECT b.id, b.timestamp, k.kind AS action, user_id, ip, metadata, event_message, count() OVER w AS total FROM base AS b JOIN kinds AS k ON b.kind = k.kind WHERE k.kind = 'auth' WINDOW w AS (PARTITION BY user_id))
    SELECT id FROM edge_logs`,
  `WITH edge_logs AS (SELECT DISTINCT id, timestamp, event_message, method, path, status, ms, ip, user_id, tags, attrs, metadata AS meta, metadata FROM
      (SELECT * FROM app.logs PREWHERE project = @project ORDER BY timestamp DESC LIMIT 1000) WHERE source = 'edge'),
    auth_logs AS (SELECT any(id) AS id, max(timestamp) AS timestamp, user_id, any(action) AS action, count() AS event_message, any(ip) AS ip FROM app.logs
      WHERE project = @project GROUP BY user_id HAVING event_message > 0)
    SELECT id FROM edge_logs`,
  // Names that the engine looks up as values in all queries around them first.
  `WITH edge_logs AS (WITH z AS (SELECT @project AS p) SELECT id, timestamp, event_message, method, path AS app, path, status, ms, ip, user_id, arrayMap(lower, tags) AS tags, attrs, metadata, toTypeName(now) AS total
      FROM app.logs WHERE project IN z AND source = 'edge' AND project IN (SELECT z.* FROM z)),
    auth_logs AS (SELECT id AS lower, id AS z, id, timestamp, event_message AS now, event_message, user_id, action, ip, metadata FROM app.logs WHERE project IN (SELECT @project) AND source = 'auth'
      UNION ALL SELECT id, id, id, timestamp, '', event_message, user_id, action, ip, metadata FROM app.logs WHERE project = @project AND source = 'none')
    SELECT id FROM edge_logs`,
];

/** Names in odd places. `{n}` is a name, `{c}` a column. */
const PLACES: readonly string[] = [
  'SELECT quantile(0.5 AS {n})(ms) FROM edge_logs',
  'SELECT {c} AS {n}, {n} FROM edge_logs ORDER BY ALL',
  'SELECT {c} {n} FROM edge_logs ORDER BY {n}, id LIMIT 3',
  "SELECT id FROM edge_logs WHERE (1 AS {n}) IN (1, 2 AS other) ORDER BY id",
  'SELECT id FROM edge_logs WHERE (user_id AS {n}) IN (SELECT user_id FROM auth_logs) ORDER BY id',
  'SELECT id, {n} FROM edge_logs ARRAY JOIN tags AS {n} ORDER BY ALL',
  'SELECT id, {n} FROM edge_logs LEFT ARRAY JOIN tags AS {n}, arrayEnumerate(tags) AS number ORDER BY ALL',
  'SELECT arrayJoin(tags) AS {n}, count() FROM edge_logs GROUP BY {n} ORDER BY ALL',
  'SELECT * REPLACE (1 AS {c}) FROM edge_logs ORDER BY id',
  'SELECT * EXCEPT ({c}), 5 AS {n} FROM edge_logs ORDER BY id',
  "SELECT COLUMNS('{c}|id'), 1 AS {n} FROM edge_logs ORDER BY id",
  'SELECT * APPLY(toString) FROM edge_logs ORDER BY ALL LIMIT 2',
  'SELECT if(0, {c}, NULL) AS {n} FROM edge_logs',
  "SELECT if(1, 'x', throwIf({c} = {c})) AS {n} FROM edge_logs",
  'SELECT {n}.{c} FROM edge_logs AS {n} ORDER BY ALL',
  'SELECT {n}.{c} FROM (SELECT {c} FROM edge_logs) AS {n} ORDER BY ALL',
  'SELECT a.id, {n}.id FROM edge_logs AS a JOIN auth_logs AS {n} ON a.user_id = {n}.user_id ORDER BY ALL',
  'SELECT id, {n} FROM edge_logs JOIN (SELECT user_id, max(timestamp) AS {n} FROM auth_logs GROUP BY user_id) AS r USING (user_id) ORDER BY ALL',
  'SELECT l.id FROM edge_logs AS l ASOF LEFT JOIN auth_logs AS r ON l.user_id = r.user_id AND l.timestamp >= r.timestamp ORDER BY ALL',
  'SELECT metadata.request.path AS {n}, metadata.^request FROM edge_logs ORDER BY id',
  'SELECT tags.size0 AS {n}, attrs.keys, length(tags) FROM edge_logs ORDER BY id',
  'SELECT {c} AS {n}, count() FROM edge_logs GROUP BY GROUPING SETS (({n}), ()) ORDER BY ALL',
  'SELECT {c} AS {n}, count() FROM edge_logs GROUP BY 1 WITH ROLLUP ORDER BY ALL',
  'SELECT id AS {n} FROM edge_logs QUALIFY row_number() OVER (ORDER BY id) < 4 ORDER BY {n}',
  'SELECT id, {c} AS {n} FROM edge_logs ORDER BY id LIMIT 1 BY {n}',
  'SELECT toDate(timestamp) AS {n}, count() AS c FROM edge_logs GROUP BY {n} ORDER BY {n} WITH FILL STEP 1 INTERPOLATE (c AS c + 1)',
  'SELECT {n} + 1 AS {n} FROM edge_logs',
  'SELECT a AS {n}, {n} AS a FROM edge_logs',
  'SELECT id FROM edge_logs WHERE EXISTS (SELECT 1 AS {n} FROM auth_logs WHERE auth_logs.user_id = edge_logs.user_id)',
  'SELECT id FROM edge_logs AS {n} WHERE (SELECT count() FROM auth_logs AS b WHERE b.user_id = {n}.user_id) > 0',
  'SELECT id FROM edge_logs WHERE ms > (SELECT avg(ms) AS {n} FROM edge_logs) ORDER BY id',
  'SELECT DISTINCT {c} AS {n} FROM edge_logs ORDER BY ALL',
  'SELECT count(), {c} AS {n} FROM edge_logs PREWHERE status > 0 GROUP BY ALL ORDER BY ALL',
  'SELECT id AS {n} FROM edge_logs SAMPLE 1 / 2',
  'SELECT id AS {n} FROM edge_logs FINAL ORDER BY 1',
  'SELECT untuple((1 AS {n}, id)) FROM edge_logs ORDER BY ALL',
  'SELECT count() AS {n} FROM edge_logs, auth_logs',
  'SELECT id FROM edge_logs NATURAL JOIN auth_logs ORDER BY id',
  'SELECT id AS {n}, dense_rank() OVER (PARTITION BY {c} ORDER BY {n}) FROM edge_logs ORDER BY ALL',
  'SELECT count() FROM (SELECT 1 AS {n} FROM edge_logs ORDER BY {n} LIMIT 5) AS s WHERE {n} = 1',
  'SELECT *, 1 AS {n} FROM edge_logs ORDER BY id LIMIT 2',
  'SELECT tuple(1 AS {n}).1, CAST((1, id), \'Tuple(a UInt8, b String)\').b FROM edge_logs ORDER BY ALL',
  'SELECT t1.`{c}` AS `{c}`, t1.`id` AS `id` FROM edge_logs AS t1 WHERE (t1.`{c}` = t1.`{c}`) ORDER BY `{c}`, `id` LIMIT 9',
  'SELECT toStartOfInterval(edge_logs.timestamp, INTERVAL 1 hour) AS `timestamp`, count() AS {n} FROM edge_logs GROUP BY toStartOfInterval(edge_logs.timestamp, INTERVAL 1 hour) ORDER BY 1',
  'SELECT max({c}) AS {c}, toString(user_id) AS user_id FROM edge_logs GROUP BY ALL ORDER BY ALL',
  'SELECT {c}.id FROM edge_logs AS {c} ORDER BY {c}.id',
  'SELECT id AS {c}, {c} AS id FROM edge_logs ORDER BY ALL',
  'SELECT id FROM edge_logs AS a JOIN (SELECT user_id AS {c}, id AS timestamp FROM auth_logs) AS logs ON a.user_id = logs.{c} ORDER BY ALL',
  "SELECT 'other' AS {n}, * FROM edge_logs ORDER BY ALL",
  "SELECT CAST(tuple('other'), 'Tuple(p String)') AS {n}, * FROM edge_logs ORDER BY ALL",
  'SELECT id FROM edge_logs',
  'SELECT * FROM auth_logs',
  'SELECT id, throwIf(id = \'other-0\') AS {n} FROM edge_logs ORDER BY id',
]; // prettier-ignore

const NAMES: readonly string[] = [
  ...'id timestamp project source logs app base kinds kind least twice most edge_logs auth_logs total meta doubled'.split(' '),
  ...'z now lower a b c x y w equals and greater less in lambda tuple count max upper arrayMap _table1 __table1 __table2 view one'.split(' '),
  ...'`metadata.request` `metadata.request.path` `app.logs` `l.id` `logs.project` `l.project` `__table1.id` `x, alias: y` `PROJECT` `1` `\'edge\'`'.replaceAll("`'edge'`", '`edge`').split(/ (?=`|$)/),
]; // prettier-ignore
const COLUMNS = [
  'id',
  'timestamp',
  'status',
  'ms',
  'user_id',
  'tags',
  'metadata',
  'event_message',
  'doubled',
  'total',
];

function generated(count: number, seed: number): string[] {
  const random = createRandom(seed);
  const pick = (items: readonly string[]): string => items[random(items.length)] ?? '';
  return Array.from({ length: count }, () => {
    const [name, column] = [pick(NAMES), pick(COLUMNS)];
    return pick(PLACES)
      .replaceAll('{n}', () => name)
      .replaceAll('{c}', () => column);
  });
}

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.oracle.close());

/** What a consumer sees; a failure by the engine's code, since its message quotes the statement. */
async function seen(sql: string): Promise<string> {
  try {
    return await world.run(sql);
  } catch (error) {
    return `failed: ${codeOf(error)}`;
  }
}

async function verdictOn(sandbox: Sandbox, sql: string): Promise<Verdict | undefined> {
  try {
    return await sandbox.check(sql);
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

async function openSandboxes(): Promise<readonly Sandbox[]> {
  return Promise.all(
    SAVED.map(async (saved) => {
      const boundSql = bound(saved);
      return openSandbox({
        boundSql,
        explain: world.explain,
        columns: await describeTables(world, boundSql),
      });
    }),
  );
}

test('the same rows and failures with and without a scope of their own', { timeout: 3_600_000 }, async () => {
  const corpus = [...BENIGN, ...ATTACKS].map(({ sql }) => sql);
  // Of the lists every third query, all of them with `npm run test:all`.
  const listed = some([...corpus, ...ACCEPTED], 5);
  const all = [...listed, ...mutants(CASES, SEED), ...generated(CASES, SEED)].filter(
    (sql) => !/\b(?:now|now64|rand\w*|generateUUID\w*|CURRENT_TIMESTAMP)\b/i.test(sql),
  );
  const sandboxes = await openSandboxes();
  const differing: string[] = [];
  const counts = { apart: 0, scoped: 0, failed: 0 };
  for (const [index, sql] of all.entries()) {
    const sandbox = sandboxes[index % sandboxes.length];
    if (sandbox === undefined) continue;
    const verdict = await verdictOn(sandbox, sql);
    if (verdict === undefined) continue;
    counts[verdict.isApart ? 'apart' : 'scoped']++;
    if (!verdict.isApart) continue;
    const without = await seen(sandbox.assemble(verdict, 1000).sql);
    const within = await seen(sandbox.assemble({ ...verdict, isApart: false }, 1000).sql);
    if (without.startsWith('failed')) counts.failed++;
    if (without !== within) differing.push(`${sql}\n${without.slice(0, 600)}\n${within.slice(0, 600)}`);
  }
  expect(differing).toEqual([]);
  // Queries that all fail, or that all have a scope, would prove nothing.
  expect(counts.apart).toBeGreaterThan(CASES / 2);
  expect(counts.scoped).toBeGreaterThan(CASES / 4);
  expect(counts.failed).toBeLessThan(counts.apart / 2);
});

test('the scope is needed: without it, a lambda with the name of an operator’s function has a meaning inside', async () => {
  const [sandbox] = await openSandboxes();
  if (sandbox === undefined) throw new Error('there are saved queries');
  const verdict = await sandbox.check('SELECT count() FROM edge_logs');
  const count = async (isApart: boolean): Promise<unknown> => {
    const joined = 'WITH (a, b) -> 1 AS equals SELECT count() FROM edge_logs'; // which the scanner rejects
    const lines = (await world.run(sandbox.assemble({ ...verdict, joined, isApart }, 1).sql))
      .trim()
      .split('\n');
    return JSON.parse(lines[2] ?? '');
  };
  expect(await count(false)).toEqual([26]);
  expect(await count(true)).toEqual([80]);
});
