// Types of columns that cannot be keys of live calls.
import { expect, test } from 'vitest';
import { checkLiveKey } from '../../../src/service/endpoints/checks/live.ts';

test.each<[type: string, isKey: boolean]>([
  ['UInt64', true],
  ['Nullable(String)', true],
  ["Enum8('Float64' = 1)", true],
  ['Float64', false],
  ['Nullable(Float64)', false],
  ['SimpleAggregateFunction(sum, Float64)', false],
  ['BFloat16', false],
  ['Array(String)', false],
  ['Nullable(Tuple(a UInt8))', true],
  ['Variant(String, UInt8)', false],
])('%s: %s', (type, isKey) => {
  const file = { id: '', name: 'a', query: '', live: { every: 1, key: ['k'] } };
  const findings = checkLiveKey(file, [{ name: 'k', type }]);
  expect(findings.map(({ code }) => code)).toEqual(isKey ? [] : ['live.key_type']);
});
