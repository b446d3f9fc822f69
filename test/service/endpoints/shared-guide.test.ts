// The files of docs/author/shared-parts.md compile, and are what the guide says of them.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createInspect } from '../../../src/service/endpoints/compile.ts';
import { sourcesIn } from '../../../src/service/endpoints/include/sources.ts';

const guide = readFileSync(new URL('../../../docs/author/shared-parts.md', import.meta.url), 'utf8');
const files = [...guide.matchAll(/^```yaml\n# endpoints\/(\S+)\n([^]*?)^```/gm)].map(
  ([, path = '', text = '']) => ({
    path,
    text,
  }),
);
const inspect = createInspect({ piiHashKey: undefined });
const read = (path: string) => {
  const text = files.find((file) => file.path === path)?.text ?? '';
  return inspect(path, text, sourcesIn(files));
};

test.each(files.map(({ path }) => path))('%s has no findings', (path) => {
  const { inspected, diagnostics } = read(path);
  expect(diagnostics).toEqual([]);
  expect(inspected === undefined).toBe(path.includes('.shared.'));
});

test.each([
  { path: 'revenue.by-day.yaml', parameters: ['shop', 'since'], tables: ['all_orders', 'paid_orders'] },
  { path: 'refunds.main.yaml', parameters: ['above'], tables: ['refunds'] },
  {
    path: 'revenue.best-day.yaml',
    parameters: ['shop', 'since'],
    tables: ['all_orders', 'paid_orders', 'days'],
  },
  { path: 'shop.explore.yaml', parameters: ['shop', 'since'], tables: ['all_orders', 'refunds'] },
])('$path', ({ path, parameters, tables }) => {
  const endpoint = read(path).inspected?.candidate.endpoint;
  expect(Object.keys(endpoint?.parameters ?? {})).toEqual(parameters);
  expect(endpoint?.outline.elements.map(({ name }) => name)).toEqual(tables);
});
