// Non-interference: a consumer's response, including whether it fails, does not depend on other tenants' rows.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ACCEPTED } from './accepted.ts';
import { ATTACKS, BENIGN } from './fixture.ts';
import { INDEX_ORACLES, leakproofCalls, oracles, type Oracle } from './oracles.ts';
import { some } from '../../support/runs.ts';
import { openTenants, TABLE_KINDS, type Protection, type Query, type Tenants } from './tenants.ts';

const IS_COMPLETE = process.env['FUZZ_CASES'] !== undefined;
/** A tenth of the other fuzzers' cases: each runs four statements. */
const CASES = Number(process.env['FUZZ_CASES'] ?? 300) / 10;
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_240_101);
const AT_ONCE = 4;

let tenants: Tenants;
beforeAll(async () => {
  tenants = await openTenants();
});
afterAll(() => tenants.close());

const sql = (text: string): Query => ({ language: 'sql', dialect: 'clickhouse', text });

interface Leaks {
  readonly leaks: readonly string[];
  readonly statuses: ReadonlyMap<number, number>;
}

/** The calls whose answers differ between the two databases. */
async function findLeaks(
  all: readonly Oracle[],
  { protection = 'service', isOrdered = true }: { protection?: Protection; isOrdered?: boolean } = {},
): Promise<Leaks> {
  const leaks: string[] = [];
  const statuses = new Map<number, number>();
  const rest = all.values();
  const work = async (): Promise<void> => {
    for (const oracle of rest) {
      const [calm, hostile] = await tenants.both(oracle.kind, oracle, protection);
      statuses.set(calm.status, (statuses.get(calm.status) ?? 0) + 1);
      const [a, b] = [calm.body, hostile.body].map((body) => (isOrdered ? body : sorted(body)));
      if (calm.status === hostile.status && a === b) continue;
      leaks.push(
        `${oracle.kind}: ${oracle.text}: ${calm.status} ${calm.body} / ${hostile.status} ${hostile.body}`,
      );
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { leaks, statuses };
}

function sorted(body: string): string {
  return body.split('\n').toSorted().join('\n');
}

test(`${CASES} generated calls are answered alike`, { timeout: 7_200_000 }, async () => {
  const { leaks, statuses } = await findLeaks(oracles(CASES, SEED));
  expect(leaks).toEqual([]);
  // Calls that all fail, or that are all rejected, would prove nothing.
  expect(statuses.get(200)).toBeGreaterThan(CASES / 2);
  expect(statuses.get(422)).toBeGreaterThan(CASES / 100);
});

test('so are those of the corpus', { timeout: 600_000 }, async () => {
  // Every twelfth query, all of them with `npm run test:all`.
  const texts = [...BENIGN.map((each) => each.sql), ...ATTACKS.map((each) => each.sql), ...ACCEPTED].filter(
    (_, index) => IS_COMPLETE || index % 12 === 0,
  );
  // Rows without an order come in the order of the blocks that they were read in: that much can be seen.
  const all = texts
    .filter((text) => !/\b(?:now|now64|CURRENT_TIMESTAMP)\b/i.test(text)) // the two calls may be in different seconds
    .map((text): Oracle => ({ ...sql(text), kind: 'corpus' }));
  const { leaks, statuses } = await findLeaks(all, { isOrdered: false });
  expect(leaks).toEqual([]);
  expect(statuses.get(200)).toBeGreaterThan(IS_COMPLETE ? 100 : 8);
});

/** Subcolumns read alone, conditions repeated below the barrier and beside the endpoint's own, sorting left out below it. */
const FORMS = [
  "SELECT id, doc.text FROM t WHERE doc.code > 5 AND doc.text != 'CANARY' ORDER BY id",
  'SELECT * FROM t WHERE doc.code = 7 ORDER BY id',
  "SELECT doc.text AS v, count() AS n FROM t WHERE doc.text LIKE '%1%' GROUP BY v ORDER BY v",
  'SELECT doc.x.:Int64 AS x, doc.y, doc.^z, doc.nothing FROM t ORDER BY id LIMIT 5',
  'SELECT doc, doc.code FROM t WHERE doc.project = low ORDER BY id DESC LIMIT 3',
  'SELECT id FROM t WHERE doc.x = 5 ORDER BY id',
  "SELECT id FROM t WHERE ts > toDateTime64('2024-01-01 10:00:00', 3, 'UTC') AND toInt64(doc.text) > 60 ORDER BY id",
  "SELECT e.id FROM t AS e WHERE e.num BETWEEN 5 AND 90 AND e.text != 'CANARY' AND toUInt64(e.text) > 5 ORDER BY e.id",
  'SELECT low, count() AS n, max(toInt64(doc.text)) AS v FROM t WHERE num >= 0 AND intDiv(100, num + 1) < 50 GROUP BY low',
  'SELECT a.id, b.doc.text FROM t AS a JOIN t AS b ON a.doc.code = b.num WHERE a.doc.code > 90 ORDER BY a.id',
  'WITH c AS (SELECT * FROM t WHERE doc.code > 3 AND toInt64(text) < 9) SELECT * FROM c ORDER BY id',
  'SELECT attrs.keys, tags.size0 FROM t WHERE maybe.null = 0 ORDER BY id LIMIT 4',
  "SELECT id FROM t WHERE num BETWEEN 5 AND 90 AND text != 'CANARY' AND ratio > 1 AND ts > '2024-01-01 05:00:00' ORDER BY id",
  "SELECT id, text FROM t WHERE doc.code > 5 AND doc.text LIKE '%1%' AND (low = 'mine' OR maybe IS NULL) ORDER BY id",
  "SELECT count() FROM t WHERE attrs['text'] = '5' OR has(tags, '6') OR mapContains(attrs, 'x') OR match(secret, 'CAN.*')",
  "SELECT attrs['text'] AS v, length(tags) AS n, maybe IS NULL AS m FROM t WHERE notEmpty(tags) AND mapContains(attrs, 'text') ORDER BY id LIMIT 5",
  "SELECT attrs['text'] AS v, count() AS n FROM t WHERE maybe IS NOT NULL AND intDiv(10, length(tags) + 1) > 1 AND attrs['text'] != '7' GROUP BY v ORDER BY v",
  "SELECT id, toInt64(text) AS v FROM t WHERE num > 5 AND sparse != 3 AND length(text) < 3 AND secret = 'mine' ORDER BY id",
];

/** Of each kind of table with each of these queries, a share, in which all kinds are; all of them with `npm run test:all`. */
function formsOf(kinds: readonly string[], every: number): readonly Oracle[] {
  const step = IS_COMPLETE ? 1 : every;
  return kinds.flatMap((kind, index) =>
    FORMS.filter((_, form) => (index + form) % step === 0).map((text) => ({ ...sql(text), kind })),
  );
}

test('every form of the tables', { timeout: 3_600_000 }, async () => {
  // All kinds and all queries.
  const all = formsOf(
    TABLE_KINDS.map(({ name }) => name),
    FORMS.length,
  );
  const { leaks, statuses } = await findLeaks(all);
  expect(leaks).toEqual([]);
  expect(statuses.get(200)).toBeGreaterThan(all.length * 0.7);
});

test('over redacted tables', { timeout: 3_600_000 }, async () => {
  const kinds = ['by_project', 'by_value', 'indexed', 'joined', 'map'];
  const forms = formsOf(kinds, 9);
  const corpus = [...BENIGN, ...ATTACKS]
    .filter(({ sql: text }, index) => index % (IS_COMPLETE ? 8 : 32) === 0 && !/\bnow/i.test(text))
    .map(({ sql: text }): Oracle => ({ ...sql(text), kind: 'corpus' }));
  const generated = oracles(CASES / (IS_COMPLETE ? 5 : 10), SEED + 2);
  const { leaks, statuses } = await findLeaks([...forms, ...generated], { protection: 'redacted' });
  const { leaks: more } = await findLeaks(corpus, { protection: 'redacted', isOrdered: false });
  expect([...leaks, ...more]).toEqual([]);
  expect(statuses.get(200)).toBeGreaterThan((forms.length + generated.length) / 2);
});

test('functions listed as leakproof are', { timeout: 3_600_000 }, async () => {
  const { leaks, statuses } = await findLeaks(leakproofCalls(CASES / 2, SEED));
  expect(leaks).toEqual([]);
  // Most combinations of functions and arguments mean nothing.
  expect(statuses.get(200)).toBeGreaterThan(CASES / 100);
});

test('a condition that matches no row is not cached for the endpoint’s queries', async () => {
  const count = { ...sql('SELECT count() AS n FROM t'), kind: 'prewhere' };
  for (const text of [
    "SELECT id FROM t WHERE secret = 'nobody'",
    'SELECT id FROM t WHERE intDiv(10, num + 1) = 77',
  ]) {
    await tenants.both('prewhere', sql(text));
    const answers = [
      ...(await tenants.both('prewhere', count)),
      ...(await tenants.both('prewhere', count, 'none')),
    ];
    expect(answers.map(({ body }) => body.trim())).toEqual(answers.map(() => '{"n":96}'));
  }
});

test(
  'nor are index entries of all tenants, without a second statement over rebuilt JSON',
  { timeout: 600_000 },
  async () => {
    const kinds = ['sets', 'bounds', 'indexed', 'by_time', 'by_value'];
    // Each condition with one of the kinds, with all of them in `npm run test:all`.
    const step = IS_COMPLETE ? 1 : kinds.length;
    const all = some(INDEX_ORACLES, 2).flatMap((condition, index) =>
      kinds
        .filter((_, kind) => (index + kind) % step === 0)
        .map((kind): Oracle => ({ ...sql(`SELECT count() FROM t WHERE ${condition}`), kind })),
    );
    expect((await findLeaks(all, { protection: 'settings' })).leaks.length).toBeGreaterThan(
      all.length / kinds.length,
    );
    expect((await findLeaks(all, { protection: 'retry' })).leaks).toEqual([]);
    // Elements of JSON of unknown type need the second statement.
    const calls = leakproofCalls(CASES / 2, SEED + 1).filter(({ text }) => !text.includes('doc.x'));
    expect((await findLeaks(calls, { protection: 'retry' })).leaks).toEqual([]);
  },
);

describe('without a protection, the test detects the leak', () => {
  test.each<{ kind: string; text: string; without: Protection; why: string }>([
    {
      why: 'the optimizer evaluates the cheaper condition first',
      kind: 'compact',
      text: "SELECT count() FROM t WHERE intDiv(1, NOT (secret LIKE 'CANARY%'))",
      without: 'none',
    },
    {
      why: 'conditions on one column are evaluated in one step',
      kind: 'map',
      text: "SELECT count(), sum(v) FROM (SELECT toUInt64(attrs['text']) AS v FROM t) WHERE v > 5",
      without: 'none',
    },
    {
      why: 'a join key is computed while the table is read',
      kind: 'compact',
      text: 'SELECT count() FROM (SELECT toUInt64(text) AS k FROM t) AS l JOIN (SELECT toUInt64(5) AS k) AS r ON l.k = r.k',
      without: 'none',
    },
    {
      why: 'a condition is moved below the join that has the tenant condition',
      kind: 'joined',
      text: 'SELECT count() FROM t WHERE toUInt64(text) > 5',
      without: 'settings',
    },
    {
      why: 'a set index evaluates the condition on values of all tenants',
      kind: 'indexed',
      text: 'SELECT count() FROM t WHERE toUInt64(text) > 5',
      without: 'settings',
    },
    {
      why: 'the primary index evaluates functions on keys of all tenants',
      kind: 'by_value',
      text: "SELECT count() FROM t WHERE accurateCast(num, 'Int16') >= 0",
      without: 'settings',
    },
    {
      why: 'a condition on a computed column is a condition on its source',
      kind: 'computed',
      text: 'SELECT count() FROM t WHERE num > 5',
      without: 'settings',
    },
    {
      why: 'an operator fails on a value of type Dynamic',
      kind: 'prefix',
      text: "SELECT count() FROM t WHERE if(num > 3, empty(lower(concat((doc.x > 4), ''))), 1)",
      without: 'barrier',
    },
    {
      why: 'a cast of a JSON path fails on a type that only other tenants’ rows have',
      kind: 'by_project',
      text: 'SELECT toInt64(doc.x) AS v FROM t ORDER BY v LIMIT 1',
      without: 'retry',
    },
  ])('$why', async ({ kind, text, without }) => {
    expect((await findLeaks([{ ...sql(text), kind }], { protection: without })).leaks).toHaveLength(1);
    expect((await findLeaks([{ ...sql(text), kind }])).leaks).toEqual([]);
  });
});
