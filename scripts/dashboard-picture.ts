// Draws docs/pictures/dashboard.svg: the panels of the Grafana dashboard, from what a real Prometheus has gathered of a real
// service under load. Needs Debian's prometheus; run with `npm run pictures:dashboard -- [seconds]`.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

interface Panel {
  readonly type: 'timeseries' | 'stat';
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly fieldConfig: { readonly defaults: { readonly unit: string } };
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
}

interface Series {
  readonly name: string;
  /** Seconds since 1970, value. */
  readonly points: readonly (readonly [number, number])[];
}

const SECONDS = Number(process.argv[2] ?? 90);
const PROMETHEUS = 'http://127.0.0.1:9399';
const CELL = { width: 46, height: 30, gap: 8 };
const COLORS = ['#3b82f6', '#e07b39', '#2f9e6e', '#b0559f', '#c9a227', '#6b7fd7', '#d1495b', '#5f9ea0'];

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-dashboard-'));
  const children: ChildProcess[] = [];
  try {
    const { address, admin, key } = await startService(folder, children);
    await startPrometheus(folder, admin, children);
    const began = Date.now() / 1000;
    await makeLoad(address, key);
    const text = await readFile('deploy/grafana/dashboard.json', 'utf8');
    const { panels } = JSON.parse(text) as { panels: Panel[] }; // our own file
    const drawn = await Promise.all(panels.map((panel) => drawPanel(panel, began)));
    await writeFile('docs/pictures/dashboard.svg', picture(panels, drawn));
    process.stdout.write('Wrote docs/pictures/dashboard.svg\n');
  } finally {
    await Promise.all(children.map(end));
    await rm(folder, { recursive: true, force: true });
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill();
  await once(child, 'exit');
}

async function startService(folder: string, children: ChildProcess[]) {
  const args = ['serve', '--dev', '--port', '0', '--admin-port', '4399', '--data', join(folder, 'data')];
  const child = spawn(process.execPath, ['bin/millrace.cjs', ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  children.push(child);
  let out = '';
  for await (const chunk of child.stdout) {
    out += String(chunk);
    const [, address, key] = /serves (\S+) with this key, made for this run: (\S+)/.exec(out) ?? [];
    if (address === undefined || key === undefined) continue;
    child.stdout.resume();
    return { address, key, admin: '127.0.0.1:4399' };
  }
  throw new Error('the service ended before it served');
}

async function startPrometheus(folder: string, admin: string, children: ChildProcess[]): Promise<void> {
  const config = join(folder, 'prometheus.yaml');
  await writeFile(
    config,
    `scrape_configs: [{ job_name: millrace, scrape_interval: 1s, static_configs: [{ targets: ['${admin}'] }] }]\n`,
  );
  const args = [
    `--config.file=${config}`,
    `--storage.tsdb.path=${join(folder, 'prometheus')}`,
    '--web.listen-address=127.0.0.1:9399',
  ];
  children.push(spawn('prometheus', args, { stdio: 'ignore' }));
  for (;;) {
    await setTimeout(500);
    const ready = await fetch(`${PROMETHEUS}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (ready) return;
  }
}

/** Callers of every kind, their number rising and falling. */
async function makeLoad(address: string, key: string): Promise<void> {
  const project = 'xvzyeivudksfanncdekp';
  const paths = [
    ...['hourly', 'daily', 'minutely'].map(
      (interval) => `usage.api-counts?interval=${interval}&project=${project}`,
    ),
    `logs.all?project=${project}`,
    `logs.all?project=${project}&lql=m.response.status_code:>499`,
    'millrace.usage',
    'logs.all',
    `logs.all?project=${project}&sql=SELECT+nope+FROM+edge_logs`,
  ];
  const end = Date.now() + SECONDS * 1000;
  const caller = async (index: number): Promise<void> => {
    while (Date.now() < end) {
      const wave = 1 + Math.sin((end - Date.now()) / 9000 + index);
      await setTimeout(20 + 200 * wave);
      const path = paths[Math.floor(Math.random() ** 2 * paths.length)] ?? '';
      await fetch(`${address}/api/endpoints/query/${path}`, { headers: { 'X-API-KEY': key } }).then((each) =>
        each.arrayBuffer(),
      );
    }
  };
  await Promise.all(Array.from({ length: 12 }, (_, index) => caller(index)));
}

async function drawPanel(panel: Panel, began: number): Promise<string> {
  const series: Series[] = [];
  for (const { expr, legendFormat } of panel.targets) {
    const query = expr.replaceAll('$__rate_interval', '15s').replaceAll('$job', '.*');
    const parameters = { query, start: String(began + 15), end: String(Date.now() / 1000), step: '1' };
    const response = await fetch(
      `${PROMETHEUS}/api/v1/query_range?${new URLSearchParams(parameters).toString()}`,
    );
    const { data, error } = (await response.json()) as {
      error?: string;
      data: { result: { metric: Record<string, string>; values: [number, string][] }[] };
    }; // Prometheus' HTTP API
    if (error !== undefined) throw new Error(`${panel.title}: ${error}`);
    for (const { metric, values } of data.result) {
      const name = legendFormat.replaceAll(/\{\{(\w+)\}\}/g, (_, label: string) => metric[label] ?? '');
      series.push({ name, points: values.map(([at, value]) => [at, Number(value)]) });
    }
  }
  return panel.type === 'stat' ? stat(panel, series) : chart(panel, series);
}

function size({ gridPos: { w, h } }: Panel): { readonly width: number; readonly height: number } {
  return { width: w * CELL.width - CELL.gap, height: h * CELL.height - CELL.gap };
}

function stat(panel: Panel, [first]: readonly Series[]): string {
  const { width } = size(panel);
  const value = first?.points.at(-1)?.[1];
  const shown = value === undefined ? 'none' : show(value, 'short');
  return `<text class="number" x="${width / 2}" y="78" text-anchor="middle">${shown}</text>`;
}

function chart(panel: Panel, series: readonly Series[]): string {
  const { width, height } = size(panel);
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
  const { unit } = panel.fieldConfig.defaults;
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

function show(value: number, unit: string): string {
  if (unit === 's')
    return value < 1 ? `${Number((value * 1000).toPrecision(2))} ms` : `${Number(value.toPrecision(2))} s`;
  if (unit === 'bytes')
    return value < 2 ** 20 ? `${Math.round(value / 1024)} KiB` : `${Math.round(value / 2 ** 20)} MiB`;
  return String(Number(value.toPrecision(3)));
}

function picture(panels: readonly Panel[], drawn: readonly string[]): string {
  const bottom = Math.max(...panels.map(({ gridPos }) => gridPos.y + gridPos.h));
  const [width, height] = [24 * CELL.width + CELL.gap, bottom * CELL.height + CELL.gap];
  const cards = panels.map((panel, index) => {
    const { x, y } = panel.gridPos;
    const { width: wide, height: high } = size(panel);
    const at = `translate(${x * CELL.width + CELL.gap} ${y * CELL.height + CELL.gap})`;
    return `<g transform="${at}"><rect class="card" width="${wide}" height="${high}" rx="4"/><text class="title" x="12" y="20">${escape(panel.title)}</text>${drawn[index]}</g>`;
  });
  const style =
    'text{font:11px system-ui,sans-serif;fill:#5b6472}.title{font-weight:600;fill:#1f2733;font-size:12px}.number{font-size:34px;fill:#2f9e6e;font-weight:600}.card{fill:#fff;stroke:#dde1e7}line{stroke:#eceff3}polyline{fill:none;stroke-width:1.5}';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"><style>${style}</style><rect width="100%" height="100%" fill="#f4f6f8"/>${cards.join('')}</svg>\n`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

await main();
