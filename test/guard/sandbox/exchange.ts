// Two databases with the same rows, in which every secret is another: a consumer query over redacted tables must have the same
// response on both.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCompile } from '../../../src/service/endpoints/compile.ts';
import { createDescribe } from '../../../src/service/endpoints/describe.ts';
import type { Endpoint } from '../../../src/service/endpoints/endpoint.ts';
import { after } from '../../../src/sql/base/clock.ts';
import { Problem } from '../../../src/sql/base/problem.ts';
import { createEmbeddedEngine } from '../../../src/service/engine/embedded/embedded-engine.ts';
import type { Engine } from '../../../src/service/engine/engine.ts';
import { createBulkhead } from '../../../src/service/request/limits/bulkhead.ts';
import { NO_LABELS } from '../../../src/service/request/labels.ts';
import { createSandboxes } from '../../../src/service/request/consumer/sandboxes.ts';
import { REAL_TIME } from '../../support/real-time.ts';
import type { Query } from './tenants.ts';
import { runQuery } from '../../../src/service/request/run-statement.ts';
import { planWith } from '../../support/plan-with.ts';

const HASH_KEY = 'a key for hashes, long enough';

/** What differs between the databases: the secrets of row `n`. */
interface Secrets {
  readonly ip: (n: string) => string;
  readonly ipv6: (n: string) => string;
  readonly email: (n: string) => string;
  readonly phone: (n: string) => string;
  readonly name: (n: string) => string;
}

const SECRETS: Readonly<Record<string, Secrets>> = {
  first: {
    ip: (n) => `concat('10.1.', toString(${n} % 3), '.', toString(${n}))`,
    ipv6: (n) => `concat('2001:db8::', lower(hex(${n} + 1)))`,
    email: (n) => `concat('ann', toString(${n} % 4), '@example.com')`,
    phone: (n) => `concat('+4930123456', toString(10 + ${n}))`,
    name: (n) => `concat('Smith', toString(${n} % 5))`,
  },
  second: {
    ip: (n) => `concat('203.0.113.', toString(250 - ${n}))`,
    ipv6: (n) => `concat('fe80:1:2:3:4:5:6:', lower(hex(999 - ${n})))`,
    email: (n) => `concat('z.', toString(100 - ${n}), '@mail.other.example.org')`,
    phone: (n) => `concat('+1415555', toString(9999 - ${n}))`,
    name: (n) => `concat('Jones-', toString(${n} % 7), 'x')`,
  },
};

/** Texts that only the secrets have. */
export const TRACES =
  /10\.1\.|203\.0\.113|2001:db8|fe80:1|ann\d|@example|z\.\d|other\.example|49301|14155|Smith|Jones/;

const COLUMNS = `id UInt32, ts DateTime64(3), project LowCardinality(String), path String, level LowCardinality(String),
  message String, ip String, email LowCardinality(String), maybe Nullable(String), v4 IPv4, v6 IPv6, maybe_v4 Nullable(IPv4),
  tags Array(String), attrs Map(String, String), counts Map(LowCardinality(String), UInt32), doc JSON, typed JSON(client.ip IPv4, user.email String),
  pair Tuple(ip String, n UInt8), visits Array(Tuple(ip String, n UInt8)), either Variant(String, UInt64), any Dynamic, fixed FixedString(16),
  state AggregateFunction(uniq, String), phone_number UInt64, surname String, note String, user_id UInt64, amount Float64`;

function rowsOf({ ip, ipv6, email, phone, name }: Secrets): string {
  const n = 'number';
  const json = (body: string): string => `CAST(${body}, 'JSON')`;
  return `SELECT number, toDateTime64('2024-01-01 00:00:00', 3, 'UTC') + number * 60, if(number % 5 = 0, 'other', 'mine'),
    concat('/items/', toString(number % 4)), if(number % 3 = 0, 'error', 'info'),
    multiIf(number % 3 = 0, concat('request from ', ${ip(n)}, ' took ', toString(number), ' ms'),
      number % 3 = 1, concat('{"user":"', ${email(n)}, '","client":"', ${ipv6(n)}, '"}'),
      concat('GET /?u=', replaceAll(${email(n)}, '@', '%40'), '&t=', toString(number))),
    ${ip(n)}, ${email(n)}, if(number % 4 = 0, NULL, ${email(n)}), toIPv4(${ip(n)}), toIPv6(${ipv6(n)}),
    if(number % 4 = 0, NULL, toIPv4(${ip(n)})), ['a', ${ip(n)}, ${email(n)}],
    map('request.path', concat('/items/', toString(number % 4)), 'client', ${ip(n)}, ${email(n)}, 'seen', 'user.name', ${name(n)}),
    map('plain', number, ${email(n)}, 1),
    ${json(`concat('{"status":', toString(200 + number % 3), ',"request":{"path":"/items/', toString(number % 4), '","ip":"', ${ip(n)},
      '"},"user":{"email":"', ${email(n)}, '","name":"', ${name(n)}, '"},"list":["x","', ${ip(n)}, '"],"items":[{"k":"', ${email(n)}, '"}],"n":', toString(number),
      ',"v":', if(number % 2 = 0, '1', concat('"', ${ip(n)}, '"')), if(number % 6 = 1, concat(',"', ${email(n)}, '":1'), ''), '}')`)},
    concat('{"client":{"ip":"', ${ip(n)}, '"},"user":{"email":"', ${email(n)}, '"},"x":', toString(number), '}'),
    (${ip(n)}, number), [(${ip(n)}, number), ('x', 1)], if(number % 2 = 0, CAST(${email(n)}, 'Variant(String, UInt64)'), CAST(toUInt64(number), 'Variant(String, UInt64)')),
    if(number % 2 = 0, CAST(${ip(n)}, 'Dynamic'), CAST(toInt64(number), 'Dynamic')), toFixedString(${ip(n)}, 16),
    arrayReduce('uniqState', [${email(n)}]), toUInt64(substring(${phone(n)}, 2)), ${name(n)}, concat('met ', ${name(n)}), 1000 + number % 6, number / 8
    FROM numbers(40)`;
}

/** The endpoint over one of the databases. */
function fileOf(database: string, pii: string, query?: string): string {
  if (query !== undefined) return savedFile(database, pii, query);
  return `id: 00000000-0000-4000-8000-00000000000${database === 'first' ? 1 : 2}
name: logs.${database}
query: |
  WITH t AS (SELECT * EXCEPT (project, state) FROM ${database}.t WHERE project = @project ORDER BY ts DESC),
  states AS (SELECT id, state FROM ${database}.t WHERE project = @project),
  recent AS (SELECT id, ts, message, ip, doc FROM ${database}.t WHERE project = @project AND id > 20)
  SELECT * FROM t
parameters:
  project: { type: String, required: true }
sandbox: { enabled: true, dialects: [clickhouse, bigquery] }
pii: ${pii}
`;
}

function tableFile(database: string, table: string, pii: string): string {
  return `id: 00000000-0000-4000-8000-00000000001${database === 'first' ? 1 : 2}
name: over.${database}
query: WITH t AS (SELECT * FROM ${database}.${table}) SELECT * FROM t ORDER BY id
sandbox: { enabled: true }
pii: ${pii}
`;
}

const PII = `{ redact: true, detectors: [ip, email, phone, card, iban, token, api_key], columns: { phone_number: mask, surname: mask, note: drop,
    user_id: hash, attrs.user.name: mask, doc.user.name: mask } }`;

function savedFile(database: string, pii: string, query: string): string {
  return `id: 00000000-0000-4000-8000-000000000009
name: saved.${database}
query: ${JSON.stringify(query.replaceAll('DB', database))}
${query.includes('@project') ? 'parameters: { project: { type: String, default: mine } }' : ''}${query.includes('@guess') ? 'parameters: { guess: { type: String, default: 10.1.1.7 } }' : ''}
pii: ${pii}
`;
}

/** A response as a consumer gets it. */
export interface Response {
  readonly status: number;
  readonly body: string;
  /** Whether the pass over rows changed anything: it must find nothing. */
  readonly isChanged: boolean;
}

export interface Exchange {
  readonly engine: Engine;
  /** The responses over both databases. */
  readonly both: (query: Query) => Promise<readonly [Response, Response]>;
  /** The response over the first one. */
  readonly once: (query: Query) => Promise<Response>;
  /** The responses of an endpoint with these settings whose table is `SELECT * FROM DB.<table>`. */
  readonly over: (
    table: string,
    pii: string,
  ) => (query: Query | undefined) => Promise<readonly [Response, Response]>;
  /** The responses to a saved query with these settings, in which DB is the database; parameter: `@project`. */
  readonly saved: (query: string, pii: string) => Promise<readonly [Response, Response]>;
  /** The response over the first database, with a value of the parameter `@project`. */
  readonly savedOnce: (query: string, pii: string, project?: string) => Promise<Response>;
  /** The statement of a saved query over the first database. */
  readonly savedStatement: (query: string, pii: string) => Promise<string>;
  /** The final statement over the first database. */
  readonly statement: (query: Query) => Promise<string>;
  readonly close: () => Promise<void>;
}

/** Opens the databases; `pii` are the settings of the endpoint file. */
export async function openExchange(pii = PII): Promise<Exchange> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-exchange-'));
  const observe = (): void => undefined;
  const engine = await createEmbeddedEngine({
    ...REAL_TIME,
    path: join(folder, 'data'),
    connections: 4,
    queue: 1000,
    memory: 2 ** 31,
    observe,
  });
  for (const [database, secrets] of Object.entries(SECRETS)) {
    await engine.execute(`CREATE DATABASE ${database}`);
    await engine.execute(`CREATE TABLE ${database}.t (${COLUMNS}, INDEX words message TYPE tokenbf_v1(512, 2, 0) GRANULARITY 1,
      INDEX addresses ip TYPE set(0) GRANULARITY 1, INDEX emails email TYPE bloom_filter GRANULARITY 1) ENGINE = MergeTree ORDER BY (project, ts) SETTINGS index_granularity = 8`);
    await engine.execute(`INSERT INTO ${database}.t ${rowsOf(secrets)}`);
  }
  const describe = createDescribe(engine);
  const sandboxes = createSandboxes(engine, describe);
  // The rules are those of several tables: what a query has of none of them is what is tested here.
  const plan = planWith({ sandboxes, describe: { ...describe, idleRule: async () => undefined } });
  const endpoints = Object.keys(SECRETS).map((database) => compile(fileOf(database, pii)));
  const [first, second] = endpoints;
  if (first === undefined || second === undefined) throw new Error('two databases are needed');
  const planned = async (endpoint: Endpoint, query: Query | undefined, project?: string) => {
    const own = query === undefined || endpoint.name.startsWith('over.') ? project : 'mine';
    const fields = new Map(own === undefined ? [] : [['project', [own]]]);
    const bindings = endpoint.binder.bind(fields, Date.UTC(2024, 0, 3));
    const consumerQuery = query && { ...query, dialect: query.dialect };
    return plan(endpoint, bindings, consumerQuery, endpoint.redaction.always);
  };
  const run = async (endpoint: Endpoint, query: Query | undefined, project?: string): Promise<Response> => {
    try {
      const context = { ...CONTEXT, signal: new AbortController().signal };
      const deps = { engine, bulkhead: createBulkhead(after), now: () => performance.now() };
      const { redactor } = endpoint.redaction;
      const planOf = await planned(endpoint, query, project);
      const { lines } = await runQuery(deps, { endpoint, query: planOf }, context);
      const rows = planOf.overRedacted === undefined ? redactor : redactor.afterSource;
      const redacted = rows.redactLines(lines);
      const body = Buffer.from(redacted).toString();
      return {
        status: 200,
        body,
        isChanged: endpoint.redaction.always && body !== Buffer.from(lines).toString(),
      };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const { status, code, message, errors, hint } = error;
      return { status, body: JSON.stringify({ code, message, errors, hint }), isChanged: false };
    }
  };
  const savedIn = async (database: string, query: string, pii: string): Promise<Response> =>
    run(compile(fileOf(database, pii, query)), undefined);
  return {
    engine,
    both: async (query) => Promise.all([run(first, query), run(second, query)]),
    once: async (query) => run(first, query),
    over: (table, pii) => {
      const [a, b] = ['first', 'second'].map((database) => compile(tableFile(database, table, pii)));
      if (a === undefined || b === undefined) throw new Error('two databases are needed');
      return async (query) => Promise.all([run(a, query), run(b, query)]);
    },
    saved: async (query, pii) => Promise.all([savedIn('first', query, pii), savedIn('second', query, pii)]),
    savedOnce: async (query, pii, project) => run(compile(fileOf('first', pii, query)), undefined, project),
    savedStatement: async (query, pii) =>
      (await planned(compile(fileOf('first', pii, query)), undefined)).statement.sql,
    statement: async (query) => (await planned(first, query)).statement.sql,
    close: async () => {
      await engine.close(0);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const CONTEXT = {
  requestId: 'test',
  key: undefined,
  trace: undefined,
  labels: NO_LABELS,
  workload: undefined,
  isPatient: false,
};

function compile(yaml: string): Endpoint {
  const { candidate, diagnostics } = createCompile({ piiHashKey: HASH_KEY })('endpoint.yaml', yaml);
  if (candidate === undefined) throw new Error(JSON.stringify(diagnostics));
  return candidate.endpoint;
}
