// The axes of the histogram: lines with numbers of rows behind the bars, and times below them.
import { shortNumber, timeTicks } from '../chart/ticks.ts';
import type { Zone } from '../time-range/range.ts';
import type { HistogramView } from './histogram.ts';

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
