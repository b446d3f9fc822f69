// The engine's expressions replace at least what the detectors find in rows: in every text of their tables, and in generated ones.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DETECTOR_NAMES } from '../../src/redact/detectors.ts';
import { createRedactor } from '../../src/redact/redactor.ts';
import { createRedactTable } from '../../src/sandbox/redaction/source-redaction.ts';
import { quoteString } from '../../src/sql/literal.ts';
import { hardText } from '../redact/fragments.ts';
import { ADDRESSES, DISGUISES, EMAILS, NUMBERS, SECRETS, SURVIVORS } from '../redact/texts.ts';
import { openOracle, type Oracle } from '../sql/oracle.ts';
import { runs } from '../support/runs.ts';

let oracle: Oracle;
beforeAll(() => {
  oracle = openOracle();
});
afterAll(() => oracle.close());

/** The texts as columns of one row each, redacted. */
async function inEngine(texts: readonly string[], kind: boolean): Promise<readonly string[]> {
  const { source } = createRedactor({ detectors: DETECTOR_NAMES, kind });
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

/** What the engine redacts although no detector takes it for personal data: docs/guide/personal-data.md names the kinds. */
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

test('rows find nothing in what the engine has redacted', async () => {
  const texts = fc.sample(
    hardText.map((text) => text.replaceAll(/\p{Surrogate}|\0/gu, '')),
    { numRuns: runs(1500), seed: 7 },
  );
  const redacted = await inEngine(texts, false);
  const missed = redacted.flatMap((text, index) =>
    rows.redactText(text) === text
      ? []
      : [`${JSON.stringify(texts[index])} -> ${JSON.stringify(text)} -> ${rows.redactText(text)}`],
  );
  expect(missed).toEqual([]);
});
