// `millrace rollup status --follow`: prints what changed since the last look, and ends at once with Ctrl+C.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EventEmitter, once } from 'node:events';
import { rollup } from '../../../src/cli/commands/rollup/rollup.ts';
import { createTerminal } from '../../../src/cli/kit/terminal.ts';
import { openEngine } from '../../../src/service/app/engine.ts';
import { readRollupFile } from '../../../src/service/endpoints/rollups/read-rollups.ts';
import { rollupWork } from '../../../src/service/rollups/work.ts';
import { loadSettings } from '../../../src/service/config/load-settings.ts';
import type { Engine } from '../../../src/service/engine/engine.ts';
import { scratch, start } from '../../support/command.ts';

const SEED =
  'CREATE DATABASE logs;\nCREATE TABLE logs.hits (time DateTime, bytes UInt32) ENGINE = MergeTree ORDER BY time;\n';
const FILE =
  'rollups:\n  - { name: hits, from: logs.hits, time: { column: time, every: 1h }, dimensions: [], measures: [sum(bytes)] }\n';

function folder(): string {
  const cwd = scratch();
  for (const name of ['endpoints', 'seeds']) mkdirSync(join(cwd, name));
  writeFileSync(join(cwd, 'endpoints/logs.rollup.yaml'), FILE);
  writeFileSync(join(cwd, 'seeds/logs.sql'), SEED);
  return cwd;
}

test('a signal ends the process', async () => {
  const { child, says, finished } = start(['rollup', 'status', '--follow', '--json'], { cwd: folder() });
  await says(/"state":"not applied"/);
  child.kill('SIGINT');
  const { code, out, err } = await finished;
  expect([code, out.split('\n').length, err]).toEqual([0, 2, expect.stringContaining('Loaded the seeds')]);
});

test('each look prints what changed; ending it leaves no timer', async () => {
  const cwd = folder();
  const loaded = await loadSettings({
    flags: { endpoints: join(cwd, 'endpoints'), data: join(cwd, 'data') },
    env: {},
    file: { path: join(cwd, 'millrace.yaml'), required: false },
  });
  if (!('settings' in loaded)) throw new Error(JSON.stringify(loaded));
  const settings = { ...loaded.settings, seeds: join(cwd, 'seeds') };
  const events = new EventEmitter();
  const timers = new Set<() => void>();
  const time = {
    epoch: () => 0,
    after: (_: number, action: () => void) => {
      timers.add(action);
      events.emit('waiting');
      return () => void timers.delete(action);
    },
  };
  const lines: string[] = [];
  let engine: Engine | undefined;
  let stop: (signal: string) => void = () => undefined;
  const quiet = { isTTY: false, write: () => true };
  const deps = {
    openEngine: async (...given: Parameters<typeof openEngine>) => (engine = await openEngine(...given)),
    terminal: { ...createTerminal(quiet, quiet, {}), print: (line: string) => void lines.push(line) },
    onSignal: (on: { readonly stop: typeof stop }) => void (stop = on.stop),
  };
  const look = async (): Promise<readonly string[]> => {
    const waiting = once(events, 'waiting');
    for (const action of timers) action();
    await waiting;
    return lines.splice(0);
  };
  const request = { action: 'status', names: [], cluster: undefined, isJson: false, follows: true } as const;
  const waiting = once(events, 'waiting');
  const ended = rollup(settings, request, deps, time);
  await waiting;
  expect(lines.splice(0)).toEqual([expect.stringMatching(/^hits@\w+: not applied$/)]);
  const declared = readRollupFile('logs.rollup.yaml', FILE)?.rollups ?? [];
  if (engine === undefined) throw new Error('no engine');
  const applying = rollupWork({ engine, after: time.after, declared }, { ...request, action: 'apply' });
  for await (const event of applying) expect(event.kind).not.toBe('failed');
  expect(await look()).toEqual([expect.stringMatching(/^hits@\w+: applied, not filled/)]);
  expect(await look()).toEqual([]);
  stop('SIGINT');
  expect([await ended, timers.size, lines]).toEqual([0, 0, []]);
});
