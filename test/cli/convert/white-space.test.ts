// White space between tokens is the same in all dialects; other characters are an error at their place.
import { describe, expect, test } from 'vitest';
import { UnconvertedError } from '../../../src/sql/dialects/context.ts';
import { DIALECTS, type ForeignDialect } from '../../../src/sql/dialects/conversion.ts';
import { DIALECTS_BY_NAME } from '../../../src/sql/dialects/dialects.ts';
import { OFFLINE_LIMITS, read } from '../../../src/sql/dialects/read/read.ts';
import { isSpaceUnit } from '../../../src/sql/clickhouse/white-space.ts';

const SPACES = Array.from({ length: 0x10000 }, (_, code) => code)
  .filter(isSpaceUnit)
  .map((code) => String.fromCharCode(code));

const readAs = (text: string, dialect: ForeignDialect) =>
  read(text, DIALECTS_BY_NAME[dialect].grammar, { isStrict: false, limits: OFFLINE_LIMITS });

describe.each(DIALECTS)('%s', (dialect) => {
  test('each character of white space', () => {
    expect(SPACES.length).toBeGreaterThan(20);
    for (const space of SPACES)
      expect(
        readAs(`${space}SELECT${space}a${space}b${space}FROM${space}t${space}`, dialect).query,
      ).toMatchObject({
        body: { items: [{ alias: { name: 'b' } }], from: [{ source: { parts: [{ name: 't' }] } }] },
      });
  });

  test('a comment after hyphens, which white space follows', () => {
    for (const space of SPACES)
      expect(readAs(`SELECT 1 --${space}x`, dialect).query).toMatchObject({ body: { items: [{}] } });
  });

  test.each(['\u0001', '\u200e', '\u00ad', '\u2013', '\u{e0001}'])('%o is none', (character) => {
    const readIt = () => readAs(`SELECT${character}1`, dialect);
    expect(readIt).toThrow(UnconvertedError);
    expect(readIt).toThrow(expect.objectContaining({ at: 6 }));
  });
});
