// The attack corpus against the variants of an endpoint with choices and optional parts.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCompile } from '../../../src/service/endpoints/compile.ts';
import type { Endpoint } from '../../../src/service/endpoints/endpoint.ts';
import { Problem } from '../../../src/sql/base/problem.ts';
import type { Sandbox } from '../../../src/guard/sandbox/sandbox.ts';
import { some } from '../../support/runs.ts';
import {
  ATTACKS,
  BENIGN,
  codeOf,
  describeTables,
  openSandbox,
  openWorld,
  outlineOf,
  type World,
} from './fixture.ts';

/** The tables of the corpus' endpoint, with a choice of columns, a condition by choice, and optional parts. */
const FILE = `id: 0b0e6f5a-3f0e-4a55-9d2b-6a1e7c1f2d30
name: corpus
query: |
  WITH edge_logs AS (
    SELECT id, timestamp, event_message, method, path, status, ms, ip, user_id, tags, attrs, @document
    FROM app.logs WHERE project = @project AND source = 'edge' AND @filter
    /* if @least */ AND status >= @least /* end */
  ),
  auth_logs AS (
    SELECT id, timestamp, event_message, user_id, action, ip, metadata
    FROM app.logs WHERE project = @project AND source = 'auth'
    /* if @newest */ ORDER BY @order /* if @rows */ LIMIT @rows /* end */ /* end */
  )
  SELECT id, timestamp, event_message FROM edge_logs ORDER BY @order LIMIT 10
parameters:
  project: { type: String, required: true }
  least: { type: UInt16 }
  newest: { type: Bool }
  rows: { type: UInt16 }
  document: { choices: { metadata: metadata, small: metadata }, default: metadata }
  filter: { choices: { all: status >= 0 OR 1 = 1, some: status < 1000 OR ms >= 0 }, default: all }
  order: { choices: { time: timestamp DESC, id: id }, default: time }
sandbox: { enabled: true }
`;

let world: World;
const sandboxes = new Map<string, Sandbox>();
const endpoint = compile();
/** Every fifth variant, in which all values of each parameter are; all of them with `npm run test:all`. */
const variants = some([...endpoint.variants()], 5);

function compile(): Endpoint {
  const { candidate, diagnostics } = createCompile({ piiHashKey: undefined })('corpus.yaml', FILE);
  if (candidate === undefined) throw new Error(JSON.stringify(diagnostics));
  return candidate.endpoint;
}

/** The query with values where the corpus' engine has none. */
function boundSql({ query }: Endpoint): string {
  return query.replaceAll(/\{(?!project:)\w+:\w+\}/g, '100');
}

beforeAll(async () => {
  world = await openWorld();
  for (const variant of variants) {
    const sql = boundSql(variant);
    const columns = await describeTables(world, sql);
    sandboxes.set(variant.variant, openSandbox({ boundSql: sql, explain: world.explain, columns }));
  }
}, 120_000);
afterAll(() => world.oracle.close());

test('every combination is a variant', () => {
  // Two documents, filters and orders, with or without least, newest and rows, which decides only with newest.
  expect([...endpoint.variants()]).toHaveLength(48);
  expect(endpoint.hasEveryVariant).toBe(true);
});

/** Each attack against one of the variants: all of those are in it. */
const attacks = ATTACKS.map(({ id, sql }, index) => [id, index, sql] as const);

test.each(attacks)('attack %s is rejected by variant %i: %s', async (_id, turn, sql) => {
  const all = [...sandboxes.values()];
  const problem = await all[turn % all.length]?.check(sql).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(problem).toBeInstanceOf(Problem);
  expect(problem).toMatchObject({ status: 400, code: expect.stringMatching(/^sandbox\./) });
});

test('benign queries run on the rows of the variant, and on no others', async () => {
  const all = [...sandboxes];
  const seen: number[] = [];
  // Every second query, all of them with `npm run test:all`.
  const queries = some(BENIGN, 2);
  for (const [index, { sql }] of queries.entries()) {
    const [, sandbox] = all[index % all.length] ?? [];
    if (sandbox === undefined) continue;
    const { sql: statement } = sandbox.assemble(await sandbox.check(sql), 1000);
    const rows = await world.run(statement).catch(codeOf);
    if (typeof rows !== 'string') continue;
    seen.push(index);
    expect(rows).not.toContain('CANARY');
  }
  expect(seen.length).toBeGreaterThan(queries.length * 0.9);
});

test('a table of the sandbox is confined in every variant', async () => {
  for (const variant of endpoint.variants()) {
    const sql = boundSql(variant);
    const rows = await world.run(`${sql.slice(0, outlineOf(sql).withEnd)} SELECT * FROM edge_logs`);
    expect({ variant: variant.variant, hasOthers: rows.includes('CANARY') }).toMatchObject({
      hasOthers: false,
    });
  }
});
