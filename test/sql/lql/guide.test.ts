// The queries in the LQL guide: recommended ones are accepted, those it advises against are rejected.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Table } from '../../../src/sql/lql/resolve.ts';
import { findingsOf } from './corpus.ts';

const pageOf = (name: string): string =>
  readFileSync(join(import.meta.dirname, `../../../docs/consumer-queries/${name}.md`), 'utf8');
const [RECOMMENDED = '', REJECTED = ''] = pageOf('lql').split(/^## When a query is rejected$/m);
const DIFFERENCES = pageOf('lql-and-logflare');

/** Four columns, as all tables of logs.all have. */
const COLUMNS = [
  { name: 'timestamp', type: "DateTime64(6, 'UTC')" },
  { name: 'id', type: 'String' },
  { name: 'event_message', type: 'String' },
  { name: 'metadata', type: 'JSON' },
];
const TABLES: readonly Table[] = [
  'edge_logs',
  'auth_logs',
  'database_logs',
  'realtime_logs',
  'storage_logs',
].map((name) => ({ name, columns: COLUMNS }));

/** In a table, a vertical bar has a backslash before it. */
const codes = (text: string) =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code.replaceAll(String.raw`\|`, '|'));
const cells = (text: string, column: number) =>
  [...text.matchAll(/^\| (`.*) \|$/gm)].map(([, row = '']) => row.split(' | ')[column] ?? '');

const examples = [...RECOMMENDED.matchAll(/^`([^`]+)`$/gm)].map(([, code = '']) => code);
const cheats = cells(RECOMMENDED, 0).flatMap(codes);

describe('recommended', () => {
  test.each([...examples, ...cheats])('%s', (lql) => {
    expect(findingsOf(lql, TABLES)).toEqual([]);
  });

  test('the guide shows every form', () => {
    expect(examples.length).toBeGreaterThanOrEqual(11);
    expect(cheats.length).toBeGreaterThanOrEqual(45);
  });
});

describe('rejected', () => {
  test.each(cells(REJECTED, 0).flatMap(codes))('%s', (lql) => {
    expect(findingsOf(lql, TABLES)).not.toEqual([]);
  });

  test.each(cells(REJECTED, 1).flatMap(codes))('the suggested replacement %s', (lql) => {
    expect(findingsOf(lql, TABLES)).toEqual([]);
  });
});

describe('differences from Logflare', () => {
  const rows = [...DIFFERENCES.matchAll(/^\| (`.*) \|$/gm)].map(([, row = '']) => row.split(' | '));

  test('are many', () => {
    expect(rows.length).toBeGreaterThanOrEqual(30);
  });

  test.each(rows.flatMap(([written = '', , here = '']) => codes(written).map((lql) => [lql, here])))(
    '%s is %s',
    (lql, here) => {
      expect(findingsOf(lql, TABLES).length > 0).toBe(here.startsWith('rejected'));
    },
  );
});
