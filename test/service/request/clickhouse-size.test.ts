// Hostile texts at the ClickHouse interface are rejected before anything reads them several times.
import { describe, expect, test } from 'vitest';
import type { Databases } from '../../../src/service/fronts/clickhouse/databases.ts';
import { readCommand } from '../../../src/service/fronts/clickhouse/commands.ts';
import { resolveNames } from '../../../src/service/fronts/clickhouse/names.ts';
import { readStatement } from '../../../src/service/fronts/clickhouse/statement.ts';
import { parseSentText } from '../../../src/sql/clickhouse/tree/parse.ts';

const system = { kind: 'virtual', name: 'system', tables: ['one'] } as const;
const databases: Databases = {
  endpoints: [],
  find: (name) => (name === 'system' ? system : undefined),
  isClosed: () => false,
};

describe('size of a statement', () => {
  test.each([
    ['open parentheses', `SELECT ${'('.repeat(200_000)}1`],
    ['nested parentheses', `SELECT ${'('.repeat(49)}1${')'.repeat(49)}`],
    ['a long path', `SELECT ${'a.'.repeat(100_000)}a`],
    ['many calls', `SELECT ${'version(),'.repeat(20_000)}1`],
    ['many parts of a name', `DESCRIBE TABLE ${'a.'.repeat(100_000)}a`],
  ])('%s', (_name, text) => {
    expect(() => readStatement(text)).toThrow(expect.objectContaining({ code: 'sandbox.too_large' }));
  });

  test('names of many parts and dots are none of a database', () => {
    const dots = `\`${'.'.repeat(200_000)}\``;
    expect(() => resolveNames(parseSentText(`SELECT * FROM ${dots}`), databases, undefined)).toThrow(
      expect.objectContaining({ code: 'clickhouse.database_missing' }),
    );
    expect(readCommand(`EXISTS TABLE ${dots}`, { databases, current: undefined })).toEqual({
      kind: 'exists',
      exists: false,
    });
  });
});
