import { describe, expect, test } from 'vitest';
import { demandedRedactor } from '../../../src/guard/redact/demand.ts';
import { createRedactor, NO_REDACTION, type RedactorOptions } from '../../../src/guard/redact/redactor.ts';

describe('the profile', () => {
  test.each<{ why: string; a: RedactorOptions; b: RedactorOptions }>([
    {
      why: 'defaults explicit or omitted',
      a: {},
      b: { detectors: ['ip', 'email'], kind: false, columns: {} },
    },
    { why: 'detectors in any order', a: { detectors: ['card', 'ip'] }, b: { detectors: ['ip', 'card'] } },
    {
      why: 'columns in any order',
      a: { columns: { a: 'mask', b: 'drop' } },
      b: { columns: { b: 'drop', a: 'mask' } },
    },
    { why: 'a key that is not used for hashing', a: { hashKey: 'x' }, b: { hashKey: 'y' } },
  ])('is the same: $why', ({ a, b }) => {
    expect(createRedactor(a).profile).toBe(createRedactor(b).profile);
  });

  test('differs for everything that changes the output', () => {
    const all: readonly RedactorOptions[] = [
      {},
      { detectors: ['ip'] },
      { kind: true },
      { columns: { a: 'mask' } },
      { columns: { a: 'drop' } },
      { columns: { b: 'mask' } },
      { columns: { a: 'hash' }, hashKey: 'x' },
      { columns: { a: 'hash' }, hashKey: 'y' },
    ];
    const profiles = new Set([NO_REDACTION, ...all.map(createRedactor)].map(({ profile }) => profile));
    expect(profiles.size).toBe(all.length + 1);
  });

  test('does not reveal the key', () => {
    expect(createRedactor({ columns: { a: 'hash' }, hashKey: 'secret-key' }).profile).not.toContain(
      'secret-key',
    );
  });
});

describe('requests for redaction', () => {
  const redactor = createRedactor({});

  test.each([
    { endpoint: false, key: false, header: false, redacts: false },
    { endpoint: true, key: false, header: false, redacts: true },
    { endpoint: false, key: true, header: false, redacts: true },
    { endpoint: false, key: false, header: true, redacts: true },
    { endpoint: true, key: true, header: false, redacts: true },
    { endpoint: true, key: true, header: true, redacts: true },
  ])(
    'can only add it: endpoint $endpoint, key $key, header $header',
    ({ redacts, endpoint: always, ...demands }) => {
      expect(demandedRedactor({ always, redactor }, demands)).toBe(redacts ? redactor : NO_REDACTION);
    },
  );

  test('without one, rows and strings are unchanged', () => {
    const lines = Buffer.from('{"a":"::1"}\n');
    expect(NO_REDACTION.redactLines(lines)).toBe(lines);
    expect(NO_REDACTION.redactText('::1')).toBe('::1');
  });
});

test('rows of redacted tables keep the address that replaces others, and nothing else', () => {
  const found: string[] = [];
  const lines = Buffer.from('{"v4":"0.0.0.0","a":["0.0.0.0:80","10.0.0.0"],"0.0.0.0":1,"m":"x"}\n');
  const { afterSource } = createRedactor({ columns: { m: 'mask' } });
  const redacted = afterSource.redactLines(lines, (name) => found.push(name));
  expect(Buffer.from(redacted).toString()).toBe(
    '{"v4":"0.0.0.0","a":["0.0.0.0:80","REDACTED"],"0.0.0.0":1,"m":"REDACTED"}\n',
  );
  expect(found).toEqual(['ip']);
});
