// Mutated queries: whenever another tenant's rows or hidden values appear, the comparison reports it as security, and
// `validate` takes the query for unconfined. Rewritten queries raise no alarm.
import { afterAll, expect, test } from 'vitest';
import { createRandom, type Random } from '../../guard/query/mutants.ts';
import { runs } from '../../support/runs.ts';
import { alarms, isConfined, modelOf, securityChanges, tenantOf } from './judge.ts';
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
  readonly model: Model;
}

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
      const seen = await resultOf(sql);
      const isBase = tenant !== undefined && seen?.leaks === false;
      const model = isBase ? await modelOf(world, sql) : undefined;
      known.set(sql, isBase ? { sql, tenant, shown: seen.shown, model } : undefined);
    }
    const base = known.get(sql);
    if (base !== undefined) return base;
  }
}

interface Result {
  /** Another tenant's rows change it. */
  readonly leaks: boolean;
  /** The forms of values that it has. */
  readonly shown: ReadonlySet<RegExp>;
}

/** Undefined if the engine rejects the query. */
async function resultOf(sql: string): Promise<Result | undefined> {
  try {
    const other = await world.rows(sql, { database: 'other' });
    const alone = await world.rows(sql, { database: 'alone' });
    const leaks = alone !== other || alone !== (await world.rows(sql, { database: 'changed' }));
    return { leaks, shown: new Set(SECRETS.filter((pattern) => pattern.test(other))) };
  } catch {
    return undefined;
  }
}

test('no mutant that shows more passes', { timeout: 7_200_000 }, async () => {
  const random = createRandom(SEED);
  const misses: string[] = [];
  const counts = { tried: 0, accepted: 0, leaks: 0, more: 0 };
  const seen = new Set<string>();
  for (const target = runs(15, 50); counts.accepted < target && counts.tried < target * 10; counts.tried++) {
    const base = await baseOf(random);
    const { sql, names } = edited(base.sql, MUTATIONS, 3, random);
    if (names.length === 0 || seen.has(sql)) continue;
    seen.add(sql);
    const result = await resultOf(sql);
    if (result === undefined) continue;
    counts.accepted++;
    const isMore = [...result.shown].some((each) => !base.shown.has(each));
    if (result.leaks || isMore) {
      counts[result.leaks ? 'leaks' : 'more']++;
      misses.push(...(await missesOf(base, sql, result.leaks, random() < 0.5)));
    } else if (pool.length < MAX_POOL && isConfined(await modelOf(world, sql), base.tenant)) pool.push(sql);
  }
  expect(misses).toEqual([]);
  expect(counts.leaks).toBeGreaterThan(runs(15, 50) / 10);
});

/** What does not report a mutant that shows more. */
async function missesOf(
  base: Base,
  sql: string,
  leaks: boolean,
  isTable: boolean,
): Promise<readonly string[]> {
  const after = await modelOf(world, sql);
  // A new column of a saved query is listed with `column.added`.
  const isListed = !leaks && !isTable && hasNewColumn(base.model, after);
  const isCompared = isListed || securityChanges(base.model, after, isTable).length > 0;
  return [
    ...(isCompared ? [] : [`compared: ${base.sql}\n=> ${sql}`]),
    ...(leaks && isConfined(after, base.tenant) ? [`confined: ${sql}`] : []),
  ];
}

type Model = Awaited<ReturnType<typeof modelOf>>;

function hasNewColumn(before: Model, after: Model): boolean {
  const names = new Set(before?.columns.map(({ name }) => name));
  return after?.columns.some(({ name }) => !names.has(name)) ?? true;
}

test('rewrites raise no alarm', { timeout: 7_200_000 }, async () => {
  const random = createRandom(SEED + 1);
  const raised: string[] = [];
  const target = runs(5, 10);
  let accepted = 0;
  for (let tried = 0; accepted < target && tried < target * 10; tried++) {
    const base = await baseOf(random);
    const { sql, names } = edited(base.sql, REWRITES, 3, random);
    if (names.length === 0 || !(await haveEqualRows(base.sql, sql))) continue;
    const after = await modelOf(world, sql);
    if (hasNewColumn(base.model, after)) continue;
    accepted++;
    if (base.model === undefined || after === undefined) continue;
    const changes = alarms(base.model, after, random() < 0.5);
    if (changes.length > 0) raised.push(`${base.sql}\n=> ${sql}\n${names.join('; ')}\n${changes.join('\n')}`);
  }
  expect(accepted).toBeGreaterThan(target / 2);
  expect(raised.slice(Math.floor(accepted * 0.01))).toEqual([]);
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
