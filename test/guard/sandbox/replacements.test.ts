// What queries of other systems call, and the hints for it: everything that a hint says to write is allowed.
import { expect, test } from 'vitest';
import { createFunctionPolicy } from '../../../src/guard/sandbox/functions/policy.ts';
import { REPLACEMENTS } from '../../../src/guard/sandbox/functions/replacements.ts';

const policy = createFunctionPolicy({ allow: [], deny: [] });

test.each([...REPLACEMENTS])('%s is not allowed, and what replaces it is', (name, hint) => {
  expect(name).toBe(name.toLowerCase());
  expect(policy.allows(name)).toBe(false);
  const called = [...hint.matchAll(/(\w+)\(/g)].map(([, each = '']) => each);
  for (const each of called) expect(policy.allows(each)).toBe(true);
});

test.each([
  ['count_if', 'countIf'],
  ['COUNT_IF', 'countIf'],
  ['to_start_of_hour', 'toStartOfHour'],
  ['json_extract_string', 'JSONExtractString'],
  ['toStartOfHours', 'toStartOfHour'],
])('the nearest name of %s is %s', (name, expected) => {
  expect(policy.nearest(name)).toBe(expected);
});
