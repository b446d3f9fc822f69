// Edits of LQL in the explorer, held against the parser of the service.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  add,
  append,
  drop,
  exclude,
  filtersOf,
  include,
  chosenValues,
  isFilterable,
  partsOf,
  remove,
  replace,
  stateOf,
  tableOf,
  targetOf,
  unfilterable,
  withoutPath,
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
    'm.a:(GET|POST|5..9)',
    '-m.a:(x|NULL)',
    'tags:@>(a|"b c")',
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

test('the parts of any text are in their order, and those of a query its clauses', () => {
  fc.assert(
    fc.property(fc.oneof(anyText, query), (lql) => {
      const parts = partsOf(lql);
      const bounds = parts.flatMap(({ start, end }) => [start, end]);
      expect(bounds).toEqual(bounds.toSorted((a, b) => a - b));
      const rest = parts.reduceRight((left, { start, end }) => left.slice(0, start) + left.slice(end), lql);
      const result = parse(lql);
      if (!('tree' in result)) return;
      expect(rest.trim()).toBe('');
      expect(parts.map(({ clause: each }) => each)).toEqual(result.tree.clauses);
    }),
    SEED,
  );
  expect(partsOf('a:('.repeat(20_000))).toHaveLength(1);
  expect(partsOf('x"y '.repeat(15_000)).length).toBeLessThanOrEqual(101);
  expect(partsOf('a\0b')).toEqual([{ start: 0, end: 3 }]);
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
      const clauses = partsOf(lql);
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

test('add and drop are inverse for a value that is not in the filter, and change no clause of another path', () => {
  let edited = 0;
  fc.assert(
    fc.property(query, target, value, (lql, to, wanted) => {
      const before = parsed(lql);
      fc.pre(before !== undefined && to.path !== 'timestamp' && isFilterable(to, wanted));
      fc.pre(stateOf(lql, to, wanted) === undefined);
      edited++;
      const text = add(lql, to, wanted);
      const isOther = (each: unknown): boolean => pathOf(each) !== to.path;
      expect(parsed(text)?.filter(isOther)).toEqual(before?.filter(isOther));
      expect(stateOf(text, to, wanted)).toBe('included');
      expect(add(text, to, wanted)).toBe(text);
      expect(parsed(drop(text, to, wanted))).toEqual(before);
      expect(parsed(text)?.length).toBeLessThanOrEqual((before?.length ?? 0) + 1);
    }),
    SEED,
  );
  expect(edited).toBeGreaterThan(300);
});

test.each([
  ['', 'GET', 'm.a:GET'],
  ['m.a:PUT error', 'GET', 'm.a:(PUT|GET) error'],
  ['m.a:(PUT|"x y") error', null, 'm.a:(PUT|"x y"|NULL) error'],
  ['-m.a:GET x', 'GET', 'x m.a:GET'],
  ['-m.a:(GET|PUT) m.a:x', 'GET', '-m.a:PUT m.a:(x|GET)'],
  ['m.a:1..5 m.a:>2', 7, 'm.a:(1..5|7) m.a:>2'],
  ['m.a:~^x', 'GET', 'm.a:~^x m.a:GET'],
])('%j adding %j is %j', (lql, wanted, added) => {
  expect(add(lql, 'm.a', wanted)).toBe(added);
});

test('a filter has at most 100 values: one more is not added', () => {
  const full = `m.a:(${Array.from({ length: 100 }, (_, index) => index).join('|')})`;
  expect(add(full, 'm.a', 100)).toBe(full);
});

test.each([
  ['m.a:(GET|PUT|POST) x', 'PUT', 'm.a:(GET|POST) x'],
  ['m.a:(GET|PUT) x', 'PUT', 'm.a:GET x'],
  ['m.a:GET x -m.a:(GET|PUT)', 'GET', 'x -m.a:PUT'],
  ['m.a:1..5', 3, 'm.a:1..5'],
])('%j dropping %j is %j', (lql, wanted, left) => {
  expect(drop(lql, 'm.a', wanted)).toBe(left);
});

test('including one of several values leaves it alone, excluding one leaves the others', () => {
  expect(include('m.a:(GET|PUT) -m.a:(GET|x)', 'm.a', 'GET')).toBe('m.a:GET -m.a:x');
  expect(exclude('m.a:(GET|PUT) x', 'm.a', 'GET')).toBe('m.a:PUT x -m.a:GET');
});

test('what is chosen for a path', () => {
  const lql = 'm.a:(GET|5|NULL|1..9) -m.a:"5" m.b:x m.a:~y';
  const to = { path: 'metadata.a', isElement: false };
  expect(chosenValues(lql, to)).toEqual(['GET', 5, null, '5']);
  expect(withoutPath(lql, to)).toBe('m.b:x m.a:~y');
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
