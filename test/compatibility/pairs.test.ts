// Pairs of queries, definitions and keys before and after a change: rows show what it does, the comparison reports it.
import { afterAll, describe, expect, test } from 'vitest';
import { compareContracts, type Side } from '../../src/compatibility/compare.ts';
import { fileOf, sideOf, type Keys } from './fixture.ts';
import { modelOf, securityChanges } from './judge.ts';
import { PAIRS } from './pairs/all.ts';
import CODES from './pairs/codes.json' with { type: 'json' };
import { DEFINITIONS } from './pairs/definitions.ts';
import { LOOSER, NOT_LOOSER, type KeyPair } from './pairs/keys.ts';
import type { Shown } from './pairs/pair.ts';
import { openProducts } from './pairs/schema.ts';

const DATABASES = ['alone', 'other', 'changed'] as const;

const world = await openProducts();
afterAll(() => world.close());

/** What a call of tenant `a` returns, by database. */
interface Result {
  readonly rows: Readonly<Record<(typeof DATABASES)[number], string>>;
  readonly leaks: boolean;
}

async function resultOf(sql: string): Promise<Result> {
  const [alone, other, changed] = [
    await world.rows(sql, { database: 'alone' }),
    await world.rows(sql, { database: 'other' }),
    await world.rows(sql, { database: 'changed' }),
  ];
  return { rows: { alone, other, changed }, leaks: alone !== other || alone !== changed };
}

const linesOf = ({ rows }: Result): readonly string[] => rows.other.split('\n');
const valuesOf = (result: Result): readonly string[] =>
  linesOf(result).flatMap((line) => [line, ...line.split('\t')]);

/** The rows prove the kind of change. */
function expectShown(shown: Shown, before: Result, after: Result): void {
  switch (shown) {
    case 'other tenants':
      return expect([before.leaks, after.leaks]).toEqual([false, true]);
    case 'equal':
      return expect(after.rows).toEqual(before.rows);
    case 'more': {
      const known = new Set(valuesOf(before));
      return expect(valuesOf(after).filter((each) => !known.has(each))).not.toEqual([]);
    }
    case 'fewer':
      expect(linesOf(after).filter((line) => !linesOf(before).includes(line))).toEqual([]);
      return expect(after.leaks).toBe(false);
    case 'wider':
      expect(linesOf(before).filter((line) => !linesOf(after).includes(line))).toEqual([]);
      return expect(after.leaks).toBe(false);
    case 'own':
      return expect(after.leaks).toBe(false);
  }
}

/** The comparison must report dangerous changes, and nothing for the others. */
const isDangerous = (shown: Shown): boolean => shown === 'other tenants' || shown === 'more';

/** The codes of each dangerous change. */
const expected: Readonly<Record<string, string>> = CODES;

describe('queries', () => {
  const evaluate = async (sql: string) => ({ result: await resultOf(sql), model: await modelOf(world, sql) });
  /** Many pairs share a query, and no test here changes a table. */
  const evaluated = new Map<string, ReturnType<typeof evaluate>>();
  const evaluateOnce = (sql: string): ReturnType<typeof evaluate> => {
    const evaluation = evaluated.get(sql) ?? evaluate(sql);
    evaluated.set(sql, evaluation);
    return evaluation;
  };

  test.each(PAIRS.map((pair) => [`${pair.shown}: ${pair.name}`, pair] as const))('%s', async (_, pair) => {
    const { before, after, isTable, shown } = pair;
    expect(after).not.toBe(before);
    const [old, now] = [await evaluateOnce(before), await evaluateOnce(after)];
    expectShown(shown, old.result, now.result);
    const changes = securityChanges(old.model, now.model, isTable);
    const codes = new Set(changes.map((change) => change.split(':')[0] ?? ''));
    expect([...codes].toSorted().join(', ')).toBe(isDangerous(shown) ? expected[pair.name] : '');
  });

  test('each pair has its own name', () => {
    const names = PAIRS.map(({ name, shown }) => `${shown} ${name}`);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });
});

describe('definitions of views and tables', () => {
  test.each(DEFINITIONS.map((pair) => [`${pair.shown}: ${pair.name}`, pair] as const))(
    '%s',
    async (_, { query, before, after, isTable, shown }) => {
      const sides = [];
      for (const definition of [before, after]) {
        await world.define('DROP TABLE IF EXISTS {db}.shown');
        await world.define(definition);
        sides.push({ result: await resultOf(query), model: await modelOf(world, query) });
      }
      const [old, now] = sides;
      if (old === undefined || now === undefined) throw new Error('two sides');
      expectShown(shown, old.result, now.result);
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

  test.each(LOOSER.map((pair) => [pair.name, pair] as const))('security: %s', async (_, pair) => {
    const { after, values } = pair;
    if (values !== undefined) expect(await world.leaks(after['query'] ?? '', values)).toBe(true);
    expect(await classesOf(pair)).toContain('security');
  });

  test.each(NOT_LOOSER.map((pair) => [pair.name, pair] as const))('not security: %s', async (_, pair) => {
    expect(await classesOf(pair)).not.toContain('security');
  });
});
