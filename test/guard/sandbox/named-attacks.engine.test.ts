// Three attacks that name only allowed tables. Each is stopped twice, by the checks and by the statement; and each still
// works on this engine without both, so that the tests would notice a missing defence.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseSavedText } from '../../../src/sql/clickhouse/tree/parse.ts';
import { Problem } from '../../../src/sql/base/problem.ts';
import { assembleStatement, readTables } from '../../../src/guard/sandbox/statement.ts';
import { bound, openSandbox, openWorld, outlineOf, unchecked } from './fixture.ts';
import type { World } from './fixture.ts';

let world: World;

beforeAll(async () => {
  world = await openWorld();
  await world.oracle.ask(`
    CREATE TABLE app.tenants (project String, name String) ENGINE = Memory;
    INSERT INTO app.tenants VALUES ('mine', 'mine'), ('other', 'other')`);
});
afterAll(() => world.oracle.close());

interface Attack {
  readonly why: string;
  /** The endpoint's query, as an author might have written it. */
  readonly saved: string;
  readonly consumer: string;
  /** The current database, for endpoints that leave theirs out. */
  readonly database: string;
  readonly code: string;
}

const ATTACKS: readonly Attack[] = [
  {
    why: 'a named lambda replaces = inside the endpoint’s table',
    saved: 'WITH t AS (SELECT event_message FROM app.logs WHERE project = @project) SELECT * FROM t',
    consumer: 'WITH (a, b) -> 1 AS equals SELECT * FROM t',
    database: 'nothing',
    code: 'sandbox.syntax_unsupported',
  },
  {
    why: 'a consumer WITH table joins the endpoint’s table with its base table',
    saved: `WITH t AS (SELECT l.event_message FROM logs AS l JOIN tenants AS n ON l.project = n.project WHERE n.name = @project)
      SELECT * FROM t`,
    consumer: `WITH tenants AS (SELECT 'other' AS project, 'mine' AS name) SELECT * FROM t`,
    database: 'app',
    code: 'sandbox.name_reserved',
  },
  {
    why: 'a UNION member with its own WITH does not see the endpoint’s tables',
    saved:
      'WITH edge_logs AS (SELECT event_message FROM app.logs WHERE project = @project) SELECT * FROM edge_logs',
    consumer: 'SELECT event_message FROM edge_logs UNION ALL WITH 1 AS x SELECT event_message FROM edge_logs',
    database: 'default',
    code: 'sandbox.syntax_unsupported',
  },
];

describe.each(ATTACKS)('$why', ({ saved, consumer, database, code }) => {
  const sql = bound(saved);
  const outline = outlineOf(sql);
  const ask = (statement: string) => world.run(statement, { database, format: 'TSV' });

  test('leaks if the queries are merely concatenated', async () => {
    const clause = sql.slice(0, outline.withEnd);
    const isOwnWith = consumer.startsWith('WITH');
    const joined = isOwnWith ? `${clause} SELECT * FROM (${consumer})` : `${clause} ${consumer}`;
    expect(await ask(joined)).toContain('CANARY');
  });

  test('is rejected by the checks alone', async () => {
    const sandbox = openSandbox({ boundSql: sql, outline });
    const rejection = await sandbox.check(consumer).catch((error: unknown) => error);
    expect(rejection).toBeInstanceOf(Problem);
    expect(rejection).toMatchObject({ code });
  });

  test('is contained by the statement alone', async () => {
    const { sql: statement } = assembleStatement(
      readTables(parseSavedText(sql), outline),
      unchecked(consumer),
      1_000,
    );
    const answer = await ask(statement);
    expect(answer).toContain('hello');
    expect(answer).not.toContain('CANARY');
  });
});
