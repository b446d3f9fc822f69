// Non-interference over time: the response to a query is the same before, between and after runs of it by another tenant, and from the
// first run to the last. The engine has run none of these queries before, so that what it remembers of them shows.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDescribe } from '../../../src/service/endpoints/describe.ts';
import type { Engine } from '../../../src/service/engine/engine.ts';
import { createSandboxes } from '../../../src/service/request/consumer/sandboxes.ts';
import { some, runs } from '../../support/runs.ts';
import { openTestEngine } from '../../support/test-engine.ts';
import { ACCEPTED } from './accepted.ts';
import { ATTACKS, BENIGN } from './fixture.ts';
import { oracles, type Oracle } from './oracles.ts';
import { compile, corpusFileOf, createRun, fileOf, fill, fillCorpus, TABLE_KINDS } from './tenants.ts';
import type { Protection, Run, Seen } from './tenants.ts';
import { planWith } from '../../support/plan-with.ts';

/** What counts runs counts to three. */
const RUNS = 4;
const AT_ONCE = 3;
const KINDS = TABLE_KINDS.filter(({ name }) =>
  ['compact', 'by_path', 'indexed', 'map', 'joined'].includes(name),
);
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_240_101);

let engine: Engine;
let run: (protection: Protection) => Run;
const endpoints = new Map<string, Parameters<Run>[0]>();

beforeAll(async () => {
  engine = await openTestEngine(AT_ONCE);
  await fill(engine, 'hostile', KINDS);
  await fillCorpus(engine, 'hostile');
  const describe = createDescribe(engine);
  const plan = planWith({ sandboxes: createSandboxes(engine, describe), describe });
  run = (protection) => createRun(engine, plan, protection);
  for (const kind of KINDS) endpoints.set(kind.name, compile(fileOf(kind, 'hostile')));
  endpoints.set('corpus', compile(corpusFileOf('hostile')));
});
afterAll(() => engine.close(0));

const sorted = ({ status, body }: Seen): string => `${status} ${body.split('\n').toSorted().join('\n')}`;

/** The different responses to each tenant, over `RUNS` runs by one, as many by the other, and so on. */
async function responsesTo(oracle: Oracle, protection: Protection): Promise<readonly (readonly string[])[]> {
  const endpoint = endpoints.get(oracle.kind);
  if (endpoint === undefined) throw new Error(`no table ${oracle.kind}`);
  const responses = new Map([
    ['mine', new Set<string>()],
    ['other', new Set<string>()],
  ]);
  for (const project of ['mine', 'other', 'mine', 'other', 'mine']) {
    for (let count = 0; count < RUNS; count++) {
      responses.get(project)?.add(sorted(await run(protection)(endpoint, oracle, project)));
    }
  }
  return [...responses.values()].map((each) => [...each]);
}

/** The queries whose responses to a tenant are not all the same; how many were accepted. */
async function findChanges(
  all: readonly Oracle[],
  protection: Protection = 'service',
): Promise<{ readonly changes: readonly string[]; readonly accepted: number }> {
  const changes: string[] = [];
  let accepted = 0;
  const rest = all.values();
  const work = async (): Promise<void> => {
    for (const oracle of rest) {
      const responses = await responsesTo(oracle, protection);
      if (responses[0]?.[0]?.startsWith('200') === true) accepted++;
      for (const each of responses) {
        if (each.length > 1) changes.push(`${oracle.kind}: ${oracle.text}: ${each.join(' / ')}`);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { changes, accepted };
}

const sql = (kind: string, text: string): Oracle => ({ kind, language: 'sql', dialect: 'clickhouse', text });

/** What the engine learns: counts of patterns, aggregates, sort keys and expressions; sizes of hash tables; granules without rows. */
const REMEMBERED: readonly Oracle[] = [
  sql('corpus', "SELECT match(concat(left(event_message, 0), 'a=1&', unhex('ff')), 'a=1[^y]+$') AS m FROM edge_logs LIMIT 1"),
  sql('compact', "SELECT count() AS n FROM t WHERE match(concat(text, 'a=2&', unhex('ff')), 'a=2&.+$')"),
  sql('compact', "SELECT id FROM t WHERE match(concat(id, '&', unhex('fe')), 'mine-7&[^y]+$') OR match(concat(id, unhex('fe')), 'other-7[^y]+$')"),
  sql('map', "SELECT countIf(match(concat(attrs['text'], unhex('80')), '5[^y]$')) AS n FROM t"),
  sql('compact', 'SELECT low, avgWeighted(nan * toUInt32(num), toUInt32(num)) AS a FROM t GROUP BY low'),
  sql('compact', 'SELECT avgWeighted(if(num = 1, nan, num), toUInt16(num)) AS a, avg(ratio / 0) AS b FROM t GROUP BY num % 3'),
  sql('compact', "SELECT id, if(num >= -5, toDateTime64('2299-12-31 00:00:00', 3) + toIntervalSecond(toInt8(num % 2)), toDateTime64('2024-01-01', 9)) AS v FROM t"),
  sql('compact', "SELECT id, if(num >= -6, materialize(toDateTime64('2299-12-31 00:00:00', 3)), toDateTime64('2024-01-01', 9)) AS v FROM t"),
  sql('indexed', "SELECT id FROM t WHERE secret = 'nobody'"),
  sql('indexed', 'SELECT id FROM t ORDER BY if(num % 5 = 0, nan, num), low DESC, id LIMIT 9'),
  sql('joined', 'SELECT a.id FROM t AS a JOIN t AS b ON a.num = b.num JOIN t AS c ON c.id = b.id WHERE c.num < 20'),
  sql('by_path', 'SELECT doc.code % 7 AS k, count() AS n, uniq(id), max(doc.text) FROM t GROUP BY k HAVING n > 3'),
  sql('by_path', 'SELECT DISTINCT doc.text FROM t ORDER BY doc.text'),
]; // prettier-ignore

test('what the engine remembers of a query changes no later response', { timeout: 600_000 }, async () => {
  const { changes, accepted } = await findChanges(REMEMBERED);
  expect(changes).toEqual([]);
  expect(accepted).toBeGreaterThan(REMEMBERED.length / 2);
});

/** Different in two runs, whatever has run. */
const CHANGING = /\b(?:now\w*|today|yesterday|rand\w*|generate\w+|current_\w+)\b/i;

test('nor do queries of the corpus', { timeout: 7_200_000 }, async () => {
  const texts = [...BENIGN.map((each) => each.sql), ...ATTACKS.map((each) => each.sql), ...ACCEPTED];
  const all = some(texts, 40).filter((text) => !CHANGING.test(text));
  const { changes, accepted } = await findChanges(all.map((text) => sql('corpus', text)));
  expect(changes).toEqual([]);
  expect(accepted).toBeGreaterThan(all.length / 10);
});

test('nor generated ones', { timeout: 7_200_000 }, async () => {
  const kinds = new Set(KINDS.map(({ name }) => name));
  const generated = oracles(runs(40, 400), SEED + 5).filter(
    ({ kind, text }) => kinds.has(kind) && !CHANGING.test(text),
  );
  const { changes, accepted } = await findChanges(generated);
  expect(changes).toEqual([]);
  expect(accepted).toBeGreaterThan(generated.length / 3);
});

test.each([
  ['a pattern', 'compact', "SELECT match(concat(text, 'b=1&', unhex('ff')), 'b=1&[^y]+$') AS m FROM t LIMIT 1"],
  ['an aggregate', 'compact', 'SELECT avgWeighted(nan * toUInt8(num), toUInt8(num)) AS a FROM t GROUP BY num % 1'],
] as const)('with the defaults of the engine, the test detects %s', async (_, kind, text) => {
  expect((await findChanges([sql(kind, text)], 'defaults')).changes).not.toEqual([]);
}); // prettier-ignore
