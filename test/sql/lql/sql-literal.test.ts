// The engine parses printed literals back to the same value.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isIPv4 as isNodeIPv4, isIPv6 as isNodeIPv6 } from 'node:net';
import { isIPv4, isIPv6 } from '../../../src/sql/lql/addresses.ts';
import { numberLiteral, textLiteral, timeLiteral } from '../../../src/sql/lql/sql-literal.ts';
import { parseColumnType } from '../../../src/sql/types/column-type.ts';
import { formatMicros } from '../../../src/sql/lql/time.ts';
import { anyText } from './arbitrary.ts';
import { column, type Lab, micros, openLab } from './corpus.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await openLab();
});
afterAll(() => lab.close());

describe('text', () => {
  const CONTROLS = Array.from({ length: 0xa0 }, (_, code) => String.fromCodePoint(code)).filter((char) =>
    /\p{Cc}/u.test(char),
  );

  test.each([
    { texts: CONTROLS, why: 'every control character' },
    {
      texts: ["'", '\\', "\\'", "''", '\\\\', '`', '{a:String}', '--', '/*', '\\x41', '\\N', '‘’'],
      why: 'characters with a meaning in SQL',
    },
    { texts: fc.sample(anyText, { numRuns: 500, seed: 3 }), why: 'anything' },
  ])('$why', async ({ texts }) => {
    const literals = texts.map((text) => textLiteral(text));
    const rows = await lab.sql(`SELECT arrayJoin([${literals.join(', ')}]) AS text`);
    expect(column(rows, 'text')).toEqual(texts);
    for (const literal of literals) expect(literal).not.toMatch(/\p{Cc}/u);
  });
});

describe('numbers', () => {
  test.each([
    { text: '0', type: 'UInt8', is: '0' },
    { text: '007', type: 'UInt8', is: '7' },
    { text: '-0.50', type: 'Float64', is: '-0.50' },
    { text: '-000', type: 'Int8', is: '-0' },
    { text: '999999999999999', type: 'UInt64', is: '999999999999999' },
    { text: '9007199254740993', type: 'UInt64', is: "toDecimal256('9007199254740993', 0)" },
    { text: '0000000000000000000005', type: 'UInt64', is: '5' },
    { text: '1234567890123456.25', type: 'Float64', is: "toDecimal256('1234567890123456.25', 2)" },
    { text: '0.1', type: 'Float32', is: 'toFloat32(0.1)' },
  ])('$text for a $type', ({ text, type, is }) => {
    expect(numberLiteral(text, parseColumnType(type))).toBe(is);
  });

  test('of any allowed size compare with columns of every type', async () => {
    const types = ['UInt8', 'Int64', 'UInt256', 'Int128', 'Float32', 'Float64', 'Decimal(18, 4)', 'Bool'];
    const numbers = [
      '0',
      '-1',
      '1.5',
      '9'.repeat(38),
      `-${'9'.repeat(20)}.${'9'.repeat(18)}`,
      `1.${'9'.repeat(37)}`,
    ];
    const comparisons = types.flatMap((type) => {
      const column = `CAST(1, '${type}')`;
      return numbers.map((number) => `${column} > ${numberLiteral(number, parseColumnType(type))}`);
    });
    const rows = await lab.sql(`SELECT arrayJoin([${comparisons.join(', ')}]) AS above`);
    expect(column(rows, 'above')).toEqual(
      types.flatMap(() => numbers.map((number) => (Number(number) < 1 ? 1 : 0))),
    );
  });
});

test('times are read back to the microsecond, over their whole range', async () => {
  const ends = [micros('1900-01-01T00:00:00Z'), micros('2261-12-31T23:59:59.999Z') + 999n];
  const between = fc.bigInt({ min: ends[0] ?? 0n, max: ends[1] ?? 0n });
  const times = [...ends, 0n, -1n, 1n, ...fc.sample(between, { numRuns: 200, seed: 5 })];
  const rows = await lab.sql(
    `SELECT toString(arrayJoin([${times.map((at) => timeLiteral(at)).join(', ')}])) AS at`,
  );
  const printed = times.map((at) => {
    const text = formatMicros(at);
    return text.includes('.') ? text : `${text}.000000`;
  });
  expect(column(rows, 'at')).toEqual(printed);
});

describe('addresses', () => {
  const group = fc.constantFrom('0', '1', 'ff', 'FFFF', '10000', 'g', '');
  const part = fc.array(group, { maxLength: 8 }).map((groups) => groups.join(':'));
  const byte = fc.constantFrom('0', '9', '10', '199', '249', '255', '256', '01', '');
  const decimal = fc.array(byte, { minLength: 3, maxLength: 5 }).map((bytes) => bytes.join('.'));
  const address = fc.oneof(
    decimal,
    part,
    fc.tuple(part, part).map((parts) => parts.join('::')),
    fc.tuple(part, fc.constantFrom(':', '::'), decimal).map((parts) => parts.join('')),
    fc.constantFrom(
      '::',
      ':',
      '',
      ':::',
      '1::2::3',
      '::ffff:1.2.3.4',
      '1:2:3:4:5:6:1.2.3.4',
      '1:2:3:4:5:6:7::',
    ),
  );
  const texts = fc.sample(address, { numRuns: 2000, seed: 5 });

  test('the same as those of Node.js, which the engine reads', async () => {
    expect(texts.filter((text) => isIPv4(text))).toEqual(texts.filter((text) => isNodeIPv4(text)));
    const ipv6 = texts.filter((text) => isIPv6(text));
    expect(ipv6).toEqual(texts.filter((text) => isNodeIPv6(text)));
    const literals = ipv6.map((text) => textLiteral(text)).join(', ');
    const rows = await lab.sql(`SELECT countIf(isNull(toIPv6OrNull(arrayJoin([${literals}])))) AS unread`);
    expect(rows).toEqual([{ unread: 0 }]);
  });

  test('a zone is no part of an address', () => expect(isIPv6('fe80::1%eth0')).toBe(false));
});
