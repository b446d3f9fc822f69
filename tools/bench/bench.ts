// Benchmarks the service and its references alternately in one run: on shared machines, ratios drift less than absolute figures.
import { rmSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createContext, type Context } from './context.ts';
import { measureRow, type Result } from './figures.ts';
import type { Process } from './parts/processes.ts';
import { machine, table, writePage } from './report.ts';
import { computed, scaling } from './rows/computed.ts';
import { consumerQueries } from './rows/consumer-queries.ts';
import { engineProcess } from './rows/engine-process.ts';
import { files } from './rows/files.ts';
import { largeFolder } from './rows/large-folder.ts';
import { isolation } from './rows/isolation.ts';
import { mcp } from './rows/mcp.ts';
import { memory } from './rows/memory.ts';
import { rollups } from './rows/rollups.ts';
import { pages } from './rows/pages.ts';
import { redaction, sourceRedaction } from './rows/redaction.ts';
import { overload } from './rows/overload.ts';
import { sandbox } from './rows/sandbox.ts';
import { live } from './rows/live.ts';
import { logView } from './rows/log-view.ts';
import { wideTable } from './rows/wide-table.ts';
import { shadow } from './rows/shadow.ts';
import { cached } from './rows/cached.ts';
import { observability, observabilityShare } from './rows/observability.ts';

const HELP = `npm run bench -- [--only NAME] [--rounds N] [--seconds N] [--json FILE] [--page FILE] [--picture FILE]
  --only      measure only rows whose name contains NAME; with --list, none
  --list      print the names of the rows
  --rounds    rounds, each measuring every contender in turn (default 5)
  --seconds   seconds a contender is measured in a round (default 2)
  --rows      rows of the large table of the consumer queries (default 10000000, which takes some minutes and 2 GB)
  --json      also write the figures to FILE
  --page      also put the table into FILE, as docs/reference/performance.md
  --picture   also draw where the time of a cached response goes to FILE, as docs/pictures/cached-response.svg`;

const ROWS = [
  ...computed,
  scaling,
  pages,
  ...engineProcess,
  cached,
  mcp,
  observability,
  observabilityShare,
  overload,
  shadow,
  live,
  ...logView,
  ...wideTable,
  sandbox,
  ...isolation,
  ...consumerQueries,
  rollups,
  redaction,
  ...sourceRedaction,
  files,
  largeFolder,
  memory,
];

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: '' },
      list: { type: 'boolean', default: false },
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '2' },
      rows: { type: 'string', default: '10000000' },
      json: { type: 'string' },
      page: { type: 'string' },
      picture: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return note(HELP);
  const chosen = ROWS.filter(({ name }) => name.includes(values.only));
  if (values.list) return note(chosen.map(({ name }) => name).join('\n'));
  const settings = {
    seconds: Number(values.seconds),
    tableRows: Number(values.rows),
    picture: values.picture,
  };
  const results = await measure(chosen, Number(values.rounds), settings);
  process.stdout.write(`Machine: ${machine()}\n\n${table(results)}\n`);
  if (values.json !== undefined)
    await writeFile(values.json, JSON.stringify({ machine: machine(), results }, null, 2));
  if (values.page !== undefined)
    await writePage(
      values.page,
      results,
      `npm run bench -- --rounds ${values.rounds} --seconds ${values.seconds}`,
    );
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Measures the rows one after another. Everything started for one row has ended before the next is prepared. */
async function measure(
  sources: typeof ROWS,
  rounds: number,
  settings: Pick<Context, 'seconds' | 'tableRows' | 'picture'>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const source of sources) {
    const folder = await mkdtemp(join(tmpdir(), 'millrace-bench-'));
    const processes: Pick<Process, 'stop'>[] = [];
    const leave = (): void => {
      for (const each of processes) void each.stop();
      rmSync(folder, { recursive: true, force: true });
      process.exit(130);
    };
    for (const signal of SIGNALS) process.on(signal, leave);
    try {
      note(`${source.name}: preparing`);
      const prepared = await source.prepare(createContext(folder, processes, settings));
      const rows = 'rows' in prepared ? prepared.rows : [{ name: source.name, ...prepared }];
      for (const row of rows) results.push(...(await measureRow(row, rounds, note)));
    } finally {
      for (const signal of SIGNALS) process.off(signal, leave);
      await Promise.all(processes.map((each) => each.stop()));
      await rm(folder, { recursive: true, force: true });
    }
  }
  return results;
}

function note(line: string): void {
  process.stderr.write(`${line}\n`);
}

await main();
