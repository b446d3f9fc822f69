// Each row of the table of parameter types is complete, and documented.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { compileParameter } from '../../src/params/parameter.ts';
import { TYPE_LABELS, TYPE_NAMES } from '../../src/params/scalar.ts';
import { parseParameterType, sampleText } from '../../src/params/type.ts';
import { jsonValueOf } from '../../src/sql/json-value.ts';

const TYPES = TYPE_NAMES.map((name) => name.replace('(P, S)', '(10, 2)').replace('(S)', '(6)'));

describe.each(TYPES.flatMap((type) => [type, `Array(${type})`]))('%s', (type) => {
  test('has a sample value that its own reader accepts', () => {
    const { parameter } = compileParameter('p', { type, required: true });
    expect(parameter?.read(sampleText(type)).kind).toBe('value');
  });

  test('is named as it is written', () => {
    expect(parseParameterType(type)).toMatchObject({ name: type });
  });
});

test.each(TYPES)('%s has JSON values, for the OpenAPI document and for TypeScript', (type) => {
  expect(jsonValueOf(type).kind).not.toBe('any');
});

test('the schema of endpoint files lists the types', () => {
  const schema = readFileSync(join(import.meta.dirname, '../../schemas/endpoint.schema.json'), 'utf8');
  expect(schema).toContain(`A ClickHouse type: ${TYPE_LABELS.join(', ')}, or Array(…) of one of them.`);
});
