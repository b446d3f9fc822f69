// Suspended consumer queries: which ones, for how long, and when a whole key is suspended.
import { describe, expect, test } from 'vitest';
import type { Observation } from '../../../src/sql/base/observation.ts';
import { Problem } from '../../../src/sql/base/problem.ts';
import type { Fatality } from '../../../src/service/engine/engine.ts';
import { createSuspensions, type Sender } from '../../../src/service/request/consumer/suspensions.ts';

const MINUTE = 60_000;

interface Given {
  readonly key?: string;
  readonly endpoint?: string;
  readonly locked?: Readonly<Record<string, string | number>>;
}

function setUp() {
  let now = 0;
  const observed: Observation[] = [];
  const suspensions = createSuspensions({ now: () => now, observe: (each) => void observed.push(each) });
  const senderOf = ({ key = 'a', endpoint = 'one', locked = {} }: Given): Sender => ({
    endpoint: { id: endpoint, name: endpoint },
    principal: { id: key, name: key, locked: new Map(Object.entries(locked)) },
  });
  const admit = (text: string, given: Given) =>
    suspensions.admit({ language: 'sql', text, dialect: undefined }, senderOf(given));
  /** The query runs and ends the process. */
  const fail = (text: string, fatality: Fatality, given: Given = {}) =>
    admit(text, given).onFatal?.(fatality);
  /** Seconds until it may be sent again; undefined when it may be now. */
  const wait = (text: string, given: Given = {}): number | undefined => {
    try {
      admit(text, given);
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

  test('is rejected for its key only, on its own endpoint', () => {
    const { fail, wait } = setUp();
    fail('SELECT 1', 'overdue');
    expect(wait('SELECT 1')).toBe(600);
    expect(wait('SELECT 1', { key: 'b' })).toBeUndefined();
    expect(wait('SELECT 1', { endpoint: 'two' })).toBeUndefined();
  });

  test.each<{ why: string; locked: Given['locked']; other: Given['locked'] }>([
    { why: 'another value', locked: { project: 'mine' }, other: { project: 'other' } },
    { why: 'a number that is a text', locked: { project: 1 }, other: { project: '1' } },
    { why: 'another name', locked: { project: 'mine' }, other: { tenant: 'mine' } },
    { why: 'more of them', locked: { project: 'mine' }, other: { project: 'mine', region: 'eu' } },
    { why: 'none', locked: { project: 'mine' }, other: {} },
  ])('is not rejected for the same key with other locked parameters: $why', ({ locked, other }) => {
    const { fail, wait } = setUp();
    fail('SELECT 1', 'overdue', { locked: locked ?? {} });
    expect(wait('SELECT 1', { locked: locked ?? {} })).toBe(600);
    expect(wait('SELECT 1', { locked: other ?? {} })).toBeUndefined();
  });

  test('is rejected whatever the order of the locked parameters', () => {
    const { fail, wait } = setUp();
    fail('SELECT 1', 'overdue', { locked: { project: 'mine', region: 'eu' } });
    expect(wait('SELECT 1', { locked: { region: 'eu', project: 'mine' } })).toBe(600);
  });

  test('of one key is no suspect because of another key', () => {
    const { fail, wait } = setUp();
    fail('SELECT 1', 'suspected', { key: 'a' });
    fail('SELECT 1', 'suspected', { key: 'b' });
    expect([wait('SELECT 1', { key: 'a' }), wait('SELECT 1', { key: 'b' })]).toEqual([undefined, undefined]);
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
    expect(wait('harmless')).toBe(600);
    expect([wait('harmless', { key: 'b' }), wait('x1', { key: 'b' })]).toEqual([undefined, undefined]);
    expect(observed.map((each) => each.kind === 'query.suspended' && each.scope)).toEqual([
      'query',
      'query',
      'key',
    ]);
    pass(10 * MINUTE);
    expect(wait('harmless')).toBeUndefined();
  });

  test('that rotates its locked parameters is one key', () => {
    const { fail, wait } = setUp();
    for (const project of ['a', 'b', 'c']) fail('SELECT 1', 'overdue', { locked: { project } });
    expect(wait('SELECT 1', { locked: { project: 'd' } })).toBe(600);
    expect(wait('harmless', { locked: { project: 'd' } })).toBe(600);
  });

  test('memory is bounded: the oldest suspensions go first', () => {
    const { fail, wait } = setUp();
    for (let n = 0; n <= 10_000; n++) fail('x', 'overdue', { key: `key ${n}` });
    expect(['key 0', 'key 1', 'key 10000'].map((key) => wait('x', { key }))).toEqual([undefined, 600, 600]);
  });
});
