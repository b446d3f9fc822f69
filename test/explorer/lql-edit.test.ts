// Edits of LQL in the explorer, held against the parser of the service.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  append,
  clausesOf,
  exclude,
  filtersOf,
  include,
  isFilterable,
  remove,
  replace,
  stateOf,
  tableOf,
  targetOf,
  unfilterable,
  withTable,
  type Target,
} from '../../explorer/src/logs/lql-edit.ts';
import { parseJson, type Json } from '../../explorer/src/service/json.ts';
import { parse } from '../../src/sql/lql/parse.ts';
import type { Clause } from '../../src/sql/lql/tree.ts';
import { anyCharacter } from '../support/any-character.ts';

const SEED = { seed: 1, numRuns: 1500 };

/** The clauses without their locations; undefined if the service rejects the query. */
function parsed(lql: string): readonly unknown[] | undefined {
  const result = parse(lql);
  return 'tree' in result ? result.tree.clauses.map(plain) : undefined;
}

function plain(clause: Clause): unknown {
  return JSON.parse(
    JSON.stringify(clause, (key, value: unknown) =>
      key === 'span' || key === 'valueSpan' ? undefined : typeof value === 'bigint' ? String(value) : value,
    ),
  );
}

// Pieces that the grammar cares about, next to arbitrary text.
const piece = fc.oneof(
  fc.constantFrom(
    'f:',
    's:',
    'c:count(*)',
    't:',
    ':',
    ':>=',
    ':@>',
    ':~',
    '-',
    '~',
    '"',
    '\\"',
    '\\',
    '(',
    ')',
    ' ',
    '\n',
    '\u00a0',
    '\u200b',
    '\u200d',
    '\u200e',
    '\x1b',
    '..',
  ),
  fc.constantFrom(
    'm.a',
    '"m".a',
    'm."k8s/pod"',
    '"t":',
    'metadata.b',
    'level',
    'edge_logs',
    'NULL',
    'true',
    '5',
    '2024-01-01',
    'last@1h',
    'error',
    '@x',
    '*',
  ),
  fc.string({ unit: 'grapheme', maxLength: 4 }),
);
const anyText = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(''));
const clause = fc.oneof(
  fc.constantFrom(
    'f:edge_logs',
    's:m.a@x',
    's:*',
    'c:count(*)',
    'c:group_by(t::hour)',
    't:last@1h',
    '-t:2024-01-01..2024-01-02',
  ),
  fc.constantFrom(
    'm.a:1',
    'metadata.a:"x y"',
    '-m.a:GET',
    'm.a:NULL',
    'tags:@>a',
    '-tags:@>"b c"',
    'm.b:>=5',
    'level:~^x',
    'm.a:(in (it)',
    '"t":5',
    'm."b.c":x',
    's:"a@b"."c d"@e',
    's:"a@b"',
  ),
  fc.constantFrom(
    'error',
    '"two words"',
    '-"not \\"this\\""',
    '~^a.*b$',
    '~"a b"',
    'say\\"hi\\"',
    'm.level:debug..error',
  ),
);
const query = fc
  .array(fc.tuple(clause, fc.constantFrom(' ', '  ', '\n', '\t ')), { maxLength: 8 })
  .map((parts) => parts.flat().join(''));
const value: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(
    null,
    true,
    false,
    0,
    -1.5,
    1e21,
    1e-7,
    12345678901234567890n,
    '',
    'NULL',
    'true',
    '5',
    '2024-01-01',
    'a"b\\',
    '../x',
    'a..b',
    '~x',
    '>5',
    ' ',
  ),
  fc.string({ unit: anyCharacter, maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }),
);
const target: fc.Arbitrary<Target> = fc.record({
  path: fc.constantFrom('metadata.a', 'metadata.b.c', 'tags', 'level', 'x1', 'timestamp', 'm.t', 'a b/c.d:e'),
  isElement: fc.boolean(),
});

describe('clausesOf', () => {
  test('splits as the service does', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, query), (lql) => {
        const result = parse(lql);
        const own = clausesOf(lql);
        for (const each of own) expect(lql.slice(each.start, each.end)).toBe(each.text);
        if (!('tree' in result)) return;
        expect(own.map(({ start, end }) => [start, end])).toEqual(
          result.tree.clauses.map(({ span }) => [span.start, span.end]),
        );
        const negated = result.tree.clauses.map((each) => 'negated' in each && each.negated);
        expect(own.map(({ isNegated }) => isNegated)).toEqual(negated);
        const kinds = {
          from: 'from',
          select: 'select',
          aggregate: 'chart',
          bucket: 'chart',
          timestamp: 'time',
          field: 'field',
          message: 'message',
        };
        expect(own.map(({ kind }) => kind)).toEqual(result.tree.clauses.map(({ kind }) => kinds[kind]));
      }),
      SEED,
    );
  });

  test('takes linear time', () => {
    expect(clausesOf('"'.repeat(60_000)).length).toBeGreaterThan(0);
    expect(clausesOf('a:('.repeat(20_000)).length).toBeGreaterThan(0);
    expect(clausesOf('x"y '.repeat(15_000)).length).toBeGreaterThan(0);
  });
});

describe.each([
  ['include', include, false],
  ['exclude', exclude, true],
] as const)('%s', (_, edit, isNegated) => {
  test('adds one clause that means the value, and changes no clause of another path', () => {
    let edited = 0;
    fc.assert(
      fc.property(query, target, value, (lql, to, wanted) => {
        const before = parsed(lql);
        fc.pre(before !== undefined);
        const text = edit(lql, to, wanted);
        if (!isFilterable(to, wanted)) {
          expect(text).toBe(lql);
          return;
        }
        edited++;
        const alone = parsed(edit('', to, wanted)) ?? [];
        const after = parsed(text);
        expect(alone).toHaveLength(1);
        expect(alone[0]).toMatchObject({ negated: isNegated, operator: to.isElement ? ':@>' : ':' });
        expect(after).toContainEqual(alone[0]);
        const isOther = (each: unknown): boolean => pathOf(each) !== to.path;
        expect(after?.filter(isOther)).toEqual(before?.filter(isOther));
        expect(stateOf(text, to, wanted)).toBe(isNegated ? 'excluded' : 'included');
        expect(edit(text, to, wanted)).toBe(text);
      }),
      SEED,
    );
    expect(edited).toBeGreaterThan(500);
  });
});

function pathOf(clause: unknown): string | undefined {
  const { path } = clause as { path?: { segments: readonly string[] } }; // a clause of the service
  return path?.segments.join('.');
}

test('removing the clauses one by one leaves the others as they were', () => {
  fc.assert(
    fc.property(query, fc.nat(), (lql, at) => {
      const before = parsed(lql);
      const clauses = clausesOf(lql);
      fc.pre(before !== undefined && clauses.length > 0);
      const index = at % clauses.length;
      const clause = clauses[index];
      if (clause === undefined) return;
      expect(parsed(remove(lql, clause))).toEqual(before?.filter((_, each) => each !== index));
      expect(parsed(replace(lql, clause, 'zzz'))).toHaveLength(clauses.length);
    }),
    SEED,
  );
});

test.each([
  ['', 'metadata.a', 'GET', 'm.a:GET'],
  ['  error', 'metadata.a', 'GET', '  error m.a:GET'],
  ['m.a:PUT error', 'metadata.a', 'GET', 'm.a:GET error'],
  ['-m.a:GET error', 'metadata.a', 'GET', 'm.a:GET error'],
  ['-m.a:PUT error', 'metadata.a', 'GET', '-m.a:PUT error m.a:GET'],
  ['m.a:PUT error m.a:POST x', 'metadata.a', 'GET', 'm.a:GET error x'],
  ['m.a:>=5', 'metadata.a', 5, 'm.a:>=5 m.a:5'],
  ['', 'user.name', 'a "b" \\', 'user.name:"a \\"b\\" \\\\"'],
  ['', 'status', '200', 'status:"200"'],
  ['', 'status', 200, 'status:200'],
  ['', 'status', 1e21, 'status:1000000000000000000000'],
  ['', 'status', 1.5e-7, 'status:0.00000015'],
  ['', 'user', null, 'user:NULL'],
  ['', 'user', 'NULL', 'user:"NULL"'],
  ['', 'flag', true, 'flag:true'],
  ['', 'timestamp', '2024-05-01T00:00:00.000001Z', 't:2024-05-01T00:00:00.000001Z'],
  ['"open', 'a', 'b', 'a:b "open'],
  ['x:(open', 'a', 'b', 'a:b x:(open'],
] as const)('%j including %s %j is %j', (lql, path, wanted, included) => {
  expect(include(lql, path, wanted)).toBe(included);
});

test('excluding what is included toggles it, and elements of arrays do not replace each other', () => {
  const tags: Target = { path: 'tags', isElement: true };
  expect(exclude('m.a:GET  x', 'm.a', 'GET')).toBe('-m.a:GET  x');
  expect(exclude('-m.a:GET', 'm.a', 'POST')).toBe('-m.a:GET -m.a:POST');
  expect(include(include('', tags, 'a'), tags, 'b')).toBe('tags:@>a tags:@>b');
  expect(exclude('tags:@>a tags:@>b', tags, 'a')).toBe('-tags:@>a tags:@>b');
});

test.each([
  ['f', '"f":x'],
  ['m.x', '"m".x:x'],
  ['metadata.user-agent', 'm."user-agent":x'],
  ['attrs.k8s/pod.a b', 'attrs."k8s/pod"."a b":x'],
  ['é', '"é":x'],
])('%j is written as %s', (path, text) => {
  const to = { path, isElement: false };
  expect(include('', to, 'x')).toBe(text);
  expect(parsed(text)?.map(pathOf)).toEqual([path]);
  expect(stateOf(text, to, 'x')).toBe('included');
});

test.each(['a..b', '', '.a', "it's", 'a"b', 'a\\b', 'a\nb'])('LQL cannot name %j', (path) => {
  const to = { path, isElement: false };
  expect(isFilterable(to, 'x')).toBe(false);
  expect(unfilterable(to, 'x')).toMatch(/name/);
  expect(include('error', to, 'x')).toBe('error');
});

test('the target of a leaf', () => {
  const types = {
    metadata: 'JSON',
    tags: 'Array(String)',
    events: 'Nested(name String)',
    pair: 'Tuple(UInt8, String)',
    pairs: 'Array(Tuple(UInt8, String))',
  };
  const table = { name: 't', columns: Object.entries(types).map(([name, type]) => ({ name, type })) };
  const of = (...segments: readonly (string | number)[]): Target => targetOf(segments, table);
  expect(of('metadata', 'a b', 'c')).toEqual({ path: 'metadata.a b.c', isElement: false });
  expect(of('metadata', 'list', 2, 'x')).toEqual({ path: 'metadata.list.x', isElement: true });
  expect(of('tags', 2)).toEqual({ path: 'tags', isElement: true });
  expect(of('events', 0, 'name')).toEqual({ path: 'events.name', isElement: true });
  expect(of('pair', 1)).toEqual({ path: 'pair.2', isElement: false });
  expect(of('pairs', 0, 1)).toEqual({ path: 'pairs.2', isElement: true });
  expect(unfilterable(of('tags'), [])).toContain('list');
  expect(unfilterable(of('tags', 0), 'x'.repeat(5000))).toContain('4,096');
});

test('a number that a double cannot hold keeps its digits', () => {
  expect(include('', 'n', parseJson('0.12345678901234567890123'))).toBe('n:0.12345678901234567890123');
  expect(include('', 'n', parseJson('18446744073709551615'))).toBe('n:18446744073709551615');
});

test('the table, and the filters alone', () => {
  expect(filtersOf('c:max("a (b)") s:"a@b"@c x')).toBe('x');
  expect(tableOf('error f:auth_logs')).toBe('auth_logs');
  expect(withTable('error f:auth_logs', 'edge_logs')).toBe('error f:edge_logs');
  expect(withTable('error', 'edge_logs')).toBe('f:edge_logs error');
  expect(filtersOf('s:a error c:count(*)  m.a:1 s:*')).toBe('error m.a:1');
  expect(append('error ', 'x')).toBe('error x');
});
