// Four processes over one Redis: concurrent requests share one run, and a run survives the replica that started it.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compiledProgram } from '../../support/program-file.ts';
import { startRedis, type RedisServer } from '../../support/redis.ts';
import { freshNamespace } from './fixture.ts';
import type { Order, Report } from './replica.ts';

interface Replica {
  readonly pid: number;
  readonly process: ChildProcess;
  readonly reports: Report[];
  readonly order: (order: Order) => void;
  /** The next report of a kind, or the one that came already. */
  readonly received: <K extends Report['kind']>(kind: K) => Promise<Extract<Report, { kind: K }>>;
}

let server: RedisServer;
const replicas: Replica[] = [];

beforeAll(async () => {
  server = await startRedis();
  const namespace = freshNamespace();
  replicas.push(...(await Promise.all(Array.from({ length: 4 }, () => openReplica(namespace)))));
});

afterAll(async () => {
  for (const replica of replicas) replica.process.kill('SIGKILL');
  await server.kill();
});

async function openReplica(namespace: string): Promise<Replica> {
  const child = fork(compiledProgram('cache-replica'), [server.url, namespace], { execArgv: [] });
  const reports: Report[] = [];
  child.on('message', (report: Report) => void reports.push(report));
  const replica: Replica = {
    pid: child.pid ?? 0,
    process: child,
    reports,
    order: (order) => {
      reports.length = 0;
      child.send(order);
    },
    received: async (kind) => {
      for (;;) {
        const found = reports.find((report) => report.kind === kind);
        // Found by its kind, so it is of that kind.
        if (found !== undefined) return found as Extract<Report, { kind: typeof kind }>;
        await once(child, 'message');
      }
    },
  };
  await replica.received('ready');
  return replica;
}

const runsOf = (some: readonly Replica[]): number =>
  some.flatMap(({ reports }) => reports.filter(({ kind }) => kind === 'running')).length;

describe('four replicas over one Redis', () => {
  test('run once for two hundred concurrent requests', async () => {
    for (const runMs of [0, 30, 600]) {
      for (const replica of replicas) replica.order({ key: `crowd-${runMs}`, callers: 50, runMs });
      const answers = await Promise.all(replicas.map(({ received }) => received('answered')));
      expect(runsOf(replicas)).toBe(1);
      expect(new Set(answers.flatMap(({ texts }) => texts)).size).toBe(1);
      const outcomes = answers.flatMap((answer) => answer.outcomes);
      expect(outcomes.filter((kind) => kind === 'stored')).toHaveLength(1);
      expect(outcomes).toHaveLength(200);
    }
  });

  test('run for longer than a lease without a second run', async () => {
    for (const replica of replicas) replica.order({ key: 'long', callers: 5, runMs: 12_000 });
    await Promise.all(replicas.map(({ received }) => received('answered')));
    expect(runsOf(replicas)).toBe(1);
  });

  test('take over with a single run if the running one is killed', async () => {
    const [leader, ...others] = replicas;
    leader?.order({ key: 'killed', callers: 5, runMs: 600_000 });
    await leader?.received('running');
    for (const replica of others) replica.order({ key: 'killed', callers: 50, runMs: 100 });
    leader?.process.kill('SIGKILL');
    const answers = await Promise.all(others.map(({ received }) => received('answered')));
    expect(runsOf(others)).toBe(1);
    const texts = new Set(answers.flatMap((answer) => answer.texts));
    expect(texts.size).toBe(1);
    expect([...texts][0]).not.toBe(`killed by ${leader?.pid}`);
  });
});
