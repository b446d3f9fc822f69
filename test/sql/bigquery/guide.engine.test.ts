// The guide's queries run as written, and its list of functions matches the code.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { KNOWN_FUNCTIONS } from '../../../src/sql/dialects/bigquery/dialect.ts';
import { openLab, type Lab } from './lab.ts';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');
const GUIDE = read('../../../docs/consumer-queries/bigquery.md');
const FUNCTIONS = read('../../../docs/consumer-queries/bigquery-functions.md');
const QUERIES = [...`${GUIDE}${FUNCTIONS}`.matchAll(/```sql\n(.*?)```/gs)].map(([, text = '']) => text);

const TRANSLATED_FUNCTIONS = [...KNOWN_FUNCTIONS.names];

let lab: Lab;
beforeAll(async () => {
  lab = await openLab();
});
afterAll(() => lab.close());

test.each(QUERIES)('%s', async (text) => {
  // Rows of the last day are none of the sample's.
  const rows = lab.rows(text.replace('current_timestamp()', "timestamp '2024-05-02 01:00:00'"));
  expect(await rows).not.toHaveLength(0);
});

test('the table of functions lists each once', () => {
  const table = FUNCTIONS.split('| family | functions |')[1]?.split('| forms |')[0] ?? '';
  const named = [...table.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  expect(new Set(named)).toEqual(new Set(TRANSLATED_FUNCTIONS));
  expect(named.length).toBe(TRANSLATED_FUNCTIONS.length);
  expect(QUERIES.length).toBeGreaterThan(4);
});

test('every function occurs in the pairs', () => {
  const pairs = read('pairs.yaml').toLowerCase();
  expect(TRANSLATED_FUNCTIONS.filter((name) => !new RegExp(`\\b${name}\\b`).test(pairs))).toEqual([]);
});
