// The table of parameter types: everything that differs between them, except their JSON values (sql/types/json-value.ts).
import { didYouMean } from '../../sql/base/nearest.ts';
import { quoteString, stringValue } from '../../sql/clickhouse/literal.ts';
import type { TypeArgument } from '../../sql/types/type.ts';
import { decimalReader, floatReader, integerReader } from './number.ts';
import type { ScalarReader } from './reading.ts';
import { enumReader, fixedReader, readBool, readIPv4, readIPv6, readString, readUuid } from './text.ts';
import {
  dateReader,
  dateTime64Range,
  dateTimeRange,
  momentReader,
  type TimeRange,
  type TimeScale,
} from './time.ts';
import { zoneNamed } from './zone.ts';

/** A type of single values. */
export interface ScalarType {
  /** Canonical, as written in endpoint files. */
  readonly name: string;
  /** The type in `{name:…}`. Times have an explicit zone: without one, the engine uses the host's. */
  readonly engineName: string;
  /** Accepts exactly the values that the type can hold. */
  readonly read: ScalarReader;
  /** Values, as callers write them, for statements that are described but never run; the likeliest to fit first. */
  readonly neutral: readonly string[];
  /** `text`: length, pattern and format. `order`: min and max. `enum` applies to every type. */
  readonly constraints: 'text' | 'order' | 'none';
  /** It is true if values are unquoted in the text format of an array. */
  readonly isBare: boolean;
  /** How it compares with types of the same kind; `single`: with none. */
  readonly range: ValueRange;
  /** Names of types of another kind whose values it can hold without loss. */
  readonly holds: readonly string[];
  /** Of dates and times only. */
  readonly time?: TimeScale;
}

export type ValueRange =
  | { readonly kind: 'integer'; readonly bits: number; readonly signed: boolean }
  | { readonly kind: 'float'; readonly bits: 32 | 64 }
  | { readonly kind: 'decimal'; readonly precision: number; readonly scale: number }
  | { readonly kind: 'datetime64'; readonly scale: number; readonly zone: string }
  /** Strings of at most this many bytes; a String has no limit of its own. */
  | { readonly kind: 'string'; readonly bytes: number }
  | { readonly kind: 'enum'; readonly names: readonly string[] }
  | { readonly kind: 'single' };

/** Why a type is not accepted, and what to write instead. */
export interface TypeFailure {
  readonly kind: 'failure';
  readonly message: string;
  readonly hint: string;
}

type Arguments = readonly TypeArgument[] | undefined;
/** Undefined: these arguments make no type. */
type Build = (args: Arguments, name: string) => ScalarType | TypeFailure | undefined;

/** One or more types that differ only in numbers. */
interface TypeRow {
  /** As listed in docs and messages. */
  readonly label: string;
  /** The names before the parentheses; the first ones are listed, the others are ClickHouse's aliases. */
  readonly names: readonly string[];
  readonly build: Build;
}

type Properties = Partial<ScalarType> & Pick<ScalarType, 'read' | 'neutral'>;

function scalar(name: string, properties: Properties): ScalarType {
  const common = { constraints: 'none', isBare: false, range: { kind: 'single' }, holds: [] } as const;
  return { name, engineName: name, ...common, ...properties };
}

function row(name: string, properties: Properties): TypeRow {
  const type = scalar(name, properties);
  return { label: name, names: [name], build: (args) => (args === undefined ? type : undefined) };
}

const ORDERED = { constraints: 'order', isBare: true } as const;
const INTEGER = { ...ORDERED, neutral: ['1', '2', '10', '0'] } as const;
const FRACTION = { ...ORDERED, neutral: ['0.5', '1', '0'] } as const;
const DAYS = { neutral: ['2024-01-01'], constraints: 'order' } as const;
const MOMENTS = { neutral: ['2024-01-01T00:00:00Z'], constraints: 'order' } as const;
/** Also for functions that are not known: a path, a pattern, a zone, a time, an id, a network. */
const WORDS = [
  'a',
  '',
  '1',
  '$.a',
  'UTC',
  '2024-01-01 00:00:00',
  '00000000-0000-0000-0000-000000000000',
  ',',
  '(a)',
  '127.0.0.0/8',
];
const WIDTHS = [8, 16, 32, 64, 128, 256];

/** In the order of the docs. */
const ROWS: readonly TypeRow[] = [
  row('String', {
    read: readString,
    neutral: WORDS,
    constraints: 'text',
    range: { kind: 'string', bytes: Infinity },
  }),
  { label: 'FixedString(N)', names: ['FixedString'], build: fixedStringType },
  row('Bool', { read: readBool, neutral: ['true', 'false'], isBare: true }),
  {
    label: '(U)Int8 to (U)Int256',
    names: [true, false].flatMap((signed) => WIDTHS.map((bits) => integerName(bits, signed))),
    build: integerType,
  },
  row('Float32', { ...FRACTION, read: floatReader(32), range: { kind: 'float', bits: 32 } }),
  row('Float64', { ...FRACTION, read: floatReader(64), range: { kind: 'float', bits: 64 } }),
  {
    label: 'Decimal(P, S)',
    names: ['Decimal', 'Decimal32', 'Decimal64', 'Decimal128', 'Decimal256'],
    build: decimalType,
  },
  row('Date', { ...DAYS, ...dateReader('1970-01-01', '2149-06-06') }),
  row('Date32', { ...DAYS, ...dateReader('1900-01-01', '2299-12-31'), holds: ['Date'] }),
  { label: 'DateTime', names: ['DateTime'], build: dateTimeType },
  { label: 'DateTime64(S)', names: ['DateTime64'], build: dateTime64Type },
  row('UUID', { read: readUuid, neutral: ['00000000-0000-0000-0000-000000000000'] }),
  row('IPv4', { read: readIPv4, neutral: ['127.0.0.1'] }),
  row('IPv6', { read: readIPv6, neutral: ['::1'] }),
  { label: "Enum8('a', 'b')", names: ['Enum8', 'Enum16', 'Enum'], build: enumType },
];

/** The types as documented: `String`, `(U)Int8 to (U)Int256`, `Decimal(P, S)`, … */
export const TYPE_LABELS: readonly string[] = ROWS.map(({ label }) => label);

/** The types of single values, one by one, without ClickHouse's aliases: `String`, `Int8`, `Decimal(P, S)`, … */
export const TYPE_NAMES: readonly string[] = ROWS.flatMap(({ label, names }) =>
  names.includes(label.replace(/\(.*/, '')) ? [label] : names,
);

const BY_NAME = new Map(ROWS.flatMap(({ names, build }) => names.map((name) => [name, build] as const)));

/** The type with this name and these arguments; undefined if there is none. */
export function scalarNamed(name: string, args: Arguments): ScalarType | TypeFailure | undefined {
  return BY_NAME.get(name)?.(args, name);
}

function integerName(bits: number, signed: boolean): string {
  return `${signed ? '' : 'U'}Int${bits}`;
}

function integerType(args: Arguments, name: string): ScalarType | undefined {
  if (args !== undefined) return undefined;
  const [bits, signed] = [Number(/\d+/.exec(name)?.[0]), !name.startsWith('U')];
  return scalar(name, {
    ...INTEGER,
    read: integerReader(bits, signed),
    range: { kind: 'integer', bits, signed },
  });
}

const DIGITS: ReadonlyMap<string, number> = new Map([
  ['Decimal32', 9],
  ['Decimal64', 18],
  ['Decimal128', 38],
  ['Decimal256', 76],
]);

function decimalType(args: Arguments, name: string): ScalarType | TypeFailure | undefined {
  const numbers = numbersOf(args);
  const digits = DIGITS.get(name);
  if (numbers === undefined || numbers.length < 1 || numbers.length > (digits === undefined ? 2 : 1))
    return undefined;
  const [first = 0, second = 0] = numbers;
  const [precision, scale] = digits === undefined ? [first, second] : [digits, first];
  if (precision < 1 || precision > 76 || scale > precision)
    return typeFailure('a Decimal has 1 to 76 digits, and a scale of at most that number', 'Decimal(10, 2)');
  return scalar(`Decimal(${precision}, ${scale})`, {
    ...FRACTION,
    neutral: scale > 0 && precision === scale ? ['0.5', '0'] : ['1', '0'],
    read: decimalReader(precision, scale),
    range: { kind: 'decimal', precision, scale },
  });
}

const MAX_FIXED = 8192;

function fixedStringType(args: Arguments): ScalarType | TypeFailure | undefined {
  const numbers = numbersOf(args);
  const [bytes = 0] = numbers ?? [];
  if (numbers?.length !== 1) return undefined;
  if (bytes < 1 || bytes > MAX_FIXED)
    return typeFailure(`a FixedString has 1 to ${MAX_FIXED} bytes`, 'FixedString(16)');
  return scalar(`FixedString(${bytes})`, {
    read: fixedReader(bytes),
    neutral: WORDS.filter((word) => word.length <= bytes),
    constraints: 'text',
    range: { kind: 'string', bytes },
  });
}

function enumType(args: Arguments, name: string): ScalarType | TypeFailure | undefined {
  if (args === undefined) return undefined;
  const members = enumMembers(args, name);
  if (typeof members === 'string') return typeFailure(members, "Enum8('view', 'click')");
  const written = members.list.map(([member, value]) => `${quoteString(member)} = ${value}`).join(', ');
  const names = members.list.map(([member]) => member);
  return scalar(`${members.type}(${written})`, {
    read: enumReader(names),
    neutral: names,
    range: { kind: 'enum', names },
  });
}

function dateTimeType(args: Arguments): ScalarType | TypeFailure | undefined {
  const zone = zoneOf(args?.[0]);
  if (args !== undefined && (args.length !== 1 || zone === undefined)) return undefined;
  return timeType('DateTime', dateTimeRange(), { zone: zone ?? 'UTC' });
}

function dateTime64Type(args: Arguments): ScalarType | TypeFailure | undefined {
  const [first, second] = args ?? [];
  const scale = first && numbersOf([first])?.[0];
  const zone = zoneOf(second);
  if (scale === undefined || (args?.length ?? 0) > 2 || (second !== undefined && zone === undefined))
    return undefined;
  if (scale > 9) return typeFailure('a DateTime64 has at most 9 fractional digits', 'DateTime64(6)');
  return timeType('DateTime64', dateTime64Range(scale), { zone: zone ?? 'UTC', scale });
}

function timeType(
  family: string,
  range: TimeRange,
  { zone, scale }: { readonly zone: string; readonly scale?: number },
): ScalarType | TypeFailure {
  const offsetAt = zone === 'UTC' ? undefined : zoneNamed(zone);
  if (offsetAt !== undefined && 'guess' in offsetAt) {
    const hint = didYouMean(offsetAt.guess) ?? "Write a name such as 'Europe/Berlin'";
    return { kind: 'failure', message: `there is no time zone ${zone.slice(0, 60)}`, hint };
  }
  const nameIn = (zones: readonly string[], named = family): string => {
    const args = [...(scale === undefined || named !== family ? [] : [scale]), ...zones];
    return args.length === 0 ? named : `${named}(${args.join(', ')})`;
  };
  const zones = zone === 'UTC' ? [] : [quoteString(zone)];
  return scalar(nameIn(zones), {
    ...MOMENTS,
    engineName: nameIn([quoteString(zone)]),
    ...momentReader(range, offsetAt),
    ...(scale === undefined
      ? {}
      : { range: { kind: 'datetime64', scale, zone }, holds: [nameIn(zones, 'DateTime')] }),
  });
}

/** The string that names a zone; undefined if the argument is none. */
function zoneOf(argument: TypeArgument | undefined): string | undefined {
  if (argument?.kind !== 'literal') return undefined;
  return /^'([^'\\]*)'$/.exec(argument.source)?.[1];
}

/** Undefined if any argument is not a natural number of at most four digits. */
function numbersOf(args: Arguments): readonly number[] | undefined {
  const sources = args?.map((each) => (each.kind === 'literal' ? each.source : ''));
  return sources?.every((source) => /^\d{1,4}$/.test(source)) === true ? sources.map(Number) : undefined;
}

function typeFailure(message: string, example: string): TypeFailure {
  return { kind: 'failure', message, hint: `Write, for example, ${example}` };
}

const LARGEST: ReadonlyMap<string, number> = new Map([
  ['Enum8', 127],
  ['Enum16', 32_767],
  ['Enum', 32_767],
]);

interface Members {
  readonly type: 'Enum8' | 'Enum16';
  readonly list: readonly (readonly [name: string, value: number])[];
}

/** The members of `Enum8('a' = 1, 'b')`: one without a number has that of the previous one plus 1, the first 1. Or a message. */
function enumMembers(args: readonly TypeArgument[], type: string): Members | string {
  const list: [string, number][] = [];
  for (const argument of args) {
    const name = nameOf(argument);
    if (name === undefined || /\p{Surrogate}/u.test(name))
      return 'an Enum has names in single quotes, optionally with numbers';
    const value = argument.kind === 'enum' ? Number(argument.value) : (list.at(-1)?.[1] ?? 0) + 1;
    if (list.some(([other]) => other === name)) return `the Enum has the name ${name.slice(0, 60)} twice`;
    if (list.some(([, other]) => other === value)) return `the Enum has the number ${value} twice`;
    list.push([name, value]);
  }
  const max = LARGEST.get(type) ?? 0;
  const bad = list.find(([, value]) => !Number.isInteger(value) || value > max || value < -max - 1);
  if (bad !== undefined) return `the numbers of an ${type} are from ${-max - 1} to ${max}`;
  if (list.length === 0) return 'an Enum has at least one name';
  const isSmall = list.every(([, value]) => value >= -128 && value <= 127);
  return { type: type === 'Enum16' || !isSmall ? 'Enum16' : 'Enum8', list };
}

function nameOf(argument: TypeArgument): string | undefined {
  if (argument.kind === 'enum') return argument.name;
  return argument.kind === 'literal' ? stringValue(argument.source) : undefined;
}
