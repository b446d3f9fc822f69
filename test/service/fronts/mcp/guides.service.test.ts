// The guides for agents: every example runs on the shipped endpoints, and what they advise against is rejected with a hint.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LQL_GUIDE } from '../../../../src/service/fronts/texts/lql-guide.ts';
import { SQL_GUIDE } from '../../../../src/service/fronts/texts/sql-guide.ts';
import { openQueryWorld, type QueryWorld } from './query-world.ts';

const ROOT = join(import.meta.dirname, '../../../..');
let world: QueryWorld;

beforeAll(async () => {
  const folder = join(ROOT, 'endpoints');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.yaml'));
  const files = await Promise.all(
    names.map(async (name) => [name.slice(0, -5), await readFile(join(folder, name), 'utf8')] as const),
  );
  const tables = await readFile(join(ROOT, 'seeds/01_tables.sql'), 'utf8');
  world = await openQueryWorld(Object.fromEntries(files), [tables]);
});
afterAll(() => world.close());

const linesOf = (guide: string, language: string): readonly string[] =>
  [...guide.matchAll(new RegExp(`\`\`\`${language}\\n([^\`]+)\`\`\``, 'g'))].flatMap(([, block = '']) =>
    block.trim().split('\n'),
  );
const codes = (text: string): readonly string[] =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);

/** The table of the guides under the names of the shipped endpoints; attributes are a map, metadata is a document. */
function inShipped(query: string): { readonly endpoint: string; readonly query: string } {
  if (query.includes('attributes'))
    return { endpoint: 'logs.all.otel', query: query.replaceAll('attributes', 'log_attributes') };
  return { endpoint: 'logs.all', query: query.replaceAll(/(FROM |f:)logs\b/g, '$1edge_logs') };
}

const use = (tool: 'query' | 'explain', example: string, args: Readonly<Record<string, string>>) => {
  const { endpoint, query } = inShipped(example);
  const parameters = { project: 'abcdefghijklmnopqrst' };
  const language = 'lql' in args ? { lql: query } : { ...args, sql: query };
  return world.use('all', tool, { endpoint, parameters, ...language });
};

describe('SQL', () => {
  const examples = linesOf(SQL_GUIDE, 'sql');
  const bigquery = linesOf(SQL_GUIDE, 'bigquery');

  test('has examples', () => {
    expect(examples.length).toBeGreaterThanOrEqual(14);
    expect(bigquery.length).toBeGreaterThanOrEqual(4);
  });
  test.each(examples)('%s', async (sql) => {
    expect(await use('query', sql, { dialect: 'clickhouse' })).toMatch(/^\d+ rows?\./);
  });
  test.each(bigquery)('BigQuery: %s', async (sql) => {
    expect(await use('query', sql, { dialect: 'bigquery' })).toMatch(/^\d+ rows?\./);
  });

  const rows = [...SQL_GUIDE.matchAll(/^\| (`.*?) \| (.*) \|$/gm)].map(([, bad = '', good = '']) => ({
    bad,
    good,
  }));
  const expressions = {
    x: 'metadata.response.origin_time',
    a: 'toUInt64(1)',
    b: 'toUInt64(2)',
    c: 'metadata.response.status_code >= 500',
  };
  /** The expression in a query; single letters are expressions of the table. */
  const inQuery = (code: string): string => {
    const isText = /match\(|~|REGEXP/.test(code);
    const filled = code.replaceAll(/(?<![\w.'%-])([abcx])(?![\w.'])/g, (_, name: 'a' | 'b' | 'c' | 'x') =>
      isText ? 'event_message' : expressions[name],
    );
    if (code.startsWith('INTERVAL')) return `SELECT now() - ${code} AS value FROM logs`;
    return /^(?:SHOW|DESCRIBE)/.test(code) ? code : `SELECT ${filled} AS value FROM logs`;
  };

  test('has replacements', () => {
    expect(rows.length).toBeGreaterThanOrEqual(9);
  });
  test.each(rows.flatMap(({ good }) => codes(good)))('the replacement %s', async (code) => {
    expect(await use('explain', inQuery(code), { dialect: 'clickhouse' })).toContain('The query is valid.');
  });
  test.each(
    rows.flatMap(({ bad }) => codes(bad)).filter((code) => !/^\w+_\w+$|^strftime$|^[A-Z_]+$/.test(code)),
  )('rejected: %s', async (code) => {
    expect(await use('explain', inQuery(code), { dialect: 'clickhouse' })).toMatch(/^Error /);
  });
  test.each([...SQL_GUIDE.matchAll(/Paths without a declared type.*/g)].flatMap(([line]) => codes(line)))(
    'a path without a declared type: %s',
    async (code) => {
      expect(await use('explain', inQuery(code), { dialect: 'clickhouse' })).toContain('The query is valid.');
    },
  );
});

describe('LQL', () => {
  const cells = [...LQL_GUIDE.matchAll(/^\| (`.*) \| [^|]*\|$/gm)].flatMap(([, cell = '']) => codes(cell));
  const examples = linesOf(LQL_GUIDE, 'lql');

  test('has examples', () => {
    expect(examples.length).toBeGreaterThanOrEqual(4);
    expect(cells.length).toBeGreaterThanOrEqual(25);
  });
  test.each(examples)('%s', async (lql) => {
    expect(await use('query', lql, { lql: '' })).toMatch(/^\d+ rows?\./);
  });
  test.each(cells)('clause %s', async (lql) => {
    expect(await use('explain', lql, { lql: '' })).toContain('The query is valid.');
  });
});
