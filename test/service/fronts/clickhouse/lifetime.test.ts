// How long a request of the ClickHouse interface lasts: clients that leave, time-outs, shutdown, slow clients.
import { afterEach, expect, test } from 'vitest';
import { Problem } from '../../../../src/sql/base/problem.ts';
import type { Finished } from '../../../../src/sql/base/observation.ts';
import type { ClickHouseOptions } from '../../../../src/service/fronts/clickhouse/routes.ts';
import type { ClickHouseAnswer } from '../../../../src/service/fronts/clickhouse/call.ts';
import { openEcho, type Echo } from '../../../support/clickhouse-echo.ts';

/** Queries that run until they are answered, or their signal is aborted. */
interface Running {
  readonly signals: AbortSignal[];
  readonly answers: (() => void)[];
  readonly answerClickHouse: ClickHouseOptions['answerClickHouse'];
}

const ANSWER: ClickHouseAnswer = {
  body: Buffer.from('done'),
  contentType: 'text/plain; charset=UTF-8',
  format: 'TSV',
  queryId: 'q',
  summary: { resultRows: 0, elapsedNs: 0 },
  truncated: false,
  answer: undefined,
};

function createRunning(): Running {
  const signals: AbortSignal[] = [];
  const answers: (() => void)[] = [];
  return {
    signals,
    answers,
    answerClickHouse: async (call) => {
      await call.read();
      const signal = call.signal();
      expect(call.signal()).toBe(signal);
      signals.push(signal);
      return new Promise((resolve, reject) => {
        answers.push(() => resolve(ANSWER));
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      });
    },
  };
}

let echo: Echo | undefined;
afterEach(async () => {
  await echo?.stop();
  echo = undefined;
});

async function open(options: Partial<ClickHouseOptions> = {}): Promise<{ echo: Echo; running: Running }> {
  const running = createRunning();
  echo = await openEcho({ ...options, answerClickHouse: running.answerClickHouse });
  return { echo, running };
}

const finished = ({ observed }: Echo): Finished | undefined =>
  observed.find((each): each is Finished => each.kind === 'request.finished');

test('a client that leaves aborts its query', async () => {
  const { echo, running } = await open();
  const controller = new AbortController();
  const response = echo.ask('/?query=q', { signal: controller.signal });
  await expect.poll(() => running.signals.length).toBe(1);
  controller.abort();
  await expect(response).rejects.toThrow('aborted');
  await expect.poll(() => running.signals[0]?.aborted).toBe(true);
  expect(running.signals[0]?.reason).toMatchObject({ code: 'request.client_closed' });
  await expect.poll(() => finished(echo)).toMatchObject({ status: 499, code: 'request.client_closed' });
  await (await fetch(`${echo.url}/ping`)).text();
  expect(echo.observed.filter(({ kind }) => kind === 'request.finished')).toHaveLength(2); // each once
});

test('a request that times out gets an exception', async () => {
  const due: (() => void)[] = [];
  const { echo, running } = await open({
    requestTimeout: 7,
    after: (ms, call) => {
      if (ms === 7000) due.push(call);
      return () => undefined;
    },
  });
  const response = echo.ask('/?query=q');
  await expect.poll(() => running.signals.length).toBe(1);
  for (const call of due) call();
  expect(await (await response).text()).toMatch(/^Code: \d+\. DB::Exception: No answer within 7 seconds/);
});

test('on shutdown, running queries get their answer and their connections end', async () => {
  const { echo, running } = await open();
  const response = echo.ask('/?query=q');
  await expect.poll(() => running.signals.length).toBe(1);
  const closed = echo.close();
  await expect
    .poll(() =>
      fetch(echo.url).then(
        () => 'open',
        () => 'closed',
      ),
    )
    .toBe('closed');
  running.answers[0]?.();
  const { status, headers } = await response;
  expect([status, headers.get('connection')]).toEqual([200, 'close']);
  await closed;
});

test('a failure that is no problem is an exception without its message', async () => {
  echo = await openEcho({
    answerClickHouse: () => Promise.reject(new Error('an internal secret')),
  });
  const response = await echo.ask('/?query=q');
  expect(response.status).toBe(500);
  expect(await response.text()).toMatch(/^Code: \d+\. DB::Exception: Internal error\. (?!.*secret)/);
});

test('what a saved query failed with is disclosed in development only', async () => {
  const answerClickHouse = (): never => {
    throw new Problem('endpoint.failed', { cause: new Error('Code: 60. DB::Exception: no table hits') });
  };
  for (const disclosesCauses of [true, false]) {
    const echo = await openEcho({ disclosesCauses, answerClickHouse });
    expect((await (await echo.ask('/?query=q')).text()).includes('no table hits')).toBe(disclosesCauses);
    await echo.stop();
  }
});
