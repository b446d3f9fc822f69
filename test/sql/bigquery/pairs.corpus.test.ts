// BigQuery queries and their expected rows, end to end on the real engine.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { some } from '../../support/runs.ts';
import { openLab, type Lab } from './lab.ts';

interface Pair {
  readonly text: string;
  readonly rows: readonly unknown[];
}

// The file is a list of such pairs.
const PAIRS = parse(readFileSync(new URL('pairs.yaml', import.meta.url), 'utf8')) as readonly Pair[];

let lab: Lab;
beforeAll(async () => {
  lab = await openLab();
});
afterAll(() => lab.close());

test('there are enough', () => {
  expect(PAIRS.length).toBeGreaterThanOrEqual(120);
  expect(new Set(PAIRS.map(({ text }) => text)).size).toBe(PAIRS.length);
});

/** Every second pair, all of them with `npm run test:all`. */
test.each(some(PAIRS, 2))('$text', async ({ text, rows }) => {
  expect(await lab.rows(text)).toEqual(rows);
});
