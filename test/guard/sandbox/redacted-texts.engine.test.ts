// The engine's expressions replace at least what the detectors find in rows: in every text of their tables, and in generated ones.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DETECTOR_NAMES } from '../../../src/guard/redact/detectors.ts';
import { createRedactor } from '../../../src/guard/redact/redactor.ts';
import { createRedactTable } from '../../../src/guard/sandbox/redaction/source-redaction.ts';
import { quoteString } from '../../../src/sql/clickhouse/literal.ts';
import { hardText } from '../redact/fragments.ts';
import { ADDRESSES, DISGUISES, EMAILS, NUMBERS, SECRETS, SURVIVORS } from '../redact/texts.ts';
import { openOracle, type Oracle } from '../../sql/clickhouse/oracle.ts';
import { runs } from '../../support/runs.ts';

let oracle: Oracle;
beforeAll(() => {
  oracle = openOracle();
});
afterAll(() => oracle.close());

/** The texts as columns of one row each, redacted. */
async function inEngine(
  texts: readonly string[],
  kind: boolean,
  detectors = DETECTOR_NAMES,
): Promise<readonly string[]> {
  const { source } = createRedactor({ detectors, kind });
  if (source === undefined) throw new Error('nothing is redacted');
  const { select } = createRedactTable(source)([
    { name: 'n', type: 'UInt32' },
    { name: 't', type: 'String' },
  ]);
  const rows = texts.map((text, n) => `(${n}, ${quoteString(text)})`).join(', ');
  const stored = `SELECT * FROM values('n UInt32, t String', ${rows})`;
  const sql = `SELECT t FROM (${select(stored, {}, [])}) ORDER BY n`;
  const answer = await oracle.ask(sql, 'JSONCompactEachRow');
  return answer
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as [string])[0]); // one column of strings
}

const PERSONAL = [...ADDRESSES, ...EMAILS, ...SECRETS, ...NUMBERS, ...DISGUISES];
const rows = createRedactor({ detectors: DETECTOR_NAMES });

test.each([false, true])('what the tables of the detectors have is replaced, kind: %s', async (kind) => {
  const texts = PERSONAL.map(({ text }) => text);
  const redacted = await inEngine(texts, kind);
  const missed = redacted.flatMap((text, index) => {
    const isMissed = !text.includes('REDACTED') || rows.redactText(text) !== text;
    return isMissed ? [`${texts[index] ?? ''} -> ${text} -> ${rows.redactText(text)}`] : [];
  });
  expect(missed).toEqual([]);
});

/** What the engine redacts although no detector takes it for personal data: docs/secure/personal-data.md names the kinds. */
const WIDER: readonly string[] =
  `groups of thousands; an object identifier; octets over 255; a sum; an exponent; sums;
  a version of four parts, marked; a version of four parts after a name; a version of five parts; a browser; only a browser;
  a product in brackets; a product, encoded; a semantic version after an @; an EUI-64; a fingerprint; a UUID of digits;
  a scope of hexadecimal letters; three colons; a scope of four hexadecimal digits, in mixed case; a key and a number;
  a high-resolution image name; a card number with a wrong check digit; a card in an identifier; a card in a fraction;
  an IBAN with wrong check digits; an IBAN of the wrong length; a number too long for a phone`.split(/;\s+/);

test('what no detector takes for personal data stays, apart from known shapes', async () => {
  const redacted = await inEngine(
    SURVIVORS.map(({ text }) => text),
    false,
  );
  const changed = SURVIVORS.filter(({ text }, index) => redacted[index] !== text).map(({ why }) => why);
  expect(changed.toSorted()).toEqual(WIDER.toSorted());
});

/** How much of a text is left. */
const kept = (text: string): number => text.replaceAll('REDACTED', '').length;

test('of the tables, the engine leaves no more than rows do', async () => {
  const texts = PERSONAL.map(({ text }) => text);
  const redacted = await inEngine(texts, false);
  const more = redacted.filter((text, index) => kept(text) > kept(rows.redactText(texts[index] ?? '')));
  expect(more).toEqual([]);
});

test.each([
  'from fran\\u00e7ois@example.com',
  'from john%2Edoe@example.com',
  'from john&#46;doe@example.com',
  'Bearer abc12345%2Fsecret',
  'Bearer abc12345\\u002fsecret',
  'from ann@mail.example%2Eco%2Euk',
  'tel=%2B49+30+1234567',
  'john.bob@example.co=2Euk',
  'john=\nbob@example.com',
  '192=2E0.2.1.5',
])('a match with an escape inside is redacted as a whole: %s', async (text) => {
  const expected = ['REDACTED', 'REDACTED'];
  expect(await inEngine([text, JSON.stringify({ text })], false)).toEqual(expected);
  expect(await documentInEngine(text)).toBe('REDACTED');
});

test.each([
  'john=2Ebob@example.com',
  'ann.j-x=2Dy=2Ez@example.com',
  '2001=3Adb8::1',
  '1234.0.2.15',
  '10.0.0.1234',
])('what precedes or continues a match is a part of it: %s', async (text) => {
  expect(await inEngine([text, JSON.stringify({ text })], false)).toEqual([
    'REDACTED',
    '{"text":"REDACTED"}',
  ]);
});

test.each(['line\nbob@example.com', 'a\tbob@example.com', '\b1.2.3.4', '\fnew@example.com'])(
  'a document with an address after a control character stays a document: %j',
  async (text) => {
    expect(await documentInEngine(text)).toBe(rows.redactText(text));
  },
);

test('a token with a slash is redacted in a document, whose text has it escaped', async () => {
  expect(await documentInEngine('Bearer abc/1defghij/kl')).toBe('REDACTED');
  expect(await documentInEngine('Bearer abcdefg1/secret')).toBe('REDACTED');
});

test('a stored column may have the name that strings have together', async () => {
  const { source } = createRedactor({});
  if (source === undefined) throw new Error('nothing is redacted');
  const names = ['a', 'millrace_texts', 'millrace_texts_', 'millrace_nullable_texts'];
  const { select } = createRedactTable(source)(names.map((name) => ({ name, type: 'String' })));
  const stored = `SELECT ${names.map((name, n) => `'${n} 1.2.3.4' AS ${name}`).join(', ')}`;
  const answer = await oracle.ask(select(stored, { early: new Set() }, []), 'JSONEachRow');
  expect(JSON.parse(answer)).toEqual(Object.fromEntries(names.map((name, n) => [name, `${n} REDACTED`])));
});

/** The text as a value of a document, redacted. */
async function documentInEngine(text: string): Promise<string> {
  const { source } = createRedactor({ detectors: DETECTOR_NAMES });
  if (source === undefined) throw new Error('nothing is redacted');
  const { select } = createRedactTable(source)([{ name: 'doc', type: 'JSON' }]);
  const document = `SELECT CAST(${quoteString(JSON.stringify({ text }))}, 'JSON') AS doc`;
  const answer = await oracle.ask(`SELECT doc.text FROM (${select(document, {}, [])})`, 'JSONCompactEachRow');
  return (JSON.parse(answer) as [string])[0]; // one column of strings
}

test.each([
  [DETECTOR_NAMES, 1500],
  ...DETECTOR_NAMES.map((name) => [[name], 700] as [typeof DETECTOR_NAMES, number]),
])('rows find nothing in what the engine has redacted: %s', async (detectors, numRuns) => {
  const texts = fc.sample(
    hardText.map((text) => text.replaceAll(/\p{Surrogate}|\0/gu, '')),
    { numRuns: runs(numRuns), seed: 7 },
  );
  const redacted = await inEngine(texts, false, detectors);
  const { redactText } = createRedactor({ detectors });
  const missed = redacted.flatMap((text, index) =>
    redactText(text) === text
      ? []
      : [`${JSON.stringify(texts[index])} -> ${JSON.stringify(text)} -> ${redactText(text)}`],
  );
  expect(missed).toEqual([]);
});
