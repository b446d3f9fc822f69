// Column types as the engine prints them.
import { describe, expect, test } from 'vitest';
import { parseColumnType } from '../../../src/sql/types/column-type.ts';

describe('kinds', () => {
  test.each([
    ['String', 'string'],
    ['FixedString(5)', 'string'],
    ['LowCardinality(String)', 'string'],
    ['Nullable(String)', 'string'],
    ['LowCardinality(Nullable(String))', 'string'],
    ["Enum8('a' = 1, 'b)' = 2)", 'string'],
    ['SimpleAggregateFunction(any, Nullable(String))', 'string'],
    ['UInt8', 'number'],
    ['Int256', 'number'],
    ['Float64', 'number'],
    ['BFloat16', 'number'],
    ['Decimal(18, 4)', 'number'],
    ['Nullable(UInt64)', 'number'],
    ['Bool', 'boolean'],
    ['Date', 'time'],
    ['Date32', 'time'],
    ["DateTime('UTC')", 'time'],
    ["DateTime64(6, 'America/New_York')", 'time'],
    ['UUID', 'uuid'],
    ['IPv4', 'ipv4'],
    ['IPv6', 'ipv6'],
    ['Dynamic', 'dynamic'],
    ['Dynamic(max_types=8)', 'dynamic'],
    ['Variant(String, UInt8)', 'dynamic'],
    ['JSON', 'json'],
    ['JSON(max_dynamic_paths=16)', 'json'],
    ['Array(Array(UInt8))', 'array'],
    ['Nested(a String, b UInt8)', 'array'],
    ['Map(String, UInt8)', 'map'],
    ['Tuple(a String)', 'tuple'],
    ['Time64(3)', 'other'],
    ['Point', 'other'],
    ['AggregateFunction(uniq, String)', 'other'],
    ['IntervalDay', 'other'],
    ['', 'other'],
    ['Array(', 'other'],
    [`${'Array('.repeat(2000)}String${')'.repeat(2000)}`, 'array'],
  ])('%s is %s', (text, kind) => {
    expect(parseColumnType(text).kind).toBe(kind);
  });
});

describe('parts', () => {
  test('of a Tuple, with names, in quotes, on several lines, and without', () => {
    const named = parseColumnType('Tuple(\n    a String,\n    `b c` Tuple(\n        d Nullable(UInt8)))');
    expect(named).toMatchObject({
      name: 'Tuple(a String, `b c` Tuple(d Nullable(UInt8)))',
      elements: new Map([
        ['a', { name: 'String', kind: 'string', padded: false }],
        [
          'b c',
          {
            name: 'Tuple(d Nullable(UInt8))',
            kind: 'tuple',
            elements: new Map([['d', { name: 'UInt8', kind: 'number', single: false }]]),
          },
        ],
      ]),
    });
    const bare = parseColumnType("Tuple(UInt8, DateTime64(3, 'UTC'), Enum8('x' = 1))");
    expect(bare.kind === 'tuple' && [...bare.elements].map(([name, type]) => [name, type.kind])).toEqual([
      ['1', 'number'],
      ['2', 'time'],
      ['3', 'string'],
    ]);
  });

  test('of a Map', () => {
    expect(parseColumnType('Map(LowCardinality(String), Array(Tuple(a String, b UInt8)))')).toMatchObject({
      key: { kind: 'string' },
      value: { kind: 'array', element: { kind: 'tuple' } },
    });
  });

  test('of a JSON column: typed paths, without settings and rules', () => {
    const type = parseColumnType(
      "JSON(max_dynamic_types=16, max_dynamic_paths = 256, a UInt16, `h.x` Nullable(String), m Map(String, String), SKIP b.c, SKIP REGEXP 'd, e F')",
    );
    expect(type.kind === 'json' && [...type.paths].map(([path, { kind }]) => [path, kind])).toEqual([
      ['a', 'number'],
      ['h.x', 'string'],
      ['m', 'map'],
    ]);
  });
});
