// The length of the Markdown of `millrace diff`, for hundreds of endpoints, long queries and long reasons.
import { expect, test } from 'vitest';
import { renderMarkdown } from '../../../src/cli/commands/diff/markdown.ts';
import type { Report } from '../../../src/cli/commands/diff/report.ts';
import { CHANGES, type Change, type ChangeCode } from '../../../src/cli/compare/changes.ts';
import type { EndpointComparison } from '../../../src/cli/compare/compare.ts';

/** Characters that escaping makes longer. */
const LONG = '*_|`<@user> '.repeat(500);

const change = (endpoint: string, code: ChangeCode, allowed?: string): Change => ({
  endpoint,
  class: CHANGES[code].class,
  code,
  message: LONG,
  file: `endpoints/${endpoint}.yaml`,
  line: 1,
  allowed,
});

function reportOf(comparisons: readonly EndpointComparison[]): Report {
  return {
    base: 'main',
    head: 'the work tree',
    comparisons,
    impacts: undefined,
    notes: ['A note'],
    diffTexts: async (before, after) =>
      Array.from({ length: 300 }, (_, index) => `-${index} ${before}${after}`),
  };
}

const CODES = [
  'query.changed',
  'max_rows.raised',
  'endpoint.added',
  'column.removed',
  'redaction.removed',
] as const;

const comparisons = Array.from({ length: 500 }, (_, index): EndpointComparison => {
  const endpoint = `team.number-${index}`;
  const code = CODES[Math.floor(index / 100)] ?? 'query.changed';
  const query = index % 2 === 0 ? { before: LONG, after: LONG.repeat(2) } : undefined;
  return { endpoint, query, changes: [change(endpoint, code)] };
});

test('hundreds of endpoints: the worst first, the rest counted', async () => {
  const text = await renderMarkdown(reportOf(comparisons));
  expect(text.length).toBeLessThan(60_000);
  expect(text.length).toBeGreaterThan(30_000);
  const shown = [...text.matchAll(/^#### team\.number-(\d+)/gm)].map(([, number]) => Number(number));
  expect(shown.every((number) => number >= 400)).toBe(true);
  expect(text).toContain(`… and ${500 - shown.length} more changes of ${500 - shown.length} endpoints.`);
  expect(text).toContain(
    '**500 changes: 100 security, 100 breaking, 100 exposure, 100 cost, 100 behaviour.**',
  );
  expect(text.endsWith('_A note._')).toBe(true);
});

test('changes without a reason before those with one', async () => {
  const text = await renderMarkdown(
    reportOf([
      { endpoint: 'a', query: undefined, changes: [change('a', 'redaction.removed', 'agreed')] },
      { endpoint: 'b', query: undefined, changes: [change('b', 'endpoint.added')] },
      { endpoint: 'c', query: undefined, changes: [change('c', 'column.removed')] },
    ]),
  );
  expect([...text.matchAll(/^#### (\w)/gm)].map(([, name]) => name)).toEqual(['c', 'a', 'b']);
});

test('one endpoint with more changes and a longer query than fit', async () => {
  const changes = Array.from({ length: 3000 }, (_, index) => ({
    ...change('a', 'column.removed', LONG),
    line: index + 1,
  }));
  const text = await renderMarkdown(
    reportOf([{ endpoint: 'a', changes, query: { before: LONG, after: LONG } }]),
  );
  expect(text.length).toBeLessThan(60_000);
  const shown = text.match(/^\| security|^\| breaking/gm)?.length ?? 0;
  expect(shown).toBeGreaterThan(10);
  expect(text).toContain(`… and ${3000 - shown} more changes.`);
});
