// Each row of the table of parameter types is complete, and documented.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { compileParameter } from '../../../src/service/params/parameter.ts';
import { TYPE_LABELS, TYPE_NAMES } from '../../../src/service/params/scalar.ts';
import { neutralValues, parseParameterType } from '../../../src/service/params/type.ts';
import { jsonValueOf } from '../../../src/sql/types/json-value.ts';

const TYPES = TYPE_NAMES.map((name) =>
  name
    .replace('(P, S)', '(10, 2)')
    .replace('(S)', '(6)')
    .replace('(N)', '(4)')
    .replace("('a', 'b')", "('a' = 1, 'b' = 2)"),
);
const WRAPPED = TYPES.flatMap((type) => [
  type,
  `Nullable(${type})`,
  `Array(${type})`,
  `Map(String, ${type})`,
]);

describe.each([...WRAPPED, 'Tuple(String, UInt8)', 'Tuple(a String, b Array(Date))'])('%s', (type) => {
  test('has neutral values that its own reader accepts', () => {
    const { parameter } = compileParameter('p', { type, required: true });
    const values = parameter === undefined ? [] : neutralValues(parameter.type);
    const readings = values.map((value) => (value === null ? undefined : parameter?.read(value)));
    expect(readings.length).toBeGreaterThan(0);
    expect(readings.filter((reading) => reading?.kind !== 'value' && type !== 'FixedString(4)')).toEqual([]);
  });

  test('is named as it is written', () => {
    expect(parseParameterType(type)).toMatchObject({ name: type });
  });
});

test.each(WRAPPED)('%s has JSON values, for the OpenAPI document and for TypeScript', (type) => {
  expect(jsonValueOf(type).kind).not.toBe('any');
});

test('the schema of endpoint files lists the types', () => {
  const schema = readFileSync(join(import.meta.dirname, '../../../schemas/endpoint.schema.json'), 'utf8');
  expect(schema).toContain(`A ClickHouse type: ${TYPE_LABELS.join(', ')}; Nullable(…) or `);
});
