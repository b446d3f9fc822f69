// Lines of the log: levels, and no message of an error that could quote what callers sent or rows.
import { describe, expect, test } from 'vitest';
import type { Finished, Observation, Observe } from '../../../src/sql/base/observation.ts';
import { Problem } from '../../../src/sql/base/problem.ts';
import { EngineError } from '../../../src/service/engine/engine.ts';
import { createLog, type LogOptions } from '../../../src/service/observe/log.ts';
import { plantedIn } from '../../support/failing-statements.ts';
import { createVirtualTime, type VirtualTime } from '../../support/virtual-time.ts';

interface Opened {
  readonly log: Observe;
  readonly lines: () => Record<string, unknown>[];
  readonly time: VirtualTime;
}

function open(options: Partial<LogOptions> = {}): Opened {
  const written: string[] = [];
  const time = createVirtualTime();
  const stream = { write: (line: string) => void written.push(line) };
  const given = {
    level: 'trace',
    stream,
    epoch: time.clock.epoch,
    after: time.after,
    random: () => 0.5,
  } as const;
  const log = createLog({ ...given, ...options });
  return { log, time, lines: () => written.map((line) => JSON.parse(line) as Record<string, unknown>) }; // our own log
}

function linesOf(...observations: readonly Observation[]): Record<string, unknown>[] {
  const { log, lines } = open();
  for (const each of observations) log(each);
  return lines();
}

const QUOTED = new EngineError('rejected', "Code: 6. DB::Exception: Cannot parse string 'Kanarienvogel'", {
  engineCode: 6,
});
const CAUSE = new Problem('endpoint.failed', { detail: 'Zeisig', cause: QUOTED });

describe('the cause', () => {
  test.each<Observation>([
    { kind: 'catalog.failed', cause: CAUSE },
    { kind: 'rollup.failed', rollup: 'r', cause: CAUSE },
    { kind: 'rollup.not_routed', cause: CAUSE },
    { kind: 'tokens.jwks_failed', cause: CAUSE },
    { kind: 'tokens.use_not_stored', cause: CAUSE },
    { kind: 'cache.remote_lost', cause: CAUSE },
    { kind: 'cache.write_rejected', cause: CAUSE },
    { kind: 'cache.refresh_failed', key: 'k', cause: CAUSE },
    { kind: 'cache.check_failed', endpoint: 'e', cause: CAUSE },
    { kind: 'warming.failed', endpoint: 'e', failures: 1, cause: CAUSE },
    { kind: 'live.failed', endpoint: 'e', code: 'endpoint.failed', cause: CAUSE },
    { kind: 'usage.not_written', rows: 1, dropped: 0, cause: CAUSE },
    { kind: 'engine.process_not_started', cause: CAUSE },
    { kind: 'engine.host_lost', host: 'h', cause: CAUSE },
    { kind: 'engine.kill_failed', cause: CAUSE },
    { kind: 'process.failed', cause: CAUSE },
    { kind: 'process.warning', cause: CAUSE },
  ])('of $kind has the code and the kind of error only', (observation) => {
    const [line] = linesOf(observation);
    expect(plantedIn(JSON.stringify(line))).toEqual([]);
    expect(line?.['cause']).toBe(
      'endpoint.failed < CANNOT_PARSE_TEXT (6): a text cannot be parsed as a type',
    );
  });
});

const REQUEST: Finished = {
  kind: 'request.finished',
  requestId: 'a',
  method: 'GET',
  route: '/api/endpoints/query/:endpoint',
  endpoint: 'one',
  revision: undefined,
  principal: undefined,
  status: 200,
  bytes: 1,
  ms: 1,
};

describe('the level of a request', () => {
  test.each<[string, Partial<Finished>, number]>([
    ['a response', { status: 200 }, 30],
    ['not modified', { status: 304 }, 30],
    ['a rejected request', { status: 400, code: 'request.parameters_invalid' }, 40],
    ['over a limit', { status: 429, code: 'rate.exceeded' }, 40],
    ['a client that has gone', { status: 499, code: 'request.client_closed' }, 30],
    ['a failure', { status: 500, code: 'internal.error' }, 50],
    ['an outage', { status: 503, code: 'engine.unavailable' }, 50],
    ['a probe', { route: '/health/live' }, 20],
    ['a probe that fails', { route: '/health/ready', status: 503 }, 20],
    ['a check of a ClickHouse client', { route: '/clickhouse/ping' }, 20],
  ])('%s', (_, fields, level) => {
    expect(linesOf({ ...REQUEST, ...fields })).toMatchObject([{ level }]);
  });

  test('probes are not logged by default', () => {
    const { log, lines } = open({ level: 'info' });
    log({ ...REQUEST, route: '/health/ready', status: 503 });
    expect(lines()).toEqual([]);
  });
});

test('log_request_ratio leaves out requests that succeed, and no others', () => {
  const draws = [0.9, 0.05, 0.2];
  const { log, lines } = open({ requestRatio: 0.1, random: () => draws.shift() ?? 0.9 });
  for (const status of [200, 200, 304, 404, 500, 503]) log({ ...REQUEST, status });
  log({ kind: 'service.stopped', ms: 1 });
  expect(lines().map(({ status, event }) => status ?? event)).toEqual([
    200,
    404,
    500,
    503,
    'service.stopped',
  ]);
});

describe('what fails again and again', () => {
  const failed = (endpoint: string, failures: number): Observation => ({
    kind: 'warming.failed',
    endpoint,
    failures,
    cause: CAUSE,
  });

  test('is a line at once, and one a minute with the number', async () => {
    const { log, lines, time } = open();
    for (let each = 1; each <= 885; each++) log(failed('a', each));
    log(failed('b', 1));
    expect(lines()).toMatchObject([
      { endpoint: 'a', failures: 1 },
      { endpoint: 'b', failures: 1 },
    ]);
    await time.advance(60_000);
    expect(lines().slice(2)).toMatchObject([{ endpoint: 'a', failures: 885, repeated: 883 }]);
    await time.advance(60_000);
    expect(lines()).toHaveLength(3);
    log(failed('a', 1));
    expect(lines()).toHaveLength(4);
  });

  test('is complete when the service has stopped', () => {
    const { log, lines } = open();
    for (let each = 1; each <= 3; each++) log(failed('a', each));
    log({ kind: 'service.stopped', ms: 1 });
    expect(lines()).toMatchObject([
      { failures: 1 },
      { failures: 3, repeated: 1 },
      { event: 'service.stopped' },
    ]);
  });

  test('lines add up to all that happened', async () => {
    const { log, lines, time } = open();
    for (let each = 0; each < 400; each++) {
      log({ kind: 'cache.corrupt_entry', key: `k${each}`, reason: 'r' });
      await time.advance(700);
    }
    await time.advance(60_000);
    const all = lines().reduce((sum, { repeated }) => sum + 1 + Number(repeated ?? 0), 0);
    expect(all).toBe(400);
    expect(lines().length).toBeLessThan(10);
  });
});
