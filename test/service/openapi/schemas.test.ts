// Types of columns and parameters as JSON Schema, and real values that validate against them.
import Ajv from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect, test } from 'vitest';
import type { DeclaredParameter } from '../../../src/service/params/declared.ts';
import { columnSchema } from '../../../src/service/openapi/columns.ts';
import { parameterSchema } from '../../../src/service/openapi/parameters.ts';

const ajv = addFormats.default(new Ajv.default({ strict: false }));

test.each<{ type: string; takes: readonly unknown[]; refuses: readonly unknown[]; int64?: 'string' }>([
  { type: 'String', takes: ['', 'a'], refuses: [1, null] },
  { type: 'LowCardinality(Nullable(String))', takes: ['a', null], refuses: [1] },
  { type: 'UInt8', takes: [0, 255], refuses: [-1, 1.5, '1'] },
  { type: 'Int64', takes: [-1, 9_007_199_254_740_991], refuses: ['1', null] },
  { type: 'UInt64', int64: 'string', takes: ['18446744073709551615'], refuses: [1, 'a'] },
  { type: 'Float64', takes: [0.5, null], refuses: ['nan'] },
  { type: 'Decimal(10, 2)', takes: [1.25], refuses: ['1.25'] },
  { type: 'Decimal(18, 4)', int64: 'string', takes: ['-12345678901234.5678', '1'], refuses: [1.25, '1.'] },
  { type: "DateTime64(6, 'UTC')", takes: ['2024-03-01T12:00:00.123456Z'], refuses: ['yesterday', 1] },
  { type: 'Date', takes: ['2024-03-01'], refuses: ['2024-03-01T00:00:00Z'] },
  { type: 'Array(Nullable(UInt8))', takes: [[], [1, null]], refuses: [['a'], 1] },
  { type: 'Map(String, Array(Float64))', takes: [{ a: [0.5, null] }], refuses: [{ a: 1 }] },
  { type: 'Tuple(a UInt8, `b c` Nullable(String))', takes: [{ a: 1, 'b c': null }], refuses: [{ a: 1 }, []] },
  {
    type: 'Tuple(UInt8, String)',
    takes: [[1, 'a']],
    refuses: [
      ['a', 1],
      [1, 'a', 2],
    ],
  },
  { type: "Enum8('a' = 1, 'b, c' = 2)", takes: ['a', 'b, c'], refuses: ['d'] },
  { type: 'Nullable(Tuple(UInt8))', takes: [null, [1]], refuses: [1] },
  { type: "Nullable(Enum8('a' = 1))", takes: [null, 'a'], refuses: ['b'] },
  { type: 'JSON(a.b String)', takes: [{}, { a: { b: 'c' } }], refuses: ['{}'] },
  { type: 'Bool', takes: [true], refuses: ['true'] },
  { type: 'SomethingNew(1)', takes: [1, 'a', null], refuses: [] },
])('a column of $type', ({ type, takes, refuses, int64 }) => {
  const check = ajv.compile(columnSchema(type, int64 ?? 'number'));
  expect(takes.filter((value) => !check(value))).toEqual([]);
  expect(refuses.filter((value) => check(value))).toEqual([]);
});

test.each<{
  why: string;
  spec: DeclaredParameter;
  locked?: unknown;
  takes: readonly unknown[];
  refuses: readonly unknown[];
}>([
  {
    why: 'a text with bounds',
    spec: { type: 'String', min_length: 1, max_length: 2 },
    takes: ['ab'],
    refuses: ['', 'abc'],
  },
  {
    why: 'a pattern is of the whole',
    spec: { type: 'String', pattern: 'a|b' },
    takes: ['a'],
    refuses: ['xa', 'ab'],
  },
  { why: 'choices', spec: { type: 'String', enum: ['x', 'y'] }, takes: ['x'], refuses: ['z'] },
  {
    why: 'a number with bounds',
    spec: { type: 'UInt16', min: 1, max: 168 },
    takes: [1, 168],
    refuses: [0, 169, '1'],
  },
  {
    why: 'a list',
    spec: { type: 'Array(UInt8)', min_length: 1, max_length: 2 },
    takes: [[1]],
    refuses: [[], [1, 2, 3], 1, ['a']],
  },
  { why: 'what the key sets', spec: { type: 'String' }, locked: 'abc', takes: ['abc'], refuses: ['other'] },
  { why: 'a time', spec: { type: 'DateTime64(3)' }, takes: ['2024-03-01T12:00:00Z'], refuses: [1] },
  { why: 'the default is told', spec: { type: 'String', default: 'a' }, takes: ['b'], refuses: [1] },
])('a parameter: $why', ({ spec, locked, takes, refuses }) => {
  const schema = parameterSchema(spec, locked);
  const check = ajv.compile(schema);
  expect(takes.filter((value) => !check(value))).toEqual([]);
  expect(refuses.filter((value) => check(value))).toEqual([]);
  expect(schema.default).toEqual(spec.default);
});

test.each([
  'UInt64', 'Nullable(UInt64)', 'Decimal(20, 2)', 'Float64', 'Nullable(DateTime)', 'DateTime64(3)', 'Array(Nullable(Int64))', 'Map(String, Nullable(UInt256))',
  'Tuple(a Nullable(UInt64))', "Nullable(Enum8('a' = 1))", 'Bool',
])('no schema of %s has a list of types', (type) => {
  const shown = JSON.stringify([
    parameterSchema({ type }, undefined),
    ...(['number', 'string', 'exact'] as const).map((int64) => columnSchema(type, int64)),
  ]);
  expect(shown).not.toContain('"type":[');
}); // prettier-ignore

test.each([
  { type: 'Nullable(UInt64)', takes: [null, 1], refuses: ['1', 'a'] },
  { type: 'Nullable(DateTime)', takes: [null, 'now-1h', '2024-03-01T12:00:00Z'], refuses: [1, 'x'] },
  { type: "Nullable(Enum8('a' = 1))", takes: [null, 'a'], refuses: ['b'] },
  { type: 'Array(Nullable(UInt8))', takes: [[null, 1]], refuses: [null, ['a']] },
])('a parameter of $type', ({ type, takes, refuses }) => {
  const check = ajv.compile(parameterSchema({ type }, undefined));
  expect(takes.filter((value) => !check(value))).toEqual([]);
  expect(refuses.filter((value) => check(value))).toEqual([]);
});

test.each(['UInt64', 'Decimal(20, 2)'])('exact values of %s are numbers or strings', (type) => {
  const check = ajv.compile(columnSchema(type, 'exact'));
  expect([1, '18446744073709551615'].every((value) => check(value))).toBe(true);
  expect(check(null)).toBe(false);
});
