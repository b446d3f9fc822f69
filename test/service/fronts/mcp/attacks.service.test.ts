// The attack corpus, other tenants' rows and personal data through the tools of agents that take a query.
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ATTACKS, BENIGN } from '../../../guard/sandbox/fixture.ts';
import { INDEX_ORACLES, oracles } from '../../../guard/sandbox/oracles.ts';
import { DATABASES, rotated, startAttacked } from '../../../support/attacked-service.ts';
import { runs, some, someOfEach } from '../../../support/runs.ts';
import { KEY } from '../../../support/service.ts';
import { ask, connected, rowsOf, type Asked, type Connected } from './world/world.ts';

const KINDS = ['compact', 'by_path', 'joined', 'indexed', 'map'];
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_240_101);

let world: Connected;
let client: Client;
beforeAll(async () => {
  world = connected(await startAttacked({ kinds: KINDS }));
  client = await world.connect(KEY);
}, 600_000);
afterAll(() => world.stop());

/** Both tools that take a query. */
const both = async (args: Readonly<Record<string, unknown>>): Promise<readonly [Asked, Asked]> => [
  await ask(client, 'query', args),
  await ask(client, 'explain', args),
];
/** Names that only the engine knows: stored tables, and those of other tenants. */
const SECRETS = /CANARY|_secret|users_|\b(?:default|app)\.\w|DB::Exception|node_modules/;
const mine = { endpoint: 'corpus', parameters: { project: 'mine' } };

test('the attacks of the corpus', async () => {
  // The others are in the tests of other interfaces.
  const tried = someOfEach(ATTACKS, ({ cat }) => cat, { each: 9, from: 2 });
  const isExplained = new Set(some(tried, 4));
  for (const attack of tried) {
    const { id, sql } = attack;
    const ran = await ask(client, 'query', { ...mine, sql });
    expect([id, ran.isError, ran.text.slice(0, 400)]).toEqual([id, true, expect.any(String)]);
    const explained = isExplained.has(attack) ? [await ask(client, 'explain', { ...mine, sql })] : [];
    for (const { text, structured } of [ran, ...explained]) {
      // A message may quote the query, which names what it looks for.
      const shown = (text + JSON.stringify(structured)).replaceAll(sql, '');
      const found = [...shown.matchAll(new RegExp(SECRETS, 'g'))].filter(([match]) => !sql.includes(match));
      expect([id, shown.slice(0, 400), found.map(([match]) => match)]).toEqual([id, expect.any(String), []]);
    }
  }
}, 600_000); // prettier-ignore

test('the consumer queries of the corpus are answered, with the rows of the API', async () => {
  for (const { id, sql } of someOfEach(BENIGN, ({ cat }) => cat, { each: 24 })) {
    const expected = await world.call('/api/endpoints/query/corpus', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ project: 'mine', sql }),
    });
    const { result } = (await expected.json()) as { result: unknown[] }; // our own envelope
    const [ran, explained] = await both({ ...mine, sql });
    expect([id, ran.isError, ran.text]).toEqual([id, false, expect.not.stringContaining('CANARY')]);
    expect([id, explained.isError, explained.text]).toEqual([id, false, expect.not.stringMatching(/CANARY|\bapp\.\w/)]);
    expect([id, ran.structured['row_count']]).toEqual([id, result.length]);
    if (ran.structured['complete'] === true) expect(rowsOf(ran)).toHaveLength(result.length);
  }
}, 600_000); // prettier-ignore

test('attacks in the other arguments', async () => {
  const own = 'SELECT id FROM edge_logs';
  const secret = 'SELECT name FROM default.users';
  for (const args of [
    { ...mine, sql: own, parameters: { project: "mine' OR project = 'other" } },
    { ...mine, sql: own, parameters: { project: ['mine', 'other'] } },
    { ...mine, sql: own, parameters: { project: { toString: 'mine' } } },
    { ...mine, sql: own, parameters: { project: 'mine', sql: secret } },
    { ...mine, sql: own, parameters: { project: 'mine', lql: 's:*' } },
    { ...mine, sql: own, parameters: { project: 'mine', format: 'csv' } },
    { ...mine, sql: own, parameters: [['project', 'mine']] },
    { ...mine, sql: own, parameters: JSON.parse('{"__proto__":{"project":"other"}}') as unknown },
    { ...mine, sql: own, format: 'Pretty' },
    { ...mine, sql: own, project: 'other' },
    { ...mine, sql: own, settings: { readonly: 0 } },
    { ...mine, sql: own, dialect: "clickhouse' SETTINGS readonly=0 --" },
    { ...mine, sql: [own] },
    { ...mine, sql: { toString: own } },
    { ...mine, sql: own, lql: 's:*' },
    { ...mine, sql: own, max_rows: 1e9 },
    { ...mine, sql: own, max_rows: -1 },
    { ...mine, endpoint: 'corpus?project=other', sql: own },
    { ...mine, endpoint: '../corpus', sql: own },
    { ...mine, endpoint: 'corpus\0', sql: own },
    { ...mine, endpoint: ['corpus'], sql: own },
    { endpoint: 'corpus', sql: own },
  ]) {
    for (const { text, structured } of await both(args))
      expect([args, text + JSON.stringify(structured)]).toEqual([args, expect.not.stringMatching(/CANARY|users_/)]);
  }
  for (const args of [
    { table: 'users' },
    { table: 'default.users' },
    { table: 'edge_logs` UNION ALL SELECT name FROM default.users --' },
    { table: "edge_logs'" },
    { table: ['edge_logs'] },
    { table: 'edge_logs', path: "metadata') UNION ALL SELECT * FROM default.users --" },
    { table: 'edge_logs', path: '__proto__' },
    { table: 'edge_logs', parameters: { project: "mine' OR 1 --" } },
  ]) {
    const { text, structured } = await ask(client, 'describe_tables', { ...mine, ...args });
    expect([args, text + JSON.stringify(structured)]).toEqual([args, expect.not.stringMatching(/CANARY|users_/)]);
  }
}); // prettier-ignore

describe('other tenants’ rows change nothing', () => {
  /** What an agent sees, with the name of the database taken out. */
  const seen = async (tool: string, kind: string, args: Readonly<Record<string, unknown>>) =>
    Promise.all(
      DATABASES.map(async (database) => {
        const asked = await ask(client, tool, { endpoint: `${kind}.${database}`, parameters: { project: 'mine' }, ...args });
        // The time of the service, and the tag of rows, which depends on them alone.
        const text = JSON.stringify(asked).replaceAll(database, '').replace(/(?:time of the service|Request id): [^\\]+/, '');
        return { isError: asked.isError, text };
      }),
    ); // prettier-ignore

  test.each(KINDS)('in the description of a table: %s', async (kind) => {
    const [calm, hostile] = await seen('describe_tables', kind, { table: 't' });
    expect(hostile).toEqual(calm);
    expect(calm).toEqual({ isError: false, text: expect.not.stringContaining('CANARY') });
    // It has values of the tenant's own rows.
    expect(calm?.text).toContain('mine-');
  });

  test('in generated queries', { timeout: 3_600_000 }, async () => {
    const generated = some(oracles(runs(16, 40), SEED), 2);
    const results = new Map<boolean, number>();
    const queries = [
      ...some(INDEX_ORACLES, 16).map((condition) => ({ language: 'sql' as const, text: `SELECT count() AS n FROM t WHERE ${condition}` })),
      ...generated,
    ];
    for (const [index, query] of queries.entries()) {
      const kind = rotated(KINDS, index);
      const dialect = 'dialect' in query && query.dialect !== undefined ? { dialect: query.dialect } : {};
      const args = query.language === 'lql' ? { lql: query.text } : { sql: query.text, ...dialect };
      const [calm, hostile] = await seen(index % 5 === 0 ? 'explain' : 'query', kind, args);
      expect([query, hostile]).toEqual([query, calm]);
      results.set(calm?.isError ?? true, (results.get(calm?.isError ?? true) ?? 0) + 1);
    }
    // Queries that all fail would prove nothing.
    expect(results.get(false)).toBeGreaterThan(queries.length / 4);
  }); // prettier-ignore
});
