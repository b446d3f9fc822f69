// Two databases that differ only in groups smaller than `min_group`: whatever consumers ask, responses and failures are the same.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runs, some } from '../../support/runs.ts';
import { createRandom } from './mutants.ts';
import { openExchange, type Exchange } from './exchange.ts';

const MINIMUM = 8;
const NAMES = 'id, ts, project, path, level, message, maybe, attrs, tags, doc, user_id, amount, any, either';
const [SEEDS, PER_TEST] = [4, runs(15, 20)];

/** Rows 0 to 39 in two groups of each path; then rows of a path of their own, which differ. */
const COMMON = `SELECT number AS id, toDateTime64('2024-01-01 00:00:00', 3, 'UTC') + number AS ts, 'mine' AS project, if(number % 2 = 0, '/a', '/b') AS path,
  if(number % 4 < 2, 'info', 'error') AS level, 'seen 12' AS message, 'x' AS maybe, map('k', toString(number % 2)) AS attrs, ['a'] AS tags,
  CAST('{"status": 200, "v": 1}', 'JSON') AS doc, number % 3 AS user_id, number / 4 AS amount, CAST(1, 'Dynamic') AS any,
  CAST('x', 'Variant(String, UInt64)') AS either FROM numbers(40)`;

const small = (rows: number, message: string, amount: string): string => `SELECT 1000 + number * 7,
  toDateTime64('2106-02-07 06:28:15', 3, 'UTC') + number, 'mine', '/small', ${message}, ${message}, if(number % 2 = 0, NULL, ${message}), map('k', ${message}), [${message}],
  CAST('{"status": "none", "v": [1]}', 'JSON'), 0, ${amount}, CAST(${message}, 'Dynamic'), CAST(toUInt64(3), 'Variant(String, UInt64)') FROM numbers(${rows})`;

let exchange: Exchange;
beforeAll(async () => {
  exchange = await openExchange(`{ redact: true, min_group: ${MINIMUM}, columns: { user_id: hash } }`);
  const { engine } = exchange;
  const differing = {
    first: small(MINIMUM - 1, `'not a number \\\\xff'`, 'nan'),
    second: small(1, `''`, '-1e308'),
  };
  for (const [database, rows] of Object.entries(differing)) {
    await engine.execute(`TRUNCATE TABLE ${database}.t`);
    for (const select of [COMMON, rows])
      await engine.execute(`INSERT INTO ${database}.t (${NAMES}) ${select}`);
  }
});
afterAll(() => exchange.close());

/** Values over rows: of functions that are allowed, and of functions that fail on some rows. */
const ROW_VALUES =
  `id|amount|level|message|path|lower(message)|length(maybe)|toString(doc.v)|doc.v|toString(any)|any + 1|either|toString(either)|doc.status.:Int64
id = 1000|intDiv(1, id - 1000)|1 / (id - 1000)|toInt32(message)|toInt64OrNull(message)|substring(message, 2, 3)|extract(message, '\\\\d+')|match(message, '^not')
message LIKE '%x%'|throwIf(message = '')|toStartOfHour(ts)|toStartOfInterval(ts, INTERVAL 3 DAY)|toDate(ts)|ts + INTERVAL 9000 YEAR|toYear(ts)|dateTrunc('month', ts)
attrs['k']|attrs['none']|tags[1]|tags[0]|tags[5]|has(tags, 'a')|mapContains(attrs, 'k')|maybe IS NULL|ifNull(maybe, 'y')|coalesce(maybe, level)|if(amount > 1, 'x', level)
multiIf(id < 3, 1, id > 999, 2, 3)|round(amount, 2)|floor(amount / 0)|amount * id|-amount|amount % 3|modulo(id, id - 1000)|CAST(maybe AS String)|toDecimal32(amount, 4)
reinterpretAsUInt64(message)|repeat(message, 10000000)|arrayElement(tags, id)|toUUID(message)|parseDateTimeBestEffort(message)|JSONExtractInt(message, 'a')|domain(message)
toIPv4(message)|arrayJoin(tags)|upper(attrs['k'])|trim(message)|position(message, 'a')|startsWith(level, 'not')|user_id|toUInt8(id)|accurateCast(id, 'UInt8')|char(id)`.split(
    /[|\n]/,
  );

const CONDITIONS =
  `ts > '2024-01-01 00:00:10'|ts < now() - INTERVAL 1 DAY|id > 20|amount < 5|path = '/small' OR id > 3|level IN ('info', 'error')|message != ''
path != '/a'|id BETWEEN 2 AND 2000|NOT amount > 3|maybe IS NOT NULL|doc.status.:Int64 = 200|attrs['k'] = '1'|ts >= toDateTime('2024-01-01 00:00:01')`.split(
    /[|\n]/,
  );

const AGGREGATES =
  `count()|count(maybe)|uniq(message)|uniqExact(level, id)|sum(id)|sum(amount)|avg(amount)|stddevPop(id)|varSamp(amount)|count(DISTINCT user_id)|uniq(doc.v)
max(message)|any(message)|sumIf(id, path = '/small')|groupArray(message)|quantile(0.5)(amount)|sum(intDiv(1, id - 1000))|count(if(id = 1000, 1, NULL))|topK(3)(message)`.split(
    /[|\n]/,
  );

const OVER_GROUPS =
  `v|intDiv(1, n - 7)|throwIf(n < 8)|toInt32(toString(k))|length(toString(k))|throwIf(toString(k) LIKE 'not%')|max(n) OVER ()|n % 5 = 0`.split(
    /[|\n]/,
  );

function* texts(seed: number): Generator<string> {
  const random = createRandom(seed + 1);
  const pick = (items: readonly string[]): string => items[random(items.length)] ?? '';
  const chance = (share: number): boolean => random(100) < share * 100;
  for (;;) {
    const [k, v, c] = [
      pick(ROW_VALUES),
      pick(AGGREGATES),
      chance(0.5) ? pick(CONDITIONS) : `${pick(ROW_VALUES)} = ${pick(ROW_VALUES)}`,
    ];
    const value = chance(0.3) ? `${v} ${pick(['+', '/', '*'])} count()` : v;
    const having = chance(0.3)
      ? ` HAVING ${pick([`intDiv(1, n - ${MINIMUM - 1}) < 5`, 'v > 1', 'n > 0 OR 1', 'throwIf(n < 2) = 0', 'isNotNull(v)'])}`
      : '';
    const order = chance(0.4)
      ? ` ORDER BY ${pick(['k', 'v', 'n DESC, k', 'path, k', 'intDiv(1, n - 1)'])}`
      : '';
    const where = chance(0.6) ? ` WHERE ${c}` : '';
    const inner = `SELECT path, ${k} AS k, count() AS n, ${value} AS v FROM t${where} GROUP BY path, k${having}${order}`;
    yield chance(0.5)
      ? inner
      : `SELECT path, k, ${pick(OVER_GROUPS)} AS x FROM (${inner}) WHERE ${pick(OVER_GROUPS)} != 3 ORDER BY ALL`;
  }
}

const sorted = ({ status, body }: { status: number; body: string }) => [status, body.split('\n').toSorted()];

let allowed = 0;
test.each(Array.from({ length: SEEDS }, (_, seed) => seed))(
  'random queries over groups, seed %i',
  async (seed) => {
    const source = texts(seed);
    for (let run = 0; run < PER_TEST; run++) {
      const text = source.next().value ?? '';
      const [first, second] = await exchange.both({ language: 'sql', dialect: 'clickhouse', text });
      expect([text, ...sorted(first)]).toEqual([text, ...sorted(second)]);
      if (first.status === 200 && first.body.includes('path')) allowed++;
    }
  },
);

test('enough of them are allowed, and each value that is allowed is so on its own', async () => {
  expect(allowed).toBeGreaterThan((SEEDS * PER_TEST * 3) / 40);
  // Every sixth, all of them with `npm run test:all`.
  for (const value of some(ROW_VALUES, 6)) {
    const text = `SELECT path, count() AS n FROM t WHERE toString(${value}) != 'none' GROUP BY path ORDER BY path`;
    const [first, second] = await exchange.both({ language: 'sql', dialect: 'clickhouse', text });
    expect([value, first.status, first.body]).toEqual([value, second.status, second.body]);
    expect(first.body).not.toContain('/small');
  }
});

test.each([
  'SELECT k, n FROM (SELECT id AS k, count() AS n FROM t GROUP BY k) WHERE intDiv(1, k - 1000) > -5',
  "SELECT k, n FROM (SELECT message AS k, count() AS n FROM t GROUP BY k) WHERE k = 'seen 12' OR toInt32(k) > 0",
  'WITH g AS (SELECT path, message AS k, count() AS n FROM t GROUP BY path, k) SELECT a.n FROM g AS a JOIN g AS b ON a.n = b.n AND toInt32(substring(a.k, 6)) = 12',
  'SELECT path, intDiv(1, n - 7) AS x FROM (SELECT path, count() AS n FROM t GROUP BY path) ORDER BY path',
])('conditions around a SELECT see no small groups: %s', async (text) => {
  const [first, second] = await exchange.both({ language: 'sql', dialect: 'clickhouse', text });
  expect([first.status, first.body]).toEqual([200, second.body]);
  expect(second.status).toBe(200);
});
