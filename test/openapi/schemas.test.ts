// Types of columns and parameters as JSON Schema, and real values that validate against them.
import Ajv from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect, test } from 'vitest';
import type { Parameter } from '../../src/config/generated/endpoint.ts';
import { columnSchema } from '../../src/openapi/columns.ts';
import { parameterSchema } from '../../src/openapi/parameters.ts';

const ajv = addFormats.default(new Ajv.default({ strict: false }));

test.each<{ type: string; accepts: readonly unknown[]; rejects: readonly unknown[]; int64?: 'string' }>([
  { type: 'String', accepts: ['', 'a'], rejects: [1, null] },
  { type: 'LowCardinality(Nullable(String))', accepts: ['a', null], rejects: [1] },
  { type: 'UInt8', accepts: [0, 255], rejects: [-1, 1.5, '1'] },
  { type: 'Int64', accepts: [-1, 9_007_199_254_740_991], rejects: ['1', null] },
  { type: 'UInt64', int64: 'string', accepts: ['18446744073709551615'], rejects: [1, 'a'] },
  { type: 'Float64', accepts: [0.5, null], rejects: ['nan'] },
  { type: 'Decimal(10, 2)', accepts: [1.25], rejects: ['1.25'] },
  { type: "DateTime64(6, 'UTC')", accepts: ['2024-03-01T12:00:00.123456Z'], rejects: ['yesterday', 1] },
  { type: 'Date', accepts: ['2024-03-01'], rejects: ['2024-03-01T00:00:00Z'] },
  { type: 'Array(Nullable(UInt8))', accepts: [[], [1, null]], rejects: [['a'], 1] },
  { type: 'Map(String, Array(Float64))', accepts: [{ a: [0.5, null] }], rejects: [{ a: 1 }] },
  {
    type: 'Tuple(a UInt8, `b c` Nullable(String))',
    accepts: [{ a: 1, 'b c': null }],
    rejects: [{ a: 1 }, []],
  },
  {
    type: 'Tuple(UInt8, String)',
    accepts: [[1, 'a']],
    rejects: [
      ['a', 1],
      [1, 'a', 2],
    ],
  },
  { type: "Enum8('a' = 1, 'b, c' = 2)", accepts: ['a', 'b, c'], rejects: ['d'] },
  { type: 'Nullable(Tuple(UInt8))', accepts: [null, [1]], rejects: [1] },
  { type: "Nullable(Enum8('a' = 1))", accepts: [null, 'a'], rejects: ['b'] },
  { type: 'JSON(a.b String)', accepts: [{}, { a: { b: 'c' } }], rejects: ['{}'] },
  { type: 'Bool', accepts: [true], rejects: ['true'] },
  { type: 'SomethingNew(1)', accepts: [1, 'a', null], rejects: [] },
])('a column of $type', ({ type, accepts, rejects, int64 }) => {
  const check = ajv.compile(columnSchema(type, int64 ?? 'number'));
  expect(accepts.filter((value) => !check(value))).toEqual([]);
  expect(rejects.filter((value) => check(value))).toEqual([]);
});

test.each<{
  why: string;
  spec: Parameter;
  locked?: unknown;
  accepts: readonly unknown[];
  rejects: readonly unknown[];
}>([
  {
    why: 'a string with bounds',
    spec: { type: 'String', min_length: 1, max_length: 2 },
    accepts: ['ab'],
    rejects: ['', 'abc'],
  },
  {
    why: 'a pattern applies to the whole string',
    spec: { type: 'String', pattern: 'a|b' },
    accepts: ['a'],
    rejects: ['xa', 'ab'],
  },
  { why: 'choices', spec: { type: 'String', enum: ['x', 'y'] }, accepts: ['x'], rejects: ['z'] },
  {
    why: 'a number with bounds',
    spec: { type: 'UInt16', min: 1, max: 168 },
    accepts: [1, 168],
    rejects: [0, 169, '1'],
  },
  {
    why: 'a list',
    spec: { type: 'Array(UInt8)', min_length: 1, max_length: 2 },
    accepts: [[1]],
    rejects: [[], [1, 2, 3], 1, ['a']],
  },
  { why: 'locked by the key', spec: { type: 'String' }, locked: 'abc', accepts: ['abc'], rejects: ['other'] },
  { why: 'a time', spec: { type: 'DateTime64(3)' }, accepts: ['2024-03-01T12:00:00Z'], rejects: [1] },
  { why: 'the default is documented', spec: { type: 'String', default: 'a' }, accepts: ['b'], rejects: [1] },
])('a parameter: $why', ({ spec, locked, accepts, rejects }) => {
  const schema = parameterSchema(spec, locked);
  const check = ajv.compile(schema);
  expect(accepts.filter((value) => !check(value))).toEqual([]);
  expect(rejects.filter((value) => check(value))).toEqual([]);
  expect(schema.default).toEqual(spec.default);
});
