import { expect, test } from 'vitest';
import { compileParameter } from '../../src/params/parameter.ts';
import { sampleText } from '../../src/params/sample-values.ts';

const TYPES = [
  'String',
  'Bool',
  'UInt8',
  'Int64',
  'Float64',
  'Decimal(10, 2)',
  'Date',
  'Date32',
  'DateTime',
  'DateTime64(6)',
  'UUID',
  'IPv4',
  'IPv6',
  'Array(String)',
];

test.each(TYPES)('%s has a neutral value that its own reader takes', (type) => {
  const { parameter } = compileParameter('p', { type, required: true });
  expect(parameter?.read(sampleText(type)).kind).toBe('value');
});
