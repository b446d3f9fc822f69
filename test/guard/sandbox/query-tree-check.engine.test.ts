// The check of the engine's query tree, without the scanner: it rejects everything visible in the tree on its own.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lexConsumerQuery } from '../../../src/guard/sandbox/lexed-query.ts';
import { createFunctionPolicy } from '../../../src/guard/sandbox/functions/policy.ts';
import { isBareCall } from '../../../src/guard/sandbox/scan/scanner.ts';
import { checkTree } from '../../../src/guard/sandbox/query-tree/check.ts';
import { identifierName } from '../../../src/sql/clickhouse/literal.ts';
import { ATTACKS, BENIGN, openWorld } from './fixture.ts';
import type { CorpusEntry, World } from './fixture.ts';

let world: World;

beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.oracle.close());

const functions = createFunctionPolicy({ allow: [], deny: [] });
const tables = new Set(['edge_logs', 'auth_logs']);

/** The judge's code, `agrees`, or undefined where the engine gives no tree. */
async function judge(sql: string): Promise<string | undefined> {
  const text = lexConsumerQuery(sql);
  const explained = await world.explain(`EXPLAIN QUERY TREE run_passes = 0 ${text.joined}`);
  if (explained.kind === 'rejected') return undefined;
  const names = new Set(
    text.cursor.tokens.map(({ start, end }) => identifierName(text.cursor.sql.slice(start, end)) ?? ''),
  );
  const complaint = checkTree(explained.text, {
    scanned: { tables, names, stateColumns: [], hasStates: false },
    functions,
    isBareCall: (name) => isBareCall(name, { functions, names: new Set(), isColumn: () => false }),
  });
  return complaint?.code ?? 'agrees';
}

/** Behind EXPLAIN a file would be written: such texts never get so far. */
function isShown({ sql }: CorpusEntry): boolean {
  if (/\binto\b/i.test(sql)) return false;
  try {
    lexConsumerQuery(sql);
    return true;
  } catch {
    return false;
  }
}

/** What the tree does not show: a name of the endpoint’s own (twice), `lambda()` as a call, settings that are parameters. */
const NOT_SHOWN = new Set(['a460', 'a478', 'a284', 'a380']);

test.each(
  ATTACKS.filter(isShown)
    .filter(({ id }) => !NOT_SHOWN.has(id))
    .map(({ id, sql }) => [id, sql]),
)('attack %s is rejected, or the engine cannot parse it: %s', async (_id, sql) => {
  expect(await judge(sql)).not.toBe('agrees');
});

test.each(BENIGN.map(({ id, sql }) => [id, sql]))('benign %s is accepted: %s', async (_id, sql) => {
  expect(await judge(sql)).toBe('agrees');
});

describe('an unexpected tree is rejected', () => {
  const judgeText = (tree: string) =>
    checkTree(tree, {
      scanned: { tables, names: new Set(), stateColumns: [], hasStates: false },
      functions,
      isBareCall: () => false,
    })?.code ?? 'agrees';
  const query = (rest: string) => `QUERY id: 0\n  PROJECTION\n    LIST id: 1, nodes: 1\n${rest}`;

  test.each([
    ['nothing', '', 'check_mismatch'],
    ['two roots', 'QUERY id: 0\nQUERY id: 1', 'check_mismatch'],
    ['no query', 'LIST id: 0', 'check_mismatch'],
    ['an unknown node', query('      DICTIONARY id: 2, name: x'), 'check_mismatch'],
    [
      'an unknown part',
      query('      FUNCTION id: 2, function_name: plus, function_type: ordinary\n        SECRETS\n'),
      'check_mismatch',
    ],
    ['settings', 'QUERY id: 0\n  SETTINGS max_threads=1', 'check_mismatch'],
    ['missing levels', 'QUERY id: 0\n      LIST id: 1', 'check_mismatch'],
    ['a table', 'QUERY id: 0\n  JOIN TREE\n    TABLE id: 1, table_name: app.logs', 'check_mismatch'],
    [
      'a table function',
      'QUERY id: 0\n  JOIN TREE\n    TABLE_FUNCTION id: 1, table_function_name: url',
      'check_mismatch',
    ],
    [
      'a name that contains an attribute',
      'QUERY id: 0\n  JOIN TREE\n    IDENTIFIER id: 1, alias: x, identifier: edge_logs, identifier: users',
      'check_mismatch',
    ],
    [
      'a function whose alias contains one',
      query(
        '      FUNCTION id: 2, alias: a, function_name: abs, function_name: file, function_type: ordinary',
      ),
      'check_mismatch',
    ],
    ['a lambda with a name', query('      LAMBDA id: 2, alias: equals'), 'check_mismatch'],
    ['another table', 'QUERY id: 0\n  JOIN TREE\n    IDENTIFIER id: 1, identifier: users', 'table_denied'],
    ['a tree of many megabytes', `QUERY id: 0\n${'  WHERE\n'.repeat(600_000)}`, 'too_large'],
  ])('%s', (_why, tree, code) => {
    expect(judgeText(tree)).toBe(`sandbox.${code}`);
  });
});
