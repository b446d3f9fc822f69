// Keyset pages: a late page compared with the first one.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { load, type Context, type RowSource, type Target } from '../context.ts';
import type { Bar, Figure, Row } from '../figures.ts';

const ROWS = 2_000_000;
const PAGE = 100;
const LATE = 1000;
const NAME = `pages of ${PAGE} rows, uncached`;
const MAX_RATIO = 1.3;

const BAR: Bar = {
  text: `p50, rows and bytes read at most ${MAX_RATIO} x`,
  isMet: ({ p50, read }, reference) =>
    // Whole milliseconds.
    p50 <= MAX_RATIO * reference.p50 + 1 &&
    (read?.rows ?? Infinity) <= MAX_RATIO * (reference.read?.rows ?? 0) &&
    (read?.bytes ?? Infinity) <= MAX_RATIO * (reference.read?.bytes ?? 0),
};

export const pages: RowSource = {
  name: NAME,
  prepare: async (context) => {
    const folder = await context.folder('pages');
    // Three rows of each second, with ids that are not in the order of insertion.
    await writeFile(
      join(folder, '01_events.sql'),
      `CREATE DATABASE IF NOT EXISTS bench;
CREATE TABLE bench.events (at DateTime('UTC'), id UInt64, kind LowCardinality(String), text String) ENGINE = MergeTree ORDER BY (at, id);
INSERT INTO bench.events SELECT toDateTime('2024-01-01', 'UTC') + intDiv(number, 3), cityHash64(number), concat('kind ', toString(number % 7)), repeat('x', 60 + number % 40) FROM numbers(${ROWS});
OPTIMIZE TABLE bench.events FINAL;
`,
    );
    await writeFile(join(folder, 'up.yaml'), fileOf('up', 1, '[at, id]'));
    await writeFile(join(folder, 'down.yaml'), fileOf('down', 2, '[at DESC, id DESC]'));
    const service = await context.serve({ endpoints: folder, data: await context.folder('pages-data') });
    const late = { up: await cursorOf(service, 'up'), down: await cursorOf(service, 'down') };
    const measure = (query: string) => () => measurePage(context, service, query);
    const row = (name: keyof typeof late): Row => ({
      name: `${NAME}: ${name === 'up' ? 'in the order of the table' : 'descending'}`,
      contenders: [
        { name: 'page 1', measure: measure(name) },
        { name: `page ${LATE}`, measure: measure(`${name}?cursor=${late[name]}`), bar: BAR },
      ],
    });
    return { rows: [row('up'), row('down')] };
  },
};

function fileOf(name: string, number: number, by: string): string {
  return `id: 00000000-0000-4000-8000-00000000000${number}\nname: ${name}\nmax_rows: 10000\npage: { by: ${by}, size: ${PAGE} }\nquery: SELECT at, id, kind, text FROM bench.events\n`;
}

interface Reply {
  readonly next?: string;
  readonly meta: { readonly statistics: { readonly rows_read: number; readonly bytes_read: number } };
}

async function ask({ url, headers }: Target, query: string): Promise<Reply> {
  const address = new URL(`${url}/api/endpoints/query/${query}`);
  address.searchParams.set('meta', 'true');
  const response = await fetch(address, { headers });
  if (response.status !== 200) throw new Error(`${query}: ${response.status}`);
  return (await response.json()) as Reply; // the service's own
}

/** The cursor of page 1,000. */
async function cursorOf(service: Target, name: string): Promise<string> {
  let cursor = '';
  for (let page = 1; page < LATE; page++)
    cursor = (await ask(service, `${name}?cursor=${cursor}`)).next ?? '';
  return cursor;
}

async function measurePage({ seconds }: Context, service: Target, query: string): Promise<Figure> {
  const { statistics } = (await ask(service, query)).meta;
  const { headers, url } = service;
  const figure = await load({ url: `${url}/api/endpoints/query/${query}`, headers }, 1, seconds);
  return { ...figure, read: { rows: statistics.rows_read, bytes: statistics.bytes_read } };
}
