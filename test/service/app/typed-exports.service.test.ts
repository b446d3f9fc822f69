// Exports of the client that `millrace types` writes, against a running service.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { types } from '../../../src/cli/commands/types/types.ts';
import { createTerminal } from '../../../src/cli/kit/terminal.ts';
import { eventually } from '../../support/eventually.ts';
import { startGate, type Gate } from '../../support/gate.ts';
import { KEY, startService, writeEndpoint, type TestService } from '../../support/service.ts';

interface Options {
  readonly format: string;
  readonly to?: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: { readonly state: string; readonly rows: number }) => void;
}

interface ExportedFile {
  readonly rows: number;
  readonly bytes: number;
  readonly stream: ReadableStream<Uint8Array>;
}

/** The generated module, without the types of its endpoints. */
interface Generated {
  createClient(options: object): {
    export(name: string, parameters: object, options: Options): Promise<ExportedFile>;
    consumerExport(name: string, query: object, parameters: object, options: Options): Promise<ExportedFile>;
  };
  MillraceError: new () => Error;
}

let service: TestService;
let gate: Gate;
let client: ReturnType<Generated['createClient']>;
let generated: Generated;
beforeAll(async () => {
  gate = await startGate();
  service = await startService({
    sql: [
      'CREATE DATABASE app',
      'CREATE TABLE app.t (id UInt32) ENGINE = MergeTree ORDER BY id',
      'INSERT INTO app.t SELECT number FROM numbers(200000)',
    ],
  });
  const files = {
    many: `query: WITH t AS (SELECT id FROM app.t WHERE id < @below) SELECT id FROM t ORDER BY id
parameters: { below: { type: UInt32, default: 1000000 } }
sandbox: { enabled: true, dialects: [clickhouse] }
export: { max_rows: 200000, formats: [csv, ndjson] }`,
    few: 'query: SELECT id FROM app.t\nexport: { max_rows: 10 }',
    gated: `query: SELECT passed AS n FROM ${gate.table}\nexport: { max_rows: 10, formats: [csv] }`,
  };
  for (const [index, [name, lines]] of Object.entries(files).entries()) {
    const head = `id: 00000000-0000-4000-8000-00000000000${index + 1}\nname: ${name}\n`;
    await writeEndpoint(service, name, `${head}${lines}\n`);
  }
  await service.service.reload();
  const out = join(mkdtempSync(join(tmpdir(), 'millrace-')), 'millrace.ts');
  const options = { folder: service.endpoints, names: [], headerPrefix: 'SVC', out, isCheck: false };
  const silent = { write: () => true, isTTY: false };
  const sources = { engineSources: ['url' as const], withEngine: undefined };
  await types({ ...options, ...sources }, createTerminal(silent, silent, {}));
  generated = (await import(out)) as Generated; // the module written above
  client = generated.createClient({ baseUrl: service.service.address, key: KEY });
});
afterAll(async () => {
  await service.stop();
  await gate.close();
});

const textOf = (stream: ReadableStream<Uint8Array>): Promise<string> => new Response(stream).text();

/** The exports that the service has. */
async function left(name: string): Promise<readonly unknown[]> {
  const response = await service.call(`/api/endpoints/query/${name}/exports`);
  return ((await response.json()) as { readonly result: readonly unknown[] }).result;
}

test('the file has all rows, and its export is removed once it has been read', async () => {
  const seen: { readonly state: string; readonly rows: number }[] = [];
  const file = await client.export('many', {}, { format: 'csv', onProgress: (each) => seen.push(each) });
  expect([file.rows, seen.at(-1)]).toMatchObject([200_000, { state: 'finished', rows: 200_000 }]);
  expect(await left('many')).toHaveLength(1);
  const text = await textOf(file.stream);
  expect([text.length, text.split('\r\n').length]).toEqual([file.bytes, 200_002]);
  expect(await left('many')).toEqual([]);
  const query = { sql: 'SELECT sum(id) AS s FROM t' };
  const own = await client.consumerExport('many', query, { below: 4 }, { format: 'ndjson' });
  expect(await textOf(own.stream)).toBe('{"s":6}\n');
});

test('a file of which no more is read', async () => {
  const unread = await client.export('many', {}, { format: 'csv' });
  const reader = unread.stream.getReader();
  expect((await reader.read()).value?.length).toBeGreaterThan(0);
  await reader.cancel();
  expect(await left('many')).toEqual([]);
  const control = new AbortController();
  const aborted = await client.export('many', {}, { format: 'csv', signal: control.signal });
  control.abort(new Error('enough'));
  await expect(textOf(aborted.stream)).rejects.toThrow('enough');
  expect(await left('many')).toEqual([]);
});

test('an abort cancels an export that is being made or asked for', async () => {
  const before = gate.arrived();
  const control = new AbortController();
  const making = client.export('gated', {}, { format: 'csv', signal: control.signal });
  await gate.reached(before + 1);
  control.abort(new Error('enough'));
  await expect(making).rejects.toThrow('enough');
  expect(await left('gated')).toEqual([expect.objectContaining({ state: 'canceled' })]);
  const signal = AbortSignal.abort(new Error('never'));
  await expect(client.export('many', {}, { format: 'csv', signal })).rejects.toThrow('never');
  const soon = new AbortController();
  const asking = client.export('gated', {}, { format: 'csv', signal: soon.signal });
  soon.abort(new Error('at once'));
  await expect(asking).rejects.toThrow('at once');
  await eventually(async () =>
    expect(await left('gated')).toMatchObject([{ state: 'canceled' }, { state: 'canceled' }]),
  );
});

test('problems are thrown, of the request and of the export', async () => {
  const problemOf = async (name: string, format: string): Promise<unknown> => {
    const problem = await client.export(name, {}, { format }).catch((error: unknown) => error);
    expect(problem).toBeInstanceOf(generated.MillraceError);
    return problem;
  };
  expect(await problemOf('many', 'parquet')).toMatchObject({ status: 406, code: 'format.not_acceptable' });
  expect(await problemOf('few', 'csv')).toMatchObject({ status: 422, code: 'export.too_many_rows' });
  expect(await left('few')).toEqual([]);
});
