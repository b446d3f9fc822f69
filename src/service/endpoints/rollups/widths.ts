// The width of the buckets of a rollup, as its file has it.

/** Returns the largest width that all of these are multiples of. */
export function commonWidth(seconds: readonly number[]): number {
  return seconds.reduce(greatestDivisor, 0);
}

function greatestDivisor(one: number, other: number): number {
  return other === 0 ? one : greatestDivisor(other, one % other);
}

const UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
] as const;

export function widthText(seconds: number): string {
  const [unit, size] = UNITS.find((each) => seconds % each[1] === 0) ?? ['s', 1];
  return `${seconds / size}${unit}`;
}
