// Attacks written in BigQuery SQL, and the sandbox's own corpus parsed as BigQuery.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { translate, type SourceTable } from '../../../src/sql/dialects/bigquery/translate.ts';
import { Problem } from '../../../src/sql/base/problem.ts';
import type { Sandbox } from '../../../src/guard/sandbox/sandbox.ts';
import {
  ATTACKS,
  BOUND_SQL,
  openSandbox,
  openWorld,
  outlineOf,
  type World,
} from '../../guard/sandbox/fixture.ts';

// An array of texts.
const OWN = JSON.parse(readFileSync(new URL('attacks.json', import.meta.url), 'utf8')) as readonly string[];
const outline = outlineOf(BOUND_SQL);

let world: World;
let sandbox: Sandbox;
let tables: readonly SourceTable[];

beforeAll(async () => {
  world = await openWorld();
  sandbox = openSandbox({ explain: world.explain });
  tables = await Promise.all(sandbox.tables.map(described));
});
afterAll(() => world.oracle.close());

async function described(name: string): Promise<SourceTable> {
  const clause = BOUND_SQL.slice(0, outline.withEnd);
  const lines = await world.run(`DESCRIBE (${clause} SELECT * FROM ${name})`, { format: 'JSONEachRow' });
  return { name, columns: JSON.parse(`[${lines.trim().replaceAll('\n', ',')}]`) as SourceTable['columns'] }; // as DESCRIBE answers
}

/** The statement that would be run. Rejects with Problem. */
async function statementOf(text: string): Promise<string> {
  const { sql } = translate(text, { tables, taken: outline.identifiers });
  return sandbox.assemble(await sandbox.check(sql), 1000).sql;
}

const problemOf = (text: string): Promise<unknown> =>
  statementOf(text).then(
    (sql) => ({ accepted: sql }),
    (error: unknown) => error,
  );

describe('rejected', () => {
  test.each([...OWN, ...ATTACKS.map(({ sql }) => sql)])('%s', async (text) => {
    const problem = await problemOf(text);
    expect(problem).toBeInstanceOf(Problem);
    expect(problem).toMatchObject({ status: 400, errors: [{ line: expect.any(Number) }] });
  });
});

describe('accepted, and the response has no rows of other tenants', () => {
  test.each([
    {
      text: 'with users as (select id from edge_logs) select * from users',
      why: 'a name that the query defines',
    },
    {
      text: 'with logs as (select id from edge_logs) select * from logs',
      why: 'the base table is not exposed',
    },
    { text: 'select event_message from edge_logs union all select event_message from auth_logs' },
    { text: 'select 1 as users, id from edge_logs as logs order by users, logs.id' },
    { text: "select id from edge_logs where id != 'a\\\\' or id = ' union all select name from users -- '" },
    { text: 'select * from edge_logs final', why: 'an alias' },
    { text: "select 'a\\\\' as a, ' union all select name from users -- ' as b from edge_logs" },
    { text: "select id as `equals`, lower(id) as `and` from edge_logs where id = 'mine-1' group by 1, 2" },
    { text: 'with equals as (select id as edge_logs from edge_logs) select edge_logs from equals' },
    {
      text: 'select t1, q2 from (select id as t1, id as q2 from edge_logs) as t2 where t2.t1 = q2',
      why: 'names that the translation also generates',
    },
  ])('$text', async ({ text }) => {
    const answer = await world.run(await statementOf(text));
    expect(answer.split('\n').length).toBeGreaterThan(3);
    expect(answer).not.toContain('CANARY');
  });
});
