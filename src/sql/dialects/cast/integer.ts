// Casts to integers.
import { quoteString } from '../../clickhouse/literal.ts';
import type { TypeName } from '../tree.ts';
import { differs, unconverted, type Context } from '../context.ts';
import { roundHalfAway } from '../exact.ts';
import { joinSql, sql, type Sql, isKind, isTime, value, type Type, type Value } from '../value.ts';
import { timeAsNumber } from './number.ts';
import { literalText, ofQuotient, strictly, trimmed, type CastOptions } from './strict.ts';
import type { Traits } from '../traits.ts';

const BYTES: Readonly<Record<string, number>> = {
  INT: 4,
  INTEGER: 4,
  INT4: 4,
  INT2: 2,
  SMALLINT: 2,
  TINYINT: 1,
};

const LIMIT = 2n ** 63n;

/** A value as an integer. */
export function toInteger(from: Value, type: TypeName, options: CastOptions): Value {
  const { context, at, isSafe } = options;
  const { dialect, traits } = context.shared;
  const bytes = traits.hasSizedIntegers ? BYTES[type.name] : undefined;
  const isUnsigned = type.name.endsWith('UNSIGNED');
  const more: Partial<Type> = { scale: 0, bytes, ...(isUnsigned ? { isUnsigned } : {}) };
  const nullable = from.type.isNullable || isSafe;
  const large = isKind(from, 'int', 'text') ? undefined : largeConstant(from, bytes);
  if (large !== undefined && traits.readsPrefixes)
    return value('int', nearest(large, isUnsigned), false, more);
  const written = literalText(from) ?? (isKind(from, 'int') ? constantOf(from) : large);
  if (written !== undefined) return constant(written, { ...options, type, more });
  const size: IntegerSize = { nullable, isSafe, bytes };
  if (isKind(from, 'int')) {
    const isNarrower = bytes !== undefined && bytes < (from.type.bytes ?? sizeOf(from.type.bits));
    const own = isUnsigned
      ? sql`toUInt64(${from.sql})`
      : isNarrower
        ? exactly(from.sql, { ...size, nullable: from.type.isNullable })
        : from.sql;
    const isNullable = from.type.isNullable || (isNarrower && isSafe);
    return {
      ...from,
      sql: own,
      type: { ...from.type, ...more, bytes: bytes ?? from.type.bytes, isNullable },
    };
  }
  if (isUnsigned && isKind(from, 'decimal', 'numeric', 'float')) return toUnsigned(from, { context, more });
  if (isKind(from, 'decimal', 'numeric', 'float', 'seconds'))
    return value('int', ofNumber(from, size, context), nullable, more);
  if (isKind(from, 'bool')) return value('int', sql`toInt64(${from.sql})`, nullable, more);
  if (isKind(from, 'text')) return value('int', ofText(from, options, size), nullable, more);
  if (isTime(from)) return timeAsNumber(options);
  if (isKind(from, 'dynamic')) return value('int', sql`accurateCastOrNull(${from.sql}, 'Int64')`, true, more);
  if (!traits.castTruncates)
    differs(
      context,
      at,
      'type_unknown',
      `If the value is not an integer, ${dialect} rounds it and ClickHouse truncates it`,
    );
  return value(
    'int',
    sql`${isSafe ? 'toInt64OrNull' : 'toInt64'}(${isSafe ? sql`toString(${from.sql})` : from.sql})`,
    nullable,
    more,
  );
}

/** Negative exact numbers are 0 in MySQL; those of Float64 are an error, since versions differ. */
function toUnsigned(
  from: Value,
  { context, more }: { readonly context: Context; readonly more: Partial<Type> },
): Value {
  const { isNullable } = from.type;
  const own = rounded(from, context);
  const least = isKind(from, 'float') ? own : sql`if(${own} < 0, 0, ${own})`;
  return value(
    'int',
    sql`accurateCast(${least}, '${isNullable ? 'Nullable(UInt64)' : 'UInt64'}')`,
    isNullable,
    more,
  );
}

/** The digits of a number that is written in the query and beyond the range of the type; undefined for others. */
function largeConstant({ sql: own }: Value, bytes = 8): string | undefined {
  const number = Number(String(own).replaceAll(/[()]/g, ''));
  const isLarge = Number.isFinite(number) && Math.abs(number) >= 2 ** (bytes * 8 - 1) + 0.5;
  return isLarge && /\d/.test(String(own)) ? String(BigInt(Math.round(number))) : undefined;
}

/** The least or the greatest integer. */
function nearest(digits: string, isUnsigned: boolean): string {
  if (!digits.startsWith('-')) return String((isUnsigned ? 2n * LIMIT : LIMIT) - 1n);
  return isUnsigned ? '0' : String(-LIMIT);
}

/** The digits of an integer that is written as a number. */
const constantOf = ({ sql: own }: Value): string | undefined => /^-?\d+$/.exec(String(own))?.[0];

interface IntegerSize {
  readonly nullable: boolean;
  readonly isSafe: boolean;
  /** The size in bytes, if it is not 8. */
  readonly bytes: number | undefined;
}

/** The size of an integer whose values are known to be below 2 to a power. */
const sizeOf = (bits = 64): number => (bits < 16 ? 2 : bits < 32 ? 4 : 8);

/** An error, or NULL, beyond the range of the type. */
function exactly(own: Sql, { nullable, isSafe, bytes = 8 }: IntegerSize): Sql {
  const type = `Int${String(bytes * 8)}`;
  if (isSafe) return sql`accurateCastOrNull(${own}, '${type}')`;
  return sql`accurateCast(${own}, '${nullable ? `Nullable(${type})` : type}')`;
}

/** The nearest integer; of NULL, the number that ClickHouse converts is one. */
const ofNumber = (from: Value, size: IntegerSize, context: Context): Sql =>
  ofQuotient(from, (number) => {
    const isPresent = number !== from.sql;
    const own = isPresent ? { ...from, sql: number, type: { ...from.type, isNullable: false } } : from;
    return exactly(rounded(own, context), isPresent ? { ...size, nullable: false } : size);
  });

/** Int256 has more digits than any number of 64 bits, whose own functions ignore what is out of range. */
function ofText(from: Value, { context, isSafe }: CastOptions, size: IntegerSize): Sql {
  const { isNullable } = from.type;
  if (context.shared.traits.readsPrefixes)
    return exactly(sql`toInt256OrZero(extract(${from.sql}, '^\\\\s*([+-]?[0-9]{1,70})'))`, {
      ...size,
      nullable: isNullable,
    });
  if (!isSafe)
    return strictly(from, '0', (text) =>
      exactly(sql`toInt256(${trimmed(text)})`, { ...size, nullable: false }),
    );
  const text = trimmed(from.sql);
  const read = `toInt${String((size.bytes ?? 8) * 8)}OrNull`;
  return context.shared.traits.readsHexadecimal
    ? sql`${read}(if(match(${text}, '^[+-]?0[xX][0-9a-fA-F]{1,15}$'), ${ofHexadecimal(text)}, ${text}))`
    : sql`${read}(${text})`;
}

function ofHexadecimal(text: Sql): Sql {
  const digits = sql`leftPad(extract(${text}, '[xX](.*)'), 16, '0')`;
  return sql`concat(if(startsWith(${text}, '-'), '-', ''), toString(reinterpretAsUInt64(reverse(unhex(${digits})))))`;
}

interface Constant extends CastOptions {
  readonly type: TypeName;
  readonly more: Partial<Type>;
}

/** A number that is written in the query, or in a string. */
function constant(written: string, { type, more, isSafe, at, context }: Constant): Value {
  const { traits } = context.shared;
  if (traits.readsPrefixes)
    return value(
      'int',
      wrapped(BigInt(/^\s*([+-]?\d+)/.exec(written)?.[1]?.replace('+', '') ?? '0'), type, traits),
      false,
      more,
    );
  const read = readInteger(written, traits);
  const limit = more.bytes !== undefined ? 2n ** BigInt(more.bytes * 8 - 1) : LIMIT;
  if (read !== undefined && read < limit && read >= -limit)
    return { ...value('int', String(read), false, more) };
  if (isSafe) return value('int', 'CAST(NULL AS Nullable(Int64))', true, more);
  return unconverted(
    at,
    'type',
    `${quoteString(written.slice(0, 60))} is not an integer of ${String((more.bytes ?? 8) * 8)} bits`,
  );
}

function readInteger(written: string, { readsHexadecimal }: Traits): bigint | undefined {
  const [, sign, hexadecimal, digits] = /^\s*([+-]?)(?:0[xX]([0-9a-fA-F]+)|(\d+))\s*$/.exec(written) ?? [];
  if (digits === undefined && (hexadecimal === undefined || !readsHexadecimal)) return undefined;
  const size = BigInt(digits ?? `0x${hexadecimal ?? '0'}`);
  return sign === '-' ? -size : size;
}

/** A cast that does not stop at the least and the greatest integer reads an unsigned number, whose bits it keeps. */
function wrapped(read: bigint, { name }: TypeName, { castTruncates }: Traits): string {
  const clamp = (least: bigint, most: bigint): bigint => (read < least ? least : read > most ? most : read);
  if (castTruncates) return String(clamp(-LIMIT, LIMIT - 1n));
  const bits = clamp(-LIMIT, 2n * LIMIT - 1n);
  return String(name.endsWith('UNSIGNED') ? BigInt.asUintN(64, bits) : BigInt.asIntN(64, bits));
}

/** The nearest integer: Float64 is rounded to even in some dialects, exact numbers away from zero. */
function rounded(own: Value, { shared }: Context): Sql {
  const { castTruncates, roundsHalfToEven, hasExactTypes } = shared.traits;
  if (castTruncates) return sql`trunc(${own.sql})`;
  if (isKind(own, 'float') && roundsHalfToEven) return sql`round(${own.sql})`;
  return isKind(own, 'float') && hasExactTypes ? roundedAway(own.sql) : roundHalfAway(own, 0).sql;
}

/** The nearest integer of a Float64, halves away from zero; adding a half first would round 0.49999999999999994 up. */
function roundedAway(own: Sql): Sql {
  const parts = [sql`trunc(${own})`, sql`sign(${own}) * (abs(${own} - trunc(${own})) >= 0.5)`];
  return joinSql(parts, ' + ');
}
