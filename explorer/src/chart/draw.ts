// Draws series with uPlot, as stacked bars, lines or points. Colours come from the style sheet.
import uPlot from 'uplot';
import { formatTicks } from './format-time.ts';
import { stacked, type Chartable } from './series.ts';
import type { Side } from './sides.ts';
import { shortNumber, ticksOf } from './ticks.ts';
import type { Series } from './values.ts';

export interface DrawOptions {
  /** Indexes of the series that are not drawn; the others keep their colours. */
  readonly hidden: readonly number[];
  readonly onPoint: (index: number | undefined) => void;
  /** A drag over the chart, from one time to another, in seconds. */
  readonly onZoom: (from: number, to: number) => void;
}

type Color = (name: string) => () => string;

/** Half of the widest tick label, so that the last one is drawn whole. */
const RIGHT = 36;

/** Draws into `container` and follows its size; the returned function removes the chart. */
export function draw(container: HTMLElement, chart: Chartable, options: DrawOptions): () => void {
  const { hidden } = options;
  const color = createColors(container);
  const isBars = chart.shape === 'bars';
  const shown = chart.series.flatMap((one, i) =>
    hidden.includes(i) ? [] : [{ one, color: color(`--series-${i}`), side: chart.sides[i] ?? 'left' }],
  );
  const tops = isBars ? stacked(shown.map(({ one }) => one)) : shown.map(({ one }) => numbersOf(one));
  const drawn = shown.map(({ color, side }, i) => ({ color, side, values: tops[i] ?? [] }));
  if (isBars) drawn.reverse(); // the tallest first, the others on top of it
  const size = () => ({
    width: Math.max(200, container.clientWidth),
    height: Math.max(160, container.clientHeight),
  });
  const plotOptions: uPlot.Options = {
    ...size(),
    padding: [12, RIGHT, 0, 4],
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    legend: { show: false },
    cursor: { y: false, points: { show: !isBars }, drag: { x: true, y: false, setScale: false } },
    scales: scalesOf(chart),
    axes: axesOf(color, chart),
    series: [{}, ...drawn.map(({ color, side }) => ({ scale: side, ...seriesOf(color, chart) }))],
    hooks: hooksOf(options),
  };
  const data = [chart.times, ...drawn.map(({ values }) => values)] as unknown as uPlot.AlignedData; // uPlot does not modify it
  const plot = new uPlot(plotOptions, data, container);
  selectByTouch(plot);
  const observer = new ResizeObserver(() => plot.setSize(size()));
  observer.observe(container);
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const redraw = (): void => plot.redraw();
  dark.addEventListener('change', redraw);
  return () => {
    dark.removeEventListener('change', redraw);
    observer.disconnect();
    plot.destroy();
  };
}

/** Doubles: a canvas has no more digits to show. */
function numbersOf({ values }: Series): readonly (number | null)[] {
  return values.map((value) => (value === null ? null : Number(value)));
}

function hooksOf({ onPoint, onZoom }: DrawOptions): uPlot.Hooks.Arrays {
  return {
    setCursor: [({ cursor }) => onPoint(cursor.idx ?? undefined)],
    setSelect: [
      (plot) => {
        const { left, width } = plot.select;
        if (width < MIN_DRAG) return;
        onZoom(plot.posToVal(left, 'x'), plot.posToVal(left + width, 'x'));
      },
    ],
  };
}

/** uPlot follows the mouse only: a finger that moves sideways selects as a drag does; moved up or down, it scrolls the page. */
function selectByTouch(plot: uPlot): void {
  const { over } = plot;
  let start: number | undefined;
  const at = ({ clientX }: PointerEvent): number => {
    const { left, width } = over.getBoundingClientRect();
    return Math.min(width, Math.max(0, clientX - left));
  };
  const select = (end: number, isDone: boolean): void => {
    const from = start ?? end;
    const edges = { left: Math.min(from, end), width: Math.abs(end - from) };
    if (isDone) start = undefined;
    plot.setSelect({ ...edges, top: 0, height: over.clientHeight }, isDone);
  };
  over.addEventListener('pointerdown', (event) => {
    if (event.pointerType === 'touch' && event.isPrimary) start = at(event);
  });
  over.addEventListener('pointermove', (event) => {
    if (start === undefined) return;
    plot.setCursor({ left: at(event), top: 0 });
    select(at(event), false);
  });
  over.addEventListener('pointerup', (event) => start !== undefined && select(at(event), true));
  over.addEventListener('pointercancel', () => start !== undefined && select(start, true));
}

/** Pixels. */
const MIN_DRAG = 4;

function scalesOf({ shape, bucket }: Chartable): uPlot.Scales {
  // Seconds before the first and after the last time.
  const room = shape === 'bars' || bucket === 0 ? (bucket || LONE_BUCKET) * 0.6 : 0;
  return {
    x: { time: true, range: (_, min, max) => [min - room, max + room] },
    left: { range: fromZero },
    right: { range: fromZero },
  };
}

function fromZero(_: uPlot, min: number, max: number): uPlot.Range.MinMax {
  return [Math.min(0, min), max <= 0 ? 1 : max * 1.05];
}

/** uPlot numbers the sides; its enum has no values at run time. */
const PLACES: Readonly<Record<Side, object>> = { left: { side: 3 }, right: { side: 1 } };

function axesOf(color: Color, { shape, sides }: Chartable): uPlot.Axis[] {
  const axis = {
    stroke: color('--ink-2'),
    grid: { stroke: color('--line'), width: 1 },
    ticks: { show: false },
    font: '12px Inter Variable, system-ui, sans-serif',
  };
  const valueAxis = (side: Side): uPlot.Axis => ({
    ...axis,
    ...PLACES[side],
    scale: side,
    size: 60,
    values: (_, values) => values.map(shortNumber),
    // Counts are integers, so are their ticks.
    splits: (_, _axis, min, max) => [...ticksOf(min, max, { isWhole: shape === 'bars' })],
    grid: { ...axis.grid, show: side === 'left' },
  });
  return [
    {
      ...axis,
      grid: { show: false },
      space: 70,
      // uPlot passes the tick increment as the fifth argument.
      values: (_, values, ...[, , step]) => values.map(formatTicks(step)),
    },
    valueAxis('left'),
    ...(sides.includes('right') ? [valueAxis('right')] : []),
  ];
}

function seriesOf(color: () => string, chart: Chartable): uPlot.Series {
  if (chart.shape !== 'bars') return lineOf(color, chart);
  return { fill: color, width: 0, points: { show: false }, paths: barsOf(chart.bucket) };
}

/** Values without neighbours have no line, so they are drawn as points. */
function lineOf(color: () => string, { times, shape, isRegular }: Chartable): uPlot.Series {
  const points = { show: true, size: 5, fill: color, stroke: color };
  if (shape === 'points') return { stroke: color, paths: () => null, points };
  const isFew = times.length < 40;
  return {
    stroke: color,
    width: 1.75,
    points: isFew ? points : { ...points, filter: isolatedPoints },
    spanGaps: !isRegular,
  };
}

function isolatedPoints(plot: uPlot, index: number): number[] {
  const values = plot.data[index] ?? [];
  const isEmpty = (i: number): boolean => (values[i] ?? null) === null;
  return Array.from(values, (_, i) => i).filter((i) => !isEmpty(i) && isEmpty(i - 1) && isEmpty(i + 1));
}

/** Colours by custom property name. Read at draw time, because they change with the theme. */
function createColors(container: HTMLElement): Color {
  return (name) => () => {
    container.style.color = `var(${name})`;
    return getComputedStyle(container).color;
  };
}

const WIDEST_BAR = 72;
/** Seconds around a point that has no neighbours. */
const LONE_BUCKET = 3600;

function barsOf(bucket: number): uPlot.Series.PathBuilder {
  const width = bucket === 0 ? 0.2 : 0.72;
  return uPlot.paths.bars?.({ size: [width, WIDEST_BAR] }) ?? (() => null);
}
