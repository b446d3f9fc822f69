// Suspended consumer queries: which ones, for how long, and when a whole key is suspended.
import { describe, expect, test } from 'vitest';
import type { Observation } from '../../src/core/observation.ts';
import { Problem } from '../../src/core/problem.ts';
import type { Fatality } from '../../src/engine/engine.ts';
import { createSuspensions, type Sender } from '../../src/request/suspensions.ts';

const MINUTE = 60_000;

function setUp() {
  let now = 0;
  const observed: Observation[] = [];
  const suspensions = createSuspensions({ now: () => now, observe: (each) => void observed.push(each) });
  const sender = (key: string, endpoint = 'one'): Sender => ({
    endpoint: { id: endpoint, name: endpoint },
    principal: { id: key, name: key },
  });
  const admit = (text: string, key = 'a', endpoint?: string) =>
    suspensions.admit({ language: 'sql', text, dialect: undefined }, sender(key, endpoint));
  /** The query runs and ends the process. */
  const fail = (text: string, fatality: Fatality, key?: string) => admit(text, key)?.onFatal?.(fatality);
  /** Seconds until it may be sent again; undefined when it may be now. */
  const wait = (text: string, key?: string, endpoint?: string): number | undefined => {
    try {
      admit(text, key, endpoint);
      return undefined;
    } catch (error) {
      if (error instanceof Problem && error.code === 'query.suspended') return error.retryAfter;
      throw error;
    }
  };
  return { observed, admit, fail, wait, pass: (ms: number) => void (now += ms) };
}

describe('a query', () => {
  test.each(['overdue', 'crash'] as const)('that was fatal (%s) is rejected for ten minutes', (fatality) => {
    const { observed, fail, wait, pass } = setUp();
    fail('SELECT 1', fatality);
    expect([wait('SELECT 1'), wait(' SELECT 1\n'), wait('SELECT 2')]).toEqual([600, 600, undefined]);
    pass(10 * MINUTE - 1);
    expect(wait('SELECT 1')).toBe(1);
    pass(1);
    expect(wait('SELECT 1')).toBeUndefined();
    expect(observed).toEqual([{ kind: 'query.suspended', endpoint: 'one', principal: 'a', scope: 'query' }]);
  });

  test('is rejected for all keys, on its own endpoint only', () => {
    const { fail, wait } = setUp();
    fail('SELECT 1', 'overdue');
    expect([wait('SELECT 1', 'b'), wait('SELECT 1', 'a', 'two')]).toEqual([600, undefined]);
  });

  test('that was one of several suspects is rejected after the second time', () => {
    const { fail, wait } = setUp();
    fail('SELECT 1', 'suspected');
    expect(wait('SELECT 1')).toBeUndefined();
    fail('SELECT 1', 'suspected');
    expect(wait('SELECT 1')).toBe(600);
  });

  test('suspected long ago no longer counts', () => {
    const { fail, wait, pass } = setUp();
    fail('SELECT 1', 'suspected');
    pass(10 * MINUTE);
    fail('SELECT 1', 'suspected');
    expect(wait('SELECT 1')).toBeUndefined();
  });
});

describe('a key', () => {
  test('whose third query was fatal sends no consumer queries for ten minutes; others do', () => {
    const { observed, fail, wait, pass } = setUp();
    for (const text of ['x1', 'x2', 'x3']) fail(text, 'overdue');
    expect([wait('harmless'), wait('harmless', 'b'), wait('x1', 'b')]).toEqual([600, undefined, 600]);
    expect(observed.map((each) => each.kind === 'query.suspended' && each.scope)).toEqual([
      'query',
      'query',
      'key',
    ]);
    pass(10 * MINUTE);
    expect(wait('harmless')).toBeUndefined();
  });

  test('memory is bounded: the oldest suspensions go first', () => {
    const { fail, wait } = setUp();
    for (let n = 0; n < 1001; n++) fail(`x${n}`, 'overdue', `key ${n}`);
    expect([wait('x0', 'other'), wait('x1', 'other'), wait('x1000', 'other')]).toEqual([undefined, 600, 600]);
  });
});
