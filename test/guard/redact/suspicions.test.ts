// What a person is asked to look at, and what not.
import { expect, test } from 'vitest';
import { inspectRows, shapeOf } from '../../../src/guard/redact/inspect.ts';
import {
  hasHighEntropy,
  hasSpelledEmail,
  isPersonalName,
  numbersLookLike,
} from '../../../src/guard/redact/suspicions.ts';

test.each([
  'name',
  'user_name',
  'user.name',
  'client_ip',
  'clientIp',
  'surname',
  'metadata.Phone',
  'billing-address',
  'remote_addr',
  'ssn',
])('%s says personal data', (path) => expect(isPersonalName(path)).toBe(true));
test.each(['event_name', 'host.name', 'zipped', 'tip', 'description', 'count', 'ts'])('%s does not', (path) =>
  expect(isPersonalName(path)).toBe(false),
);

test.each([
  ['sid=9fQk7fPz0aWm2RtXy81Lc', true],
  ['d41d8cd98f00b204e9800998ecf8427e', true],
  ['123e4567-e89b-12d3-a456-426614174000', false],
  ['/api/v1/customers/orders/items/12', false],
  ['a sentence with some words and 12345678901234567890 in it', false],
  ['aaaaaaaaaaaaaaaaaaaaaaaaa1', false],
])('%s looks random: %s', (text, is) => expect(hasHighEntropy(text)).toBe(is));

test.each([
  ['mail ann [at] example.com', true],
  ['ann(at)example(dot)com', true],
  ['ann at example dot com', true],
  ['look at example.com', false],
  ['at line 5', false],
])('%s is a spelled-out address: %s', (text, is) => expect(hasSpelledEmail(text)).toBe(is));

const NOW = 1_750_000_000;
test.each([
  [{ least: 2 ** 24, greatest: 2 ** 32 - 1 }, 'ip_as_number'],
  [{ least: 1_700_000_000, greatest: 1_760_000_000 }, undefined],
  [{ least: 1_700_000_000_000, greatest: 1_760_000_000_000 }, undefined],
  [{ least: 3_000_000_000, greatest: 3_000_001_000 }, undefined],
  [{ least: 4_915_112_345_678, greatest: 4_915_212_345_678 }, 'phone_as_number'],
  [{ least: 1, greatest: 1000 }, undefined],
] as const)('%j: %s', (range, is) => expect(numbersLookLike(range, NOW)).toBe(is));

test('forms have no letters and no digits of the value', () => {
  expect(shapeOf('Ann Müller, +49 30 1234')).toBe('xxx xxxxxx, +99 99 9999');
  expect(shapeOf('x'.repeat(100))).toBe(`${'x'.repeat(40)}…`);
});

test('names that are personal data, random or many are not shown; paths are bounded', () => {
  const many = Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`k${n}`, n]));
  const rows = [{ map: { 'ann@example.com': 'x', '10.1.2.3': 'y', sid9fQk7fPz0aWm2RtXy81Lc: 'z' }, many }];
  const { paths } = inspectRows(rows, { detectors: ['ip', 'email'], rules: undefined, now: NOW });
  expect(paths.filter(({ path }) => path.startsWith('map'))).toMatchObject([{ path: 'map.*', values: 3 }]);
  expect(paths.filter(({ path }) => path.startsWith('many.'))).toHaveLength(101);
  const wide = Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`c${n}`, n]));
  expect(inspectRows([wide], { detectors: [], rules: undefined, now: NOW })).toMatchObject({ isCut: true });
});
