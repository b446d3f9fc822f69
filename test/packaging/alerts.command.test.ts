// The alert rules: each fires for a fault of a running service, alone, and none fires before. Evaluated by promtool.
import { spawnSync } from 'node:child_process';
import { rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SCENARIOS } from '../../tools/faults/scenarios.ts';
import { startFront, type FrontProcess } from '../support/clickhouse-front/process.ts';
import { scratch } from '../support/command.ts';
import { fillData } from '../support/damaged-data.ts';
import { eventually } from '../support/eventually.ts';
import { startGate, type Gate } from '../support/gate.ts';
import { checkRules, evaluateRules, requirePromtool, type Scrape } from '../support/promtool.ts';
import { startRedis, type RedisServer } from '../support/redis.ts';
import { ask, deploy, startServing, type Deployment, type Serving } from '../support/serving.ts';
import { at, mapping, readText, readYaml, ROOT, textAt } from './deploy-files.ts';

const FILE = 'deploy/prometheus/alerts.yaml';
const RULES = join(ROOT, FILE);
const [document] = readYaml(FILE);
const rules = [...mapping(document, 'groups.0.rules').values()];
const names = rules.map((rule) => textAt(rule, 'alert'));
const runbook = readText('docs/operate/runbook.md');

interface Fault {
  readonly why: string;
  /** All that must fire, so many minutes after the fault began. */
  readonly alerts: readonly string[];
  readonly after: number;
  /** What happens in a minute; followed by a scrape. */
  readonly strike: () => Promise<unknown>;
  /** In how many minutes; default: one. */
  readonly strikes?: number;
  /** Before the fault. */
  readonly prepare?: () => Promise<unknown>;
  readonly repair?: () => Promise<unknown>;
}

const QUIET_MINUTES = 10;

let gate: Gate;
let redis: RedisServer;
let fronts: readonly FrontProcess[] = [];
/** Over the embedded engine. */
let alone: Serving;
let aloneAt: Deployment;
/** Over two ClickHouse hosts, with Redis. */
let remote: Serving;
let remoteAt: Deployment;

beforeAll(async () => {
  requirePromtool();
  [gate, redis, fronts] = await Promise.all([
    startGate(),
    startRedis(),
    Promise.all([startFront(scratch()), startFront(scratch())]),
  ]);
  gate.open();
  const embedded = { MILLRACE_CONNECTIONS: '1', MILLRACE_QUEUE: '60', MILLRACE_ENGINE_SOURCES: 'url' };
  aloneAt = deploy({ env: embedded }, endpoints());
  remoteAt = deploy({ env: fronts[0]?.env ?? {} }, endpoints(), {
    CLICKHOUSE_URL: fronts.map(({ url }) => url).join(','),
    MILLRACE_ACCEPT_SINGLE_LAYER: 'true',
    REDIS_URL: redis.url,
  });
  [alone, remote] = await Promise.all([startServing(aloneAt), startServing(remoteAt)]);
});
afterAll(async () => {
  await Promise.all([alone.stop(), remote.stop()]);
  await Promise.all([...fronts.map((front) => front.kill()), redis.kill(), gate.close()]);
});

const endpoints = (): Record<string, string> => ({
  plain: 'query: SELECT 1 AS n\n',
  slow: 'query: SELECT sleep(@s) AS slept\nparameters: { s: { type: Float64, default: 0 } }\n',
  gated: `query: SELECT passed FROM ${gate.table}\n`,
});

const scrape = ({ admin }: Serving): Promise<Scrape> =>
  fetch(`${admin}/metrics`).then(
    (response) => response.text(),
    () => undefined,
  );

/** Waits until a sample has a value that fits. */
async function shows(serving: Serving, sample: string, fits: (value: number) => boolean): Promise<number> {
  return eventually(async () => {
    const line = (await scrape(serving))?.split('\n').find((each) => each.startsWith(`${sample} `));
    const value = Number(line?.slice(sample.length + 1) ?? NaN);
    expect(fits(value), `${sample} is ${value}`).toBe(true);
    return value;
  });
}
const isOne = (value: number): boolean => value === 1;
const isZero = (value: number): boolean => value === 0;

/** Statuses of so many calls at once. */
const calls = async (serving: Serving, path: string, count: number, key?: string): Promise<number[]> =>
  (await Promise.all(Array.from({ length: count }, () => ask(serving, path, key)))).map(
    ({ status }) => status,
  );

/** What fires, by promtool, of a service that is quiet for ten minutes, and then has a fault. */
async function evaluate(
  serving: () => Serving,
  { strike, strikes = 1, after, alerts }: Fault,
): Promise<string> {
  const scrapes: Scrape[] = Array.from<Scrape>({ length: QUIET_MINUTES }).fill(await scrape(serving()));
  for (let minute = 0; minute < strikes; minute++) {
    await strike();
    scrapes.push(await scrape(serving()));
  }
  const end = QUIET_MINUTES + after;
  while (scrapes.length <= end) scrapes.push(scrapes.at(-1));
  const firing = [
    { at: QUIET_MINUTES - 1, alerts: [] },
    { at: end, alerts },
  ];
  return evaluateRules({ rules: RULES, scrapes, firing });
}

const failures = 'millrace_warming_total{endpoint="warm",outcome="failed"}';
const exits = 'millrace_engine_process_ends_total{reason="exited"}';
const fileIn = ({ cwd }: Deployment, name: string): string => join(cwd, 'endpoints', name);
let failed = 0;

/** The engine's process, the only child of the service. */
function killEngine(): void {
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(alone.running.child.pid)]);
  process.kill(Number(stdout.toString().trim()), 'SIGKILL');
}

const EMBEDDED: readonly Fault[] = [
  {
    why: 'slow queries',
    alerts: ['MillraceLatency'],
    after: 8,
    prepare: () => calls(alone, 'slow', 1),
    strike: async () => expect(await calls(alone, 'slow?s=2.6', 1)).toEqual([200]),
  },
  {
    why: 'more queries than may wait',
    alerts: ['MillraceQueueFull'],
    after: 3,
    strike: async () => {
      gate.shut();
      const asked = calls(alone, 'gated', 100);
      await shows(alone, 'millrace_problems_total{code="engine.busy"}', (value) => value > 0);
      gate.open();
      expect(new Set(await asked)).toEqual(new Set([200, 503]));
    },
  },
  {
    why: 'unknown keys',
    alerts: ['MillraceKeysRejected'],
    after: 8,
    strikes: 8,
    strike: async () => expect(new Set(await calls(alone, 'plain', 20, 'not-a-key'))).toEqual(new Set([401])),
  },
  {
    why: 'an invalid tokens file',
    alerts: ['MillraceTokensRejected'],
    after: 3,
    strike: async () => {
      writeFileSync(join(aloneAt.cwd, 'tokens.yaml'), 'tokens: [{ name: a }]\n');
      await shows(alone, 'millrace_tokens_rejected', isOne);
    },
    repair: async () => {
      writeFileSync(join(aloneAt.cwd, 'tokens.yaml'), aloneAt.tokens);
      await shows(alone, 'millrace_tokens_rejected', isZero);
    },
  },
  {
    why: 'an invalid endpoint file',
    alerts: ['MillraceFilesRejected'],
    after: 8,
    strike: async () => {
      writeFileSync(fileIn(aloneAt, 'broken.yaml'), 'name: [\n');
      await shows(alone, 'millrace_catalog_files_rejected', isOne);
    },
    repair: async () => {
      rmSync(fileIn(aloneAt, 'broken.yaml'));
      await shows(alone, 'millrace_catalog_files_rejected', isZero);
    },
  },
  {
    why: 'an endpoint whose query fails, and is kept warm',
    alerts: ['MillraceWarmingFailing'],
    after: 8,
    strikes: 2,
    prepare: async () => {
      writeFileSync(fileIn(aloneAt, 'warm.yaml'), WARM);
      failed = await shows(alone, failures, (value) => value > 0);
    },
    strike: async () => {
      failed = await shows(alone, failures, (value) => value > failed);
    },
    repair: async () => {
      rmSync(fileIn(aloneAt, 'warm.yaml'));
      await eventually(async () => expect(await calls(alone, 'warm', 1)).toEqual([404]));
    },
  },
  {
    why: 'the engine process killed',
    alerts: ['MillraceEngineRestarted'],
    after: 1,
    strike: async () => {
      killEngine();
      await shows(alone, exits, isOne);
      await shows(alone, 'millrace_engine_up', isOne);
    },
  },
  {
    why: 'restarted with a part whose files are damaged',
    alerts: ['MillraceDataDamaged'],
    after: 3,
    strike: async () => {
      await alone.stop();
      const { data, folder } = await fillData();
      truncateSync(join(folder('wide', 'all_2_2_0'), 'text.bin'), 1);
      alone = await startServing({ ...aloneAt, env: { ...aloneAt.env, MILLRACE_DATA: data } });
      await shows(alone, 'millrace_engine_broken_parts', isOne);
    },
  },
];

const WARM = `id: 00000000-0000-4000-8000-000000000099
name: warm
query: SELECT throwIf(number = 1) AS n FROM numbers(3)
cache: { ttl: 3 }
warming: { every: 1, examples: true }
examples: [{ name: all }]
`;

const allUp = (serving: Serving): Promise<unknown> =>
  Promise.all(
    fronts.map(({ url }) => shows(serving, `millrace_engine_host_up{host="${new URL(url).host}"}`, isOne)),
  );
const kill = (front: FrontProcess | undefined): Promise<void> => front?.kill() ?? Promise.resolve();
const reviveAll = async (): Promise<void> => {
  await Promise.all(fronts.map((front) => front.kill().then(() => front.start())));
  await allUp(remote);
};

const REMOTE: readonly Fault[] = [
  {
    why: 'Redis killed',
    alerts: ['MillraceRedisDown'],
    after: 3,
    strike: async () => {
      await redis.kill();
      await shows(remote, 'millrace_redis_up', isZero);
    },
    repair: async () => {
      await redis.start();
      await shows(remote, 'millrace_redis_up', isOne);
    },
  },
  {
    why: 'one of two ClickHouse hosts killed, and no calls',
    alerts: ['MillraceEngineHostDown'],
    after: 8,
    strike: async () => {
      await kill(fronts[1]);
      const host = new URL(fronts[1]?.url ?? '').host;
      await shows(remote, `millrace_engine_host_up{host="${host}"}`, isZero);
    },
    repair: reviveAll,
  },
  {
    why: 'all ClickHouse hosts killed',
    alerts: ['MillraceEngineDown', 'MillraceEngineHostDown', 'MillraceErrors'],
    after: 8,
    strikes: 8,
    prepare: () => calls(remote, 'plain', 2),
    strike: async () => {
      await Promise.all(fronts.map(kill));
      expect(await calls(remote, 'plain', 2)).toEqual([503, 503]);
      await shows(remote, 'millrace_engine_up', isZero);
    },
    repair: reviveAll,
  },
  {
    why: 'restarted while no ClickHouse host answers, so that the sandbox cannot be tested',
    alerts: ['MillraceEngineDown', 'MillraceSandboxOff'],
    after: 3,
    strike: async () => {
      await Promise.all([...fronts.map(kill), remote.stop()]);
      remote = await startServing(remoteAt);
      await shows(remote, 'millrace_sandbox_up', isZero);
      await shows(remote, 'millrace_engine_up', isZero);
    },
    repair: async () => {
      await reviveAll();
      await shows(remote, 'millrace_sandbox_up', isOne);
    },
  },
  {
    why: 'a reader of the log that has gone',
    alerts: ['MillraceLogLinesDropped'],
    after: 1,
    strike: async () => {
      remote.running.child.stdout?.destroy();
      await eventually(async () => {
        await calls(remote, 'plain', 2);
        await shows(remote, 'millrace_log_lines_dropped_total', (value) => value > 0);
      });
    },
  },
  {
    why: 'the service killed',
    alerts: ['MillraceDown'],
    after: 3,
    strike: async () => {
      remote.running.child.kill('SIGKILL');
      await remote.running.finished;
    },
  },
];

describe.each([
  { service: 'a service with the embedded engine', faults: EMBEDDED, serving: () => alone },
  { service: 'a service over ClickHouse', faults: REMOTE, serving: () => remote },
])('$service', ({ faults, serving }) => {
  test.each(faults)('$alerts: $why', async (fault) => {
    await fault.prepare?.();
    try {
      expect(await evaluate(serving, fault)).toBe('');
    } finally {
      await fault.repair?.();
    }
  });
});

describe('the rules', () => {
  test('are valid', () => {
    requirePromtool();
    expect(checkRules(RULES)).toBe('');
  });

  test('each have a fault that fires them', () => {
    const fired = new Set([...EMBEDDED, ...REMOTE].flatMap(({ alerts }) => alerts));
    expect(new Set(names)).toEqual(fired);
    expect(names).toHaveLength(fired.size);
  });

  test('each have a severity, a summary and a section of the runbook', () => {
    const sections = [...runbook.matchAll(/^## (Millrace\w+)$/gm)].map(([, name]) => name);
    expect(sections).toEqual(names);
    for (const rule of rules) {
      expect(textAt(rule, 'labels.severity')).toMatch(/^(critical|warning)$/);
      expect(textAt(rule, 'annotations.summary')).toMatch(/\.$/);
      const section = textAt(rule, 'alert').toLowerCase();
      expect(textAt(rule, 'annotations.runbook_url')).toBe(`docs/operate/runbook.md#${section}`);
    }
  });

  test('use metrics that the service has', async () => {
    const text = (await scrape(alone)) ?? '';
    const used = rules.flatMap((rule) => textAt(rule, 'expr').match(/\bmillrace_\w+/g) ?? []);
    const overHttp = new Set(['millrace_engine_host_up', 'millrace_redis_up']);
    for (const name of used.filter((each) => !overHttp.has(each)))
      expect(text).toContain(`# TYPE ${name.replace(/_bucket$/, '')} `);
    expect(used.length).toBeGreaterThan(names.length - 2);
  });

  test('are a PrometheusRule by the command of the runbook', () => {
    const [, command = ''] = /```sh\n(.*)\| kubectl [^\n]*\n```/s.exec(runbook) ?? [];
    const { stdout } = spawnSync('sh', ['-c', command], { cwd: ROOT, encoding: 'utf8' });
    const rule: unknown = parse(stdout);
    expect(rule).toMatchObject({ apiVersion: 'monitoring.coreos.com/v1', kind: 'PrometheusRule' });
    expect(at(rule, 'spec')).toEqual(document);
  });
});

test('the runbook names fault scenarios that exist', () => {
  const named = [...runbook.matchAll(/fault scenario `([^`]+)`/g)].map(([, name]) => name);
  const known = new Set(SCENARIOS.map(({ name }) => name));
  expect(named.length).toBeGreaterThan(3);
  expect(named.filter((name) => !known.has(name ?? ''))).toEqual([]);
});
