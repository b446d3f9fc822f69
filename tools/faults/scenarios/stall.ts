// Requests that are as expensive as they can be beside the engine: others are served meanwhile.
import { setTimeout } from 'node:timers/promises';
import { ask, statusOf, type Asked } from '../ask.ts';
import { count, inParallel } from '../load.ts';
import { startProbe, type ProbeReport } from '../probe.ts';
import { atMost, exact, inTime, onlyStatuses, type Check, type Context, type Scenario } from '../scenario.ts';
import { KEY, serve, type Serving } from '../serving.ts';
import { stallingInputs, type StallingInput } from './stalling-inputs.ts';

const WORST_MS = 250;
const EVERY_MS = 15;
const AT_ONCE = 4;
const IDLE_MS = 2000;
/** These are sizes of the long form. */
const SHORT_SIZE = 1 / 6;
const INPUTS = stallingInputs(1).length;

const TABLE = 'WITH logs AS (SELECT number AS n, now() AS timestamp FROM numbers(1000)) SELECT n FROM logs';
const LONG_ROWS =
  "WITH logs AS (SELECT number AS n, repeat(repeat('ab', 1000), 10000) AS text FROM numbers(3)) SELECT text, n FROM logs";
const OPEN = 'sandbox: { enabled: true, dialects: [clickhouse, bigquery] }\nlimits: { time: 30 }\n';
const DETECTORS = '[ip, email, token, api_key, card, iban, phone]';

const ENDPOINTS = {
  open: `query: |\n  ${TABLE}\n${OPEN}max_rows: 10000\n`,
  personal: `query: |\n  ${TABLE}\n${OPEN}pii: { redact: true, detectors: ${DETECTORS} }\n`,
  paged: `query: |\n  ${LONG_ROWS}\npage: { by: [n], size: 2 }\nlimits: { time: 30 }\n`,
  listed:
    'query: |\n  SELECT length(@ids) AS n, length(@text) AS m\nparameters:\n  ids: { type: Array(UInt64), default: [] }\n  text: { type: String, default: "" }\n',
};

export const stall: Scenario = {
  name: 'stall',
  pass: `${INPUTS} inputs that are expensive beside the engine, alone and ${AT_ONCE} at once: another caller who asks every ${EVERY_MS} ms waits at most ${WORST_MS} ms, for at most ${WORST_MS} ms of the event loop`,
  seconds: { short: 60, long: 3600 },
  run: async (context) => {
    const env = { MILLRACE_CONNECTIONS: '8', MILLRACE_REQUEST_TIMEOUT: '300' };
    const serving = await serve(context, { endpoints: ENDPOINTS, env });
    const inputs = stallingInputs(context.isShort ? SHORT_SIZE : 1);
    const chosen = inputs.filter(({ isShort }) => isShort === true || !context.isShort);
    const statuses = new Map<string, number>();
    const idle = await probed(context, serving, () => setTimeout(IDLE_MS));
    const reports = new Map<string, readonly ProbeReport[]>();
    for (const [index, input] of chosen.entries()) {
      context.note(`${index + 1} of ${chosen.length}: ${input.what}`);
      reports.set(input.what, await measure(context, serving, { input, statuses }));
    }
    return [
      onlyStatuses('responses', statuses, (status) => /^[24]\d\d$|^50[34]$|^exception /.test(status)),
      inTime('slowest without a request', idle.slowestMs, WORST_MS),
      ...Array.from(reports, ([what, all]) => inTime(what, most(all, 'slowestMs'), WORST_MS)),
      busiest(reports),
      exact(
        'not alive',
        Array.from(reports.values())
          .flat()
          .filter(({ failed }) => failed > 0).length,
        0,
      ),
      exact('the process', serving.running.child.exitCode ?? 'running', 'running'),
    ];
  },
};

function most(reports: readonly ProbeReport[], figure: 'slowestMs' | 'busiestMs'): number {
  return Math.max(...reports.map((report) => report[figure]));
}

function busiest(reports: ReadonlyMap<string, readonly ProbeReport[]>): Check {
  const [[what, ms] = ['none', 0]] = Array.from(
    reports,
    ([name, all]) => [name, most(all, 'busiestMs')] as const,
  ).toSorted(([, one], [, other]) => other - one);
  return atMost(`longest use of the event loop (${what})`, ms, WORST_MS, 'ms');
}

interface Measured {
  readonly input: StallingInput;
  readonly statuses: Map<string, number>;
}

/** Once alone and, in the long form, several times at once. */
async function measure(
  context: Context,
  serving: Serving,
  { input, statuses }: Measured,
): Promise<readonly ProbeReport[]> {
  const reports: ProbeReport[] = [];
  for (const times of context.isShort ? [1] : [1, AT_ONCE]) {
    const report = await probed(context, serving, () =>
      inParallel(times, AT_ONCE, async () => count(statuses, outcomeOf(await send(serving, input)))),
    );
    context.note(
      `${input.what}, ${times} at once: ${report.slowestMs.toFixed(0)} ms, event loop ${report.busiestMs.toFixed(0)} ms\n`,
    );
    reports.push(report);
  }
  return reports;
}

/** The ClickHouse interface answers 500 to exceptions, as a server does. */
function outcomeOf(asked: Asked): string {
  const code = asked.kind === 'whole' ? asked.headers['x-clickhouse-exception-code'] : undefined;
  return code === undefined ? statusOf(asked) : `exception ${String(code)}`;
}

async function probed(
  context: Context,
  { address, pid }: Serving,
  work: () => Promise<unknown>,
): Promise<ProbeReport> {
  const end = await startProbe(context, { url: `${address}/health/live`, pid, everyMs: EVERY_MS });
  await work();
  return end();
}

const JSON_BODY = { 'Content-Type': 'application/json' };

function send({ address, call }: Serving, input: StallingInput): Promise<Asked> {
  const { target, sql, fields = {}, headers = {}, endpoint = 'open', format } = input;
  switch (target) {
    case 'call': {
      const body = JSON.stringify({ ...fields, sql, format });
      return call(endpoint, { method: 'POST', headers: { ...JSON_BODY, ...headers }, body });
    }
    case 'mcp': {
      const params = { name: 'query', arguments: { endpoint, sql } };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
      const more = { Accept: 'application/json, text/event-stream', Authorization: `Bearer ${KEY}` };
      return ask(`${address}/mcp`, { method: 'POST', headers: { ...JSON_BODY, ...more, ...headers }, body });
    }
    case 'clickhouse':
      return ask(`${address}/clickhouse?database=${endpoint}`, {
        method: 'POST',
        headers: { 'X-ClickHouse-Key': KEY, ...headers },
        body: sql ?? '',
      });
  }
}
