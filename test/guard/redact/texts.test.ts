import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { DetectorName } from '../../../src/guard/redact/detector.ts';
import { DETECTOR_NAMES } from '../../../src/guard/redact/detectors.ts';
import { createRedactor } from '../../../src/guard/redact/redactor.ts';
import { ADDRESSES, DISGUISES, EMAILS, NUMBERS, SECRETS, SURVIVORS, UNREAD } from './texts.ts';

const ALL = DETECTOR_NAMES;

test('the schema of endpoint files has every detector', () => {
  const { $defs } = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../../schemas/endpoint.schema.json'), 'utf8'),
  ) as { $defs: { Pii: { properties: { detectors: { items: { enum: string[] } } } } } }; // our own schema
  expect($defs.Pii.properties.detectors.items.enum.toSorted()).toEqual(ALL.toSorted());
});

test('every detector has a row below', () => {
  const rows = [...ADDRESSES, ...EMAILS, ...SECRETS, ...NUMBERS].map(({ becomes }) => becomes).join('\n');
  expect(ALL.filter((name) => !rows.includes(`#${name}`))).toEqual([]);
});
const redactor = createRedactor({ detectors: ALL, kind: true });

/** A text as one row, redacted, and read again. */
function throughRow(text: string, escape: (json: string) => string = (json) => json): string {
  const line = `{"text":${escape(JSON.stringify(text))}}\n`;
  const row: unknown = JSON.parse(Buffer.from(redactor.redactLines(Buffer.from(line))).toString());
  return (row as { text: string }).text; // the row was written above
}

/** The same value as a JSON string with all punctuation and non-ASCII letters escaped. */
function escapeSigns(json: string): string {
  const escaped = json.slice(1, -1).replaceAll(/\\"|[^\\\w]/g, (sign) => {
    const code = sign.charCodeAt(sign.length - 1);
    return `\\u${code.toString(16).padStart(4, '0')}`;
  });
  return `"${escaped}"`;
}

describe.each([
  ['IP addresses', ADDRESSES],
  ['e-mail addresses', EMAILS],
  ['secrets', SECRETS],
  ['numbers', NUMBERS],
  ['disguises', DISGUISES],
])('%s', (_, table) => {
  test.each(table)('$why: $text', ({ text, becomes }) => {
    const expected = becomes.replaceAll('#', 'REDACTED:');
    expect(redactor.redactText(text)).toBe(expected);
    expect(throughRow(text)).toBe(expected);
    expect(throughRow(text, escapeSigns)).toBe(expected);
  });
});

describe.each([
  ['not personal data', SURVIVORS],
  ['documented as not detected', UNREAD],
])('%s', (_, table) => {
  test.each(table)('$why: $text', ({ text }) => {
    expect(redactor.redactText(text)).toBe(text);
    expect(throughRow(text)).toBe(text);
    expect(throughRow(text, escapeSigns)).toBe(text);
  });
});

describe('selection of detectors', () => {
  const text = '203.0.113.9 a@example.com +14155552671 4111111111111111';

  test.each<{ why: string; detectors: readonly DetectorName[] | undefined; becomes: string }>([
    {
      why: 'addresses and e-mail by default',
      detectors: undefined,
      becomes: 'R R +14155552671 4111111111111111',
    },
    { why: 'one', detectors: ['email'], becomes: '203.0.113.9 R +14155552671 4111111111111111' },
    { why: 'another', detectors: ['card'], becomes: '203.0.113.9 a@example.com +14155552671 R' },
    { why: 'two', detectors: ['phone', 'ip'], becomes: 'R a@example.com R 4111111111111111' },
  ])('$why', ({ detectors, becomes }) => {
    const chosen = createRedactor(detectors === undefined ? {} : { detectors });
    expect(chosen.redactText(text)).toBe(becomes.replaceAll('R', 'REDACTED'));
  });
});
