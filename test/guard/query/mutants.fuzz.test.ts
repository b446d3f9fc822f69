// Mutated queries: none whose result depends on another tenant's rows is taken for confined; rewritten queries stay confined.
import { afterAll, expect, test } from 'vitest';
import { runs } from '../../support/runs.ts';
import { createRandom, mutant, rewritten } from './mutants.ts';
import { openSources, openTwoTenants } from './world.ts';

const SEED = Number(process.env['FUZZ_SEED'] ?? 1);

const world = await openTwoTenants();
afterAll(() => world.close());

/** With known columns, a comparison of another column with the parameter is no confinement. */
const COLUMNS = new Set(['tenant', 'meta.project', 'attributes.tenant']);

test('no mutant that depends on other tenants’ rows is confined', { timeout: 3_600_000 }, async () => {
  const random = createRandom(SEED);
  const misses: string[] = [];
  const counts = { tried: 0, accepted: 0, confined: 0 };
  const seen = new Set<string>();
  for (const target = runs(20, 80); counts.accepted < target && counts.tried < target * 10; counts.tried++) {
    const sql = mutant(random);
    if (seen.has(sql)) continue;
    seen.add(sql);
    const model = await world.model(sql, { columns: COLUMNS }).catch(() => undefined);
    if (model === undefined) continue;
    const isConfined = openSources(model).length === 0;
    const leaks = isConfined ? await world.leaks(sql).catch(() => undefined) : false;
    if (leaks === undefined) continue;
    counts.accepted++;
    if (isConfined) counts.confined++;
    if (leaks) misses.push(sql);
  }
  expect(misses).toEqual([]);
  expect(counts.accepted).toBeGreaterThanOrEqual(runs(20, 80));
  expect(counts.confined).toBeGreaterThan(0);
});

test('rewritten queries stay confined', { timeout: 3_600_000 }, async () => {
  const random = createRandom(SEED + 1);
  const alarms: string[] = [];
  let accepted = 0;
  for (let tried = 0; tried < runs(8, 25); tried++) {
    const [original, sql] = rewritten(random);
    const rows = await world.rows(sql).catch(() => undefined);
    if (rows === undefined || rows !== (await world.rows(original))) continue;
    accepted++;
    if (openSources(await world.model(sql, { columns: COLUMNS })).length > 0) alarms.push(sql);
  }
  expect(accepted).toBeGreaterThan(0);
  expect(alarms.slice(Math.floor(accepted * 0.02))).toEqual([]);
});
