import { expect, test } from 'vitest';
import { parseParameterType, placeholderType } from '../../src/params/type.ts';

test.each([
  ['String', 'String', 'Nullable(String)'],
  ['Bool', 'Bool', 'Nullable(Bool)'],
  ['UInt8', 'UInt8', 'Nullable(UInt8)'],
  ['Int256', 'Int256', 'Nullable(Int256)'],
  ['Float32', 'Float32', 'Nullable(Float32)'],
  ['Decimal(10,2)', 'Decimal(10, 2)', 'Nullable(Decimal(10, 2))'],
  ['Decimal( 76 , 76 )', 'Decimal(76, 76)', 'Nullable(Decimal(76, 76))'],
  ['Date32', 'Date32', 'Nullable(Date32)'],
  ['DateTime', 'DateTime', "Nullable(DateTime('UTC'))"],
  ['DateTime64(6)', 'DateTime64(6)', "Nullable(DateTime64(6, 'UTC'))"],
  ['IPv6', 'IPv6', 'Nullable(IPv6)'],
  ['Array(String)', 'Array(String)', 'Array(String)'],
  [' Array ( DateTime64( 3 ) ) ', 'Array(DateTime64(3))', "Array(DateTime64(3, 'UTC'))"],
])('%s', (text, name, placeholder) => {
  const type = parseParameterType(text);
  if ('kind' in type) throw new Error(type.message);
  expect([type.name, placeholderType(type, true)]).toEqual([name, placeholder]);
});

test.each([
  ['string', 'String', 'names are case-sensitive'],
  ['Uint8', 'UInt8', 'a typo'],
  ['DateTime64', 'DateTime64(S)', 'its scale is needed'],
  ['Decimal', 'Decimal(P, S)', 'its digits are needed'],
  ['Decimal(77, 1)', 'Decimal(10, 2)', 'too many digits'],
  ['Decimal(2, 3)', 'Decimal(10, 2)', 'more digits behind the point than there are'],
  ['DateTime64(10)', 'DateTime64(6)', 'too fine'],
  ["DateTime('Europe/Berlin')", 'DateTime', 'times are UTC'],
  ['Array(Array(String))', 'String', 'arrays hold scalars'],
  ['Nullable(String)', 'String', 'null comes from being optional'],
  ['Identifier', 'String parameter', 'would paste the value into the query'],
  ['identifier', 'String parameter', 'in any case'],
  ['', 'String', 'nothing'],
  ['String)', 'String', 'text after the type'],
])('%s is rejected: hint %s, because %s', (text, hint) => {
  const type = parseParameterType(text);
  expect('kind' in type && type.hint).toContain(hint);
});
