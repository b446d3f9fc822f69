// The axes of a chart: series of very different magnitude have one each, since the smaller ones would be a flat line.
import type { Series } from './values.ts';

export type Side = 'left' | 'right';

/** The larger series are at least this many times as large as the smaller ones. */
const MUCH = 20;
const NAMES = 3;

/** `right` for the smaller series, beyond the widest gap between magnitudes; all are `left` if none is so wide. */
export function sidesOf(series: readonly Series[]): readonly Side[] {
  const sizes = series.map(sizeOf);
  const sorted = sizes.filter((size) => size > 0).toSorted((a, b) => b - a);
  const ratios = sorted.slice(1).map((size, index) => (sorted[index] ?? size) / size);
  const widest = Math.max(0, ...ratios);
  const largestRight = widest >= MUCH ? (sorted[ratios.indexOf(widest) + 1] ?? 0) : 0;
  return sizes.map((size) => (size > 0 && size <= largestRight ? 'right' : 'left'));
}

export function sidesNote(series: readonly Series[], sides: readonly Side[]): string {
  const right = series.filter((_, index) => sides[index] === 'right').map(({ name }) => name);
  const more = right.length > NAMES ? ` and ${right.length - NAMES} more` : '';
  return `On the right axis: ${right.slice(0, NAMES).join(', ')}${more}.`;
}

function sizeOf({ values }: Series): number {
  return values.reduce<number>((most, value) => Math.max(most, Math.abs(Number(value ?? 0))), 0);
}
