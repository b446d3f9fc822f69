// Files of rollups: what they declare as records, and every finding at its place.
import { expect, test } from 'vitest';
import { createCompile } from '../../../../src/service/endpoints/compile.ts';
import { sourcesIn } from '../../../../src/service/endpoints/include/sources.ts';
import type { LoadedFile } from '../../../../src/service/endpoints/load.ts';
import { collectRollups } from '../../../../src/service/endpoints/rollups/collect-rollups.ts';
import { readRollupFile } from '../../../../src/service/endpoints/rollups/read-rollups.ts';

const readRollups = (path: string, text: string) => readRollupFile(path, text) ?? never();

const GOOD = `rollups:
  - name: edge_by_minute
    from: logs.edge_logs
    time: { column: timestamp, every: [1m, 1h, 1d] }
    dimensions:
      - project
      - metadata.request.method
      - area: "multiIf(match(path, '/rest'), 'rest', 'other')"
    measures: [sum(bytes), "quantileBFloat16(0.95)( ms )", "countIf(status >= 500)", { aggregate: median(ms), approximate: true }]
    keep: 400d
    settle: 30s
`;

test('a file becomes records', () => {
  const { rollups, diagnostics } = readRollups('logs.rollup.yaml', GOOD);
  expect(diagnostics).toEqual([]);
  const [{ rollup, keepDays, settleSeconds } = never()] = rollups ?? [];
  const { version } = rollup;
  expect(version).toMatch(/^[0-9a-f]{8}$/);
  expect({ rollup, keepDays, settleSeconds }).toEqual({
    keepDays: 400,
    settleSeconds: 30,
    rollup: {
      name: 'edge_by_minute',
      version,
      source: { database: 'logs', table: 'edge_logs' },
      time: 'timestamp',
      dimensions: [
        { name: 'project', expression: 'project' },
        { name: 'metadata.request.method', expression: 'metadata.request.method' },
        { name: 'area', expression: "multiIf(match(path, '/rest'), 'rest', 'other')" },
      ],
      measures: [
        measure('sum(bytes)', 'sum', ['bytes']),
        { ...measure('quantileBFloat16(0.95)(ms)', 'quantileBFloat16', ['ms']), parameters: ['0.95'] },
        measure('countIf(status >= 500)', 'countIf', ['status >= 500']),
        { ...measure('quantile(ms)', 'quantile', ['ms']), approximate: true },
        measure('count()', 'count', []),
      ],
      tables: [
        [60, '1m'],
        [3600, '1h'],
        [86_400, '1d'],
      ].map(([every, grain]) => ({
        every,
        database: 'millrace_rollups',
        table: `edge_by_minute_${version}_${grain}`,
      })),
    },
  });
});

function never(): never {
  throw new Error('there is a rollup');
}

function measure(name: string, aggregate: string, list: readonly string[]) {
  return { name, aggregate, parameters: [], arguments: list, approximate: false };
}

test.each([
  ['keep: 400d', 'keep: 30d', 'same'],
  ['settle: 30s', 'settle: 1h', 'same'],
  ['every: [1m, 1h, 1d]', 'every: 1m', 'other'],
  ['- project', '- project_ref', 'other'],
  ['sum(bytes)', 'sum(length)', 'other'],
  ['median(ms), approximate: true', 'median(ms), approximate: false', 'other'],
])('%s as %s is %s version', (from, to, which) => {
  const versions = [GOOD, GOOD.replace(from, to)].map(
    (text) => readRollups('logs.rollup.yaml', text).rollups?.[0]?.rollup.version,
  );
  expect(versions[0] === versions[1]).toBe(which === 'same');
});

/** A file with this in place; the places of its findings are those of `¦`. */
const CASES: readonly (readonly [key: 'every' | 'dimension' | 'measure', marked: string, code: string])[] = [
  ['every', '¦7m', 'rollup.grain'],
  ['every', '[1m, ¦1h, 90m]', 'rollup.grain'],
  ['every', '[¦1h, 1m]', 'rollup.grain'],
  ['every', '[¦1m, 1m]', 'rollup.grain'],
  ['every', '¦2d', 'rollup.grain'],
  ['every', '¦5x', 'schema.string_invalid'],
  ['dimension', '¦lower(project)', 'rollup.dimension_unnamed'],
  ['dimension', 'a: ¦b', 'rollup.dimension_renamed'],
  ['dimension', 'a: ¦(timestamp)', 'rollup.dimension_renamed'],
  ['dimension', 'a: ¦metadata.a', 'rollup.dimension_renamed'],
  ['dimension', 'a: lower(¦now())', 'rollup.expression'],
  ['dimension', 'a: "b + ¦rand()"', 'rollup.expression'],
  ['dimension', 'a: ¦generateUUIDv4()', 'rollup.expression'],
  ['dimension', 'a: "1 + ¦sum(bytes)"', 'rollup.expression'],
  ['dimension', "a: ¦dictGet('d', 'a', b)", 'rollup.expression'],
  ['dimension', 'a: ¦arrayJoin(tags)', 'rollup.expression'],
  ['dimension', 'a: ¦unnest(tags)', 'rollup.expression'],
  ['dimension', 'a: "b IN ¦(SELECT 1)"', 'rollup.expression'],
  ['dimension', 'a: "b IN ¦other"', 'rollup.expression'],
  ['dimension', 'a: ¦row_number() OVER ()', 'rollup.expression'],
  ['dimension', 'a: ¦hostName()', 'rollup.expression'],
  ['dimension', 'a: "¦@project"', 'rollup.expression'],
  ['dimension', 'a: "b, ¦c"', 'rollup.expression'],
  ['dimension', 'a: "¦b AS c"', 'rollup.expression'],
  ['dimension', 'a: "¦b DESC"', 'rollup.expression'],
  ['dimension', 'a: ¦throwIf(b = 1)', 'rollup.expression'],
  ['dimension', 'a: "b +¦"', 'rollup.expression'],
  ['dimension', 'bytes¦; a: b', 'rollup.expression'],
  ['dimension', '¦timestamp', 'rollup.duplicate_column'],
  ['dimension', '¦project', 'rollup.duplicate_column'],
  ['measure', '¦bytes', 'rollup.measure'],
  ['measure', '¦groupArray(bytes)', 'rollup.measure'],
  ['measure', '¦avg(bytes)', 'rollup.measure'],
  ['measure', '¦avgIf(bytes, bytes > 1)', 'rollup.measure'],
  ['measure', '¦count(DISTINCT bytes)', 'rollup.measure'],
  ['measure', '¦sum(bytes) OVER ()', 'rollup.measure'],
  ['measure', '¦sum(bytes) FILTER (WHERE bytes > 1)', 'rollup.measure'],
  ['measure', '¦sum(bytes) + 1', 'rollup.measure'],
  ['measure', '¦any(bytes) IGNORE NULLS', 'rollup.measure'],
  ['measure', '¦quantile(bytes)(bytes)', 'rollup.measure'],
  ['measure', 'sum(¦now())', 'rollup.expression'],
  ['measure', 'sum(¦max(bytes))', 'rollup.expression'],
  ['measure', 'uniq(¦*)', 'rollup.expression'],
  ['measure', '{ aggregate: ¦nothing(bytes) }', 'rollup.measure'],
  ['measure', '¦count()', 'rollup.duplicate_column'],
];

test.each(CASES)('%s %s: %s', (key, marked, code) => {
  const quoted = (value: string): string => (/^[[{"]|^a:/.test(value) ? value : `"${value}"`);
  const value = quoted(marked);
  const text = `rollups:
  - name: a
    from: d.t
    time: { column: timestamp, every: ${key === 'every' ? marked : '1m'} }
    dimensions:
      - project
      - ${key === 'dimension' ? value : 'host'}
    measures:
      - count()
      - ${key === 'measure' ? value : 'sum(bytes)'}
`;
  const [before = ''] = text.split('¦');
  const lines = before.split('\n');
  const column = (lines.at(-1) ?? '').length + 1;
  const { diagnostics, rollups } = readRollups('a.rollup.yaml', text.replace('¦', ''));
  expect(rollups).toBeUndefined();
  expect(diagnostics.map((each) => each.code)).toEqual([code]);
  const [{ line, column: at } = never()] = diagnostics;
  const isWhole = /duplicate_column|unnamed/.test(code); // at its quote
  expect([line, at + Number(isWhole)]).toEqual([lines.length, column]);
});

test('endpoint files and shared files declare rollups as well, beside an included policy', () => {
  const compile = createCompile({ piiHashKey: undefined });
  const shared = `policies:\n  rollups: { verify: 0.5 }\n${GOOD}`;
  const endpoint = `id: 7d2c0d1f-08a5-4b1a-8f1e-2d4d6a7c9b11
name: own
include: [{ from: parts, policies: [rollups] }]
query: SELECT 1 AS a
tenancy: { none: public }
${GOOD.replace('edge_by_minute', 'own')}`;
  const sources = sourcesIn([{ path: 'parts.shared.yaml', text: shared }]);
  const load = (file: string, text: string): [string, LoadedFile] => {
    const { unread: _, ...compiled } = compile(file, text, sources);
    return [file, { file, stamp: '', hash: '', ...compiled }];
  };
  const files = new Map([load('own.yaml', endpoint), load('parts.shared.yaml', shared)]);
  const { all, byFile, findings } = collectRollups(files);
  expect(findings).toEqual([]);
  expect(all.map(({ rollup, document }) => [rollup.name, document.file])).toEqual([
    ['own', 'own.yaml'],
    ['edge_by_minute', 'parts.shared.yaml'],
  ]);
  expect(files.get('own.yaml')?.candidate?.endpoint.verifiesRollups).toBe(0.5);
  const alone = compile('own.yaml', endpoint.replace(/^include.*\n/m, '')).candidate?.endpoint;
  expect([alone?.readsRollups, alone?.verifiesRollups]).toEqual([true, 0]);
  const faulty = new Map([load('own.yaml', endpoint.replace('1m, 1h', '7m, 1h'))]);
  expect(collectRollups(faulty, byFile).all.map(({ rollup }) => rollup.name)).toEqual(['own']);
});

test('a broken file keeps its rollups, and a name belongs to one of them', () => {
  const compile = createCompile({ piiHashKey: undefined });
  const load = (file: string, text: string): [string, LoadedFile] => {
    const { unread: _, ...compiled } = compile(file, text);
    return [file, { file, stamp: '', hash: '', ...compiled }];
  };
  const first = collectRollups(new Map([load('a.rollup.yaml', GOOD), load('b.rollup.yaml', GOOD)]));
  expect(first.all.map(({ document }) => document.file)).toEqual(['a.rollup.yaml']);
  expect(first.findings).toMatchObject([
    { file: 'b.rollup.yaml', line: 2, column: 11, code: 'rollup.duplicate_name' },
  ]);
  const broken = collectRollups(new Map([load('a.rollup.yaml', 'rollups: 1')]), first.byFile);
  expect(broken.all).toEqual(first.all);
  expect(collectRollups(new Map(), first.byFile).all).toEqual([]);
});
