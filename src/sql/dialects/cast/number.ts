// Casts to Float64 and Decimal, and to Booleans.
import { quoteString } from '../../clickhouse/literal.ts';
import type { TypeName } from '../tree.ts';
import { constantOf, isShortOverflow } from '../constant.ts';
import { unconverted } from '../context.ts';
import { sql, type Sql, float, isKind, isNumber, isTime, value, type Value } from '../value.ts';
import type { Traits } from '../traits.ts';
import { leadingNumber } from '../implicit.ts';
import { literalText, strictly, trimmed, type CastOptions } from './strict.ts';

const DECIMAL = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*$/;
const FLOAT = /^\s*[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|inf(?:inity)?|nan)\s*$/i;

/** The number at the start of a string; '' if there is none. */
const prefix = (own: Sql): Sql =>
  sql`extract(${own}, '^\\\\s*([+-]?(?:[0-9]+[.]?[0-9]*|[.][0-9]+)(?:[eE][+-]?[0-9]+)?)')`;

/** What a literal string does not denote: NULL if the cast is safe. */
function unreadable(written: string, what: string, { isSafe, at }: CastOptions): undefined {
  return isSafe ? undefined : unconverted(at, 'type', `${quoteString(written.slice(0, 60))} is not ${what}`);
}

/** Throws: dialects have numbers of their own for times, or none. */
export const timeAsNumber = ({ at }: CastOptions): never =>
  unconverted(at, 'type', 'A time is cast to a number', 'Use the seconds since 1970.');

/** A value as Float64. */
function toFloat(from: Value, options: CastOptions): Value {
  const { isSafe, context } = options;
  const nullable = from.type.isNullable || isSafe;
  if (isKind(from, 'float')) return from;
  if (isKind(from, 'dynamic')) return value('float', float(from));
  if (isTime(from)) return timeAsNumber(options);
  if (!isKind(from, 'text', 'unknown'))
    return value('float', sql`toFloat64(${from.sql})`, from.type.isNullable);
  const written = literalText(from);
  if (context.shared.traits.readsPrefixes)
    return written === undefined
      ? value('float', sql`toFloat64OrZero(${prefix(from.sql)})`, nullable)
      : value('float', sql`toFloat64(${String(leadingNumber(written))})`, false);
  if (written !== undefined) {
    const isFinite = /[a-z]{2}/i.test(written) || Number.isFinite(Number(written));
    const isKnown = FLOAT.test(written) && (isFinite || context.shared.traits.overflowsToInfinity);
    if (!isKnown && unreadable(written, 'a number of type Float64', options) === undefined)
      return value('float', 'CAST(NULL AS Nullable(Float64))');
    // NaN has no sign that anyone could see.
    return value('float', sql`toFloat64(${quoteString(written.trim().replace(/^[+-](?=nan)/i, ''))})`, false);
  }
  if (isKind(from, 'unknown'))
    return value(
      'float',
      isSafe ? sql`toFloat64OrNull(toString(${from.sql}))` : sql`toFloat64(${from.sql})`,
      nullable,
    );
  if (isSafe) return value('float', sql`toFloat64OrNull(${trimmed(from.sql)})`);
  return value(
    'float',
    strictly(from, '0', (text) => sql`toFloat64(${trimmed(text)})`),
    nullable,
  );
}

/** A value as Float64; for a number of 32 bits, a constant that is none is an error. */
export function toNamedFloat(from: Value, { name }: TypeName, options: CastOptions): Value {
  const own = toFloat(from, options);
  const isShort = name === 'REAL' || name === 'FLOAT4';
  if (!isShort || options.isSafe || !options.context.shared.traits.hasShortLiterals) return own;
  const written = Number(from.literal ?? constantOf(own));
  if (Number.isFinite(written) && isShortOverflow(written))
    return unconverted(options.at, 'type', `${String(written)} is not a number of 32 bits`);
  return { ...own, type: { ...own.type, bytes: 4 } };
}

/** A value as a Decimal of a scale, rounded half away from zero; `digits`: its precision, if the dialect has one. */
interface DecimalType {
  readonly scale: number;
  readonly digits: number | undefined;
}

/** ClickHouse's name of the type. */
const nameOf = (scale: number): string => `Decimal(${scale > 9 ? 76 : 38}, ${scale})`;

function toDecimal(from: Value, { scale, digits }: DecimalType, options: CastOptions): Value {
  const { isSafe, context } = options;
  const nullable = from.type.isNullable || isSafe;
  if (isTime(from)) return timeAsNumber(options);
  const written =
    literalText(from) ?? (isNumber(from) ? /^-?\d+(?:\.\d+)?$/.exec(String(from.sql))?.[0] : undefined);
  if (written !== undefined) {
    const own = context.shared.traits.readsPrefixes
      ? clamped(leadingNumber(written), { scale, digits })
      : written.trim();
    if (scale === 38 && DECIMAL.test(own) && Math.abs(Number(own)) >= 1e38)
      return unconverted(
        options.at,
        'type',
        'A BIGNUMERIC of more than 38 digits before the point is not supported',
      );
    if (
      !isDecimal(own, { scale, digits }) &&
      unreadable(written, `a number of type ${typeText({ scale, digits })}`, options) === undefined
    )
      return value('decimal', `CAST(NULL AS Nullable(${nameOf(scale)}))`, true, { scale });
    return value('decimal', decimalOf(sql`toDecimal256(${quoteString(own)}, 38)`, scale, false), false, {
      scale,
    });
  }
  if (isKind(from, 'bool')) return toDecimal(toFloat(from, options), { scale, digits }, options);
  if (isKind(from, 'int'))
    return value(
      'decimal',
      sql`toDecimal${scale > 9 ? '256' : '128'}(${from.sql}, ${String(scale)})`,
      nullable,
      { scale },
    );
  return value('decimal', wide(from, scale, options), nullable, { scale });
}

function wide(from: Value, scale: number, { isSafe, context }: CastOptions): Sql {
  const nullable = from.type.isNullable;
  if (isKind(from, 'decimal')) return decimalOf(from.sql, scale, nullable);
  const text = isKind(from, 'text') ? from.sql : sql`toString(${from.sql})`;
  if (context.shared.traits.readsPrefixes && isKind(from, 'text'))
    return decimalOf(sql`toDecimal256OrZero(${prefix(text)}, 38)`, scale, nullable);
  if (isSafe)
    return sql`accurateCastOrNull(round(toDecimal256OrNull(${trimmed(text)}, 38), ${String(scale)}), '${nameOf(scale)}')`;
  return strictly({ ...from, sql: text }, '0', (own) =>
    decimalOf(sql`toDecimal256(${trimmed(own)}, 38)`, scale, false),
  );
}

const decimalOf = (own: Sql, scale: number, nullable: boolean): Sql =>
  scale === 38
    ? own
    : sql`CAST(round(${own}, ${String(scale)}) AS ${nullable ? `Nullable(${nameOf(scale)})` : nameOf(scale)})`;

const typeText = ({ scale, digits }: DecimalType): string =>
  `NUMERIC(${String(digits ?? 38)}, ${String(scale)})`;

function isDecimal(written: string, { scale, digits = scale > 9 ? 76 : 38 }: DecimalType): boolean {
  // The rounding of a number of many digits is of no consequence for its size.
  return DECIMAL.test(written) && Math.abs(Number(written)) < 10 ** (digits - scale);
}

/** MySQL takes the nearest number that fits. */
function clamped(own: number, { scale, digits }: DecimalType): string {
  const most = digits === undefined ? Infinity : 10 ** (digits - scale) - 10 ** -scale;
  return String(Math.min(most, Math.max(-most, own)));
}

/** A value as a Boolean. */
export function toBoolean(from: Value, options: CastOptions): Value {
  const { isSafe, context, at } = options;
  const { castsToBool, readsPrefixes, hasExactTypes } = context.shared.traits;
  const nullable = from.type.isNullable || isSafe;
  if (isKind(from, 'bool')) return from;
  if (isKind(from, 'dynamic')) return value('bool', sql`accurateCastOrNull(${from.sql}, 'Bool')`);
  if (isNumber(from)) {
    if (castsToBool !== 'numbers' && !isKind(from, 'int'))
      return unconverted(at, 'type', 'A number with a fraction is cast to BOOL');
    const { bytes, bits = 64 } = from.type;
    const isLong = bytes === undefined && bits > 32 && !/^-?\d+$/.test(String(from.sql));
    if (castsToBool === 'short integers' && isLong)
      return unconverted(at, 'type', 'BIGINT is cast to BOOLEAN', 'Compare the number with 0.');
    return value('bool', sql`toBool(${from.sql} != 0)`, from.type.isNullable);
  }
  if (readsPrefixes && isKind(from, 'text')) return toBoolean(toFloat(from, options), options);
  if (!isKind(from, 'text')) return value('bool', sql`CAST(${from.sql} AS Nullable(Bool))`, nullable);
  const words = wordsOf(context.shared.traits);
  const written = literalText(from);
  if (written !== undefined) {
    const own = (hasExactTypes ? written : written.trim()).toLowerCase();
    if (words.yes.includes(own) || words.no.includes(own))
      return value('bool', String(words.yes.includes(own)), false);
    return unreadable(written, 'a Boolean', options) ?? value('bool', 'CAST(NULL AS Nullable(Bool))');
  }
  // ClickHouse reads none of the other words, and all of these.
  const read = (text: Sql, other: string): Sql =>
    sql`transform(lower(${hasExactTypes ? text : trimmed(text)}), ${listed([...words.yes, ...words.no])}, ${listed([...words.yes.map(() => 'true'), ...words.no.map(() => 'false')])}, ${quoteString(other)})`;
  if (isSafe) return value('bool', sql`accurateCastOrNull(${read(from.sql, '')}, 'Bool')`);
  return value(
    'bool',
    strictly(from, 'true', (text) => sql`CAST(${read(text, '')} AS Bool)`),
    nullable,
  );
}

interface Words {
  readonly yes: readonly string[];
  readonly no: readonly string[];
}

function wordsOf({ booleanWords }: Traits): Words {
  const [yes = [], no = []] = booleanWords.split('|').map((words) => words.split(' '));
  return { yes, no };
}

const listed = (words: readonly string[]): string => `[${words.map(quoteString).join(', ')}]`;

/** The type that DECIMAL(digits, scale) or one of its relatives means; undefined where it has any number of digits. */
function decimalType(
  { name, sizes }: TypeName,
  { numericScale, plainDecimal }: Traits,
): DecimalType | undefined {
  const [digits, scale] = sizes ?? [];
  if (digits !== undefined) return { scale: scale ?? 0, digits };
  if (numericScale === undefined) return plainDecimal === 'whole' ? { scale: 0, digits } : undefined;
  return name.startsWith('BIG') ? { scale: 38, digits } : { scale: numericScale, digits: 38 };
}

/** A value as a number with a number of digits after the point, if the type has one. */
export function toNumber(from: Value, type: TypeName, options: CastOptions): Value {
  const { traits } = options.context.shared;
  if (traits.plainDecimal === 'float') return toFloat(from, options);
  const known = decimalType(type, traits);
  if (known !== undefined) return toDecimal(from, known, options);
  if (isKind(from, 'int')) return { ...from, type: { ...from.type, kind: 'decimal' } };
  if (isKind(from, 'decimal', 'numeric')) return from;
  const own = toFloat(from, options);
  return { ...own, type: { kind: 'numeric', isNullable: own.type.isNullable } };
}
