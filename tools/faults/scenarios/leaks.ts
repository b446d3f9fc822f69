// One tenant's queries fail midway through their rows while another's succeed: no row may leak between them.
import { tableFromIPC } from 'apache-arrow';
import { parse as parseCsv } from 'csv-parse/sync';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { hashKey } from '../../../src/service/auth/keyring.ts';
import { startFront } from '../../../test/support/clickhouse-front/process.ts';
import { statusOf, type Asked } from '../ask.ts';
import { count, inParallel } from '../load.ts';
import { exact, onlyStatuses, type Check, type Context, type Scenario } from '../scenario.ts';
import { serve, type Serving } from '../serving.ts';

const PAIRS = { short: 60, long: 2000 };
const AT_ONCE = 8;
const ROWS = 400;
const TENANTS = ['ada', 'bob'] as const;
type Tenant = (typeof TENANTS)[number];
type Texts = readonly string[];

/** Blocks of twenty rows, so that many blocks are produced before the failing one. */
const QUERY = `query: |
  WITH mine AS (
    SELECT toInt32(number) AS n, concat(@tenant, '-row-', toString(number)) AS text, throwIf(number >= @fail_at, 'made to fail') AS failed
    FROM numbers(${ROWS}))
  SELECT n, text, failed FROM mine SETTINGS max_block_size = 20
parameters: { tenant: { type: String, required: true }, fail_at: { type: UInt32, default: 1000000 } }
sandbox: { enabled: true }
`;
const LATE = `query: |
  SELECT toInt32(number) AS n, concat(@tenant, '-row-', toString(number)) AS text, sleepEachRow(0.02) AS slept
  FROM numbers(${ROWS}) SETTINGS max_block_size = 10
parameters: { tenant: { type: String, required: true } }
limits: { time: 1 }
`;
const OWN = `SELECT n, text, intDiv(1, n - 300) AS failed FROM mine`;

const READERS: Readonly<Record<string, (body: Buffer) => Texts | Promise<Texts>>> = {
  json: (body) => textsOf((JSON.parse(body.toString()) as { result: unknown[] }).result), // our own envelope
  ndjson: (body) =>
    textsOf(
      body
        .toString()
        .trimEnd()
        .split('\n')
        .map((line): unknown => JSON.parse(line)),
    ),
  csv: (body) => textsOf(parseCsv(body.toString(), { columns: true })),
  parquet: async (body) => textsOf(await parquetReadObjects({ file: toArrayBuffer(body), compressors })),
  arrow: (body) => textsOf(tableFromIPC(body).toArray()),
};

export const leaks: Scenario = {
  name: 'leaks',
  pass: 'queries that fail mid-result, interleaved between two tenants, in every format, on both engines, 2,000 pairs each: no byte of one tenant in a response to the other',
  seconds: { short: 120, long: 600 },
  run: async (context) => {
    const front = await startFront(await context.folder('front'));
    context.defer(front.kill);
    const engines = { embedded: {}, server: { ...front.env, MILLRACE_ACCEPT_SINGLE_LAYER: 'true' } };
    const checks: Check[] = [];
    for (const [engine, env] of Object.entries(engines)) {
      const serving = await serve(context, {
        endpoints: { mine: QUERY, late: LATE },
        tokens: TENANTS.map(
          (tenant) =>
            `{ name: ${tenant}, sha256: ${hashKey(tenant)}, endpoints: ['*'], allow: [sql], parameters: { tenant: ${tenant} } }`,
        ),
        env: { MILLRACE_CONNECTIONS: '4', ...env },
      });
      checks.push(...(await holdPairs(context, serving, engine)));
      await serving.stop();
    }
    return checks;
  },
};

async function holdPairs(
  { random, isShort, note }: Context,
  serving: Serving,
  engine: string,
): Promise<readonly Check[]> {
  const pairs = isShort ? PAIRS.short : PAIRS.long;
  const formats = Object.keys(READERS);
  const failures = new Map<string, number>();
  const wrong: string[] = [];
  await inParallel(pairs, AT_ONCE, async (n) => {
    if (n % 200 === 0) note(`${engine}: ${n} of ${pairs} pairs`);
    const format = formats[n % formats.length] ?? 'json';
    const [failing, other] = random.isLucky(0.5) ? TENANTS : TENANTS.toReversed();
    const [failed, right] = await Promise.all([
      callAs(serving, failing, failingPath(random.next(), random.below(ROWS), format)),
      callAs(serving, other, `mine?format=${format}`),
    ]);
    count(failures, statusOf(failed));
    if (/-row-/.test(failed.body.toString('latin1'))) wrong.push('rows in a failure');
    if (!(await isRight(right, other, format))) wrong.push(`${format} ${statusOf(right)}`);
  });
  return [
    onlyStatuses(`${engine}: failures`, failures, (status) => ['422', '500', '504'].includes(status)),
    exact(
      `${engine}: responses with rows of another tenant, of ${pairs}`,
      [...new Set(wrong)].join(', ') || 0,
      0,
    ),
  ];
}

/** Mostly errors of the saved query, some of the consumer query, and sometimes the time limit. */
function failingPath(chance: number, at: number, format: string): string {
  if (chance < 0.02) return `late?format=${format}`;
  if (chance < 0.3) return `mine?format=${format}&sql=${encodeURIComponent(OWN)}`;
  return `mine?format=${format}&fail_at=${at}`;
}

function callAs({ call }: Serving, tenant: Tenant | undefined, path: string): Promise<Asked> {
  return call(path, { headers: { 'X-API-KEY': tenant ?? '' } });
}

/** Exactly the tenant's rows, each once, in order. */
async function isRight(answer: Asked, tenant: Tenant | undefined, format: string): Promise<boolean> {
  if (answer.status !== 200) return false;
  const texts = await READERS[format]?.(answer.body);
  return texts?.length === ROWS && texts.every((text, n) => text === `${tenant}-row-${n}`);
}

function textsOf(rows: readonly unknown[]): Texts {
  return rows.map((row) => String((row as { text: unknown }).text)); // written by the query above
}

function toArrayBuffer(body: Buffer): ArrayBuffer {
  return new Uint8Array(body).buffer;
}
