// Rows by time and severity, as bars. Drag over bars to zoom; arrow keys choose one, Shift extends the choice, Enter zooms.
import { useRef, useState } from 'preact/hooks';
import { counted } from '../parts/words.ts';
import { useExplorer } from '../state/context.ts';
import type { HistogramView } from './histogram.ts';
import { SEVERITIES, type Severity } from './severity.ts';
import { bucketText } from './times.ts';

interface Props extends HistogramView {
  /** Milliseconds since 1970; `to` is exclusive. */
  readonly onZoom: (from: number, to: number) => void;
}

/** From one bar to another, in the order in which they were chosen: their indexes, or their times. */
interface Choice {
  readonly from: number;
  readonly to: number;
}

const HEIGHT = 64;
/** From the bottom of a bar. */
const STACK: readonly Severity[] = SEVERITIES.toReversed();

export function LogHistogram({ buckets, width, hasSeverities, onZoom }: Props) {
  const { zone } = useExplorer();
  // By time: bars move while rows are followed.
  const [times, setTimes] = useState<Choice>();
  const choice = times && chosenAt(times, (ms) => barAt(ms, { buckets, width }));
  const setChoice = (chosen: Choice | undefined): void =>
    setTimes(chosen && chosenAt(chosen, (index) => buckets[index]?.start ?? 0));
  const textAt = (ms: number): string => bucketText(ms, width, zone.value);
  const [first, last] = [buckets[0]?.start ?? 0, (buckets.at(-1)?.start ?? 0) + width];
  const zoom = (chosen: Choice | undefined): void => {
    setChoice(undefined);
    const [low, high] = chosen === undefined ? [] : edges(chosen);
    const [from, to] = [buckets[low ?? -1], buckets[high ?? -1]];
    if (from !== undefined && to !== undefined) onZoom(from.start, to.start + width);
  };
  const choiceText = (chosen: Choice): string => {
    const [low, high] = edges(chosen);
    const rows = sumOf(buckets.slice(low, high + 1));
    return `${textAt(buckets[low]?.start ?? 0)} to ${textAt((buckets[high]?.start ?? 0) + width)}: ${counted(rows, 'row')}`;
  };
  return (
    <div class="log-histogram">
      <Bars {...{ buckets, choice, zoom }} onChoice={setChoice} />
      <div class="log-histogram-words">
        <span>{textAt(first)}</span>
        <span role="status">{choice === undefined ? '' : choiceText(choice)}</span>
        {hasSeverities && <Legend buckets={buckets} />}
        <span>{textAt(last)}</span>
      </div>
    </div>
  );
}

interface BarsProps extends Pick<HistogramView, 'buckets'> {
  readonly choice: Choice | undefined;
  readonly onChoice: (choice: Choice | undefined) => void;
  readonly zoom: (choice: Choice | undefined) => void;
}

function Bars({ buckets, choice, onChoice, zoom }: BarsProps) {
  const isDragging = useRef(false);
  const most = Math.max(1, ...buckets.map(({ rows }) => rows));
  const indexAt = ({
    currentTarget,
    clientX,
  }: PointerEvent & { readonly currentTarget: Element }): number => {
    const { left, width } = currentTarget.getBoundingClientRect();
    const index = Math.floor(((clientX - left) / width) * buckets.length);
    return Math.min(buckets.length - 1, Math.max(0, index));
  };
  const finish = (chosen: Choice | undefined): void => {
    if (isDragging.current) zoom(chosen);
    isDragging.current = false;
  };
  return (
    <svg
      viewBox={`0 0 ${buckets.length} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="group"
      tabindex={0}
      aria-label={`Histogram: ${counted(sumOf(buckets), 'row')} in ${counted(buckets.length, 'bar')}. Arrow keys choose a bar, Shift extends the choice, Enter zooms`}
      onKeyDown={(event) => {
        const next = keyed(event, choice, buckets.length);
        if (event.key === 'Enter' && choice !== undefined) zoom(choice);
        else if (event.key === 'Escape' && choice !== undefined) onChoice(undefined);
        else if (next !== undefined) onChoice(next);
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        isDragging.current = true;
        onChoice({ from: indexAt(event), to: indexAt(event) });
      }}
      onPointerMove={(event) => {
        if (isDragging.current && choice !== undefined) onChoice({ ...choice, to: indexAt(event) });
      }}
      onPointerUp={() => finish(choice)}
      onPointerCancel={() => finish(undefined)}
    >
      {buckets.map(({ start, counts }, index) => (
        <Bar key={start} counts={counts} index={index} scale={HEIGHT / most} />
      ))}
      {choice !== undefined && <Zoom choice={choice} />}
    </svg>
  );
}

function Zoom({ choice }: { readonly choice: Choice }) {
  const [low, high] = edges(choice);
  return <rect class="log-zoom" x={low} width={high - low + 1} y={0} height={HEIGHT} />;
}

interface BarProps {
  readonly counts: Readonly<Record<Severity, number>>;
  readonly index: number;
  /** Pixels of a row. */
  readonly scale: number;
}

function Bar({ counts, index, scale }: BarProps) {
  let top = HEIGHT;
  return (
    <>
      {STACK.filter((severity) => counts[severity] > 0).map((severity) => {
        const height = Math.max(0.75, counts[severity] * scale);
        top -= height;
        return (
          <rect
            key={severity}
            data-severity={severity}
            x={index + 0.08}
            width={0.84}
            y={Math.max(0, top)}
            height={height}
          />
        );
      })}
    </>
  );
}

function Legend({ buckets }: Pick<HistogramView, 'buckets'>) {
  const sums = SEVERITIES.map((severity) => ({
    severity,
    rows: buckets.reduce((sum, { counts }) => sum + counts[severity], 0),
  }));
  return (
    <ul class="log-legend" aria-label="Rows by severity">
      {sums
        .filter(({ rows }) => rows > 0)
        .map(({ severity, rows }) => (
          <li key={severity} data-severity={severity}>
            {severity} {rows.toLocaleString('en')}
          </li>
        ))}
    </ul>
  );
}

function sumOf(buckets: HistogramView['buckets']): number {
  return buckets.reduce((sum, { rows }) => sum + rows, 0);
}

function chosenAt({ from, to }: Choice, at: (end: number) => number): Choice {
  return { from: at(from), to: at(to) };
}

/** The first or last one for times outside the histogram. */
function barAt(ms: number, { buckets, width }: Pick<HistogramView, 'buckets' | 'width'>): number {
  const index = Math.floor((ms - (buckets[0]?.start ?? 0)) / width);
  return Math.min(buckets.length - 1, Math.max(0, index));
}

function edges({ from, to }: Choice): readonly [number, number] {
  return [Math.min(from, to), Math.max(from, to)];
}

function keyed(
  { key, shiftKey }: KeyboardEvent,
  choice: Choice | undefined,
  count: number,
): Choice | undefined {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[key];
  if (step === undefined) return undefined;
  const start = step === 1 ? -1 : count;
  const to = Math.min(count - 1, Math.max(0, (choice?.to ?? start) + step));
  return { from: shiftKey ? (choice?.from ?? to) : to, to };
}
