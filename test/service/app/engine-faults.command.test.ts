// The engine killed, frozen and restarted under a service: cached responses are served, other requests get Retry-After.
import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { scratch } from '../../support/command.ts';
import { startFront, type FrontProcess } from '../../support/clickhouse-front/process.ts';
import { startGate, type Gate } from '../../support/gate.ts';
import { openLive } from '../../support/live-client.ts';
import { ask, deploy, SERVING_KEY, startServing, type Serving } from '../../support/serving.ts';
import { eventually } from '../../support/eventually.ts';

/** The time limits are far over SOON_MS. */
const endpoints = (): Record<string, string> => ({
  kept: 'query: SELECT @p AS p, generateUUIDv4() AS run\nparameters: { p: { type: String } }\ncache: { ttl: 1, min_refresh: 0, stale_if_error: 3600 }\nlimits: { time: 600 }\n',
  live: 'query: SELECT generateUUIDv4() AS run\nlive: { every: 1 }\nlimits: { time: 600 }\n',
  fresh: 'query: SELECT generateUUIDv4() AS run\nlimits: { time: 600 }\n',
  gated: `query: SELECT passed FROM ${gate.table}\nlimits: { time: 600 }\n`,
});
const KEYS = Array.from({ length: 8 }, (_, n) => `kept?p=${n}`);
/** Ample for a slow machine. */
const SOON_MS = 120_000;

let gate: Gate;
let front: FrontProcess;
let serving: Serving;

beforeAll(async () => {
  [gate, front] = await Promise.all([startGate(), startFront(scratch())]);
  serving = await startServing(deploy(front, endpoints()));
});
afterEach(() => front.thaw());
afterAll(async () => {
  await serving.stop();
  await Promise.all([front.kill(), gate.close()]);
});

interface Given {
  readonly status: number;
  readonly text: string;
  readonly retryAfter: string | null;
  readonly cache: string | null;
}

async function get(path: string): Promise<Given> {
  const response = await ask(serving, path);
  const header = (name: string): string | null => response.headers.get(name);
  const [retryAfter, cache] = [header('retry-after'), header('cache-status')];
  return { status: response.status, text: await response.text(), retryAfter, cache };
}
const soon = <T>(what: Promise<T>): Promise<T | 'late'> =>
  Promise.race([what, setTimeout(SOON_MS, 'late' as const, { ref: false })]);
const getAll = (paths: readonly string[]): Promise<readonly Given[]> => Promise.all(paths.map(get));
const isBack = (): Promise<void> => eventually(async () => expect((await get('fresh')).status).toBe(200));

const FAULTS = [
  { why: 'killed', strike: () => front.kill(), repair: () => front.start() },
  { why: 'frozen', strike: async () => front.freeze(), repair: async () => front.thaw() },
];

describe.each(FAULTS)('an engine that is $why', ({ strike, repair }) => {
  test('leaves cached responses available, sends Retry-After otherwise, and is used again when it is back', async () => {
    const before = await getAll(KEYS);
    expect(new Set(before.map(({ status }) => status))).toEqual(new Set([200]));
    await setTimeout(1200); // they are stale now
    await strike();
    // While it is looked for, and when it is known to be away.
    for (let round = 0; round < 2; round++) {
      const [kept, others] = [soon(getAll(KEYS)), soon(getAll(['fresh', 'kept?p=new', 'fresh']))];
      const given = await kept;
      expect(given).not.toBe('late');
      expect((given as readonly Given[]).map(({ status, text }) => ({ status, text }))).toEqual(
        before.map(({ status, text }) => ({ status, text })),
      );
      for (const each of (await others) as readonly Given[]) {
        expect(each).toMatchObject({ status: 503, retryAfter: '1' });
        expect(JSON.parse(each.text)).toMatchObject({ code: 'engine.unavailable' });
      }
    }
    const ready = await fetch(`${serving.address}/health/ready`);
    expect(ready.status).toBe(503);
    await repair();
    await isBack();
    expect((await fetch(`${serving.address}/health/ready`)).status).toBe(200);
    const isRenewed = async (): Promise<boolean> => {
      const after = await getAll(KEYS);
      return after.every(({ status, text }, n) => status === 200 && text !== before[n]?.text);
    };
    await eventually(async () => expect(await isRenewed()).toBe(true));
  });

  test('leaves streams open, which say so, and go on when it is back', async () => {
    const url = `${serving.address}/api/endpoints/query/live`;
    const client = await openLive(url, { headers: { 'X-API-KEY': SERVING_KEY } });
    await expect.poll(() => client.events.length).toBeGreaterThan(1);
    await strike();
    await eventually(async () => expect((await get('fresh')).status).toBe(503));
    await expect.poll(() => client.events.at(-1)?.event).toBe('error');
    await repair();
    await isBack();
    const isResult = ({ event }: { readonly event: string }): boolean => event === 'result';
    await expect.poll(() => client.events.at(-1)?.event).toBe('result');
    for (const { data } of client.events.filter((event) => !isResult(event)))
      expect(data).toMatchObject({ status: 503, code: 'engine.unavailable' });
    expect([client.isEnded(), client.events.some((event) => !isResult(event))]).toEqual([false, true]);
    client.close();
  });

  test('gives running requests 503, and no connection breaks', async () => {
    const before = gate.arrived();
    const running = Array.from({ length: 8 }, () => get('gated'));
    await gate.reached(before + 1);
    await strike();
    const given = await soon(Promise.all(running));
    expect(given).not.toBe('late');
    for (const each of given as readonly Given[])
      expect(each).toMatchObject({ status: 503, retryAfter: '1' });
    await repair();
    await isBack();
  });
});

test('an engine that is restarted under load: only 200 and 503', async () => {
  await getAll(KEYS);
  const statuses: string[] = [];
  const state = { isOver: false };
  const caller = async (index: number): Promise<void> => {
    for (let n = index; !state.isOver; n++) {
      const path = n % 2 === 0 ? 'fresh' : (KEYS[n % KEYS.length] ?? 'fresh');
      const { status, retryAfter } = await get(path);
      statuses.push(`${path.split('?')[0]} ${status}${status === 503 ? ` ${retryAfter}` : ''}`);
      await setTimeout(50); // leaves the processors to the engine that starts
    }
  };
  const callers = Array.from({ length: 6 }, (_, index) => caller(index));
  await setTimeout(300);
  await front.kill();
  await front.start();
  await isBack();
  state.isOver = true;
  await Promise.all(callers);
  expect(new Set(statuses)).toEqual(new Set(['fresh 200', 'fresh 503 1', 'kept 200']));
});
