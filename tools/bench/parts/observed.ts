// A service with one cached response, with no observability or with metrics, a log and a trace collector. Prints its URL.
// The input line `profile` starts a CPU profile; a path ends it, writes it to that path and prints the path.
// Arguments: a temporary folder, the endpoints folder, and a level (nothing, metrics, log, traces; each includes the previous).
import { spawn, spawnSync } from 'node:child_process';
import { openSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { openEngine } from '../../../src/service/app/engine.ts';
import { openObserving, type Observing } from '../../../src/service/app/observing.ts';
import { openService } from '../../../src/service/app/service.ts';
import { hashKey } from '../../../src/service/auth/keyring.ts';
import { loadSettings } from '../../../src/service/config/load-settings.ts';
import type { Observe } from '../../../src/sql/base/observation.ts';
import { createLog } from '../../../src/service/observe/log.ts';
import { createLogStream, fileSink } from '../../../src/service/observe/log-stream.ts';
import { after } from '../../../src/service/app/clock.ts';

const KINDS = ['nothing', 'metrics', 'log', 'traces'];
const [folder = '', endpoints = '', kind = ''] = process.argv.slice(2);
const level = KINDS.indexOf(kind);
const ignore = (): void => undefined;

const loaded = await loadSettings({ flags: {}, env: {}, file: { path: '', required: false } });
if (!('settings' in loaded)) throw new Error('the defaults are valid');
const settings = {
  ...loaded.settings,
  port: 0,
  adminPort: 0,
  endpoints,
  data: folder,
  traces: level < 3 ? undefined : { endpoint: await startCollector(), headers: {}, ratio: 0.1, resource: {} },
};
const engine = await openEngine(settings, ignore);
const service = await openService({
  settings,
  engine,
  extraTokens: [{ name: 'bench', sha256: hashKey('bench'), endpoints: ['*'] }],
  observe: level < 2 ? ignore : logIntoPipe(),
  openObserving: async (options): Promise<Observing> => {
    const observing = await openObserving(options);
    return level === 0 ? { ...observing, observe: ignore } : observing;
  },
});
process.stdout.write(`${service.address}\n`);

const session = new Session();
session.connect();
await session.post('Profiler.enable');
for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'profile') await session.post('Profiler.start');
  else {
    const { profile } = await session.post('Profiler.stop');
    await writeFile(line, JSON.stringify(profile));
    process.stdout.write(`${line}\n`);
  }
}

/** Log lines as a containerised process emits them: each written to a pipe that is read. */
function logIntoPipe(): Observe {
  const path = join(folder, 'log');
  spawnSync('mkfifo', [path]);
  const reader = spawn('cat', [path], { stdio: 'ignore' });
  process.once('exit', () => reader.kill());
  const sink = fileSink(openSync(path, 'w'));
  const stream = createLogStream({ sink, after, droppedLine: () => '', onTrouble: ignore });
  return createLog({ level: 'info', stream, epoch: Date.now, after, random: Math.random });
}

/** Runs in this process: the cost of receiving is part of the measurement, and small. */
async function startCollector(): Promise<string> {
  const collector = createServer((request, response) => {
    request.resume().on('end', () => response.end('{}'));
  });
  await new Promise<void>((ready) => collector.listen(0, '127.0.0.1', ready));
  const { port } = collector.address() as AddressInfo; // it listens on a port
  return `http://127.0.0.1:${port}`;
}
