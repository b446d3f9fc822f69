// The corpus through the complete sandbox and the real engine.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { someOfEach } from '../../support/runs.ts';
import { parseSavedText } from '../../../src/sql/clickhouse/tree/parse.ts';
import { Problem } from '../../../src/sql/base/problem.ts';
import type { Sandbox } from '../../../src/guard/sandbox/sandbox.ts';
import { assembleStatement, readTables } from '../../../src/guard/sandbox/statement.ts';
import { createRedactor } from '../../../src/guard/redact/redactor.ts';
import { DETECTOR_NAMES } from '../../../src/guard/redact/detectors.ts';
import { createRedactTable } from '../../../src/guard/sandbox/redaction/source-redaction.ts';
import {
  ATTACKS,
  BENIGN,
  BOUND_SQL,
  codeOf,
  describeTables,
  openSandbox,
  openWorld,
  outlineOf,
  unchecked,
} from './fixture.ts';
import type { CorpusEntry, World } from './fixture.ts';

let world: World;
let sandbox: Sandbox;

beforeAll(async () => {
  world = await openWorld();
  sandbox = openSandbox({ explain: world.explain, columns: await describeTables(world) });
  await world.oracle.ask('CREATE DATABASE plain');
  for (const table of sandbox.tables) {
    const rows = `${BOUND_SQL.slice(0, outlineOf(BOUND_SQL).withEnd)} SELECT * FROM ${table}`;
    await world.run(`CREATE TABLE plain.${table} ENGINE = Memory AS ${rows}`);
  }
});
afterAll(() => world.oracle.close());

const kind = ({ cat }: CorpusEntry): string => cat;
const row = (entry: CorpusEntry) => [entry.id, entry.sql] as const;

test.each(ATTACKS.map(row))('attack %s is rejected: %s', async (_id, sql) => {
  const problem = await sandbox.check(sql).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(problem).toBeInstanceOf(Problem);
  expect(problem).toMatchObject({ status: 400, code: expect.stringMatching(/^sandbox\./) });
  expect(problem).toMatchObject({ errors: [{ line: expect.any(Number), column: expect.any(Number) }] });
});

test.each(someOfEach(BENIGN, kind, { each: 3 }).map(row))(
  'benign %s returns the same rows as over plain tables: %s',
  async (_id, sql) => {
    const { sql: statement } = sandbox.assemble(await sandbox.check(sql), 100_000);
    const both = async () => [await world.run(statement), await world.run(sql, { database: 'plain' })];
    let [boxed, plain] = await both();
    // The clock may tick between the two; not twice.
    if (boxed !== plain) [boxed, plain] = await both();
    expect(boxed).toBe(plain);
    expect(boxed).not.toContain('CANARY');
  },
);

describe('over redacted tables', () => {
  let redacted: Sandbox;
  beforeAll(async () => {
    const { source } = createRedactor({ detectors: DETECTOR_NAMES });
    const redact = source && createRedactTable(source);
    redacted = openSandbox({ explain: world.explain, columns: await describeTables(world), redact });
    await world.oracle.ask('CREATE DATABASE plain_redacted');
    for (const table of redacted.tables) {
      const { sql } = redacted.assemble(await redacted.check(`SELECT * FROM ${table}`), 100_000);
      await world.run(`CREATE TABLE plain_redacted.${table} ENGINE = Memory AS ${sql}`);
    }
  });

  test.each(someOfEach(BENIGN, kind, { each: 12, from: 1 }).map(row))(
    'benign %s returns the same rows as over plain ones: %s',
    async (_id, sql) => {
      const { sql: statement } = redacted.assemble(await redacted.check(sql), 100_000);
      const both = async () => {
        const database = 'plain_redacted';
        return Promise.all([world.run(statement).catch(codeOf), world.run(sql, { database }).catch(codeOf)]);
      };
      let [boxed, plain] = await both();
      if (boxed !== plain) [boxed, plain] = await both();
      expect(boxed).toBe(plain);
      expect(boxed).not.toMatch(/CANARY|\d+\.\d+\.\d+\.\d+/);
    },
  );
});

describe('with the scanner disabled, the statement alone', () => {
  const outline = outlineOf(BOUND_SQL);
  const tables = readTables(parseSavedText(BOUND_SQL), outline);
  /** What only the checks stop: other databases named, table functions, functions that read, other statements. */
  const CLAIMED: ReadonlySet<string> = new Set([
    'other-table', 'in-table', 'scalar-subquery-anywhere', 'cte-shadowing', 'union-with', 'scope-hijack', 'breakout',
    'lexer-tricks',
  ]); // prettier-ignore
  const NAMES_DATABASE = /\b(?:default|app|system|information_schema)\b/i;
  const claimed = ATTACKS.filter(({ cat, sql }) => CLAIMED.has(cat) && !NAMES_DATABASE.test(sql));

  test('is expected to contain a large part of the corpus', () => {
    expect(claimed.length).toBeGreaterThan(80);
  });

  test.each(someOfEach(claimed, kind, { each: 3 }).map(row))('contains %s: %s', async (_id, sql) => {
    const narrow = {
      joined: sql,
      subcolumns: new Map([['edge_logs', [{ column: 'metadata', path: 'request.method' }]]]),
      onlyParts: new Map<string, ReadonlySet<string>>(),
    };
    const below = new Map([
      ['edge_logs', { alias: 'edge_logs', conditions: ["id != ''"], stored: ["`id` != ''"] }],
    ]);
    for (const form of [{}, { narrow }, { narrow, below, isLeakproof: false }]) {
      const { sql: statement } = assembleStatement(tables, { ...unchecked(sql), ...form }, 1_000);
      const answer = await world.run(statement).catch(String);
      expect(answer).not.toContain('CANARY');
    }
  });
});
