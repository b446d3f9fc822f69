// Redaction through the tools of agents: what an agent sees is the same when all personal data is exchanged for other data.
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { VERSIONS } from '../../../guard/redact/laundering/people.ts';
import type { Version } from '../../../guard/redact/laundering/secrets.ts';
import { TEXTS } from '../../../guard/redact/laundering/texts.ts';
import { headersOf, openWorld, secretsIn, type World } from '../../../guard/redact/laundering/world.ts';
import { runs } from '../../../support/runs.ts';
import { ask, connected } from './world/world.ts';

const SEED = Number(process.env['FUZZ_SEED'] ?? 20_240_101);
/** Redaction that the key demands, and that the file does. */
const DEMANDS = ['key', 'file'] as const;
type Demand = (typeof DEMANDS)[number];

let world: World;
const clients = new Map<Demand, Client>();
beforeAll(async () => {
  world = await openWorld();
  const { connect } = connected(world.service);
  for (const demand of DEMANDS) clients.set(demand, await connect(headersOf(demand)['X-API-KEY'] ?? ''));
});
afterAll(async () => {
  for (const client of clients.values()) await client.close();
  await world.stop();
});

/** All that the agent sees, without the name of the version. */
async function seen(version: Version, demand: Demand, tool: string, args: Readonly<Record<string, unknown>>): Promise<string> {
  const name = demand === 'file' ? 'forced' : 'open';
  const client = clients.get(demand);
  if (client === undefined) throw new Error('no client');
  const asked = await ask(client, tool, { ...args, endpoint: `${name}.${version}`, parameters: { project: 'mine' } });
  // Hashes are those of the values.
  return JSON.stringify(asked).replace(/[0-9a-f]{32}/g, 'hash').replaceAll(`${name}.${version}`, name).replace(/(?:time of the service|Request id): [^\\]+/, '');
} // prettier-ignore

const both = async (demand: Demand, tool: string, args: Readonly<Record<string, unknown>>) => {
  const [a = '', b = ''] = await Promise.all(VERSIONS.map((version) => seen(version, demand, tool, args)));
  return [a, b] as const;
};

/** What differs, and what is personal. */
function leaksIn(a: string, b: string, args: Readonly<Record<string, unknown>>): readonly string[] {
  return [...(a === b ? [] : [`${a} / ${b}`]), ...secretsIn(a, JSON.stringify(args))];
}

async function leaksOf(demand: Demand, tool: string, args: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
  return leaksIn(...(await both(demand, tool, args)), args);
} // prettier-ignore

test.each(DEMANDS)('the description of tables, by the %s', async (demand) => {
  expect(await leaksOf(demand, 'describe_tables', {})).toEqual([]);
  const [a, b] = await both(demand, 'describe_tables', { table: 'events' });
  expect(leaksIn(a, b, { table: 'events' })).toEqual([]);
  expect(a).toContain('"isError":false');
});

test('queries that encode, compare, sort and count', { timeout: 3_600_000 }, async () => {
  const queries = TEXTS.filter(({ fields }) => fields['sql'] !== undefined || fields['lql'] !== undefined);
  const count = Math.min(queries.length, runs(3, 13));
  const step = Math.max(1, Math.floor(queries.length / count));
  for (let n = 0; n < count; n += 1) {
    const { fields = {} } = queries[(SEED + n * step) % queries.length] ?? {};
    const { sql, lql, dialect }: Readonly<Record<string, string>> = fields;
    const args = lql === undefined ? { sql, dialect } : { lql };
    for (const tool of n % 6 === 0 ? ['query', 'explain'] : ['query'])
      expect([args, await leaksOf(DEMANDS[n % 2] ?? 'key', tool, args)]).toEqual([args, []]);
  }
}); // prettier-ignore
