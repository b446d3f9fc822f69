// Rows as a time-series chart, with a legend that toggles series and shows the values at the pointer.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Row } from '../service/json.ts';
import { useExplorer } from '../state/context.ts';
import { chartable, type Chartable } from './series.ts';
import { counted } from '../parts/words.ts';
import { timeWords } from './time-words.ts';

export function ChartView({ rows }: { readonly rows: readonly Row[] }) {
  const chart = useMemo(() => chartable(rows), [rows]);
  if (chart === undefined) return <NoChart />;
  return <Drawn chart={chart} />;
}

function NoChart() {
  return (
    <div class="empty">
      <h2>Nothing to draw</h2>
      <p>
        A chart needs a column of times and one of numbers. In SQL:{' '}
        <code>SELECT toStartOfHour(timestamp) AS hour, count() …</code>; in LQL:{' '}
        <code>c:count(*) c:group_by(t::hour)</code>.
      </p>
    </div>
  );
}

function Drawn({ chart }: { readonly chart: Chartable }) {
  const { theme } = useExplorer();
  const place = useRef<HTMLDivElement>(null);
  const [hidden, setHidden] = useState<readonly string[]>([]);
  const [pointed, setPointed] = useState<number>();
  const series = chart.series.filter(({ name }) => !hidden.includes(name));
  const shade = theme.value;
  useEffect(() => {
    const { current } = place;
    if (current === null) return undefined;
    let remove = (): void => undefined;
    let isGone = false;
    void import('./draw.ts').then(({ draw }) => {
      if (!isGone) remove = draw(current, { ...chart, series }, { all: chart.series, onPoint: setPointed });
    });
    return () => {
      isGone = true;
      remove();
    };
  }, [chart, hidden, shade]);
  const toggle = (name: string): void =>
    setHidden(hidden.includes(name) ? hidden.filter((each) => each !== name) : [...hidden, name]);
  return (
    <div class="chart">
      <Legend {...{ chart, hidden, pointed, toggle }} />
      <div class="chart-place" ref={place} role="img" aria-label={wordsOf(chart)} />
    </div>
  );
}

interface LegendProps {
  readonly chart: Chartable;
  readonly hidden: readonly string[];
  /** Index of the time at the pointer. */
  readonly pointed: number | undefined;
  readonly toggle: (name: string) => void;
}

function Legend({ chart, hidden, pointed, toggle }: LegendProps) {
  const at = pointed === undefined ? undefined : chart.times[pointed];
  return (
    <div class="legend">
      <span class="legend-time mono">
        {at === undefined ? `${counted(chart.times.length, 'point')}, UTC` : timeWords(at)}
      </span>
      {chart.series.map(({ name, values }, i) => {
        const total = values.reduce<number>((all, each) => all + (each ?? 0), 0);
        const value = pointed === undefined ? (chart.shape === 'bars' ? total : undefined) : values[pointed];
        return (
          <button
            key={name}
            type="button"
            class="legend-item"
            data-series={i}
            aria-pressed={!hidden.includes(name)}
            onClick={() => toggle(name)}
          >
            <i aria-hidden="true" />
            <span>{name === '' ? '(empty)' : name}</span>
            <strong class="mono">{value?.toLocaleString('en', { maximumFractionDigits: 2 })}</strong>
          </button>
        );
      })}
    </div>
  );
}

/** A text alternative to the chart for screen readers. */
function wordsOf({ times, series, shape }: Chartable): string {
  const [first, last] = [times[0], times.at(-1)];
  const span = first === undefined || last === undefined ? '' : `, ${timeWords(first)} to ${timeWords(last)}`;
  const kind = shape === 'bars' ? 'Stacked bars' : 'Lines';
  return `${kind} of ${series.map(({ name }) => name).join(', ')}${span}. The table has the same numbers.`;
}
