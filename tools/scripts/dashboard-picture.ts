// Draws docs/pictures/dashboard.svg: the panels of the Grafana dashboard, from data that a real Prometheus scraped from a real
// service under load. Needs Debian's prometheus; run with `npm run generate -- --dashboard -- [seconds]`.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { freePort } from '../../test/support/redis.ts';
import { drawChart, drawPicture, show, type Series, type Size } from './chart.ts';

interface Panel {
  readonly type: 'timeseries' | 'stat';
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly fieldConfig: { readonly defaults: { readonly unit: string } };
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const SECONDS = Number(process.argv[3] ?? 90);
const PROMETHEUS = 'http://127.0.0.1:9399';
const CELL = { width: 46, height: 30, gap: 8 };

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
  const port = await freePort();
  const args = [
    'serve',
    '--dev',
    '--port',
    '0',
    '--admin-port',
    String(port),
    '--data',
    join(folder, 'data'),
  ];
  const child = spawn(process.execPath, ['bin/millrace.cjs', ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  children.push(child);
  let out = '';
  for await (const chunk of child.stdout) {
    out += String(chunk);
    const [, address, key] = /listening on (\S+) with a temporary key for this run: (\S+)/.exec(out) ?? [];
    if (address === undefined || key === undefined) continue;
    child.stdout.resume();
    return { address, key, admin: `127.0.0.1:${port}` };
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

/** Callers of every kind, in varying numbers. */
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
  if (panel.type === 'stat') return stat(panel, series);
  return drawChart(series, size(panel), panel.fieldConfig.defaults.unit);
}

function size({ gridPos: { w, h } }: Panel): Size {
  return { width: w * CELL.width - CELL.gap, height: h * CELL.height - CELL.gap };
}

function stat(panel: Panel, [first]: readonly Series[]): string {
  const { width } = size(panel);
  const value = first?.points.at(-1)?.[1];
  const shown = value === undefined ? 'none' : show(value, 'short');
  return `<text class="number" x="${width / 2}" y="78" text-anchor="middle">${shown}</text>`;
}

function picture(panels: readonly Panel[], drawn: readonly string[]): string {
  const bottom = Math.max(...panels.map(({ gridPos }) => gridPos.y + gridPos.h));
  const [width, height] = [24 * CELL.width + CELL.gap, bottom * CELL.height + CELL.gap];
  const cards = panels.map((panel, index) => ({
    ...size(panel),
    x: panel.gridPos.x * CELL.width + CELL.gap,
    y: panel.gridPos.y * CELL.height + CELL.gap,
    title: panel.title,
    drawn: drawn[index] ?? '',
  }));
  return drawPicture(cards, { width, height });
}

await main();
