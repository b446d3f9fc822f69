// The table of parameter types: everything that differs between them, except their JSON values (sql/json-value.ts).
import { decimalReader, floatReader, integerReader } from './number.ts';
import type { Reader } from './reading.ts';
import { readBool, readIPv4, readIPv6, readString, readUuid } from './text.ts';
import { dateReader, dateTime64Range, dateTimeRange, momentReader } from './time.ts';

/** A type that is not an array. */
export interface ScalarType {
  /** Canonical, as written in endpoint files. */
  readonly name: string;
  /** The type in `{name:…}`. Times have an explicit zone: without one, the engine uses the host's. */
  readonly engineName: string;
  /** Accepts exactly the values that the type can hold. */
  readonly read: Reader;
  /** A value in ClickHouse's text format (unescaped), for statements that are described but never run. */
  readonly sample: string;
  /** `text`: length, pattern and format. `order`: min and max. `enum` applies to every type. */
  readonly constraints: 'text' | 'order' | 'none';
  /** Whether values are unquoted in the text format of an array. */
  readonly isBare: boolean;
  /** How it compares with types of the same kind; `single`: with none. */
  readonly range: ValueRange;
  /** Names of types of another kind whose values it can hold without loss. */
  readonly holds: readonly string[];
}

export type ValueRange =
  | { readonly kind: 'integer'; readonly bits: number; readonly signed: boolean }
  | { readonly kind: 'float'; readonly bits: 32 | 64 }
  | { readonly kind: 'decimal'; readonly precision: number; readonly scale: number }
  | { readonly kind: 'datetime64'; readonly scale: number }
  | { readonly kind: 'single' };

/** Why a type is not accepted, and what to write instead. */
export interface TypeFailure {
  readonly kind: 'failure';
  readonly message: string;
  readonly hint: string;
}

/** One or more types that differ only in numbers. */
interface TypeRow {
  /** As listed in docs and messages. */
  readonly label: string;
  /** The types without arguments. */
  readonly types?: readonly ScalarType[];
  /** A type with arguments: the numbers in `pattern` are its arguments. */
  readonly pattern?: RegExp;
  readonly build?: (numbers: readonly number[]) => ScalarType | TypeFailure;
}

type Properties = Partial<ScalarType> & Pick<ScalarType, 'read' | 'sample'>;

function scalar(name: string, properties: Properties): ScalarType {
  const common = { constraints: 'none', isBare: false, range: { kind: 'single' }, holds: [] } as const;
  return { name, engineName: name, ...common, ...properties };
}

function row(name: string, properties: Properties): TypeRow {
  return { label: name, types: [scalar(name, properties)] };
}

const NUMBER = { sample: '0', constraints: 'order', isBare: true } as const;
const WIDTHS = [8, 16, 32, 64, 128, 256];
const DAY = '1970-01-01';
const MOMENT = '1970-01-01 00:00:00';

/** In the order of the docs. */
const ROWS: readonly TypeRow[] = [
  row('String', { read: readString, sample: '', constraints: 'text' }),
  row('Bool', { read: readBool, sample: 'false', isBare: true }),
  {
    label: '(U)Int8 to (U)Int256',
    types: [true, false].flatMap((signed) => WIDTHS.map(integerType(signed))),
  },
  row('Float32', { ...NUMBER, read: floatReader(32), range: { kind: 'float', bits: 32 } }),
  row('Float64', { ...NUMBER, read: floatReader(64), range: { kind: 'float', bits: 64 } }),
  {
    label: 'Decimal(P, S)',
    pattern: /^Decimal\s*\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/,
    build: ([precision = 0, scale = 0]) => decimalType(precision, scale),
  },
  row('Date', { read: dateReader('1970-01-01', '2149-06-06'), sample: DAY, constraints: 'order' }),
  row('Date32', {
    read: dateReader('1900-01-01', '2299-12-31'),
    sample: DAY,
    constraints: 'order',
    holds: ['Date'],
  }),
  row('DateTime', {
    engineName: "DateTime('UTC')",
    read: momentReader(dateTimeRange()),
    sample: MOMENT,
    constraints: 'order',
  }),
  {
    label: 'DateTime64(S)',
    pattern: /^DateTime64\s*\(\s*(\d{1,2})\s*\)$/,
    build: ([scale = 0]) => dateTimeType(scale),
  },
  row('UUID', { read: readUuid, sample: '00000000-0000-0000-0000-000000000000' }),
  row('IPv4', { read: readIPv4, sample: '0.0.0.0' }),
  row('IPv6', { read: readIPv6, sample: '::' }),
];

/** The types as documented: `String`, `(U)Int8 to (U)Int256`, `Decimal(P, S)`, … */
export const TYPE_LABELS: readonly string[] = ROWS.map(({ label }) => label);

/** Every type that can be an element of an array, one by one: `String`, `Int8`, `Decimal(P, S)`, … */
export const TYPE_NAMES: readonly string[] = ROWS.flatMap(
  ({ label, types }) => types?.map(({ name }) => name) ?? [label],
);

const BY_NAME = new Map(ROWS.flatMap(({ types = [] }) => types).map((type) => [type.name, type]));

/** The type with this name, spaces in its arguments being optional; undefined if there is none. */
export function scalarNamed(text: string): ScalarType | TypeFailure | undefined {
  const plain = BY_NAME.get(text);
  if (plain !== undefined) return plain;
  for (const { pattern, build } of ROWS) {
    const parts = pattern?.exec(text);
    if (parts) return build?.(parts.slice(1).map(Number));
  }
  return undefined;
}

function integerType(signed: boolean): (bits: number) => ScalarType {
  return (bits) =>
    scalar(`${signed ? '' : 'U'}Int${bits}`, {
      ...NUMBER,
      read: integerReader(bits, signed),
      range: { kind: 'integer', bits, signed },
    });
}

function decimalType(precision: number, scale: number): ScalarType | TypeFailure {
  if (precision < 1 || precision > 76 || scale > precision)
    return typeFailure('a Decimal has 1 to 76 digits, and a scale of at most that number', 'Decimal(10, 2)');
  return scalar(`Decimal(${precision}, ${scale})`, {
    ...NUMBER,
    read: decimalReader(precision, scale),
    range: { kind: 'decimal', precision, scale },
  });
}

function dateTimeType(scale: number): ScalarType | TypeFailure {
  if (scale > 9) return typeFailure('a DateTime64 has at most 9 fractional digits', 'DateTime64(6)');
  return scalar(`DateTime64(${scale})`, {
    engineName: `DateTime64(${scale}, 'UTC')`,
    read: momentReader(dateTime64Range(scale)),
    sample: MOMENT,
    constraints: 'order',
    range: { kind: 'datetime64', scale },
    holds: ['DateTime'],
  });
}

function typeFailure(message: string, example: string): TypeFailure {
  return { kind: 'failure', message, hint: `Write, for example, ${example}` };
}
