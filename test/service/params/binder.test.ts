import { describe, expect, test } from 'vitest';
import type { DeclaredParameter } from '../../../src/service/params/declared.ts';
import { Problem } from '../../../src/sql/base/problem.ts';
import { createBinder } from '../../../src/service/params/binder.ts';
import type { BinderOptions } from '../../../src/service/params/binder.ts';
import { compileParameter } from '../../../src/service/params/parameter.ts';
import type { RawScalar, RawValue } from '../../../src/service/params/reading.ts';

/** The time of the calls. */
const NOW = Date.UTC(2024, 4, 15, 12, 34, 56, 789);

const SPECS: Record<string, DeclaredParameter> = {
  project: { type: 'String', required: true, min_length: 1 },
  level: { type: 'String', enum: ['info', 'error'], default: 'info' },
  size: { type: 'UInt16', min: 10, max: 500 },
  since: { type: 'DateTime64(3)', min: '2020-01-01', max: '2030-01-01T00:00:00Z' },
  code: { type: 'String', pattern: '[a-z]+' },
  tags: { type: 'Array(String)', default: [], max_length: 3 },
};

function binder(
  specs: Record<string, DeclaredParameter> = SPECS,
  unknown: BinderOptions['unknown'] = 'reject',
) {
  const compiled = Object.entries(specs).map(([name, spec]) => {
    const { parameter, findings } = compileParameter(name, spec);
    if (parameter === undefined) throw new Error(JSON.stringify(findings));
    return parameter;
  });
  return createBinder(compiled, { unknown });
}

type Given = Record<string, RawValue | undefined>;

function given(values: Given): ReadonlyMap<string, readonly RawValue[]> {
  return new Map(Object.entries(values).map(([name, value]) => [name, value === undefined ? [] : [value]]));
}

function problemOf(run: () => unknown): Problem {
  try {
    run();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error('nothing was rejected');
}

const ABSENT = { project: 'p', level: 'info', size: null, since: null, code: null, tags: '[]' };

describe('accepted', () => {
  test.each<[why: string, values: Given, bound: Record<string, string | null>]>([
    ['defaults and nulls', {}, {}],
    ['empty strings are absent', { level: '', size: '', since: '' }, {}],
    ['nulls are absent', { level: null, size: null }, {}],
    [
      'strings from a URL',
      { size: '10', since: '2024-01-01T00:00:00Z' },
      { size: '10', since: '2024-01-01 00:00:00.000' },
    ],
    ['values from a JSON body', { size: 500, tags: ['a', 'b'] }, { size: '500', tags: "['a','b']" }],
    ['a list as JSON text', { tags: '["a,b","c\\"d"]' }, { tags: "['a,b','c\"d']" }],
    ['a list by commas', { tags: "it's, \\" }, { tags: "['it''s',' \\']" }],
    ['an empty list', { tags: [] }, { tags: '[]' }],
    ['a pattern matches the whole string', { code: 'abc' }, { code: 'abc' }],
  ])('%s', (_why, values, bound) => {
    expect(binder().bind(given({ project: 'p', ...values }), NOW).values).toEqual({ ...ABSENT, ...bound });
  });

  test('equal values have one canonical text, regardless of spelling and order', () => {
    const one = binder().bind(given({ project: 'p', since: '2024-01-01T01:00:00+01:00', size: '010' }), NOW);
    const other = binder().bind(given({ size: 10, since: '2024-01-01', project: 'p', level: 'info' }), NOW);
    expect(one.canonical).toBe(other.canonical);
    expect(one.canonical).not.toBe(binder().bind(given({ project: 'q' }), NOW).canonical);
  });

  test('names of the prototype are ordinary names', () => {
    const { values } = binder({ constructor: { type: 'String' }, ['__proto__']: { type: 'UInt8' } }).bind(
      new Map(),
      NOW,
    );
    expect(Object.entries(values)).toEqual([
      ['constructor', null],
      ['__proto__', null],
    ]);
  });
});

describe('rejected', () => {
  test('with all errors at once', () => {
    const raw = new Map<string, RawValue[]>([
      ['level', ['warn']], ['size', ['9']], ['since', ['2019-12-31']], ['code', ['ab1']], ['projct', ['p']], ['tags', [['a', 'b', 'c', 'd']]],
    ]); // prettier-ignore
    const problem = problemOf(() => binder().bind(raw, NOW));
    expect(problem.code).toBe('request.parameters_invalid');
    expect(problem.errors).toEqual([
      { parameter: 'projct', message: expect.stringContaining('Did you mean project?') },
      { parameter: 'project', message: 'is required' },
      { parameter: 'level', message: 'must be one of info, error' },
      { parameter: 'size', message: 'must be at least 10' },
      { parameter: 'since', message: 'must be at least 2020-01-01' },
      { parameter: 'code', message: 'must match [a-z]+' },
      { parameter: 'tags', message: 'must have at most 3 elements' },
    ]);
  });

  test.each<
    [why: string, specs: Record<string, DeclaredParameter>, values: readonly RawValue[], message: string]
  >([
    ['given twice', {}, ['a', 'a'], 'was sent more than once'],
    ['given twice, once empty', {}, ['', 'a'], 'was sent more than once'],
    ['a list for one value', {}, [['a']], 'must be one value, not a list'],
    ['too long', {}, ['a'.repeat(8193)], 'must have at most 8192 characters'],
    [
      'characters, not code units, are counted',
      { p: { type: 'String', max_length: 2 } },
      ['😀😀😀'],
      'must have at most 2 characters',
    ],
    ['too short', { p: { type: 'String', min_length: 3 } }, ['😀😀'], 'must have at least 3 characters'],
    ['above max', { p: { type: 'Float64', max: 1.5 } }, ['1.6'], 'must be at most 1.5'],
    ['an element of a list', { p: { type: 'Array(UInt8)', default: [] } }, ['1,2,300'], '(element 3)'],
    [
      'an element outside the enum',
      { p: { type: 'Array(String)', default: [], enum: ['a'] } },
      [['a', 'b']],
      'must be one of a (element 2)',
    ],
    ['broken JSON', { p: { type: 'Array(String)', default: [] } }, ['["a"'], 'must be a list'],
    ['a nested list', { p: { type: 'Array(String)', default: [] } }, ['[["a"]]'], 'must be one value'],
    ['null in a list', { p: { type: 'Array(String)', default: [] } }, ['[null]'], 'must not be null'],
    ['a number for a list', { p: { type: 'Array(UInt8)', default: [] } }, [1], 'must be a list'],
    [
      'a long list',
      { p: { type: 'Array(UInt8)', default: [] } },
      [Array.from({ length: 8193 }, () => 1)],
      'at most 8192',
    ],
    [
      'a long element',
      { p: { type: 'Array(String)', default: [] } },
      [['a'.repeat(8193)]],
      'must have at most 8192 characters',
    ],
  ])('%s', (_why, specs, values, message) => {
    const run = () => binder({ p: { type: 'String' }, ...specs }).bind(new Map([['p', values]]), NOW);
    expect(problemOf(run).errors).toEqual([{ parameter: 'p', message: expect.stringContaining(message) }]);
  });

  test('two code units make one character', () => {
    const { values } = binder({ p: { type: 'String', min_length: 2, max_length: 2 } }).bind(
      given({ p: '😀😀' }),
      NOW,
    );
    expect(values).toEqual({ p: '😀😀' });
  });

  test('unknown names are ignored if the endpoint says so', () => {
    const raw = new Map([
      ['project', ['p']],
      ['other', ['a', 'b']],
    ]);
    expect(binder(SPECS, 'ignore').bind(raw, NOW).values).toEqual(ABSENT);
  });

  test('a thousand unknown names produce a bounded response', () => {
    const raw = new Map(Array.from({ length: 1000 }, (_, i) => [`${'n'.repeat(500)}${i}`, ['x']] as const));
    const { errors } = problemOf(() => binder().bind(raw, NOW));
    expect(JSON.stringify(errors).length).toBeLessThan(20_000);
  });
});

describe('locked by the key', () => {
  const locked = new Map<string, RawScalar>([
    ['project', 'mine'],
    ['since', '2024-01-01'],
  ]);
  const bound = { ...ABSENT, project: 'mine', since: '2024-01-01 00:00:00.000' };

  test.each<[why: string, raw: ReadonlyMap<string, RawValue[]>]>([
    ['omitted', new Map()],
    ['empty', new Map([['project', ['']]])],
    ['repeated', new Map([['project', ['mine']]])],
    ['repeated in another spelling', new Map([['since', ['2024-01-01T00:00:00Z']]])],
  ])('%s', (_why, raw) => {
    expect(binder().bind(raw, NOW, locked).values).toEqual(bound);
  });

  test.each<
    [
      why: string,
      raw: ReadonlyMap<string, RawValue[]>,
      locks: ReadonlyMap<string, RawScalar>,
      parameter: string,
    ]
  >([
    ['another value', new Map([['project', ['other']]]), locked, 'project'],
    ['another value besides the locked one', new Map([['project', ['mine', 'other']]]), locked, 'project'],
    ['no value at all', new Map([['since', ['invalid']]]), locked, 'since'],
    ['a list', new Map([['project', [['mine']]]]), locked, 'project'],
    ['the endpoint has no such parameter', new Map(), new Map([['tenant', 'mine']]), 'tenant'],
    ['the endpoint does not accept the value', new Map(), new Map([['size', 7]]), 'size'],
    ['the lock is empty', new Map(), new Map([['project', '']]), 'project'],
  ])('forbidden: %s', (_why, raw, locks, parameter) => {
    const problem = problemOf(() => binder().bind(raw, NOW, locks));
    expect([problem.code, problem.errors.map((e) => e.parameter)]).toEqual(['auth.forbidden', [parameter]]);
  });

  test('a lock is checked first, and applies even if unknown names are ignored', () => {
    const raw = new Map([
      ['project', ['other']],
      ['size', ['invalid']],
    ]);
    expect(problemOf(() => binder(SPECS, 'ignore').bind(raw, NOW, locked)).code).toBe('auth.forbidden');
  });
});

describe('repeated names', () => {
  const specs: Record<string, DeclaredParameter> = {
    ids: { type: 'Array(UInt8)', default: [] },
    name: { type: 'String' },
    pair: { type: 'Tuple(UInt8, UInt8)', default: [1, 2] },
  };
  const bind = (raw: Record<string, RawValue[]>, lock?: ReadonlyMap<string, RawScalar>) =>
    binder(specs, 'ignore').bind(new Map(Object.entries(raw)), NOW, lock).values['ids'];

  test.each<[why: string, raw: Record<string, RawValue[]>, ids: string]>([
    ['are the elements of an array', { ids: ['3', '5'] }, '[3,5]'],
    ['with brackets', { 'ids[]': ['3', '5'] }, '[3,5]'],
    ['with brackets, once', { 'ids[]': ['3'] }, '[3]'],
    ['of a JSON body', { ids: [3, 5] }, '[3,5]'],
    ['are in order, and not one element', { ids: ['5', '3', '5'] }, '[5,3,5]'],
  ])('%s', (_why, raw, ids) => {
    expect(bind(raw)).toBe(ids);
  });

  test.each<[why: string, raw: Record<string, RawValue[]>, parameter: string]>([
    ['with and without brackets', { ids: ['3'], 'ids[]': ['5'] }, 'ids'],
    ['lists', { ids: [[3], [5]] }, 'ids'],
    ['a list and a value', { ids: [[3], 5] }, 'ids'],
    ['a list by commas is one element', { ids: ['3,5', '7'] }, 'ids'],
    ['a single value', { name: ['a', 'b'] }, 'name'],
    ['a tuple', { pair: ['1', '2'] }, 'pair'],
    ['too many elements', { ids: Array.from({ length: 9000 }, () => '1') }, 'ids'],
  ])('are rejected: %s', (_why, raw, parameter) => {
    const problem = problemOf(() => bind(raw));
    expect([problem.code, problem.errors[0]?.parameter]).toEqual(['request.parameters_invalid', parameter]);
  });

  test('brackets after a name that is no array are an unknown parameter', () => {
    const raw = new Map([['name[]', ['a']]]);
    const { errors } = problemOf(() => binder(specs).bind(raw, NOW));
    expect(errors).toEqual([{ parameter: 'name[]', message: expect.stringContaining('not an Array') }]);
  });

  test('cannot change a lock', () => {
    const lock = new Map([['ids', '3,5']]);
    expect(bind({ ids: ['3', '5'] }, lock)).toBe('[3,5]');
    expect(bind({ 'ids[]': ['3', '5'] }, lock)).toBe('[3,5]');
    for (const raw of [
      { ids: ['3'] },
      { 'ids[]': ['7'] },
      { ids: ['3,5', '3,5'] },
      { ids: ['3'], 'ids[]': ['5'] },
    ])
      expect(problemOf(() => bind(raw, lock)).code).toBe('auth.forbidden');
  });
});

test('null in a JSON body is the value of a Nullable parameter, and absent for others', () => {
  const specs: Record<string, DeclaredParameter> = {
    a: { type: 'Nullable(UInt8)', default: 7 },
    b: { type: 'UInt8', default: 7 },
    c: { type: 'Nullable(UInt8)', required: true },
  };
  expect(binder(specs).bind(given({ a: null, b: null, c: null }), NOW).values).toEqual({
    a: null,
    b: '7',
    c: null,
  });
  expect(problemOf(() => binder(specs).bind(given({}), NOW)).errors).toEqual([
    { parameter: 'c', message: 'is required' },
  ]);
});

test('equal structures have one canonical text', () => {
  const specs: Record<string, DeclaredParameter> = {
    m: { type: 'Map(String, UInt8)', default: {} },
    t: { type: 'Tuple(a UInt8, b String)', default: [1, 'x'] },
    at: { type: "DateTime('Europe/Berlin')" },
  };
  const canonical = (values: Given) => binder(specs).bind(given(values), NOW).canonical;
  const one = canonical({ m: { a: 1, b: 2 }, t: [1, 'x'], at: '2024-01-31T10:20:30' });
  expect(canonical({ m: '{"b":"02","a":1}', t: { b: 'x', a: 1 }, at: 1706692830000 })).toBe(one);
  expect(canonical({ m: { a: 2, b: 1 }, t: [1, 'x'], at: 1706692830 })).not.toBe(one);
});
