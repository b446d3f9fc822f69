// A service that is busy itself does not take its own lag for a server, or an engine process, that does not respond.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openEngine } from '../../../src/service/app/engine.ts';
import type { Settings } from '../../../src/service/config/settings.ts';
import { loadSettings } from '../../../src/service/config/load-settings.ts';
import type { Observation } from '../../../src/sql/base/observation.ts';
import type { Engine } from '../../../src/service/engine/engine.ts';
import { startFront, type FrontProcess } from '../../support/clickhouse-front/process.ts';

let front: FrontProcess;
let embedded: Engine;
let http: Engine;
const observed: Observation[] = [];

async function settingsOf(env: Readonly<Record<string, string>>): Promise<Settings> {
  const loaded = await loadSettings({ flags: {}, env, file: { path: '', required: false } });
  if (!('settings' in loaded)) throw new Error('the settings are valid');
  return loaded.settings;
}

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-'));
  front = await startFront(folder);
  const observe = (each: Observation): void => void observed.push(each);
  const remote = await settingsOf({ ...front.env, CLICKHOUSE_PING_TIMEOUT: '100' });
  http = await openEngine(remote, observe);
  embedded = await openEngine(await settingsOf({ MILLRACE_DATA: join(folder, 'data') }), observe);
});
afterAll(async () => {
  await Promise.all([http.close(0), embedded.close(0)]);
  await front.kill();
});

/** Keeps this process busy: it reads what others sent once every `turnMs`. */
async function lagUntil(ended: () => boolean, turnMs: number): Promise<void> {
  while (!ended()) {
    for (const until = performance.now() + turnMs; performance.now() < until;) continue;
    await setImmediate();
  }
}

async function runWhileBusy(engine: Engine, sql: string, time: number, turnMs: number): Promise<string> {
  let isOver = false;
  const limits = { time, memory: 2 ** 28, readRows: 0, resultBytes: 2 ** 20 };
  const statement = { sql, parameters: {}, limits, origin: 'saved', int64: 'number' } as const;
  const rows = (async () => {
    const { chunks } = await engine.run(statement, { format: 'JSONEachRow' });
    let text = '';
    for await (const chunk of chunks) text += Buffer.from(chunk).toString();
    return text;
  })().finally(() => {
    isOver = true;
  });
  await lagUntil(() => isOver, turnMs);
  return rows;
}

describe('a busy process', () => {
  // The ping of the server, which is sent after a second, is due after 100 ms: before its answer is read.
  test('a server that answers pings is not lost', async () => {
    const rows = await runWhileBusy(http, 'SELECT sleepEachRow(0.5) AS n FROM numbers(6)', 600, 300);
    expect(rows.trim().split('\n')).toHaveLength(6);
    expect(observed.map(({ kind }) => kind)).not.toContain('engine.host_lost');
  });

  // The deadline of the service passes in the first turn; the result was there long before.
  test.each(['embedded', 'http'])('%s: a result that has arrived is no timeout', async (kind) => {
    const rows = await runWhileBusy(kind === 'http' ? http : embedded, 'SELECT 1 AS n', 1, 2500);
    expect(rows).toBe('{"n":1}\n');
  });
});
