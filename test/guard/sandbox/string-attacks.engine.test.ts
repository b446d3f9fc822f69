// Types, functions and states in strings: rejected by the scanner at the location, and again by the engine's tree alone.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Problem } from '../../../src/sql/base/problem.ts';
import { lexConsumerQuery } from '../../../src/guard/sandbox/lexed-query.ts';
import { createFunctionPolicy } from '../../../src/guard/sandbox/functions/policy.ts';
import type { Sandbox } from '../../../src/guard/sandbox/sandbox.ts';
import { checkTree } from '../../../src/guard/sandbox/query-tree/check.ts';
import { identifierName } from '../../../src/sql/clickhouse/literal.ts';
import { openSandbox, openWorld } from './fixture.ts';
import type { World } from './fixture.ts';
import { HONEST_STRINGS, STRING_ATTACKS } from './string-attacks.ts';

let world: World;
let sandbox: Sandbox;

beforeAll(async () => {
  world = await openWorld();
  sandbox = openSandbox({ explain: world.explain });
});
afterAll(() => world.oracle.close());

const functions = createFunctionPolicy({ allow: [], deny: [] });

/** The query, and where in it the mark stood, as line:column. */
function unmark(marked: string): { readonly sql: string; readonly place: string } {
  const before = marked.slice(0, marked.indexOf('«')).split('\n');
  return { sql: marked.replace('«', ''), place: `${before.length}:${(before.at(-1) ?? '').length + 1}` };
}

async function rejection(sql: string, sandboxed = openSandbox()): Promise<Problem> {
  const error: unknown = await sandboxed.check(sql).catch((reason: unknown) => reason);
  if (!(error instanceof Problem)) throw new Error(`taken: ${sql}`);
  return error;
}

describe('the scanner alone', () => {
  test.each(STRING_ATTACKS)('rejects $why', async ({ sql: marked, code }) => {
    const { sql, place } = unmark(marked);
    const { status, code: seen, errors } = await rejection(sql);
    const [first] = errors;
    expect([status, seen, `${first?.line}:${first?.column}`]).toEqual([400, `sandbox.${code}`, place]);
  });
});

test('names of states are bounded: each costs a pass over the query', async () => {
  const names = (count: number) =>
    Array.from({ length: count }, (_, i) => `s${count - i - 1} AS s${count - i}`).join(', ');
  const query = (count: number) => `SELECT ${names(count)} FROM (SELECT sumState(1) AS s0)`;
  await expect(openSandbox().check(query(20))).resolves.toBeDefined();
  expect(await rejection(query(60))).toMatchObject({ code: 'sandbox.too_large' });
});

describe('the engine’s tree alone', () => {
  /** Names and tables as if the scanner had let everything pass. */
  async function judge(sql: string): Promise<string> {
    const text = lexConsumerQuery(sql);
    const explained = await world.explain(`EXPLAIN QUERY TREE run_passes = 0 ${text.joined}`);
    if (explained.kind === 'rejected') return 'no tree';
    const names = new Set(
      text.cursor.tokens.map(({ start, end }) => identifierName(text.cursor.sql.slice(start, end)) ?? ''),
    );
    const tables = new Set(['edge_logs', 'auth_logs']);
    const scanned = { tables, names, stateColumns: [], hasStates: false };
    return checkTree(explained.text, { scanned, functions, isBareCall: () => false })?.code ?? 'agrees';
  }

  /** The tree shows what they mean, which is an allowed type. */
  const NOT_SHOWN: ReadonlySet<string> = new Set(['brackets', ':: quoted']);

  test.each(STRING_ATTACKS.filter(({ why }) => !NOT_SHOWN.has(why)))('rejects $why', async ({ sql }) => {
    expect(await judge(unmark(sql).sql)).not.toBe('agrees');
  });

  test.each(HONEST_STRINGS)('accepts %s', async (sql) => {
    expect(await judge(sql)).toBe('agrees');
  });
});

test.each(HONEST_STRINGS)('is accepted, and runs: %s', async (sql) => {
  const { sql: statement } = sandbox.assemble(await sandbox.check(sql), 10);
  await expect(world.run(statement)).resolves.toEqual(expect.any(String));
});
