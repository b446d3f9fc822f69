// Mutated queries: whenever another tenant's rows or hidden values appear, the comparison reports it as security, and
// `validate` takes the query for unconfined. Rewritten queries raise no alarm.
import { afterAll, expect, test } from 'vitest';
import { createRandom, type Random } from '../query-model/mutants.ts';
import { runs } from '../support/runs.ts';
import { isConfined, modelOf, securityChanges, tenantOf } from './judge.ts';
import { edited, MUTATIONS, pick, REWRITES } from './mutants.ts';
import { MASKED, QUERIES } from './pairs/all.ts';
import { openProducts } from './pairs/schema.ts';

const SEED = Number(process.env['FUZZ_SEED'] ?? 1);

/** Values that are hidden in some queries, by their forms. */
const SECRETS: readonly RegExp[] = [
  /\w+@[ab]\.eu/,
  /\+\d\d-\d/,
  /\b[456]000-\d/,
  /\b5[12]00\b/,
  /\b10\.0\.0\.\d/,
  /\bkey-a/,
];

const world = await openProducts();
afterAll(() => world.close());

interface Base {
  readonly sql: string;
  readonly tenant: string;
  /** The forms of values that its result has. */
  readonly shown: ReadonlySet<RegExp>;
}

const secretsOf = async (sql: string): Promise<ReadonlySet<RegExp>> => {
  const rows = await world.rows(sql);
  return new Set(SECRETS.filter((pattern) => pattern.test(rows)));
};

const known = new Map<string, Base | undefined>();

/** Mutants whose result depends on one tenant's rows only. */
const pool: string[] = [];
const MAX_POOL = 200;

/** A query whose result depends on one tenant's rows only. */
async function baseOf(random: Random): Promise<Base> {
  for (;;) {
    const sql = pick(pick([QUERIES, QUERIES, MASKED, pool.length > 20 ? pool : QUERIES], random), random);
    if (!known.has(sql)) {
      const tenant = tenantOf(sql);
      const isBase = tenant !== undefined && !(await world.leaks(sql));
      known.set(sql, isBase ? { sql, tenant, shown: await secretsOf(sql) } : undefined);
    }
    const base = known.get(sql);
    if (base !== undefined) return base;
  }
}

interface Shown {
  /** Another tenant's rows change the result. */
  readonly leaks: boolean;
  /** Values of a form that the base does not show. */
  readonly isMore: boolean;
}

/** Undefined if the engine rejects the query. */
async function shownBy(sql: string, base: Base): Promise<Shown | undefined> {
  try {
    const leaks = await world.leaks(sql);
    return { leaks, isMore: [...(await secretsOf(sql))].some((each) => !base.shown.has(each)) };
  } catch {
    return undefined;
  }
}

test('no mutant that shows more passes', { timeout: 7_200_000 }, async () => {
  const random = createRandom(SEED);
  const misses: string[] = [];
  const counts = { tried: 0, accepted: 0, leaks: 0, more: 0 };
  const seen = new Set<string>();
  for (const target = runs(100); counts.accepted < target && counts.tried < target * 10; counts.tried++) {
    const base = await baseOf(random);
    const { sql, names } = edited(base.sql, MUTATIONS, 3, random);
    if (names.length === 0 || seen.has(sql)) continue;
    seen.add(sql);
    const shown = await shownBy(sql, base);
    if (shown === undefined) continue;
    counts.accepted++;
    if (!shown.leaks && pool.length < MAX_POOL && (await isConfined(world, sql, base.tenant))) pool.push(sql);
    if (!shown.leaks && !shown.isMore) continue;
    counts[shown.leaks ? 'leaks' : 'more']++;
    const [before, after] = [await modelOf(world, base.sql), await modelOf(world, sql)];
    const isTable = random() < 0.5;
    // A new column of a saved query is listed with `column.added`.
    const isListed = !shown.leaks && !isTable && hasNewColumn(before, after);
    if (!isListed && securityChanges(before, after, isTable).length === 0)
      misses.push(`compared: ${base.sql}\n=> ${sql}\n${names.join('; ')}`);
    if (shown.leaks && (await isConfined(world, sql, base.tenant))) misses.push(`confined: ${sql}`);
  }
  expect(misses).toEqual([]);
  expect(counts.leaks).toBeGreaterThan(runs(100) / 10);
});

type Model = Awaited<ReturnType<typeof modelOf>>;

function hasNewColumn(before: Model, after: Model): boolean {
  const names = new Set(before?.columns.map(({ name }) => name));
  return after?.columns.some(({ name }) => !names.has(name)) ?? true;
}

test('rewrites raise no alarm', { timeout: 7_200_000 }, async () => {
  const random = createRandom(SEED + 1);
  const alarms: string[] = [];
  const target = runs(20);
  let accepted = 0;
  for (let tried = 0; accepted < target && tried < target * 10; tried++) {
    const base = await baseOf(random);
    const { sql, names } = edited(base.sql, REWRITES, 3, random);
    if (names.length === 0 || !(await haveEqualRows(base.sql, sql))) continue;
    const [before, after] = [await modelOf(world, base.sql), await modelOf(world, sql)];
    if (hasNewColumn(before, after)) continue;
    accepted++;
    const changes = securityChanges(before, after, random() < 0.5);
    if (changes.length > 0) alarms.push(`${base.sql}\n=> ${sql}\n${names.join('; ')}\n${changes.join('\n')}`);
  }
  expect(accepted).toBeGreaterThan(target / 2);
  expect(alarms.slice(Math.floor(accepted * 0.02))).toEqual([]);
});

/** False if the engine rejects the second one. */
async function haveEqualRows(first: string, second: string): Promise<boolean> {
  try {
    for (const database of ['other', 'changed'] as const)
      if ((await world.rows(first, { database })) !== (await world.rows(second, { database }))) return false;
    return true;
  } catch {
    return false;
  }
}
