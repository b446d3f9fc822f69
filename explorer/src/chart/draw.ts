// Draws series with uPlot, as stacked bars, lines or points. Colours come from the style sheet.
import uPlot from 'uplot';
import { formatTicks } from './format-time.ts';
import { stacked, type Chartable, type Series } from './series.ts';

export interface DrawOptions {
  /** Indexes of the series that are not drawn; the others keep their colours. */
  readonly hidden: readonly number[];
  readonly onPoint: (index: number | undefined) => void;
}

type Color = (name: string) => () => string;

/** Half of the widest tick label, so that the last one is drawn whole. */
const RIGHT = 36;

/** Draws into `container` and follows its size; the returned function removes the chart. */
export function draw(container: HTMLElement, chart: Chartable, { hidden, onPoint }: DrawOptions): () => void {
  const color = createColors(container);
  const isBars = chart.shape === 'bars';
  const shown = chart.series.flatMap((one, i) =>
    hidden.includes(i) ? [] : [{ one, color: color(`--series-${i}`) }],
  );
  const tops = isBars ? stacked(shown.map(({ one }) => one)) : shown.map(({ one }) => numbersOf(one));
  const drawn = shown.map(({ color }, i) => ({ color, values: tops[i] ?? [] }));
  if (isBars) drawn.reverse(); // the tallest first, the others on top of it
  const size = () => ({
    width: Math.max(200, container.clientWidth),
    height: Math.max(160, container.clientHeight),
  });
  const { bucket } = chart;
  const options: uPlot.Options = {
    ...size(),
    padding: [12, RIGHT, 0, 4],
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    legend: { show: false },
    cursor: { y: false, points: { show: !isBars }, drag: { x: false, y: false } },
    scales: scalesOf(isBars || bucket === 0 ? (bucket || LONE_BUCKET) * 0.6 : 0),
    axes: axesOf(color, isBars),
    series: [
      {},
      ...drawn.map(({ color }) =>
        isBars
          ? { fill: color, width: 0, points: { show: false }, paths: barsOf(bucket) }
          : lineOf(color, chart),
      ),
    ],
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? undefined)] },
  };
  const data = [chart.times, ...drawn.map(({ values }) => values)] as unknown as uPlot.AlignedData; // uPlot does not modify it
  const plot = new uPlot(options, data, container);
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

/** `room`: seconds before the first and after the last time. */
function scalesOf(room: number): uPlot.Scales {
  return {
    x: { time: true, range: (_, min, max) => [min - room, max + room] },
    y: { range: (_, min, max) => [Math.min(0, min), max <= 0 ? 1 : max * 1.05] },
  };
}

function axesOf(color: Color, isBars: boolean): uPlot.Axis[] {
  const axis = {
    stroke: color('--ink-2'),
    grid: { stroke: color('--line'), width: 1 },
    ticks: { show: false },
    font: '12px Inter Variable, system-ui, sans-serif',
  };
  return [
    {
      ...axis,
      grid: { show: false },
      space: 70,
      // uPlot passes the tick increment as the fifth argument.
      values: (_, values, ...[, , step]) => values.map(formatTicks(step)),
    },
    {
      ...axis,
      size: 60,
      values: (_, values) => values.map(short),
      ...(isBars ? { incrs: WHOLE_STEPS } : {}), // counts are integers, so are their ticks
    },
  ];
}

const WHOLE_STEPS = Array.from({ length: 13 }, (_, power) =>
  [1, 2, 5].map((each) => each * 10 ** power),
).flat();

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

/** `12k`, `1.5M`: numbers short enough for an axis. */
function short(value: number): string {
  return Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 2 }).format(value);
}
