// The engine parses every value that the binder accepts as the same value.
import * as fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { parameterText } from '../../../src/service/engine/parameter-text.ts';
import { compileParameter } from '../../../src/service/params/parameter.ts';
import type { RawValue } from '../../../src/service/params/reading.ts';
import { TYPE_NAMES } from '../../../src/service/params/scalar.ts';
import { parseDeclaredType, printType } from '../../../src/sql/types/type.ts';
import { quoteString } from '../../../src/sql/clickhouse/literal.ts';
import { openOracle } from '../../sql/clickhouse/oracle.ts';
import { anyCharacter } from '../../support/any-character.ts';

const oracle = openOracle();
afterAll(() => oracle.close());

/** Per type: raw values, and the expression that prints the bound value so that it can be compared with `expected`. */
interface Case<T extends RawValue> {
  readonly type: string;
  readonly values: fc.Arbitrary<T>;
  readonly print: string;
  readonly expected: (raw: T) => string;
}

const TEXT = fc
  .oneof(
    fc.string({ unit: anyCharacter }),
    fc
      .array(fc.constantFrom("'", '\\', '\n', '\t', '\r', '\b', '\f', '\\N', ',', '[', '"', '漢', 'a'))
      .map((p) => p.join('')),
  )
  .filter((text) => text !== '' && !text.includes('\0') && !/\p{Surrogate}/u.test(text));

const MOMENT = fc.date({
  min: new Date('1971-01-01T00:00:00Z'),
  max: new Date('2105-01-01T00:00:00Z'),
  noInvalidDate: true,
});
const LONG_AGO = fc.date({
  min: new Date('1915-01-01T00:00:00Z'),
  max: new Date('2200-01-01T00:00:00Z'),
  noInvalidDate: true,
});
const hex = (text: string) => Buffer.from(text).toString('hex').toUpperCase();
const bigInt = (bits: number, signed: boolean) =>
  fc.bigInt(signed ? -(2n ** BigInt(bits - 1)) : 0n, 2n ** BigInt(signed ? bits - 1 : bits) - 1n).map(String);
const withOffset = (date: Date) => `${new Date(date.getTime() + 5_400_000).toISOString().slice(0, -1)}+01:30`;

function define<T extends Exclude<RawValue, null>>(entry: Case<T>): Case<T> {
  return entry;
}

const CASES = [
  define({ type: 'String', values: TEXT, print: 'hex({p})', expected: hex }),
  define({ type: 'Bool', values: fc.boolean(), print: 'toString({p})', expected: String }),
  ...[8, 16, 32, 64, 128, 256].flatMap((bits) =>
    [true, false].map((signed) =>
      define({ type: `${signed ? 'Int' : 'UInt'}${bits}`, values: bigInt(bits, signed), print: 'toString({p})', expected: String }),
    ),
  ),
  define({
    type: 'Float64', values: fc.double({ noNaN: true, noDefaultInfinity: true }), print: 'hex(reinterpretAsFixedString({p}))',
    expected: (raw) => Buffer.from(new Float64Array([raw + 0]).buffer).toString('hex').toUpperCase(),
  }),
  define({
    type: 'Float32', values: fc.float({ noNaN: true, noDefaultInfinity: true }).map(String), print: 'hex(reinterpretAsFixedString({p}))',
    expected: (raw) => Buffer.from(new Float32Array([Number(raw) + 0]).buffer).toString('hex').toUpperCase(),
  }),
  define({
    type: 'Decimal(30, 10)', values: fc.bigInt(-(10n ** 30n) + 1n, 10n ** 30n - 1n).map(decimalText), print: 'toDecimalString({p}, 10)',
    expected: String,
  }),
  define({ type: 'Date', values: MOMENT.map((d) => d.toISOString().slice(0, 10)), print: 'toString({p})', expected: String }),
  define({ type: 'Date32', values: MOMENT.map((d) => d.toISOString().slice(0, 10)), print: 'toString({p})', expected: String }),
  define({ type: 'DateTime', values: MOMENT.map(withOffset), print: 'toString(toUnixTimestamp({p}))', expected: (raw) => String(Math.floor(Date.parse(raw) / 1000)) }),
  define({ type: 'DateTime64(3)', values: MOMENT.map(withOffset), print: 'toString(toUnixTimestamp64Milli({p}))', expected: (raw) => String(Date.parse(raw)) }),
  define({ type: 'DateTime64(9)', values: MOMENT.map((d) => d.toISOString()), print: 'toString(toUnixTimestamp64Milli({p}))', expected: (raw) => String(Date.parse(raw)) }),
  define({ type: 'UUID', values: fc.uuid(), print: 'toString({p})', expected: String }),
  define({ type: 'IPv4', values: fc.ipV4(), print: 'toString({p})', expected: String }),
  define({ type: 'IPv6', values: fc.ipV6(), print: 'hex({p})', expected: ipv6Hex }),
  ...["DateTime('Europe/Berlin')", "DateTime('America/St_Johns')"].map((type) =>
    define({ type, values: MOMENT.map(withOffset), print: 'toString(toUnixTimestamp({p}))', expected: (raw) => String(Math.floor(Date.parse(raw) / 1000)) }),
  ),
  define({ type: "DateTime64(3, 'Asia/Kolkata')", values: LONG_AGO.map(withOffset), print: 'toString(toUnixTimestamp64Milli({p}))', expected: (raw) => String(Date.parse(raw)) }),
  define({ type: "DateTime64(0, 'Asia/Kolkata')", values: LONG_AGO.map((d) => d.toISOString().replace(/\.\d+/, '')), print: "toString(dateDiff('second', toDateTime64(0, 0, 'UTC'), {p}))", expected: (raw) => String(Date.parse(raw) / 1000) }),
  define({ type: 'FixedString(9)', values: TEXT.filter((text) => Buffer.byteLength(text) <= 9), print: 'hex({p})', expected: (raw) => hex(raw.padEnd(raw.length + 9 - Buffer.byteLength(raw), '\0')) }),
  define({ type: String.raw`Enum8('it''s' = -1, 'a\\b', 'tab\t')`, values: fc.constantFrom("it's", String.raw`a\b`, 'tab\t'), print: 'hex(toString({p}))', expected: hex }),
  define({ type: 'Array(FixedString(2))', values: fc.array(fc.constantFrom("'", 'ab', 'ä')), print: "arrayStringConcat(arrayMap(x -> hex(x), {p}), ',')", expected: (raw) => raw.map((text) => hex(text).padEnd(4, '0')).join(',') }),
  define({ type: 'Array(Array(Nullable(String)))', values: fc.array(fc.array(fc.option(TEXT))), print: "arrayStringConcat(arrayMap(x -> arrayStringConcat(arrayMap(y -> ifNull(hex(y), 'null'), x), ','), {p}), ';')", expected: (raw) => raw.map((list) => list.map((text) => (text === null ? 'null' : hex(text))).join(',')).join(';') }),
  define({ type: 'Tuple(a String, b Array(UInt8))', values: fc.record({ a: TEXT, b: fc.array(fc.nat(255)) }), print: "concat(hex(tupleElement({p}, 'a')), arrayStringConcat(tupleElement({p}, 'b'), ','))", expected: ({ a, b }) => `${hex(a)}${b.join(',')}` }),
  define({ type: 'Map(String, String)', values: fc.dictionary(TEXT, TEXT), print: "arrayStringConcat(arraySort(arrayMap(x -> concat(hex(x.1), '=', hex(x.2)), {p}::Array(Tuple(String, String)))), ',')", expected: (raw) => Object.entries(raw).map(([name, text]) => `${hex(name)}=${hex(text)}`).toSorted().join(',') }),
  define({ type: 'Array(String)', values: fc.array(TEXT), print: "arrayStringConcat(arrayMap(x -> hex(x), {p}), ',')", expected: (raw) => raw.map(hex).join(',') }),
  define({ type: 'Array(Int64)', values: fc.array(bigInt(64, true)), print: "arrayStringConcat(arrayMap(x -> toString(x), {p}), ',')", expected: (raw) => raw.join(',') }),
  define({ type: 'Array(UUID)', values: fc.array(fc.uuid()), print: "arrayStringConcat(arrayMap(x -> toString(x), {p}), ',')", expected: (raw) => raw.join(',') }),
  define({ type: 'Array(Bool)', values: fc.array(fc.boolean()), print: "arrayStringConcat(arrayMap(x -> toString(x), {p}), ',')", expected: (raw) => raw.join(',') }),
  define({ type: 'Array(DateTime64(3))', values: fc.array(MOMENT.map(withOffset)), print: "arrayStringConcat(arrayMap(x -> toString(toUnixTimestamp64Milli(x)), {p}), ',')", expected: (raw) => raw.map((text) => String(Date.parse(text))).join(',') }),
]; // prettier-ignore

const RUNS = 100;

for (const { type, values, print, expected } of CASES as readonly Case<Exclude<RawValue, null>>[]) {
  // Each value is generated by the case's own arbitrary, so that `expected` gets what it was declared for.
  test(`${type}: the engine reads what was bound`, async () => {
    const { parameter } = compileParameter('p', { type, required: true });
    if (parameter === undefined) throw new Error(`no parameter of type ${type}`);
    const sample = fc.sample(values, { numRuns: RUNS, seed: 5 });
    const settings: string[] = [];
    const columns: string[] = [];
    for (const [index, raw] of sample.entries()) {
      const reading = parameter.read(raw);
      if (reading.kind === 'failure') throw new Error(`${JSON.stringify(raw)} ${reading.message}`);
      settings.push(`param_p${index} = ${quoteString(parameterText(reading.text))}`);
      columns.push(print.replaceAll('{p}', `{p${index}:${parameter.placeholder}}`));
    }
    const answer = await oracle.ask(
      `SET ${settings.join(', ')}; SELECT [${columns.join(', ')}]`,
      'JSONCompactEachRow',
    );
    const [seen]: [string[]] = JSON.parse(answer); // one row of one array of strings, by the query above
    expect(seen).toEqual(sample.map(expected));
  });
}

test('every parameter type has a case', () => {
  const tested = new Set(CASES.map(({ type }) => type.replace(/\(.*/, '')));
  expect(TYPE_NAMES.filter((name) => !tested.has(name.replace(/\(.*/, '')))).toEqual([]);
});

test('the names of other databases are those of the engine', async () => {
  const rows = await oracle.ask(
    `SELECT name, alias_to FROM system.data_type_families WHERE alias_to NOT IN ('', 'Geometry')`,
  );
  const aliases = rows
    .trim()
    .split('\n')
    .map((line) => line.split('\t'));
  expect(aliases.length).toBeGreaterThan(60);
  expect(aliases.map(([name = '']) => [name, printType(parseDeclaredType(name))])).toEqual(aliases);
});

test('null is NULL', async () => {
  const { parameter } = compileParameter('p', { type: 'DateTime64(3)' });
  const answer = await oracle.ask(
    `SET param_p = '${parameterText(null).replace('\\', '\\\\')}'; SELECT {p:${parameter?.placeholder}} IS NULL`,
  );
  expect(answer.trim()).toBe('1');
});

function decimalText(ticks: bigint): string {
  const digits = String(ticks < 0n ? -ticks : ticks).padStart(11, '0');
  return `${ticks < 0n ? '-' : ''}${digits.slice(0, -10)}.${digits.slice(-10)}`;
}

function ipv6Hex(text: string): string {
  const plain = new URL(`http://[${text}]`).hostname.slice(1, -1);
  const [head = '', tail = ''] = plain.split('::');
  const missing = 8 - groups(head).length - groups(tail).length;
  const all = [
    ...groups(head),
    ...Array.from({ length: plain.includes('::') ? missing : 0 }, () => '0'),
    ...groups(tail),
  ];
  return all
    .map((group) => group.padStart(4, '0'))
    .join('')
    .toUpperCase();
}

function groups(part: string): string[] {
  return part === '' ? [] : part.split(':');
}
