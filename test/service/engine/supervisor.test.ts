// The supervisor of the engine process, if the replacement process never opens its data.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { unlessAborted } from '../../../src/service/engine/abort.ts';
import { writeConfigFile } from '../../../src/service/engine/embedded/config-file.ts';
import { DEFAULT_CONFINEMENT as confinement } from '../../../src/service/engine/embedded/confinement/confinement.ts';
import { openGeneration } from '../../../src/service/engine/embedded/generation.ts';
import type { Generation } from '../../../src/service/engine/embedded/open-data.ts';
import { startSupervisor, type Supervisor } from '../../../src/service/engine/embedded/supervisor.ts';
import { after } from '../../../src/sql/base/clock.ts';

let path: string;
beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'millrace-supervisor-'));
});
afterEach(() => rmSync(path, { recursive: true, force: true }));

const data = { latest: () => ({ broken: [], missing: [] }), check: () => Promise.resolve() };
const OPENING = { connections: 1, confinement, after, rules: () => undefined, sources: [], data };

/** The second process hangs while it is started, until it is asked to stop. */
async function startHanging(): Promise<Supervisor> {
  const configFile = await writeConfigFile({ path, memory: 2 ** 30, hasUsers: true });
  const observe = (): void => undefined;
  let opened = 0;
  const hang = (stop: AbortSignal): Promise<Generation> =>
    new Promise((_, reject) => stop.addEventListener('abort', () => reject(new Error('stopped'))));
  const open = (stop: AbortSignal): Promise<Generation> =>
    opened++ === 0 ? openGeneration({ ...OPENING, path, configFile, observe, stop }) : hang(stop);
  const reopen = (generation: Generation): Promise<Generation> => Promise.resolve(generation);
  const supervisor = await startSupervisor({ open, reopen, after, observe, now: () => performance.now() });
  const first = await supervisor.current();
  supervisor.restart(first, 'overdue');
  await first.process.ended;
  return supervisor;
}

test('closing finishes even if no process override', async () => {
  const supervisor = await startHanging();
  await supervisor.close(10);
  await expect(supervisor.current()).rejects.toMatchObject({ failure: 'unavailable' });
});

test('killing rejects callers that wait for a process', async () => {
  const supervisor = await startHanging();
  const waiting = supervisor.current();
  supervisor.kill();
  await expect(waiting).rejects.toThrow('stopped');
});

test('an aborted caller does not wait for a process', async () => {
  const supervisor = await startHanging();
  const caller = new AbortController();
  const waiting = unlessAborted(supervisor.current(), [caller.signal]);
  caller.abort();
  await expect(waiting).rejects.toMatchObject({ failure: 'aborted' });
  await supervisor.close(10);
});

test('a process that is stopped during its start is not used', async () => {
  const configFile = await writeConfigFile({ path, memory: 2 ** 30, hasUsers: true });
  const options = { ...OPENING, path, configFile, observe: () => undefined };
  await expect(openGeneration({ ...options, stop: AbortSignal.abort() })).rejects.toMatchObject({
    failure: 'lost',
  });
});
