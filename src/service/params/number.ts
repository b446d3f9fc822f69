// Readers for numbers: integers of any width, floats, decimals.
import { failure, read } from './reading.ts';
import type { RawScalar, ScalarReader } from './reading.ts';

/** No type has values with more digits; longer input is rejected before it is parsed. */
const MAX_DIGITS = 400;

/** Returns whether a number may have had other digits in the JSON that it was read from. */
function hasLostDigits(raw: RawScalar): boolean {
  return typeof raw === 'number' && Number.isInteger(raw) && !Number.isSafeInteger(raw);
}

const LOST_DIGITS = 'is too large for a JSON number: send it as a string';

/** Integers within the type's range. JSON numbers beyond 2^53 have already lost digits and are rejected. */
export function integerReader(bits: number, signed: boolean): ScalarReader {
  const min = signed ? -(2n ** BigInt(bits - 1)) : 0n;
  const max = 2n ** BigInt(signed ? bits - 1 : bits) - 1n;
  const message = `must be a whole number from ${min} to ${max}`;
  return (raw) => {
    if (hasLostDigits(raw)) return failure(LOST_DIGITS);
    const text = typeof raw === 'number' ? String(raw) : raw;
    if (typeof text !== 'string' || text.length > MAX_DIGITS || !/^-?\d+$/.test(text))
      return failure(message);
    const value = BigInt(text);
    return value < min || value > max ? failure(message) : read(String(value), value);
  };
}

const FLOAT = /^-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Finite floats; -0 becomes 0. The engine rounds Float32 according to IEEE 754. */
export function floatReader(bits: 32 | 64): ScalarReader {
  return (raw) => {
    const isNumeric =
      typeof raw === 'number' || (typeof raw === 'string' && raw.length <= MAX_DIGITS && FLOAT.test(raw));
    if (!isNumeric) return failure('must be a number');
    const value = Number(raw) + 0;
    const stored = bits === 32 ? Math.fround(value) : value;
    return Number.isFinite(stored)
      ? read(String(value), value)
      : failure(`must be in the range of Float${bits}`);
  };
}

/** Decimals within precision and scale; leading and trailing zeros do not count. JSON numbers beyond 2^53 are rejected. */
export function decimalReader(precision: number, scale: number): ScalarReader {
  const whole = precision - scale;
  const message = `must be a number with at most ${whole} digits before and ${scale} after the decimal point`;
  return (raw) => {
    if (hasLostDigits(raw)) return failure(LOST_DIGITS);
    const text = typeof raw === 'number' ? String(raw) : raw;
    if (typeof text !== 'string' || text.length > MAX_DIGITS) return failure(message);
    const parts = /^(-?)0*(\d*?)(?:\.(\d*?)0*)?$/.exec(text);
    if (parts === null || !/\d/.test(text)) return failure(message);
    const [, minus = '', digits = '', fraction = ''] = parts;
    if (digits.length > whole || fraction.length > scale) return failure(message);
    const rank = BigInt(`${digits}${fraction.padEnd(scale, '0')}` || '0') * (minus === '' ? 1n : -1n);
    const sign = rank < 0n ? '-' : '';
    return read(`${sign}${digits || '0'}${fraction === '' ? '' : `.${fraction}`}`, rank);
  };
}
