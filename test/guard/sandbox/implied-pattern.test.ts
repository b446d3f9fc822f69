// Searches in stored strings that follow from searches in redacted ones: they select every row that those select, and which other rows
// they select does not depend on personal data.
import { expect, test } from 'vitest';
import type { DetectorName } from '../../../src/guard/redact/detector.ts';
import { impliedPattern } from '../../../src/guard/sandbox/redaction/implied-pattern.ts';

const SETTINGS = { detectors: ['ip', 'email'], kind: false } as const;

/** The expression in the syntax of JavaScript. */
function implied(pattern: string): RegExp | undefined {
  const regex = impliedPattern(pattern, SETTINGS);
  return regex === undefined
    ? undefined
    : new RegExp(regex.replaceAll(/\\x\{(\w+)\}/g, String.raw`\u{$1}`), 'u');
}

test.each([
  ['%/rest/v1/orders%', 'GET https://a.example/rest/v1/orders?x=1', true],
  ['%/rest/v1/orders%', 'GET https://a.example/rest/v1/products', false],
  ['%connection refused%', 'a connection refused by x', true],
  ['%connection refused%', 'a connection closed', false],
  ['%(timeout)', '(timeout)', true],
  ['a b%c', 'a b c', true],
])('%s on %s: %s', (pattern, text, isSelected) => {
  expect(implied(pattern)?.test(text)).toBe(isSelected);
});

test.each([
  ['no character outside of matches', '%timeout%'],
  ['an address', '% 192.0.2.1 %'],
  ['an e-mail address', '%/ann@example.com/%'],
  ['an encoded one', '% ann%40example.com %'.replace('%40', '&#64;')],
  ['what a replacement has', '% REDACTED %'],
  ['the end of a replacement', '%D took%'],
  ['any character', '%a_b c%'],
  ['an escape', String.raw`%a\% b%`],
  ['other than ASCII', '%ä b%'],
  ['nothing', '%'],
])('a pattern with %s implies nothing', (_what, pattern) => {
  expect(impliedPattern(pattern, SETTINGS)).toBeUndefined();
});

test.each<[string, readonly DetectorName[], boolean]>([
  ['kinds in replacements', ['ip', 'email'], true],
  ['other detectors', ['ip', 'email', 'phone'], false],
])('with %s, nothing is implied', (_what, detectors, kind) => {
  expect(impliedPattern('%/rest/v1/orders%', { detectors, kind })).toBeUndefined();
});

test('personal data around a literal does not decide whether a string is selected', () => {
  const secrets = [
    '192.0.2.1',
    '203.0.113.240',
    '2001:db8::1',
    'ann@example.com',
    'from.1@x.org',
    'ann%40example.com',
    'orders@x.org',
  ];
  const patterns = [
    '%from 1%',
    '%from 192%',
    '%/orders%',
    '%/ann%',
    '%1 took%',
    '%m/x%',
    '%from a%',
    '%x.org took%',
    '%) (%',
  ];
  for (const pattern of patterns) {
    for (const around of [
      (s: string) => `request from ${s} took 3 ms`,
      (s: string) => `/${s}/x`,
      (s: string) => `from ${s}`,
      (s: string) => s,
    ]) {
      const selected = new Set(secrets.map((secret) => implied(pattern)?.test(around(secret))));
      expect([pattern, [...selected]]).toEqual([pattern, [[...selected][0]]]);
    }
  }
});
