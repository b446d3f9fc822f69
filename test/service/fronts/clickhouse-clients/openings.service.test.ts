// What dashboards and BI tools send when they connect, list tables and run queries, as their sources have it
// (`openings/*.json`): each statement has the columns and rows that the tool needs, in the format it asks for.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ANALYST, startClickHouseWorld, type ClickHouseWorld } from './world.ts';
import { someOfEach } from '../../../support/runs.ts';

type Fields = Readonly<Record<string, string | null>>;

interface Expected {
  /** The format that the response names, where it is not the one asked for. */
  readonly format?: string;
  readonly columns?: readonly string[];
  readonly types?: readonly string[];
  /** All rows. */
  readonly rows?: readonly unknown[][];
  readonly includes?: readonly unknown[][];
  readonly excludes?: readonly unknown[][];
  readonly count?: number;
  readonly atLeast?: number;
  /** The first fields of all rows. */
  readonly firsts?: readonly string[];
  /** Parts of the body as it is. */
  readonly contains?: readonly string[];
  /** The body as it is, in hexadecimal. */
  readonly bytes?: string;
}

interface Opening {
  readonly tool: string;
  readonly version: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly url: Fields;
  readonly requests: readonly {
    readonly why: string;
    readonly body: string;
    readonly url?: Fields;
    readonly headers?: Readonly<Record<string, string>>;
    readonly expects: Expected;
  }[];
}

const FOLDER = join(import.meta.dirname, 'openings');
const OPENINGS = readdirSync(FOLDER).map(
  (name) => JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as Opening, // our own files
);

let world: ClickHouseWorld;
beforeAll(async () => {
  world = await startClickHouseWorld();
});
afterAll(() => world.stop());

/** Fields without those that are null. */
function present(fields: Fields): Record<string, string> {
  const kept = Object.entries(fields).flatMap(([name, value]) =>
    value === null ? [] : [[name, value.replace('{key}', ANALYST)]],
  );
  return Object.fromEntries(kept) as Record<string, string>;
}

async function send(
  body: string,
  fields: Record<string, string>,
  headers: Record<string, string>,
): Promise<Response> {
  const auth: Record<string, string> =
    'password' in fields ? {} : { Authorization: `Basic ${btoa(`default:${ANALYST}`)}` };
  return fetch(`${world.url}/?${new URLSearchParams(fields).toString()}`, {
    method: 'POST',
    headers: { ...headers, ...auth },
    body,
  });
}

const OF_THE_ENCODING: ReadonlySet<string> = new Set(['compress', 'client_protocol_version']);

/** The rows of the same statement in a format that tests can read. */
async function rowsOf(body: string, fields: Record<string, string>, headers: Record<string, string>) {
  const others = Object.entries(fields).filter(([name]) => !OF_THE_ENCODING.has(name));
  const plain = Object.entries(headers).filter(
    ([name]) => !/^(?:accept-encoding|x-clickhouse-format)$/i.test(name),
  );
  const response = await send(
    body.replace(/\s+FORMAT \w+$/, ''),
    { ...Object.fromEntries(others), default_format: 'JSONCompact' },
    Object.fromEntries(plain),
  );
  const text = await response.text();
  expect([response.status, text]).toEqual([200, text]);
  if (text === '') return { names: [], types: [], rows: [] };
  const { meta, data } = JSON.parse(text) as { meta: { name: string; type: string }[]; data: unknown[][] }; // JSONCompact
  return { names: meta.map(({ name }) => name), types: meta.map(({ type }) => type), rows: data };
}

function formatOf(body: string, fields: Record<string, string>, headers: Record<string, string>): string {
  const named = /\sFORMAT (\w+)$/.exec(body)?.[1];
  const header = Object.entries(headers).find(([name]) => /^x-clickhouse-format$/i.test(name))?.[1];
  return named ?? fields['default_format'] ?? header ?? 'TabSeparated';
}

/** Numbers are compared as text: formats differ in which they quote. */
const cells = (rows: readonly (readonly unknown[])[]): unknown[][] =>
  rows.map((row) => row.map((cell) => (typeof cell === 'number' ? `${cell}` : cell)));

describe.each(OPENINGS)('$tool', ({ requests, url, headers }) => {
  test.each(someOfEach(requests, () => '', { each: 2 }))(
    '$why',
    async ({ body, url: more, headers: moreHeaders, expects }) => {
      const fields = present({ ...url, ...more });
      const allHeaders = { ...headers, ...moreHeaders };
      const response = await send(body, fields, allHeaders);
      const bytes = Buffer.from(await response.arrayBuffer());
      expect([response.status, bytes.toString('latin1')]).toEqual([200, expect.any(String)]);
      expect(response.headers.get('X-ClickHouse-Exception-Code')).toBeNull();
      if (expects.count !== 0 || bytes.length > 0) {
        expect(response.headers.get('X-ClickHouse-Format')).toBe(
          expects.format ?? formatOf(body, fields, allHeaders),
        );
      }
      if (expects.bytes !== undefined) expect(bytes.toString('hex')).toBe(expects.bytes);
      const { names, types, rows } = await rowsOf(body, fields, allHeaders);
      const found = cells(rows);
      const text = `${bytes.toString()}${JSON.stringify(found)}`;
      for (const part of expects.contains ?? []) expect(text).toContain(part);
      if (expects.columns !== undefined) expect(names).toEqual(expects.columns);
      if (expects.types !== undefined) expect(types).toEqual(expects.types);
      if (expects.rows !== undefined) expect(found).toEqual(cells(expects.rows));
      for (const row of cells(expects.includes ?? [])) expect(found).toContainEqual(row);
      for (const row of cells(expects.excludes ?? [])) expect(found).not.toContainEqual(row);
      if (expects.firsts !== undefined) expect(found.map(([first]) => first)).toEqual(expects.firsts);
      if (expects.count !== undefined) expect(found).toHaveLength(expects.count);
      if (expects.atLeast !== undefined) expect(found.length).toBeGreaterThanOrEqual(expects.atLeast);
      expect(JSON.stringify(found)).not.toContain('CANARY');
      expect(bytes.includes('CANARY')).toBe(false);
    },
  );
});
