// The ClickHouse types allowed for parameters, and their parser.
import { didYouMean, nearest } from '../core/nearest.ts';

/** Types without arguments. */
export type PlainName = 'String' | 'Bool' | 'Date' | 'Date32' | 'DateTime' | 'UUID' | 'IPv4' | 'IPv6';

/** A type that is not an array, by kind. */
export type ScalarType =
  | { readonly kind: 'plain'; readonly name: PlainName }
  | { readonly kind: 'integer'; readonly bits: number; readonly signed: boolean }
  | { readonly kind: 'float'; readonly bits: 32 | 64 }
  | { readonly kind: 'decimal'; readonly precision: number; readonly scale: number }
  | { readonly kind: 'datetime64'; readonly scale: number };

/** A type and its canonical name, as written in endpoint files. */
export interface ParameterType {
  readonly name: string;
  readonly isArray: boolean;
  /** The type itself, or the element type of an array. */
  readonly scalar: ScalarType;
}

/** Why a type is not accepted, and what to write instead. */
export interface TypeFailure {
  readonly kind: 'failure';
  readonly message: string;
  readonly hint: string;
}

const PLAIN_NAMES = ['String', 'Bool', 'Date', 'Date32', 'DateTime', 'UUID', 'IPv4', 'IPv6'] as const;
const WIDTHS = [8, 16, 32, 64, 128, 256];

/** Types that are a single word. */
const WORDS: ReadonlyMap<string, ScalarType> = new Map([
  ...PLAIN_NAMES.map((name): [string, ScalarType] => [name, { kind: 'plain', name }]),
  ...WIDTHS.map((bits): [string, ScalarType] => [`Int${bits}`, { kind: 'integer', bits, signed: true }]),
  ...WIDTHS.map((bits): [string, ScalarType] => [`UInt${bits}`, { kind: 'integer', bits, signed: false }]),
  ['Float32', { kind: 'float', bits: 32 }],
  ['Float64', { kind: 'float', bits: 64 }],
]);
const HINTS = [...WORDS.keys(), 'Decimal(P, S)', 'DateTime64(S)', 'Array(String)'];
const FLAGS_BY_NAME = new Map(HINTS.map((hint) => [hint.replace(/\(.*/, ''), hint]));

/**
 * Parses a type such as `UInt16`, `Decimal(10, 2)` or `Array(String)`. Names are case-sensitive, whitespace is
 * optional.
 */
export function parseParameterType(text: string): ParameterType | TypeFailure {
  const trimmed = text.trim();
  const inner = /^Array\s*\((.*)\)$/s.exec(trimmed)?.[1];
  const scalar = parseScalar((inner ?? trimmed).trim());
  if (scalar === undefined) return unknownType(trimmed);
  if ('kind' in scalar && scalar.kind === 'failure') return scalar;
  const name = scalarName(scalar);
  return inner === undefined
    ? { name, isArray: false, scalar }
    : { name: `Array(${name})`, isArray: true, scalar };
}

/** The type for `{name:Type}`: times in UTC, Nullable if the value may be null. */
export function placeholderType(type: ParameterType, nullable: boolean): string {
  const scalar = engineName(type.scalar);
  if (type.isArray) return `Array(${scalar})`;
  return nullable ? `Nullable(${scalar})` : scalar;
}

function parseScalar(text: string): ScalarType | TypeFailure | undefined {
  const plain = WORDS.get(text);
  if (plain !== undefined) return plain;
  const decimal = /^Decimal\s*\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/.exec(text);
  if (decimal !== null) return decimalType(Number(decimal[1]), Number(decimal[2]));
  const dateTime = /^DateTime64\s*\(\s*(\d{1,2})\s*\)$/.exec(text);
  if (dateTime !== null) return dateTimeType(Number(dateTime[1]));
  return undefined;
}

function decimalType(precision: number, scale: number): ScalarType | TypeFailure {
  if (precision >= 1 && precision <= 76 && scale <= precision) return { kind: 'decimal', precision, scale };
  return typeFailure('a Decimal has 1 to 76 digits, and a scale of at most that number', 'Decimal(10, 2)');
}

function dateTimeType(scale: number): ScalarType | TypeFailure {
  if (scale <= 9) return { kind: 'datetime64', scale };
  return typeFailure('a DateTime64 has at most 9 fractional digits', 'DateTime64(6)');
}

function typeFailure(message: string, example: string): TypeFailure {
  return { kind: 'failure', message, hint: `Write, for example, ${example}` };
}

function unknownType(text: string): TypeFailure {
  const shown = text.slice(0, 100);
  if (/^Identifier\b/i.test(text)) {
    const message = 'Identifier is not allowed: it would insert caller input into the query itself';
    return {
      kind: 'failure',
      message,
      hint: 'Name each table or column in the query, and select one by a String parameter',
    };
  }
  const guess = FLAGS_BY_NAME.get(nearest(text.replace(/\W.*/s, ''), FLAGS_BY_NAME.keys()) ?? '');
  const hint = didYouMean(guess) ?? `The types are ${HINTS.join(', ')}`;
  return { kind: 'failure', message: `${shown} is not a supported parameter type`, hint };
}

function scalarName(type: ScalarType): string {
  if (type.kind === 'integer') return `${type.signed ? '' : 'U'}Int${type.bits}`;
  if (type.kind === 'float') return `Float${type.bits}`;
  if (type.kind === 'decimal') return `Decimal(${type.precision}, ${type.scale})`;
  if (type.kind === 'datetime64') return `DateTime64(${type.scale})`;
  return type.name;
}

/** Times have an explicit zone: without one, the engine uses the host's. */
function engineName(type: ScalarType): string {
  if (type.kind === 'plain' && type.name === 'DateTime') return "DateTime('UTC')";
  if (type.kind === 'datetime64') return `DateTime64(${type.scale}, 'UTC')`;
  return scalarName(type);
}
