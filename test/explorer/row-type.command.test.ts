// The row types of the explorer, of `millrace types` and of the OpenAPI document, for columns of many types.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Ajv from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rowType } from '../../explorer/src/code/row-type.ts';
import type { Endpoint } from '../../explorer/src/service/listing.ts';
import { run } from '../support/command.ts';
import { TYPE_ROWS } from '../support/clickhouse-types.ts';
import { startService, type TestService } from '../support/service.ts';

const ajv = addFormats.default(new Ajv.default({ strict: false }));
const columns = TYPE_ROWS.map((row, index) => ({ ...row, name: `c${index}` }));
const ENDPOINTS = [
  { name: 'types.number', int64: 'number' },
  { name: 'types.string', int64: 'string' },
] as const;

let service: TestService;
let endpoints: string;
let listed: readonly Endpoint[];
beforeAll(async () => {
  endpoints = mkdtempSync(join(tmpdir(), 'millrace-types-'));
  for (const [index, { name, int64 }] of ENDPOINTS.entries()) {
    const query = columns.map(({ value, name: alias }) => `    ${value} AS ${alias}`).join(',\n');
    writeFileSync(
      join(endpoints, `${name}.yaml`),
      `id: 00000000-0000-4000-8000-00000000000${index}\nname: ${name}\nint64: ${int64}\nquery: |\n  SELECT\n${query}\n`,
    );
  }
  service = await startService({ endpoints });
  const { result } = (await (await service.call('/api/endpoints')).json()) as { result: Endpoint[] }; // our own envelope
  listed = result;
});
afterAll(() => service.stop());

/** The members of a printed row type: `c0: boolean;`. */
function membersOf(text: string): readonly string[] {
  return [...text.matchAll(/^\s+"?(c\d+)"?: (.*);$/gm)].map(([, name, type]) => `${name}: ${type}`);
}

describe.each(ENDPOINTS)('$name', ({ name, int64 }) => {
  const expected = columns.map(
    ({ name: column, typescript, quoted = typescript }) =>
      `${column}: ${int64 === 'string' ? quoted : typescript}`,
  );

  test('the explorer and millrace types agree', async () => {
    const endpoint = listed.find((each) => each.name === name);
    expect(membersOf(rowType(endpoint?.columns ?? []))).toEqual(expected);
    const seeds = join(import.meta.dirname, '../../seeds');
    const { code, out } = await run(['types', name, '--endpoints', endpoints, '--schema', seeds]);
    expect(code).toBe(0);
    expect(membersOf(out)).toEqual(expected);
  });

  test('the rows validate against the OpenAPI document', async () => {
    const document = (await (await service.call('/openapi.json')).json()) as object;
    const text = JSON.stringify(document);
    const found = findRow(document);
    expect(text).toContain(name);
    expect(Object.keys(found.properties)).toEqual(columns.map((each) => each.name));
    const [row] = await service.rows(name);
    const validate = ajv.compile(found);
    validate(row);
    expect(validate.errors).toBeNull();
  });

  interface RowSchema {
    readonly properties: object;
  }

  /** The schema of this endpoint's rows: the object with its columns, under its path. */
  function findRow(document: object): RowSchema {
    const paths = Object.entries((document as { paths: Record<string, object> }).paths);
    const [, operations = {}] = paths.find(([path]) => path.endsWith(`/${name}`)) ?? [];
    let found: RowSchema | undefined;
    JSON.stringify(operations, (_key, value: unknown) => {
      const isRow = typeof value === 'object' && value !== null && 'properties' in value;
      const properties = isRow ? (value as RowSchema).properties : {};
      if ('c0' in properties) found ??= value as RowSchema;
      return value;
    });
    if (found === undefined) throw new Error('the document has no such row');
    return found;
  }
});
