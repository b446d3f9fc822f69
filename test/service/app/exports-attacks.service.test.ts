// The attack corpus, and other tenants' rows, through exports.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ATTACKS, BENIGN } from '../../guard/sandbox/fixture.ts';
import { INDEX_ORACLES, oracles } from '../../guard/sandbox/oracles.ts';
import { DATABASES, rotated, startAttacked } from '../../support/attacked-service.ts';
import { runs, some, someOfEach } from '../../support/runs.ts';
import { KEY, type TestService } from '../../support/service.ts';
import { ask, connected } from '../fronts/mcp/world/world.ts';

const KINDS = ['compact', 'by_path', 'joined', 'indexed', 'map'];
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_240_101);

let service: TestService;
beforeAll(async () => {
  service = await startAttacked({ kinds: KINDS, lines: 'export: { max_rows: 100000, per_key: 100 }\n' });
}, 600_000);
afterAll(() => service.stop());

type Fields = Readonly<Record<string, unknown>>;

interface Outcome {
  readonly state: string;
  /** The file, or the problem. */
  readonly text: string;
}

/** What an export ends with. */
async function exportOf(endpoint: string, fields: Fields): Promise<Outcome> {
  const response = await service.call(`/api/endpoints/query/${endpoint}/exports`, {
    method: 'POST',
    headers: [['Content-Type', 'application/json']],
    body: JSON.stringify({ project: 'mine', format: 'ndjson', ...fields }),
  });
  if (response.status !== 202) return { state: String(response.status), text: await response.text() };
  const url = response.headers.get('location') ?? '';
  for (;;) {
    const found = (await (await service.call(url)).json()) as Record<string, unknown>;
    const { state, error } = found;
    if (state === 'failed') return { state, text: JSON.stringify(error) };
    if (state === 'finished') {
      const result = await service.call(`${url}/result`);
      const text = Buffer.from(await result.arrayBuffer()).toString('latin1');
      await service.call(url, { method: 'DELETE' });
      return { state, text };
    }
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

const TRIED = someOfEach(ATTACKS, ({ cat }) => cat, { each: 9 });

test.each(TRIED.map(({ id, sql }) => [id, sql] as const))('attack %s: %s', async (_id, sql) => {
  const { state, text } = await exportOf('corpus', { sql });
  expect([state, text]).toEqual([expect.stringMatching(/^(?:400|403|404|413|422|failed)$/), expect.anything()]);
  // A message may quote the query, which names what it looks for.
  expect(text.replaceAll(JSON.stringify(JSON.stringify(sql)).slice(3, -3), '')).not.toMatch(/CANARY|DB::Exception|node_modules|streams/);
}); // prettier-ignore

test('attacks through the tool of agents', async () => {
  const { connect } = connected(service);
  const client = await connect(KEY);
  const mine = { endpoint: 'corpus', parameters: { project: 'mine' }, format: 'ndjson' };
  for (const { id, sql } of someOfEach(ATTACKS, ({ cat }) => cat, { each: 18, from: 5 })) {
    let asked = await ask(client, 'export_rows', { ...mine, sql });
    while (!asked.isError && asked.structured['state'] !== 'finished')
      asked = await ask(client, 'export_rows', { endpoint: 'corpus', id: asked.structured['id'] });
    const shown = asked.text.replaceAll(sql, '');
    expect([id, asked.isError, shown]).toEqual([id, true, expect.not.stringMatching(/CANARY|DB::Exception|node_modules|streams/)]);
  }
  await client.close();
}, 600_000); // prettier-ignore

test('consumer queries of the corpus have the rows of a plain call', async () => {
  for (const { id, sql } of someOfEach(BENIGN, ({ cat }) => cat, { each: 12 })) {
    const body = JSON.stringify({ project: 'mine', format: 'ndjson', sql });
    const plain = await service.call('/api/endpoints/query/corpus', {
      method: 'POST',
      headers: [['Content-Type', 'application/json']],
      body,
    });
    const made = await exportOf('corpus', { sql });
    const text = Buffer.from(await plain.arrayBuffer()).toString('latin1');
    expect([id, made]).toEqual([id, { state: 'finished', text }]);
    expect(text).not.toContain('CANARY');
  }
}, 600_000);

describe('other tenants’ rows change nothing', () => {
  test('in a file, or in what is rejected', { timeout: 3_600_000 }, async () => {
    const queries = [
      ...some(INDEX_ORACLES, 12).map((condition) => ({
        language: 'sql' as const,
        text: `SELECT id, num FROM t WHERE ${condition} ORDER BY id`,
        dialect: undefined,
      })),
      ...some(oracles(runs(10, 30), SEED), 2),
    ];
    let results = 0;
    for (const [index, query] of queries.entries()) {
      const kind = rotated(KINDS, index);
      const dialect = query.dialect === undefined ? {} : { dialect: query.dialect };
      const fields = query.language === 'lql' ? { lql: query.text } : { sql: query.text, ...dialect };
      const format = rotated(['ndjson', 'parquet', 'arrow', 'csv'], index);
      const [calm, hostile] = await Promise.all(
        DATABASES.map(async (database) => {
          const made = await exportOf(`${kind}.${database}`, { ...fields, format });
          if (made.state === 'finished') results++;
          return JSON.stringify(made)
            .replaceAll(database, '')
            .replace(/(?<=instance\W+)[\da-f-]{36}/, '');
        }),
      );
      expect([query, hostile]).toEqual([query, calm]);
    }
    // Queries that all fail would prove nothing.
    expect(results).toBeGreaterThan(queries.length / 2);
  });
});
