// Whether a literal time that is moved by a literal interval is still in the years 1 to 9999.
import { utcMs } from '../../sql/calendar.ts';
import { MICROSECONDS, MONTHS } from './length.ts';

const MIN = -62_135_596_800_000_000n;
const MAX = 253_402_300_799_999_999n;

/** A move by an integer number of units. */
export interface Move {
  readonly unit: string;
  readonly amount: bigint;
}

/** `literal` as `2024-12-31` or `2024-12-31 10:00:00.25`; the moves are made in their order. */
export function isOutOfRange(literal: string, moves: readonly Move[]): boolean {
  const [, date = '', time = '00:00:00', fraction = ''] =
    /^(\S+)(?: ([\d:]+)(?:\.(\d+))?)?$/.exec(literal) ?? [];
  const [year = 1970, month = 1, day = 1] = date.split('-').map(Number);
  const [hour = 0, minute = 0, second = 0] = time.split(':').map(Number);
  let micros =
    BigInt(utcMs([year, month, day], [hour, minute, second]) ?? 0) * 1000n + BigInt(fraction.padEnd(6, '0'));
  for (const { unit, amount } of moves) {
    const months = MONTHS[unit];
    if (months !== undefined) {
      const moved = byMonths(micros, Number(amount) * months);
      if (moved === undefined) return true;
      micros = moved;
    } else micros += amount * BigInt(MICROSECONDS[unit] ?? 0);
    if (micros < MIN || micros > MAX) return true;
  }
  return false;
}

/** Undefined for a year outside 1 to 9999; a day that the month does not have becomes its last. */
function byMonths(micros: bigint, months: number): bigint | undefined {
  const days = micros / 86_400_000_000n - (micros % 86_400_000_000n < 0n ? 1n : 0n);
  const start = new Date(Number(days) * 86_400_000);
  const index = start.getUTCFullYear() * 12 + start.getUTCMonth() + months;
  const [year, month] = [Math.floor(index / 12), (index % 12) + 1];
  if (!(year >= 1 && year <= 9999)) return undefined;
  let day = start.getUTCDate();
  while (utcMs([year, month, day]) === undefined) day--;
  return BigInt(utcMs([year, month, day]) ?? 0) * 1000n + (micros - days * 86_400_000_000n);
}
