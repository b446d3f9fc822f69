// Rows as a time-series chart, with column pickers and a legend that toggles series and shows the values at the pointer.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';
import { useExplorer } from '../state/context.ts';
import { counted } from '../parts/words.ts';
import { visibleText } from '../parts/hidden-characters.ts';
import { NotLoaded, useChunk } from '../parts/use-chunk.tsx';
import { Visible } from '../parts/visible.tsx';
import { Pickers } from './pickers.tsx';
import { partOf, totalOf, type Chartable, type ChartReading } from './series.ts';
import { formatTime } from './format-time.ts';
import type { Amount } from './values.ts';

export function ChartView({ reading }: { readonly reading: ChartReading }) {
  if (reading.kind === 'none') return <NoChart />;
  const { columns, fields } = reading;
  const { chart } = reading.kind === 'chart' ? reading : { chart: undefined };
  return (
    <div class="chart">
      <Pickers columns={columns} fields={fields} />
      {chart === undefined ? (
        <Rejected reason={reading.kind === 'rejected' ? reading.reason : ''} />
      ) : (
        <Drawn chart={chart} />
      )}
    </div>
  );
}

function NoChart() {
  return (
    <div class="empty">
      <h2>No chart</h2>
      <p>
        A chart needs a time column and a numeric column. In SQL:{' '}
        <code>SELECT toStartOfHour(timestamp) AS hour, count() …</code>; in LQL:{' '}
        <code>c:count(*) c:group_by(t::hour)</code>.
      </p>
    </div>
  );
}

function Rejected({ reason }: { readonly reason: string }) {
  return (
    <div class="empty" role="status">
      <h2>These rows cannot be charted like this</h2>
      <p>
        <Visible text={reason} />
      </p>
    </div>
  );
}

/** Each drag shows a part of what was shown before; *Back* shows that again. */
function Drawn({ chart: whole }: { readonly chart: Chartable }) {
  const { theme } = useExplorer();
  const place = useRef<HTMLDivElement>(null);
  const [hidden, setHidden] = useState<readonly number[]>([]);
  const [pointed, setPointed] = useState<number>();
  const [parts, setParts] = useState<readonly Chartable[]>([]);
  const chart = parts.at(-1) ?? whole;
  const shade = theme.value;
  const { module, hasFailed } = useChunk(() => import('./draw.ts'));
  useEffect(() => {
    setHidden([]);
    setParts([]);
  }, [whole]);
  useEffect(() => setPointed(undefined), [chart]);
  useEffect(() => {
    const { current } = place;
    if (current === null || module === undefined) return undefined;
    const onZoom = (from: number, to: number): void => {
      const part = partOf(chart, from, to);
      if (part.times.length > 0) setParts([...parts, part]);
    };
    return module.draw(current, chart, { hidden, onPoint: setPointed, onZoom });
  }, [module, chart, hidden, shade]);
  const toggle = (index: number): void =>
    setHidden(hidden.includes(index) ? hidden.filter((each) => each !== index) : [...hidden, index]);
  return (
    <>
      <Legend {...{ chart, hidden, pointed, toggle }}>
        {parts.length > 0 && (
          <button type="button" class="chip small" onClick={() => setParts(parts.slice(0, -1))}>
            <Icon name="again" /> Back
          </button>
        )}
      </Legend>
      {chart.notes.length > 0 && (
        <p class="chart-notes" role="note">
          <Visible text={chart.notes.join(' ')} />
        </p>
      )}
      {hasFailed && <NotLoaded what="The chart" />}
      <div class="chart-place" ref={place} role="img" aria-label={descriptionOf(chart)} />
    </>
  );
}

interface LegendProps {
  readonly chart: Chartable;
  /** Indexes of the series that are not drawn. */
  readonly hidden: readonly number[];
  /** Index of the time at the pointer. */
  readonly pointed: number | undefined;
  readonly toggle: (index: number) => void;
  readonly children: ComponentChildren;
}

function Legend({ chart, hidden, pointed, toggle, children }: LegendProps) {
  const at = pointed === undefined ? undefined : chart.times[pointed];
  return (
    <div class="legend">
      <span class="legend-time mono">
        {at === undefined ? `${counted(chart.times.length, 'point')}, UTC` : `${formatTime(at)} UTC`}
      </span>
      {children}
      {chart.series.map((one, i) => {
        const value = at === undefined || pointed === undefined ? undefined : one.values[pointed];
        const shown = at === undefined && chart.isSum ? totalOf(one) : value;
        return (
          <button
            key={i}
            type="button"
            class="legend-item"
            data-series={i}
            aria-pressed={!hidden.includes(i)}
            onClick={() => toggle(i)}
          >
            <i aria-hidden="true" />
            <span>{one.name === '' ? '(empty)' : <Visible text={one.name} />}</span>
            <strong class="mono">{formatAmount(shown)}</strong>
          </button>
        );
      })}
    </div>
  );
}

function formatAmount(value: Amount | null | undefined): string {
  return value?.toLocaleString('en', { maximumFractionDigits: 2 }) ?? '';
}

const KINDS = { bars: 'Stacked bars', lines: 'Lines', points: 'Points' };

/** A text alternative to the chart for screen readers. */
function descriptionOf({ times, series, shape }: Chartable): string {
  const [first, last] = [times[0], times.at(-1)];
  const span =
    first === undefined || last === undefined ? '' : `, ${formatTime(first)} to ${formatTime(last)} UTC`;
  const names = series.map(({ name }) => visibleText(name)).join(', ');
  return `${KINDS[shape]} of ${names}${span}. The table has the same numbers.`;
}
