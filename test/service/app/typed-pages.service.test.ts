// The pages of the client that `millrace types` writes, against a running service.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { types } from '../../../src/cli/commands/types/types.ts';
import { createTerminal } from '../../../src/cli/kit/terminal.ts';
import { KEY, startService, writeEndpoint, type TestService } from '../../support/service.ts';

const ROOT = join(import.meta.dirname, '../../..');

interface Page {
  readonly rows: readonly { readonly id: number }[];
  readonly next: string | undefined;
}

/** The generated module, without the types of its endpoints. */
interface Generated {
  createClient(options: object): {
    pages(name: string, parameters: object, options?: object): AsyncGenerator<Page>;
    rows(name: string, parameters: object, options?: object): AsyncGenerator<{ readonly id: number }>;
    consumerPages(name: string, query: object, parameters: object, options?: object): AsyncGenerator<Page>;
  };
  MillraceError: new () => Error;
}

let service: TestService;
let client: ReturnType<Generated['createClient']>;
let generated: Generated;
let folder: string;
let requests = 0;
beforeAll(async () => {
  service = await startService({
    sql: [
      'CREATE DATABASE app',
      "CREATE TABLE app.t (at DateTime('UTC'), id UInt32) ENGINE = MergeTree ORDER BY (at, id)",
      "INSERT INTO app.t SELECT toDateTime('2024-01-01', 'UTC') + intDiv(number, 2), number FROM numbers(25)",
    ],
  });
  const text = `id: 00000000-0000-4000-8000-000000000001
name: paged
page: { by: [at, id], size: 10 }
sandbox: { enabled: true, dialects: [clickhouse] }
deprecated: { since: 2026-01-01, reason: Use another one. }
query: WITH t AS (SELECT at, id FROM app.t WHERE at >= @from) SELECT at, id, @shown AS shown FROM t
parameters:
  from: { type: DateTime, default: now-50y/y, description: The first time. }
  shown: { choices: { yes: toString(id), no: "''" }, default: no }
`;
  await writeEndpoint(service, 'paged', text);
  const whole =
    'id: 00000000-0000-4000-8000-000000000002\nname: whole\nquery: SELECT 1 AS one\nexport: { max_rows: 10, formats: [csv] }\n';
  await writeEndpoint(service, 'whole', whole);
  await service.service.reload();
  folder = mkdtempSync(join(tmpdir(), 'millrace-'));
  const out = join(folder, 'millrace.ts');
  const options = { folder: service.endpoints, names: [], headerPrefix: 'SVC', out, isCheck: false };
  const silent = { write: () => true, isTTY: false };
  const terminal = createTerminal(silent, silent, {});
  await types({ ...options, engineSources: [], withEngine: undefined }, terminal);
  generated = (await import(out)) as Generated; // the module written above
  const counted = (...given: Parameters<typeof fetch>): Promise<Response> => {
    requests++;
    return fetch(...given);
  };
  client = generated.createClient({ baseUrl: service.service.address, key: KEY, fetch: counted });
});
afterAll(() => service.stop());

const ALL = Array.from({ length: 25 }, (_, id) => id);

test('pages and rows are all of them, in order', async () => {
  const sizes: [number, boolean][] = [];
  for await (const { rows, next } of client.pages('paged', {})) sizes.push([rows.length, next !== undefined]);
  expect(sizes).toEqual([
    [10, true],
    [10, true],
    [5, false],
  ]);
  const ids: number[] = [];
  for await (const { id } of client.rows('paged', { shown: 'yes' }, { pageSize: 4 })) ids.push(id);
  expect(ids).toEqual(ALL);
});

test('a consumer query', async () => {
  const ids: number[] = [];
  const query = { sql: 'SELECT id, at FROM t WHERE id >= 5' };
  for await (const { rows } of client.consumerPages('paged', query, {}, { pageSize: 7 }))
    ids.push(...rows.map(({ id }) => id));
  expect(ids).toEqual(ALL.slice(5));
});

test('leaving the loop sends no further request, and a cursor continues', async () => {
  const before = requests;
  let at: string | undefined;
  for await (const { next } of client.pages('paged', {})) {
    at = next;
    break;
  }
  for await (const row of client.rows('paged', {})) if (row.id === 3) break;
  expect(requests - before).toBe(2);
  const ids: number[] = [];
  for await (const { id } of client.rows('paged', {}, { cursor: at })) ids.push(id);
  expect(ids).toEqual(ALL.slice(10));
});

test('an abort ends the loop with its reason, between rows too', async () => {
  const controller = new AbortController();
  const before = requests;
  const seen: number[] = [];
  const loop = async (): Promise<void> => {
    for await (const { id } of client.rows('paged', {}, { signal: controller.signal })) {
      seen.push(id);
      if (id === 2) controller.abort(new Error('enough'));
    }
  };
  await expect(loop()).rejects.toThrow('enough');
  expect([seen, requests - before]).toEqual([[0, 1, 2], 1]);
});

test('a problem is thrown', async () => {
  const pages = client.pages('paged', {}, { cursor: 'x' });
  const problem = await pages.next().catch((error: unknown) => error);
  expect(problem).toBeInstanceOf(generated.MillraceError);
  expect(problem).toMatchObject({ status: 400, code: 'request.cursor_invalid' });
});

describe('the module', () => {
  test('says what its types do not', () => {
    const text = readFileSync(join(folder, 'millrace.ts'), 'utf8');
    expect(text).toContain(
      '/** The first time. A time, or one relative to the call: `now-7d`, `now/d`. Default: `now-50y/y`. */',
    );
    expect(text).toContain('/** Default: `no`. */\n      "shown"?: "yes" | "no" | null;');
    expect(text).toContain('@deprecated Deprecated since 2026-01-01. Use another one. */\n  "paged": {');
  });

  test('has pages for endpoints with pages only', () => {
    writeFileSync(
      join(folder, 'use.ts'),
      `import { createClient, type RowOf } from './millrace.ts';
const client = createClient({ baseUrl: 'http://localhost', key: 'k' });
for await (const { rows } of client.pages('paged', { from: 'now-7d' }, { pageSize: 10 })) {
  const typed: RowOf<'paged'>[] = rows;
  console.log(typed);
}
for await (const row of client.consumerPages('paged', { sql: 'SELECT 1' }, {})) console.log(row.next);
// @ts-expect-error -- it has no pages
client.pages('whole', {});
const { rows, stream } = await client.export('whole', {}, { format: 'csv', onProgress: ({ bytes }) => console.log(bytes) });
console.log(rows, await new Response(stream).text());
// @ts-expect-error -- not a format of its exports
void client.export('whole', {}, { format: 'parquet' });
// @ts-expect-error -- it has no exports
void client.export('paged', {}, { format: 'csv' });
`,
    );
    const flags = ['--strict', '--noEmit', '--target', 'es2022', '--module', 'nodenext', '--skipLibCheck'];
    flags.push('--allowImportingTsExtensions', '--exactOptionalPropertyTypes', '--types', '');
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    expect(() =>
      execFileSync(process.execPath, [compiler, ...flags, '--lib', 'es2022,dom', 'use.ts'], { cwd: folder }),
    ).not.toThrow();
  });
});
