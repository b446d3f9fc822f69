// A routed statement answers as the statement over the rows does: generated tables, rollups and queries.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRouter } from '../../../src/guard/rollups/route.ts';
import { EngineError, type Engine } from '../../../src/service/engine/engine.ts';
import { collect, statement } from '../../support/engine-statements.ts';
import { runs } from '../../support/runs.ts';
import { openTestEngine } from '../../support/test-engine.ts';
import { createRandom, type Random } from '../sandbox/mutants.ts';
import { generateWorld, type World } from './generated.ts';
import { generateOddQuery } from './odd-queries.ts';
import { generateQuery } from './queries.ts';

/** Routed queries; as many again have to read the rows. */
const CASES = runs(300, 500);
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_260_315);
/** Routed queries of one generated table. */
const EACH = 50;
const AT_ONCE = 4;

type Origin = 'saved' | 'consumer';

let engine: Engine;
beforeAll(async () => {
  engine = await openTestEngine(AT_ONCE);
});
afterAll(() => engine.close(1000));

const FORMAT = {
  engine: 'JSONCompactEachRowWithNamesAndTypes',
  settings: { output_format_json_quote_denormals: '1' },
};

/** Names, types and rows, which have no order unless the query has. */
async function answerOf(sql: string, origin: Origin, isOrdered: boolean): Promise<string> {
  const answer = (await collect(engine, statement(sql, { origin }), { format: FORMAT })).toString();
  const [names = '', types = '', ...rows] = answer.split('\n');
  return [names, types, ...(isOrdered ? rows : rows.toSorted())].join('\n');
}

function loggedOf(cause: unknown): string {
  if (cause instanceof EngineError) return cause.logged;
  throw cause;
}

/** Returns both results if the routed query gives another one than the query over the rows. */
async function differenceOf(sql: string, routed: string, origin: Origin): Promise<string | undefined> {
  const isOrdered = /ORDER BY k[^()]*$/.test(sql);
  const [direct, other] = await Promise.all(
    [sql, routed].map((each) => answerOf(each, origin, isOrdered).catch((cause: unknown) => loggedOf(cause))),
  );
  // What the routed query does not read, such as a column that does not exist, cannot fail it. If both fail, the query over the rows runs.
  const isError = direct?.startsWith('[') !== true;
  return direct === other || isError ? undefined : [sql, routed, direct, other].join('\n');
}

function* routedQueries(random: Random, { inUse }: World): Generator<readonly [string, string], never> {
  const router = createRouter({ zone: 'UTC' });
  for (;;) {
    const generate = random(2) === 0 ? generateQuery : generateOddQuery;
    const sql = generate(random, inUse.rollup.source.database);
    const route = router.route(sql, () => [inUse]);
    if (route?.kind === 'rollup') yield [sql, route.sql];
  }
}

test(`${CASES} generated queries are answered alike`, { timeout: 7_200_000 }, async () => {
  const random = createRandom(SEED);
  const different: string[] = [];
  for (let index = 0; index * EACH < CASES; index++) {
    const world = generateWorld(random, index);
    for (const each of world.statements) await engine.execute(each);
    const queries = routedQueries(random, world);
    const rest = Array.from(
      { length: Math.min(EACH, CASES - index * EACH) },
      () => queries.next().value,
    ).entries();
    const work = async (): Promise<void> => {
      for (const [at, [sql, routed]] of rest) {
        // The engine compiles the aggregates of saved queries, which takes longer than all else that it does for them.
        const difference = await differenceOf(sql, routed, at % 5 === 0 ? 'saved' : 'consumer');
        if (difference !== undefined) different.push(difference);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    await engine.execute(`DROP DATABASE ${world.inUse.rollup.source.database}`);
  }
  expect(different).toEqual([]);
});
