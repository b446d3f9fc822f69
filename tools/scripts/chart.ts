// Draws time-series charts as SVG: lines, axes and a legend, on cards side by side.

export interface Series {
  readonly name: string;
  /** Seconds, value. */
  readonly points: readonly (readonly [number, number])[];
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** An SVG element and its position in the picture. */
export interface Card extends Size {
  readonly x: number;
  readonly y: number;
  readonly title: string;
  readonly drawn: string;
}

const COLORS = ['#3b82f6', '#e07b39', '#2f9e6e', '#b0559f', '#c9a227', '#6b7fd7', '#d1495b', '#5f9ea0'];
const STYLE =
  'text{font:11px system-ui,sans-serif;fill:#5b6472}.title{font-weight:600;fill:#1f2733;font-size:12px}.number{font-size:34px;fill:#2f9e6e;font-weight:600}.card{fill:#fff;stroke:#dde1e7}line{stroke:#eceff3}polyline{fill:none;stroke-width:1.5}';

/** Line chart with its y axis from zero; `unit` is `s`, `bytes`, or any other string for plain numbers. */
export function drawChart(series: readonly Series[], { width, height }: Size, unit: string): string {
  const box = { left: 58, top: 34, width: width - 72, height: height - 76 };
  const all = series.flatMap(({ points }) => points.filter(([, value]) => Number.isFinite(value)));
  if (all.length === 0)
    return `<text x="${width / 2}" y="${height / 2}" text-anchor="middle">none yet</text>`;
  const most = Math.max(...all.map(([, value]) => value), 1e-9) * 1.1;
  const times = all.map(([at]) => at);
  const [from, to] = [Math.min(...times), Math.max(...times)];
  const x = (at: number): string =>
    (box.left + ((at - from) / Math.max(1, to - from)) * box.width).toFixed(1);
  const y = (value: number): string => (box.top + box.height * (1 - value / most)).toFixed(1);
  const lines = [0, 0.5, 1].map((share) => {
    const at = box.top + box.height * (1 - share / 1.1);
    const label = `<text x="${box.left - 6}" y="${at + 4}" text-anchor="end">${show((most * share) / 1.1, unit)}</text>`;
    return `<line x1="${box.left}" x2="${box.left + box.width}" y1="${at}" y2="${at}"/>${label}`;
  });
  const curves = series.map(({ points }, index) => {
    const path = points.flatMap(([at, value]) => (Number.isFinite(value) ? [`${x(at)},${y(value)}`] : []));
    return `<polyline points="${path.join(' ')}" stroke="${COLORS[index % COLORS.length]}"/>`;
  });
  return [...lines, ...curves, legend(series, { left: 12, top: height - 16, width })].join('');
}

/** As many names as fit on a line. */
function legend(series: readonly Series[], at: { left: number; top: number; width: number }): string {
  let left = at.left;
  return series
    .map(({ name }, index) => {
      const wide = 22 + name.length * 6.6;
      if (left + wide > at.width) return '';
      const entry = `<rect x="${left}" y="${at.top - 8}" width="10" height="3" fill="${COLORS[index % COLORS.length]}"/><text x="${left + 14}" y="${at.top - 3}">${escape(name)}</text>`;
      left += wide;
      return entry;
    })
    .join('');
}

export function show(value: number, unit: string): string {
  if (unit === 's')
    return value < 1 ? `${Number((value * 1000).toPrecision(2))} ms` : `${Number(value.toPrecision(2))} s`;
  if (unit === 'bytes')
    return value < 2 ** 20 ? `${Math.round(value / 1024)} KiB` : `${Math.round(value / 2 ** 20)} MiB`;
  return String(Number(value.toPrecision(3)));
}

/** A whole SVG file. */
export function drawPicture(cards: readonly Card[], { width, height }: Size): string {
  const drawn = cards.map(
    ({ x, y, title, drawn, ...size }) =>
      `<g transform="translate(${x} ${y})"><rect class="card" width="${size.width}" height="${size.height}" rx="4"/><text class="title" x="12" y="20">${escape(title)}</text>${drawn}</g>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"><style>${STYLE}</style><rect width="100%" height="100%" fill="#f4f6f8"/>${drawn.join('')}</svg>\n`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
