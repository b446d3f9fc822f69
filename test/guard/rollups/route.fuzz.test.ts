// A routed statement answers as the statement over the rows does: generated tables, rollups and queries.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRouter } from '../../../src/guard/rollups/route.ts';
import type { Engine } from '../../../src/service/engine/engine.ts';
import { statement, text } from '../../support/engine-statements.ts';
import { runs } from '../../support/runs.ts';
import { openTestEngine } from '../../support/test-engine.ts';
import { createRandom } from '../sandbox/mutants.ts';
import { generateWorld } from './generated.ts';
import { generateQuery } from './queries.ts';

const CASES = runs(300, 1000);
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_260_315);
/** Queries of one generated table. */
const EACH = 40;

let engine: Engine;
beforeAll(async () => {
  engine = await openTestEngine(4);
});
afterAll(() => engine.close(1000));

/** Names, types and rows, which have no order unless the query has; or that it fails. */
async function answer(sql: string): Promise<string> {
  const whole = await text(engine, statement(sql), 'JSONCompactEachRowWithNamesAndTypes' as never).catch((error: unknown) => `failed: ${String(error)}`);
  const [names = '', types = '', ...rows] = whole.split('\n');
  return [names, types, ...(/ORDER BY k/.test(sql) ? rows : rows.toSorted())].join('\n');
}

test(`${CASES} generated queries are answered alike`, { timeout: 7_200_000 }, async () => {
  const random = createRandom(SEED);
  const router = createRouter({ zone: 'UTC' });
  const different: string[] = [];
  const reasons = new Map<string, number>();
  let routed = 0;
  let failed = 0;
  for (let index = 0, left = CASES; left > 0; index++) {
    const { inUse, statements } = generateWorld(random, index);
    for (const each of statements) await engine.execute(each);
    for (let query = 0; query < EACH && left > 0; query++, left--) {
      const sql = generateQuery(random, inUse.rollup.source.database);
      const route = router.route(sql, () => [inUse]);
      if (route?.kind !== 'rollup') {
        const reason = route?.reason ?? 'no table';
        reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
        continue;
      }
      const [direct, other] = await Promise.all([answer(sql), answer(route.sql)]);
      if (direct.startsWith('failed')) failed++;
      else routed++;
      if (direct !== other && !direct.startsWith('failed')) different.push(`${direct.slice(0,600)}\n----\n${other.slice(0,600)}\n${sql}\n${route.sql}\n${JSON.stringify(inUse, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))}`);
    }
    await engine.execute(`DROP DATABASE ${inUse.rollup.source.database}`);
  }
  if (process.env['SHOW_ROUTES'] !== undefined) console.log({ routed, failed }, reasons);
  expect(different).toEqual([]);
  expect(routed).toBeGreaterThan(CASES / 5);
});
