// Endpoints over tables that are not shipped, with keys of two tenants, and the tools of queries as each key has them.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openCore, type Core } from '../../../../src/service/app/core.ts';
import { openEngine } from '../../../../src/service/app/engine.ts';
import type { Keyring } from '../../../../src/service/auth/keyring.ts';
import { createPrincipal, type Grant, type Principal } from '../../../../src/service/auth/principal.ts';
import { loadSettings } from '../../../../src/service/config/load-settings.ts';
import type { Engine } from '../../../../src/service/engine/engine.ts';
import type { Caller } from '../../../../src/service/fronts/mcp/caller.ts';
import { toolError } from '../../../../src/service/fronts/mcp/endpoints/tool-error.ts';
import { createQueryTools } from '../../../../src/service/fronts/mcp/query/query-tools.ts';
import type { ToolSource } from '../../../../src/service/fronts/mcp/tool.ts';
import { localCall, type CallContent } from '../../../../src/service/request/call.ts';
import { answer } from '../../../../src/service/request/answer.ts';
import { explain } from '../../../../src/service/request/explain.ts';

const id = (n: number): string => `id: 00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

/** Rows of tenants a and b; each has paths, keys and values that the other does not have. */
const SHOP_SQL = [
  'CREATE DATABASE shop',
  `CREATE TABLE shop.events (
    tenant LowCardinality(String), at DateTime64(3, 'UTC'), kind Enum8('view' = 1, 'buy' = 2), props JSON, doc JSON(level String, request.path String, request.status UInt16),
    tags Array(String), attrs Map(String, String), geo Tuple(city String, lat Float64), price Decimal(10, 2), big UInt64, email String, secret String
  ) ENGINE = MergeTree ORDER BY (tenant, at)`,
  `INSERT INTO shop.events SELECT
    if(number % 2 = 0, 'a', 'b') AS t, toDateTime64('2026-01-01 00:00:00', 3, 'UTC') + number, if(number % 7 = 0, 'buy', 'view'),
    concat('{"sku":"', t, '-', toString(number % 5), '","only_', t, '":{"n":1}}')::JSON,
    concat('{"level":"', if(number % 10 = 0, 'error', 'info'), '","request":{"path":"/', t, '","status":', toString(200 + number % 3), '},"extra":"', t, '"}')::JSON(level String, request.path String, request.status UInt16),
    [t], map('http.method', 'GET', concat('key of ', t), 'v'), tuple(concat('city of ', t), 1.5), number, 9007199254740993 + number, concat('someone@', t, '.example.com'), concat('secret of ', t)
  FROM numbers(400)`,
];

const EVENTS = `${id(1)}
name: shop.events
description: Events of one tenant. And more.
query: |
  WITH events AS (SELECT at, kind, props, doc, tags, attrs, geo, price, big, email, secret FROM shop.events WHERE tenant = @tenant ORDER BY at DESC),
  purchases AS (SELECT at, price FROM shop.events WHERE tenant = @tenant AND kind = 'buy')
  SELECT kind, count() AS n FROM events GROUP BY kind
parameters: { tenant: { type: String, required: true, description: The tenant. } }
tenancy: { parameter: tenant, columns: [tenant] }
sandbox: { enabled: true, dialects: [clickhouse, bigquery] }
`;

export const SHOP_FILES: Readonly<Record<string, string>> = {
  events: EVENTS,
  redacted: EVENTS.replace(id(1), id(2))
    .replace('shop.events\n', 'shop.redacted\n')
    .concat('pii: { redact: true, columns: { secret: drop } }\n'),
  grouped: EVENTS.replace(id(1), id(3))
    .replace('shop.events\n', 'shop.grouped\n')
    .concat('pii: { redact: true, min_group: 20 }\n'),
  searched: EVENTS.replace(id(1), id(4))
    .replace('shop.events\n', 'shop.searched\n')
    .replace('dialects: [clickhouse, bigquery]', 'languages: [lql]'),
  hidden: EVENTS.replace(id(1), id(5)).replace('shop.events\n', 'shop.hidden\n').concat('mcp: false\n'),
  closed: `${id(6)}\nname: shop.closed\nquery: SELECT 1 AS n\n`,
};

const SHOP: Grant = { endpoints: ['shop.*'], allow: ['sql', 'lql'] };

const GRANTS = {
  all: { endpoints: ['*'], allow: ['sql', 'lql'] },
  a: { ...SHOP, parameters: { tenant: 'a' } },
  b: { ...SHOP, parameters: { tenant: 'b' } },
  saved: { endpoints: ['*'] },
  events: { endpoints: ['shop.events'], allow: ['sql'], parameters: { tenant: 'a' } },
} as const satisfies Readonly<Record<string, Grant>>;

export type KeyName = keyof typeof GRANTS;

export interface QueryWorld {
  readonly core: Core;
  readonly engine: Engine;
  readonly tools: ToolSource;
  readonly caller: (key: KeyName) => Caller;
  /** The text of a tool's result, or of the problem that it throws. */
  readonly use: (key: KeyName, tool: string, args: Readonly<Record<string, unknown>>) => Promise<string>;
  /** Queries that have read rows since the last call. */
  readonly ran: () => number;
  readonly close: () => Promise<void>;
}

export async function openQueryWorld(
  files: Readonly<Record<string, string>> = SHOP_FILES,
  sql: readonly string[] = SHOP_SQL,
): Promise<QueryWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-'));
  const endpoints = join(folder, 'endpoints');
  await mkdir(endpoints);
  for (const [name, text] of Object.entries(files)) await writeFile(join(endpoints, `${name}.yaml`), text);
  const loaded = await loadSettings({ flags: {}, env: {}, file: { path: '', required: false } });
  if (!('settings' in loaded)) throw new Error('the defaults are valid');
  const settings = { ...loaded.settings, endpoints, data: join(folder, 'data'), memory: 2 ** 31 };
  const engine = await openEngine(settings, () => undefined);
  for (const statement of sql) await engine.execute(statement);
  let count = 0;
  const counting: Engine = {
    ...engine,
    run: (statement, options) => {
      if (!statement.sql.startsWith('EXPLAIN')) count++;
      return engine.run(statement, options);
    },
  };
  const principals = new Map<string, Principal>(
    Object.entries(GRANTS).map(([name, grant]) => [name, createPrincipal(name, name, grant)]),
  );
  const keyring: Keyring = {
    authenticate: (key) => {
      const principal = principals.get(key);
      return principal === undefined
        ? { kind: 'rejected', reason: 'unknown' }
        : { kind: 'accepted', principal, expires: Infinity };
    },
  };
  const core = await openCore({
    settings,
    engine: counting,
    link: undefined,
    keyring: () => keyring,
    keyUse: { note: () => undefined },
    observe: () => undefined,
  });
  const tools = createQueryTools({ ...core, now: () => Date.UTC(2026, 0, 2) });
  const caller = (name: KeyName): Caller => {
    const call = (endpoint: string, fields: CallContent['fields'], format?: CallContent['format']) => ({
      ...localCall({ requestId: 'test', endpoint }, fields, format),
      key: name,
    });
    const principal = principals.get(name);
    if (principal === undefined) throw new Error(name);
    return {
      principal,
      catalog: core.catalog.current(),
      answer: (endpoint, fields, format) => answer(core.path, call(endpoint, fields, format)),
      explain: (endpoint, fields) => explain(core.path, call(endpoint, fields)),
      exportCall: () => {
        throw new Error('no exports');
      },
    };
  };
  return {
    core,
    engine,
    tools,
    caller,
    use: async (key, name, args) => {
      const tool = await tools.find(caller(key), name);
      if (tool === undefined) throw new Error(`no tool ${name}`);
      const { content } = await tool.run(args, caller(key)).catch((error: unknown) => toolError(error));
      return content.map((each) => (each.type === 'text' ? each.text : '')).join('\n');
    },
    ran: () => {
      const ran = count;
      count = 0;
      return ran;
    },
    close: async () => {
      await core.close();
      await engine.close(0);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
