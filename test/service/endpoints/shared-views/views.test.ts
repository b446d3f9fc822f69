// Files of shared views: what they declare, every finding at its place, and what stays in use after a mistake.
import { describe, expect, test } from 'vitest';
import { assembleCatalog } from '../../../../src/service/endpoints/catalog.ts';
import { createCompile } from '../../../../src/service/endpoints/compile.ts';
import type { LoadedFile } from '../../../../src/service/endpoints/load.ts';
import { collectViews } from '../../../../src/service/endpoints/shared-views/collect-views.ts';
import { readViewFile } from '../../../../src/service/endpoints/shared-views/read-view.ts';

const ENDPOINT = `id: 00000000-0000-4000-8000-000000000001
name: shop.orders
query: |
  WITH o AS (SELECT 1 AS n, @tenant AS t) SELECT n FROM o
parameters: { tenant: { type: String } }
sandbox: { enabled: true, languages: [lql] }
`;
const VIEW = `name: Failed requests
description: What failed
endpoint: shop.orders
parameters: { tenant: a }
logs: { table: o, filter: "m.status:(500|503)", range: now-6h..now, columns: [n], facets: [n] }
`;

const compile = createCompile({ piiHashKey: undefined });

function loaded(texts: Readonly<Record<string, string>>): Map<string, LoadedFile> {
  return new Map(
    Object.entries(texts).map(([file, text]) => {
      const { unread: _unread, ...compiled } = compile(file, text);
      return [file, { file, stamp: '', hash: '', ...compiled }];
    }),
  );
}

function collected(texts: Readonly<Record<string, string>>, before?: ReturnType<typeof collectViews>) {
  const files = loaded(texts);
  const { catalog } = assembleCatalog([...files.values()].flatMap(({ candidate }) => candidate ?? []));
  return collectViews({ files, catalog }, before?.byFile);
}

const places = (findings: readonly { code: string; line: number; column: number }[]): readonly string[] =>
  findings.map(({ code, line, column }) => `${code} ${line}:${column}`);

test('a file is a view of its endpoint, and no endpoint', () => {
  const [file] = loaded({ 'a.view.yaml': VIEW }).values();
  expect([file?.candidate, file?.diagnostics]).toEqual([undefined, []]);
  const { byEndpoint, findings } = collected({ 'shop.yaml': ENDPOINT, 'a.view.yaml': VIEW });
  expect(findings).toEqual([]);
  expect([...byEndpoint]).toEqual([
    [
      '00000000-0000-4000-8000-000000000001',
      [
        {
          name: 'Failed requests',
          description: 'What failed',
          endpoint: 'shop.orders',
          parameters: { tenant: 'a' },
          logs: {
            table: 'o',
            filter: 'm.status:(500|503)',
            range: 'now-6h..now',
            columns: ['n'],
            facets: ['n'],
          },
        },
      ],
    ],
  ]);
  expect(readViewFile('a.yaml', VIEW)).toBeUndefined();
});

describe('a mistake is a finding at its place', () => {
  test.each([
    { text: 'name: a\n', at: ['schema.missing_key 1:1'] },
    { text: VIEW.replace('logs:', 'log:'), at: ['schema.unknown_key 5:1'] },
    { text: VIEW.replace('now-6h..now', 'now-6h'), at: ['schema.string_invalid 5:56'] },
    { text: VIEW.replace('(500|503)', '()'), at: ['shared_view.lql 5:38'] },
    { text: `${VIEW}lql: a OR b\n`, at: ['shared_view.two_queries 6:6', 'shared_view.lql 6:8'] },
    { text: 'name: [\n', at: [expect.stringMatching(/^yaml\./)] },
  ])('$at', ({ text, at }) => {
    expect(places(readViewFile('a.view.yaml', text)?.diagnostics ?? [])).toEqual(at);
  });

  test.each([
    { text: VIEW.replace('shop.orders', 'shop.order'), at: ['shared_view.endpoint_unknown 3:11'] },
    { text: VIEW.replace('tenant: a', 'tennant: a'), at: ['shared_view.parameter_unknown 4:24'] },
    { text: VIEW.replace(/logs: .*/, 'sql: SELECT 1'), at: ['shared_view.query_disabled 5:6'] },
  ])('beside other files: $at', ({ text, at }) => {
    const { byEndpoint, findings } = collected({ 'shop.yaml': ENDPOINT, 'a.view.yaml': text });
    expect(places(findings)).toEqual(at);
    expect(byEndpoint.size).toBe(0);
  });

  test('of two views of one name, the first one is listed', () => {
    const { byEndpoint, findings } = collected({
      'shop.yaml': ENDPOINT,
      'a.view.yaml': VIEW,
      'b.view.yaml': VIEW,
    });
    expect(places(findings)).toEqual(['shared_view.duplicate_name 1:7']);
    expect([...byEndpoint.values()].flat()).toHaveLength(1);
  });
});

test('a file with errors keeps its last good version; one that is gone is gone', () => {
  const before = collected({ 'shop.yaml': ENDPOINT, 'a.view.yaml': VIEW });
  const broken = collected({ 'shop.yaml': ENDPOINT, 'a.view.yaml': 'name: a\n' }, before);
  expect(broken.byEndpoint).toEqual(before.byEndpoint);
  expect(collected({ 'shop.yaml': ENDPOINT }, broken).byEndpoint.size).toBe(0);
});

test.each(['view', 'rollup', 'shared'])('an endpoint in a file named .%s.yaml is one finding', (kind) => {
  const [file] = loaded({ [`a.${kind}.yaml`]: ENDPOINT }).values();
  expect(file?.candidate).toBeUndefined();
  expect(places(file?.diagnostics ?? [])).toEqual(['schema.wrong_kind 3:8']);
  expect(file?.diagnostics[0]?.message).toContain(`.${kind}.yaml declare`);
});
