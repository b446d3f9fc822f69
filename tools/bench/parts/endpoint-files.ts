// Loads folders of endpoint files as the service does, then changes one file.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { createCompile } from '../../../src/service/endpoints/compile.ts';
import { openLiveCatalog, type LiveCatalog } from '../../../src/service/endpoints/live.ts';
import { after, clock } from '../../../src/service/app/clock.ts';

const [root = ''] = process.argv.slice(2);
const now = (): number => performance.now();

const text = (n: number, value: number): string => `id: 00000000-0000-4000-8000-${String(n).padStart(12, '0')}
name: e${n}
description: The number ${value}, for a project.
query: |
  WITH t AS (SELECT ${value} AS value, @project AS project) SELECT value, project FROM t WHERE project != ''
parameters: { project: { type: String, default: a, max_length: 20 } }
sandbox: { enabled: true }
`;

for (const count of [1000, 10_000]) {
  await mkdir(join(root, String(count)), { recursive: true });
  for (let n = 0; n < count; n++) await writeFile(join(root, String(count), `e${n}.yaml`), text(n, 1));
}

async function open(count: string): Promise<LiveCatalog> {
  return openLiveCatalog({
    folder: join(root, count),
    compile: createCompile({ piiHashKey: undefined }),
    observe: () => undefined,
    clock,
    after,
  });
}

async function read(count: string): Promise<number> {
  const started = now();
  const catalog = await open(count);
  const took = now() - started;
  await catalog.close();
  return took;
}

async function hold(): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await read('10000');
  delay.disable();
  return delay.max / 1e6;
}

let value = 1;
let followed: LiveCatalog | undefined;

/** Time from writing the file until the changed endpoint is served. */
async function change(): Promise<number> {
  followed ??= await open('10000');
  const catalog = followed;
  const revision = catalog.current().find('e7')?.revision;
  const started = now();
  await writeFile(join(root, '10000', 'e7.yaml'), text(7, ++value));
  while (catalog.current().find('e7')?.revision === revision) await setTimeout(1);
  return now() - started;
}

const MEASUREMENTS: Readonly<Record<string, () => Promise<number>>> = {
  1000: () => read('1000'),
  10000: () => read('10000'),
  hold,
  change,
};

process.stdout.write('ready\n');
for await (const line of createInterface({ input: process.stdin })) {
  const { measurement } = JSON.parse(line) as { measurement: string }; // written by rows/files.ts
  const took = (await MEASUREMENTS[measurement]?.()) ?? 0;
  process.stdout.write(`${JSON.stringify({ rate: 1000 / took, p50: took, p99: took })}\n`);
}
process.exit(0);
