// Versions in the catalog: which is the default, which files conflict, and what stays in service when files change one by one.
import { expect, test } from 'vitest';
import { assembleCatalog, type Candidate } from '../../../src/service/endpoints/catalog.ts';
import { createCompile } from '../../../src/service/endpoints/compile.ts';
import { chooseVersions, type InService } from '../../../src/service/endpoints/last-good.ts';
import type { LoadedFiles } from '../../../src/service/endpoints/load.ts';
import { addressOf, successorOf, versionFindings } from '../../../src/service/endpoints/versions.ts';

const compile = createCompile({ piiHashKey: undefined });

/** A file `a: version 1, default`: its letter is its id, and its text the keys after the name `report`. */
function candidateOf(file: string, name = 'report'): Candidate {
  const [letter = '', keys = ''] = file.split(/: (.*)/);
  const id = `00000000-0000-4000-8000-0000000000${letter.charCodeAt(0).toString(16)}`;
  const lines = keys.split('; ').filter((line) => line !== '');
  const text = [`id: ${id}`, `name: ${name}`, 'query: SELECT 1 AS a', ...lines].join('\n');
  const { candidate, diagnostics } = compile(`${letter}.yaml`, text);
  if (candidate === undefined) throw new Error(JSON.stringify(diagnostics));
  return candidate;
}

const V = (number: number, more = ''): string => `version: ${number}${more === '' ? '' : `; ${more}`}`;
const DEFAULT = 'default: true';

test.each<[files: readonly string[], served: string, all: readonly number[]]>([
  [[`a: ${V(1)}`], 'a', [1]],
  [[`a: ${V(1)}`, `b: ${V(2)}`, `c: ${V(10)}`], 'c', [10, 2, 1]],
  [[`a: ${V(10)}`, `b: ${V(9)}`], 'a', [10, 9]],
  [[`a: ${V(1, DEFAULT)}`, `b: ${V(2)}`], 'a', [2, 1]],
])('%j: %s is the default', (files, served, all) => {
  const { catalog, diagnostics } = assembleCatalog(files.map((file) => candidateOf(file)));
  expect(diagnostics).toEqual([]);
  expect(catalog.endpoints.map(({ file }) => file)).toEqual([`${served}.yaml`]);
  expect(catalog.versions('report').map(({ version }) => version)).toEqual(all);
  expect(catalog.all).toEqual(catalog.versions('report'));
  for (const version of all) expect(catalog.find(`report@${version}`)?.version).toBe(version);
  for (const unknown of ['report@3', 'report@01', 'report@', 'Report@1', '@1'])
    expect(catalog.find(unknown)).toBeUndefined();
  expect(catalog.all.map((each) => addressOf(catalog, each)).filter((name) => !name.includes('@'))).toEqual([
    'report',
  ]);
});

test.each<[files: readonly string[], codes: readonly string[]]>([
  [['a: ', 'b: '], ['b.yaml endpoint.duplicate_name']],
  [['a: ', `b: ${V(2)}`], ['b.yaml version.missing']],
  [[`a: ${V(2)}`, 'b: '], ['b.yaml version.missing']],
  [[`a: ${V(2)}`, `b: ${V(2)}`], ['b.yaml version.duplicate']],
  [[`a: ${V(1, DEFAULT)}`, `b: ${V(2, DEFAULT)}`], ['b.yaml version.two_defaults']],
  [[`a: ${V(1)}`, `a: ${V(2)}`], ['a.yaml endpoint.duplicate_id']],
])('%j conflict', (files, codes) => {
  const { catalog, diagnostics } = assembleCatalog(files.map((file) => candidateOf(file)));
  expect(diagnostics.map(({ file, code }) => `${file} ${code}`)).toEqual(codes);
  expect(catalog.all).toHaveLength(1);
});

test.each<[files: readonly string[], codes: readonly string[]]>([
  [[`a: ${V(1, 'deprecated: { since: 2024-01-01, successor: 2 }')}`, `b: ${V(2)}`], []],
  [
    [`a: ${V(1, 'deprecated: { since: 2024-01-01, successor: 3 }')}`, `b: ${V(2)}`],
    ['a.yaml:5 deprecated.successor_unknown'],
  ],
  [['a: deprecated: { since: 2024-01-01, successor: report }'], ['a.yaml:4 deprecated.successor_unknown']],
  [[`a: ${V(1, 'rollout: { shadow: 1% }')}`, `b: ${V(2)}`], ['a.yaml:5 rollout.without_previous']],
  [
    [`a: ${V(1, 'limits: { rate: 5/s }')}`, `b: ${V(2, 'limits: { rate: 6/s }')}`],
    ['a.yaml:5 version.rate_ignored'],
  ],
  [[`a: ${V(1, 'limits: { rate: 5/s }')}`, `b: ${V(2, 'limits: { rate: 5/s }')}`], []],
])('%j: warnings', (files, codes) => {
  const candidates = files.map((file) => candidateOf(file));
  const findings = versionFindings(assembleCatalog(candidates).catalog, candidates);
  expect(findings.map(({ file, line, code }) => `${file}:${line} ${code}`)).toEqual(codes);
  expect(findings.every(({ severity }) => severity === 'warning')).toBe(true);
});

test.each<[files: readonly string[], hint: string]>([
  [
    [`a: ${V(1, 'deprecated: { since: 2024-01-01, successor: 4 }')}`, `b: ${V(2)}`, `c: ${V(3)}`],
    'Did you mean 3?',
  ],
  [
    [`a: ${V(1, 'deprecated: { since: 2024-01-01, successor: 4 }')}`],
    'Write the number of another version, or the name of another endpoint',
  ],
])('%j: the successor that may have been meant', (files, hint) => {
  const candidates = files.map((file) => candidateOf(file));
  const findings = versionFindings(assembleCatalog(candidates).catalog, candidates);
  expect(findings.map((each) => each.hint)).toEqual([hint]);
});

test('the successor of a deprecated version is the default version, unless the file names another', () => {
  const old = candidateOf(`a: ${V(1, 'deprecated: { since: 2024-01-01 }')}`);
  const newest = candidateOf(`b: ${V(2, 'deprecated: { since: 2024-01-01 }')}`);
  const named = candidateOf(
    `c: ${V(3, 'default: false; deprecated: { since: 2024-01-01, successor: other }')}`,
  );
  const { catalog } = assembleCatalog([old, newest]);
  expect([old, newest].map(({ endpoint }) => successorOf(catalog, endpoint))).toEqual(['report', undefined]);
  expect(successorOf(assembleCatalog([named]).catalog, named.endpoint)).toBe('other');
});

/** Loads files one state after the other; the findings and the files in service of the last. */
function after(
  states: readonly (readonly string[])[],
): readonly [served: readonly string[], codes: readonly string[]] {
  let inService: InService = new Map();
  let known = new Map<string, Candidate>();
  let result: readonly [readonly string[], readonly string[]] = [[], []];
  for (const state of states) {
    const before = known;
    known = new Map(state.map((file) => [file, before.get(file) ?? candidateOf(file)]));
    const files: LoadedFiles = new Map(
      [...known.values()].map((candidate) => {
        const { file } = candidate.endpoint;
        return [file, { file, stamp: '', hash: '', candidate, diagnostics: [], dependencies: [] }];
      }),
    );
    const choice = chooseVersions(files, inService);
    inService = choice.inService;
    result = [
      choice.catalog.all.map(
        (each) =>
          `${each.file} ${each.version ?? '-'}${choice.catalog.find('report') === each ? ' default' : ''}`,
      ),
      choice.doubles.map(({ file, code }) => `${file} ${code}`),
    ];
  }
  return result;
}

test.each<
  [why: string, states: readonly (readonly string[])[], served: readonly string[], codes: readonly string[]]
>([
  [
    'a version beside a file without one is held back',
    [['a: '], ['a: ', `b: ${V(2)}`]],
    ['a.yaml - default'],
    ['b.yaml version.missing'],
  ],
  [
    'until the first file has a version',
    [['a: '], ['a: ', `b: ${V(2)}`], [`a: ${V(1)}`, `b: ${V(2)}`]],
    ['b.yaml 2 default', 'a.yaml 1'],
    [],
  ],
  [
    'a second default, in the file that was served first, does not remove the first one',
    [
      [`a: ${V(1)}`, `b: ${V(2, DEFAULT)}`],
      [`a: ${V(1, DEFAULT)}`, `b: ${V(2, DEFAULT)}`],
    ],
    ['b.yaml 2 default', 'a.yaml 1'],
    ['a.yaml version.two_defaults'],
  ],
  [
    'and becomes the default when the other gives it up',
    [
      [`a: ${V(1)}`, `b: ${V(2, DEFAULT)}`],
      [`a: ${V(1, DEFAULT)}`, `b: ${V(2, DEFAULT)}`],
      [`a: ${V(1, DEFAULT)}`, `b: ${V(2)}`],
    ],
    ['b.yaml 2', 'a.yaml 1 default'],
    [],
  ],
  [
    'a number that another file has',
    [
      [`a: ${V(1)}`, `b: ${V(2)}`],
      [`a: ${V(2)}`, `b: ${V(2)}`],
    ],
    ['b.yaml 2 default', 'a.yaml 1'],
    ['a.yaml version.duplicate'],
  ],
  [
    'a version without its number',
    [
      [`a: ${V(1)}`, `b: ${V(2)}`],
      ['a: ', `b: ${V(2)}`],
    ],
    ['b.yaml 2 default', 'a.yaml 1'],
    ['a.yaml version.missing'],
  ],
  [
    'exchanged numbers',
    [
      [`a: ${V(1)}`, `b: ${V(2)}`],
      [`a: ${V(2)}`, `b: ${V(1)}`],
    ],
    ['a.yaml 2 default', 'b.yaml 1'],
    [],
  ],
])('%s', (_why, states, served, codes) => {
  expect(after(states)).toEqual([served, codes]);
});
