// The page about the fault tests has each scenario, with the criterion that the code has.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SCENARIOS } from '../../tools/faults/scenarios.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/reference/faults.md'), 'utf8');

test('docs/reference/faults.md has the scenarios in their order, each with its criterion', () => {
  const [, table = ''] = PAGE.split('## Latest long run');
  const rows = [...table.matchAll(/^\| ([a-z-]+)(?:, \d+ minutes)? \| ([^|]+) \| [^|]+ \| passed \|$/gm)];
  expect(rows.map(([, name, pass]) => [name, pass])).toEqual(SCENARIOS.map(({ name, pass }) => [name, pass]));
});
