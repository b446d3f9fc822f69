// The files of docs/author/versions.md: two versions of one endpoint without findings, and the fields that the page shows.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { assembleCatalog } from '../../../src/service/endpoints/catalog.ts';
import { createCompile } from '../../../src/service/endpoints/compile.ts';
import { versionFindings } from '../../../src/service/endpoints/versions.ts';

test('the files are versions of one endpoint', async () => {
  const page = await readFile(join(import.meta.dirname, '../../../docs/author/versions.md'), 'utf8');
  const compile = createCompile({ piiHashKey: undefined });
  const files = [...page.matchAll(/^```yaml\n# (\S+)\n(id: [^]*?)^```$/gm)];
  const candidates = files.map(([, path = '', text = '']) => {
    const { candidate, diagnostics } = compile(path, text);
    expect(diagnostics).toEqual([]);
    if (candidate === undefined) throw new Error(path);
    return candidate;
  });
  const { catalog, diagnostics } = assembleCatalog(candidates);
  expect([diagnostics, versionFindings(catalog, candidates)]).toEqual([[], []]);
  expect(catalog.versions('orders').map(({ version }) => version)).toEqual([2, 1]);
  const { deprecated } = catalog.find('orders') ?? {};
  expect(page).toContain(`Deprecation: @${(deprecated?.since ?? 0) / 1000}\n`);
  expect(page).toContain(`Sunset: ${new Date(deprecated?.sunset ?? 0).toUTCString()}\n`);
  expect(page).toContain(`</api/endpoints/query/${deprecated?.successor}>; rel="successor-version"`);
});
