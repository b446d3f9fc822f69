// Operators on bits, XOR and the power.
import { numberArithmetic, numberSql, type Operation } from './arithmetic.ts';
import { castTo } from './cast/cast.ts';
import { unconverted, type Context } from './context.ts';
import { checkedPower } from './exact.ts';
import { joinSql, sql, type Sql, int, isKind, isNullable, isTime, operand, value, type Value } from './value.ts'; // prettier-ignore
import type { Traits } from './traits.ts';
import { truth } from './implicit.ts';

const INTEGER = /^-?\d+$/;

const BITS: Readonly<Record<string, string>> = {
  '&': 'bitAnd',
  '|': 'bitOr',
  '#': 'bitXor',
  '^': 'bitXor',
  '<<': 'bitShiftLeft',
  '>>': 'bitShiftRight',
};

type Operands = readonly [left: Value, right: Value];

/** Writes operators on bits, XOR and the power; undefined for other operators. */
export function otherArithmetic([a, b]: Operands, operation: Operation): Value | undefined {
  const { operator, context } = operation;
  const { traits } = context.shared;
  if (operator === '^' && traits.hasPowerOperator) return powerOf(a, b, operation);
  if (operator === 'MOD') return numberArithmetic(a, b, { ...operation, operator: '%' });
  if (operator === 'XOR') {
    const tests = [a, b].map((each) => truth(each, context, operation.at).sql);
    return value('bool', sql`xor(${joinSql(tests)})`, isNullable(a, b), { isNumberInClickHouse: true });
  }
  const name = BITS[operator];
  if (name === undefined) return undefined;
  const { at } = operation;
  // MySQL rounds halves of Float64 in its own ways.
  const isOpen = (each: Value): boolean => isKind(each, 'float') && traits.hasUnsignedBits;
  for (const each of [a, b])
    if (isKind(each, 'bytes', 'text') || isTime(each) || isOpen(each))
      return unconverted(
        at,
        'type',
        `${operator} is supported for numbers`,
        'Cast the operands to integers.',
      );
  const [x, y] = [a, b].map((each) =>
    isRounded(each, context) ? castTo(each, { name: 'BIGINT', at }, { isSafe: false, at, context }) : each,
  );
  if (name.startsWith('bitShift') && /^\(?-\d/.test(String(b.sql)))
    return unconverted(
      at,
      'expression',
      'A shift by a negative number is not converted',
      'Shift the other way.',
    );
  const own = { name, traits };
  const isOpenShift = traits.shiftsBothWays && name.startsWith('bitShift') && !INTEGER.test(String(b.sql));
  if (isOpenShift) return shiftBothWays(x ?? a, y ?? b, own);
  const short = shortShift(a, b, operation);
  if (short !== undefined) return short;
  if (traits.hasShortLiterals && name.startsWith('bitShift') && Number(b.sql) > 63)
    return unconverted(at, 'expression', 'A shift by more than 63 is not converted');
  return bits(x ?? a, y ?? b, own);
}

/** A shift by a number that may be negative, or more than all bits. */
function shiftBothWays(
  a: Value,
  b: Value,
  { name, traits }: { readonly name: string; readonly traits: Traits },
): Value {
  const by = operand(b);
  const left = name === 'bitShiftLeft' ? by : sql`-${by}`;
  const places = { ...b, sql: sql`least(abs(${by}), 63)` };
  const shifted = (direction: string): Sql => bits(a, places, { name: direction, traits }).sql;
  const own = sql`multiIf(${left} > 63, 0, ${left} >= 0, ${shifted('bitShiftLeft')}, ${shifted('bitShiftRight')})`;
  return int(b.type.isNullable ? sql`if(isNull(${by}), NULL, ${own})` : own, isNullable(a, b));
}

function powerOf(a: Value, b: Value, operation: Operation): Value {
  const own = sql`pow(${a.sql}, ${b.sql})`;
  return checkedPower(own, [a, b], operation) ?? value('float', own, isNullable(a, b));
}

/** Returns a shift of two constants of at most 32 bits, with the number of places modulo 32; undefined for others. */
function shortShift(a: Value, b: Value, { operator, context }: Operation): Value | undefined {
  const [own, places] = [a, b].map((each) => String(each.sql).replaceAll(/[()]/g, ''));
  const isShift = operator === '<<' || operator === '>>';
  if (!isShift || !context.shared.traits.hasShortLiterals) return undefined;
  const { bytes } = a.type;
  if (own === undefined || places === undefined || (bytes !== 4 && bytes !== 2)) return undefined;
  if (!INTEGER.test(own) || !INTEGER.test(places)) return undefined;
  const [left, by] = [BigInt(own), BigInt(places) & 31n];
  return int(String(BigInt.asIntN(bytes * 8, operator === '<<' ? left << by : left >> by)), false);
}

const isRounded = (each: Value, { shared }: Context): boolean =>
  shared.traits.hasNumericConditions && isKind(each, 'decimal', 'numeric', 'float');

function bits(
  a: Value,
  b: Value,
  { name, traits }: { readonly name: string; readonly traits: Traits },
): Value {
  // A shift of fewer bits than 64 loses those of the result.
  const isWide = (each: Value): boolean =>
    traits.shiftsLogically || isKind(each, 'bool') || INTEGER.test(String(each.sql));
  const wide = (each: Value): Sql =>
    traits.hasUnsignedBits
      ? sql`toUInt64(${each.sql})`
      : isWide(each)
        ? sql`toInt64(${numberSql(each)})`
        : each.sql;
  const isLogical = traits.shiftsLogically && name === 'bitShiftRight';
  // A shift to the right by all bits leaves the sign.
  const isAll = name === 'bitShiftRight' && !traits.hasUnsignedBits && Number(b.sql) > 63;
  if (!isLogical) return int(sql`${name}(${wide(a)}, ${isAll ? '63' : wide(b)})`, isNullable(a, b));
  // A signed number of positions would make it a signed shift.
  const places = b.type.isNullable ? 'Nullable(UInt64)' : 'UInt64';
  const by = INTEGER.test(String(b.sql)) ? b.sql : sql`accurateCast(${wide(b)}, '${places}')`;
  return int(sql`toInt64(bitShiftRight(toUInt64(${wide(a)}), ${by}))`, isNullable(a, b));
}

/** The bits of an operand, which are all inverted. */
export function inverted(inner: Value, isUnsigned: boolean): Value {
  return int(sql`bitNot(${isUnsigned ? 'toUInt64' : 'toInt64'}(${numberSql(inner)}))`, inner.type.isNullable);
}
