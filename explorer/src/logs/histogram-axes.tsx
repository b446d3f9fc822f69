// Draws the axes of the histogram: lines with numbers of rows behind the bars, times below them, and marked times over them.
import { shortNumber, timeTicks } from '../chart/ticks.ts';
import type { Zone } from '../time-range/range.ts';
import type { HistogramView } from './histogram.ts';
import type { Bounds } from './questions.ts';

interface ValueProps {
  readonly ticks: readonly number[];
  /** The number of rows at the top. */
  readonly most: number;
}

export function ValueAxis({ ticks, most }: ValueProps) {
  return (
    <div class="log-lines" aria-hidden="true">
      {ticks.map((value) => [
        <span key={`number ${value}`} style={{ bottom: `${(value / most) * 100}%` }}>
          {shortNumber(value)}
        </span>,
        <i key={value} style={{ bottom: `${(value / most) * 100}%` }} />,
      ])}
    </div>
  );
}

const MAX_TICKS = 8;

export function TimeAxis({
  buckets,
  width,
  zone,
}: Pick<HistogramView, 'buckets' | 'width'> & { readonly zone: Zone }) {
  const first = (buckets[0]?.start ?? 0) / 1000;
  const last = ((buckets.at(-1)?.start ?? 0) + width) / 1000;
  const offset = zone === 'utc' ? 0 : -new Date(last * 1000).getTimezoneOffset() * 60;
  return (
    <div class="log-times" aria-hidden="true">
      {timeTicks(first, last, MAX_TICKS, offset).map(({ at, text }) => (
        <span key={at} style={{ left: `${((at - first) / (last - first)) * 100}%` }}>
          {text}
        </span>
      ))}
    </div>
  );
}

interface SpanProps extends Pick<HistogramView, 'buckets' | 'width'>, Bounds {
  /** A `part` is compared with the rest; the rows of an `unknown` span are not known. */
  readonly kind: 'part' | 'unknown';
}

/** Shades the bars between two times; times outside of the histogram are its edges. */
export function Span({ buckets, width, from, to, kind }: SpanProps) {
  const first = buckets[0]?.start ?? 0;
  const shareOf = (ms: number): number =>
    Math.min(1, Math.max(0, (ms - first) / (width * Math.max(1, buckets.length)))) * 100;
  return (
    <div
      class="log-span"
      data-kind={kind}
      style={{ left: `${shareOf(from)}%`, right: `${100 - shareOf(to)}%` }}
    />
  );
}
