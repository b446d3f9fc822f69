// Rows by time and severity, as bars between axes. Drag over bars to zoom; arrow keys choose one, Shift extends the choice, Enter zooms.
import { useRef, useState } from 'preact/hooks';
import { ticksOf } from '../chart/ticks.ts';
import { Icon } from '../parts/icon.tsx';
import { counted } from '../parts/words.ts';
import { useExplorer } from '../state/context.ts';
import { fixedRange, isSameRange, type TimeRange } from '../time-range/range.ts';
import type { HistogramBucket, HistogramView } from './histogram.ts';
import { Span, TimeAxis, ValueAxis } from './histogram-axes.tsx';
import { HistogramLegend, type LegendProps } from './histogram-legend.tsx';
import type { Bounds } from './questions.ts';
import { SEVERITIES, type Severity } from './severity.ts';
import { bucketText, zonedTime } from './times.ts';

interface Props extends HistogramView, Omit<LegendProps, 'buckets'> {
  /** The range is as the address has it: relative bounds are not resolved. */
  readonly range: TimeRange;
  readonly onRange: (range: TimeRange) => void;
  /** This part of the range is compared with the rest. */
  readonly part: Bounds | undefined;
  /** Rows after this time are not known, in milliseconds since 1970; it is undefined if there are none, or they are arriving. */
  readonly end: number | undefined;
}

/** From one bar to another, in the order in which they were chosen: their indexes, or their times. */
interface Choice {
  readonly from: number;
  readonly to: number;
}

/** The bars have this height in pixels, as in the style sheet. */
const HEIGHT = 96;
/** From the bottom of a bar. */
const STACK: readonly Severity[] = SEVERITIES.toReversed();
const MAX_TICKS = 5;

export function LogHistogram(props: Props) {
  const { buckets, width, hasSeverities, range, onRange, part, end, ...legend } = props;
  const { zone } = useExplorer();
  // By time: bars move while rows are followed.
  const [times, setTimes] = useState<Choice>();
  const [pointed, setPointed] = useState<number>();
  const zooms = useZooms(range, onRange);
  const choice = times && chosenAt(times, (ms) => barAt(ms, { buckets, width }));
  const setChoice = (chosen: Choice | undefined): void =>
    setTimes(chosen && chosenAt(chosen, (index) => buckets[index]?.start ?? 0));
  const zoom = (chosen: Choice | undefined): void => {
    setChoice(undefined);
    const [low, high] = chosen === undefined ? [] : edges(chosen);
    const [from, to] = [buckets[low ?? -1], buckets[high ?? -1]];
    if (from !== undefined && to !== undefined) zooms.zoom(fixedRange(from.start, to.start + width));
  };
  const textAt = (ms: number): string => bucketText(ms, width, zone.value);
  const shown = choice ?? (pointed === undefined ? undefined : { from: pointed, to: pointed });
  const most = Math.max(1, ...buckets.map(({ rows }) => rows));
  return (
    <div class="log-histogram">
      <div class="log-chart">
        <ValueAxis ticks={ticksOf(0, most, { most: MAX_TICKS, isWhole: true })} most={most} />
        <Bars {...{ buckets, most, choice, zoom }} onChoice={setChoice} onPoint={setPointed} />
        {part !== undefined && <Span {...{ buckets, width, ...part }} kind="part" />}
        {end !== undefined && <Span {...{ buckets, width }} from={end} to={Infinity} kind="unknown" />}
        {shown !== undefined && (
          <Tip {...{ buckets, width, textAt }} choice={shown} isChosen={choice !== undefined} />
        )}
      </div>
      <TimeAxis buckets={buckets} width={width} zone={zone.value} />
      <div class="log-histogram-words">
        {zooms.isZoomed && (
          <button type="button" class="chip small" onClick={zooms.back}>
            <Icon name="again" /> Back
          </button>
        )}
        {hasSeverities && <HistogramLegend buckets={buckets} {...legend} />}
        <span class="log-histogram-width">
          {end !== undefined
            ? `Data ends ${zonedTime(end, zone.value)}`
            : zone.value === 'utc'
              ? 'UTC'
              : 'local time'}
        </span>
      </div>
    </div>
  );
}

interface Zooms {
  readonly isZoomed: boolean;
  readonly zoom: (range: TimeRange) => void;
  readonly back: () => void;
}

/** The ranges before each zoom, until another range is chosen. */
function useZooms(range: TimeRange, onRange: (range: TimeRange) => void): Zooms {
  const [zooms, setZooms] = useState<readonly { readonly before: TimeRange; readonly after: TimeRange }[]>(
    [],
  );
  const at = zooms.findLastIndex(({ after }) => isSameRange(after, range));
  const steps = zooms.slice(0, at + 1);
  const last = steps.at(-1);
  return {
    isZoomed: last !== undefined,
    zoom: (after) => {
      setZooms([...steps, { before: range, after }]);
      onRange(after);
    },
    back: () => {
      setZooms(steps.slice(0, -1));
      if (last !== undefined) onRange(last.before);
    },
  };
}

interface BarsProps extends Pick<HistogramView, 'buckets'> {
  readonly most: number;
  readonly choice: Choice | undefined;
  readonly onChoice: (choice: Choice | undefined) => void;
  readonly onPoint: (index: number | undefined) => void;
  readonly zoom: (choice: Choice | undefined) => void;
}

function Bars({ buckets, most, choice, onChoice, onPoint, zoom }: BarsProps) {
  const isDragging = useRef(false);
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
      onBlur={() => onChoice(undefined)}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        isDragging.current = true;
        onChoice({ from: indexAt(event), to: indexAt(event) });
      }}
      onPointerMove={(event) => {
        if (isDragging.current && choice !== undefined) onChoice({ ...choice, to: indexAt(event) });
        else onPoint(indexAt(event));
      }}
      onPointerLeave={() => onPoint(undefined)}
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

interface TipProps extends Pick<HistogramView, 'buckets' | 'width'> {
  readonly choice: Choice;
  /** Keys or a drag choose bars; pointing at one does not. */
  readonly isChosen: boolean;
  readonly textAt: (ms: number) => string;
}

/** The time and the rows of each severity of the bars, beside them. */
function Tip({ buckets, width, choice, isChosen, textAt }: TipProps) {
  const [low, high] = edges(choice);
  const chosen = buckets.slice(low, high + 1);
  const middle = ((low + high + 1) / 2 / buckets.length) * 100;
  const side = middle < 50 ? { left: `calc(${middle}% + 12px)` } : { right: `calc(${100 - middle}% + 12px)` };
  return (
    <div class="log-tip" role={isChosen ? 'status' : 'presentation'} style={side}>
      <strong>
        {textAt(buckets[low]?.start ?? 0)} to {textAt((buckets[high]?.start ?? 0) + width)}
      </strong>
      <span>{counted(sumOf(chosen), 'row')}</span>
      {SEVERITIES.map(
        (severity) => [severity, chosen.reduce((sum, { counts }) => sum + counts[severity], 0)] as const,
      )
        .filter(([, rows]) => rows > 0)
        .map(([severity, rows]) => (
          <span key={severity} class="log-tip-level" data-severity={severity}>
            {severity} {rows.toLocaleString('en')}
          </span>
        ))}
    </div>
  );
}

function sumOf(buckets: readonly HistogramBucket[]): number {
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
