// Pairs of queries, definitions and keys before and after a change: rows show what it does, the comparison reports it.
import { afterAll, describe, expect, test } from 'vitest';
import { compareContracts } from '../../../src/cli/compare/compare.ts';
import type { Side } from '../../../src/cli/compare/compare-pair.ts';
import { fileOf, sideOf, type Keys } from './fixture.ts';
import { some, someOfEach } from '../../support/runs.ts';
import { alarms, modelOf, securityChanges } from './judge.ts';
import { PAIRS } from './pairs/all.ts';
import CODES from './pairs/codes.json' with { type: 'json' };
import { DEFINITIONS } from './pairs/definitions.ts';
import { LOOSER, NOT_LOOSER, type KeyPair } from './pairs/keys.ts';
import type { Shown } from './pairs/pair.ts';
import { openProducts } from './pairs/schema.ts';

const DATABASES = ['alone', 'other', 'changed'] as const;

const world = await openProducts();
afterAll(() => world.close());

/** What a call of tenant `a` returns, by database, each asked for once. */
type Result = (database: (typeof DATABASES)[number]) => Promise<string>;

function resultOf(sql: string): Result {
  const known = new Map<string, Promise<string>>();
  return (database) => {
    const rows = known.get(database) ?? world.rows(sql, { database });
    known.set(database, rows);
    return rows;
  };
}

/** Rows of other tenants change it. */
async function leaks(result: Result): Promise<boolean> {
  const alone = await result('alone');
  return alone !== (await result('other')) || alone !== (await result('changed'));
}

async function allRows(result: Result): Promise<readonly string[]> {
  const all: string[] = [];
  for (const database of DATABASES) all.push(await result(database)); // one at a time
  return all;
}

const linesOf = async (result: Result): Promise<readonly string[]> => (await result('other')).split('\n');
const valuesOf = async (result: Result): Promise<readonly string[]> =>
  (await linesOf(result)).flatMap((line) => [line, ...line.split('\t')]);

/** Those of the second that are not among the first. */
const added = (before: readonly string[], after: readonly string[]): readonly string[] =>
  after.filter((each) => !before.includes(each));

/** The rows prove the kind of change. */
async function expectShown(shown: Shown, before: Result, after: Result): Promise<void> {
  switch (shown) {
    case 'other tenants':
      return expect([await leaks(before), await leaks(after)]).toEqual([false, true]);
    case 'equal':
      return expect(await allRows(after)).toEqual(await allRows(before));
    case 'more':
      return expect(added(await valuesOf(before), await valuesOf(after))).not.toEqual([]);
    case 'fewer':
      expect(added(await linesOf(before), await linesOf(after))).toEqual([]);
      return expect(await leaks(after)).toBe(false);
    case 'own':
      return expect(await leaks(after)).toBe(false);
  }
}

/** The comparison must report dangerous changes, and nothing for the others. */
const isDangerous = (shown: Shown): boolean => shown === 'other tenants' || shown === 'more';

/** Equal rows by forms that are not compared: a reviewer decides. */
const UNPROVEN: ReadonlySet<string> = new Set([
  'IN of a subquery becomes a semi join',
  'EXISTS becomes IN',
  'the filter moves into the partition',
]);
const unproven: Readonly<Record<string, string>> = { 'EXISTS becomes IN': 'query.not_compared' };

/** The codes of each dangerous change. */
const expected: Readonly<Record<string, string>> = CODES;

describe('queries', () => {
  const evaluate = async (sql: string) => ({ result: resultOf(sql), model: await modelOf(world, sql) });
  /** Many pairs share a query, and no test here changes a table. */
  const evaluated = new Map<string, ReturnType<typeof evaluate>>();
  const evaluateOnce = (sql: string): ReturnType<typeof evaluate> => {
    const evaluation = evaluated.get(sql) ?? evaluate(sql);
    evaluated.set(sql, evaluation);
    return evaluation;
  };

  const chosen = someOfEach(
    PAIRS,
    ({ name, shown, isTable }) => (isDangerous(shown) ? `${expected[name]}` : `${shown} ${String(isTable)}`),
    { each: 8 },
  );

  test.each(chosen.map((pair) => [`${pair.shown}: ${pair.name}`, pair] as const))('%s', async (_, pair) => {
    const { before, after, isTable, shown } = pair;
    expect(after).not.toBe(before);
    const [old, now] = [await evaluateOnce(before), await evaluateOnce(after)];
    await expectShown(shown, old.result, now.result);
    const changes = securityChanges(old.model, now.model, isTable);
    const codes = new Set(changes.map((change) => change.split(':')[0] ?? ''));
    expect([...codes].toSorted().join(', ')).toBe(
      isDangerous(shown) ? expected[pair.name] : (unproven[pair.name] ?? ''),
    );
  });

  const equal = PAIRS.filter(({ shown }) => shown === 'equal');

  test.each(someOfEach(equal, ({ name }) => name, { each: 1 }).map((pair) => [pair.name, pair] as const))(
    'equal in both directions: %s',
    async (_, { name, before, after, isTable }) => {
      const [old, now] = [(await evaluateOnce(before)).model, (await evaluateOnce(after)).model];
      if (old === undefined || now === undefined) throw new Error('unreadable');
      const codes = [...alarms(old, now, isTable), ...alarms(now, old, isTable)];
      expect(codes.length > 0).toBe(UNPROVEN.has(name));
    },
  );

  test('each pair has its own name', () => {
    const names = PAIRS.map(({ name, shown }) => `${shown} ${name}`);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });
});

describe('definitions of views and tables', () => {
  const chosen = someOfEach(DEFINITIONS, ({ shown, isTable }) => `${shown} ${String(isTable)}`, { each: 6 });

  test.each(chosen.map((pair) => [`${pair.shown}: ${pair.name}`, pair] as const))(
    '%s',
    async (_, { query, before, after, isTable, shown }) => {
      const sides = [];
      for (const definition of [before, after]) {
        await world.define(`DROP TABLE IF EXISTS {db}.shown; ${definition}`);
        const result = resultOf(query);
        await allRows(result); // while the definition is there
        sides.push({ result, model: await modelOf(world, query) });
      }
      const [old, now] = sides;
      if (old === undefined || now === undefined) throw new Error('two sides');
      await expectShown(shown, old.result, now.result);
      const changes = securityChanges(old.model, now.model, isTable);
      expect(changes).toEqual(isDangerous(shown) ? expect.arrayContaining([expect.any(String)]) : []);
    },
  );
});

describe('keys', () => {
  /** A side with the model of its saved query. */
  async function sideWith(keys: Keys): Promise<Side> {
    const side = sideOf({ 'one.yaml': fileOf(keys) });
    const model = await modelOf(world, keys['query'] ?? '');
    const result = model === undefined ? { fault: 'unreadable' } : { model };
    return {
      ...side,
      models: new Map(side.served.map(({ endpoint }) => [endpoint, new Map([[undefined, result]])])),
    };
  }

  const classesOf = async ({ before, after }: KeyPair): Promise<readonly string[]> => {
    const [base, head] = [await sideWith(before), await sideWith(after)];
    expect([...base.broken, ...head.broken]).toEqual([]);
    const changes = compareContracts(base, head).flatMap((each) => each.changes);
    return [...new Set(changes.map((change) => change.class))];
  };

  test.each(some(LOOSER, 6).map((pair) => [pair.name, pair] as const))('security: %s', async (_, pair) => {
    const { after, values } = pair;
    if (values !== undefined) expect(await world.leaks(after['query'] ?? '', values)).toBe(true);
    expect(await classesOf(pair)).toContain('security');
  });

  test.each(some(NOT_LOOSER, 6).map((pair) => [pair.name, pair] as const))(
    'not security: %s',
    async (_, pair) => {
      expect(await classesOf(pair)).not.toContain('security');
    },
  );
});
