// Large invalid files: their findings are bounded, and the work grows linearly with their length. Before this was fixed, each
// of these files took minutes or made the reload fail, because of quadratic work.
import { describe, expect, test } from 'vitest';
import { createReadTokens } from '../../../src/service/auth/tokens-file.ts';
import { createInspect } from '../../../src/service/endpoints/compile.ts';
import { lint } from '../../../src/cli/checks/lint.ts';
import { compareDiagnostics, locateFindings, MAX_FINDINGS } from '../../../src/sql/base/finding.ts';
import { createSchemaCheck } from '../../../src/service/config/schema.ts';
import { parseYaml } from '../../../src/service/config/yaml-document.ts';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Quadratic work shows with `npm run test:all`, in which it takes minutes; otherwise the files are just too large for all findings. */
const SHARE = process.env['FUZZ_CASES'] === undefined ? 10 : 1;
const BYTES = 150_000 / SHARE;
const LONGEST_QUERY = 130_000;
const QUERY_LENGTH = Math.floor(LONGEST_QUERY / SHARE);
/** Above all that linear work takes, and below what quadratic work of the whole length does. */
const TIMEOUT_MS = 30_000;
const HEAD = 'id: 00000000-0000-4000-8000-000000000001\nname: a\n';
const VALID = `${HEAD}query: SELECT 1\n`;
const inspect = createInspect({ piiHashKey: undefined });

/** As many items as there is room for. */
function many(item: (n: number) => string, by = '', room = BYTES): string {
  const items: string[] = [];
  for (let length = 0; length < room; length += (items.at(-1)?.length ?? 0) + by.length)
    items.push(item(items.length));
  return items.join(by);
}

const asked = (sql: string): string => `${HEAD}query: ${JSON.stringify(sql)}\n`;

describe('findings are bounded', () => {
  test.each([
    { why: 'unknown keys', text: VALID + many((n) => `k${n}: 1\n`), code: 'schema.unknown_key' },
    { why: 'unknown keys in braces', text: `{${many((n) => `k${n}: 1`, ', ')}}`, code: 'schema.unknown_key' },
    { why: 'one key', text: VALID + many(() => 'k: 1\n'), code: 'yaml.duplicate_key' },
    {
      why: 'values of a wrong type',
      text: `${VALID}examples:\n${many(() => '  - name: [x]\n')}`,
      code: 'schema.wrong_type',
    },
    {
      why: 'invalid examples',
      text: `${VALID}examples:\n${many(() => '  - a: 1\n')}`,
      code: 'schema.unknown_key',
    },
    {
      why: 'invalid parameters',
      text: `${VALID}parameters:\n${many((n) => `  p${n}: {typ: Strin}\n`)}`,
      code: 'schema.unknown_key',
    },
    {
      why: 'lists in an enum',
      text: `${VALID}parameters:\n  p: {type: String, enum: [${many(() => '[1]', ',')}]}\n`,
      code: 'schema.wrong_type',
    },
    { why: 'quotes', text: VALID + many(() => '"\n'), code: 'yaml.missing_char' },
    {
      why: 'characters that cannot start a value',
      text: VALID + many(() => '@\n'),
      code: 'yaml.bad_scalar_start',
    },
    { why: 'commas', text: `x: [${','.repeat(BYTES)}]`, code: 'yaml.unexpected_token' },
    { why: 'tags', text: `${VALID}x: ${many(() => '!a ')}`, code: 'yaml.multiple_tags' },
    {
      why: 'aliases without an anchor',
      text: `${VALID}x:\n${many(() => '  - *b\n')}`,
      code: 'yaml.unknown_alias',
    },
    {
      why: 'parameters that are not declared',
      text: asked(`SELECT ${many((n) => `@p${n}`, ',', QUERY_LENGTH)}`),
      code: 'parameter.undeclared',
    },
    {
      why: 'the same, similar to a hundred declared ones',
      text: `${HEAD}parameters:\n${Array.from({ length: 100 }, (_, n) => `  parameter_with_a_name_${n}: {type: String}\n`).join('')}query: SELECT ${many((n) => `@parameter_with_a_nama_${n}x`, ',', QUERY_LENGTH)}\n`,
      code: 'parameter.undeclared',
    },
    {
      why: 'stray symbols, more than the maximum number of arguments',
      text: asked(`SELECT ${many(() => '@ ', '', LONGEST_QUERY)}`),
      code: 'query.stray_at',
    },
    {
      why: 'typed placeholders',
      text: asked(`SELECT ${many(() => '{a:}', '', QUERY_LENGTH)}`),
      code: 'query.typed_placeholder',
    },
    {
      why: 'one table defined repeatedly',
      text: asked(`WITH ${many(() => 't AS (SELECT 1)', ', ', QUERY_LENGTH)} SELECT 1`),
      code: 'query.with_duplicate',
    },
  ])('$why', { timeout: TIMEOUT_MS }, ({ text, code }) => {
    const { inspected, diagnostics } = inspect('f.yaml', text);
    expect(inspected).toBeUndefined();
    expect(diagnostics.length).toBe(MAX_FINDINGS + 1);
    expect(diagnostics.map((each) => each.code)).toContain(code);
    expect(diagnostics.at(-1)).toMatchObject({
      code: 'file.more_findings',
      message: expect.stringMatching(/^(at least )?\d+ more findings of this file are not shown$/),
    });
  });

  test('and counted exactly if all are known', () => {
    const { diagnostics } = inspect(
      'f.yaml',
      `${VALID}${'x'.repeat(10)}: 1\n${many((n) => `k${n}: 1\n`, '', 3000)}`,
    );
    const keys = many((n) => `k${n}: 1\n`, '', 3000).split('\n').length - 1;
    expect(diagnostics.at(-1)?.message).toBe(
      `${keys + 1 - MAX_FINDINGS} more findings of this file are not shown`,
    );
  });

  test('errors come before warnings', () => {
    const all = Array.from({ length: 150 }, (_, line) => ({ line, isWarning: line !== 149 }));
    const located = locateFindings(
      all,
      ({ line }) => ({ file: 'f', line, column: 1, severity: 'warning', code: 'schema.x', message: '' }),
      { isWarning: ({ isWarning }) => isWarning },
    );
    expect(located.map(({ line }) => line)).toEqual([
      ...Array.from({ length: 99 }, (_, line) => line),
      149,
      149,
    ]);
    expect(located.at(-1)).toMatchObject({ code: 'file.more_findings', severity: 'warning' });
    expect(located.toReversed().toSorted(compareDiagnostics).at(-1)?.code).toBe('file.more_findings');
  });
});

describe('large files that are valid, or almost', () => {
  test.each([
    { why: 'comments', text: VALID + many(() => '#\n') },
    { why: 'empty lines', text: VALID + many(() => '\n') },
    { why: 'lines that end in CRLF', text: VALID + many(() => '\r\n') },
    {
      why: 'tables',
      text: asked(
        `WITH ${many((n) => `t${n} AS (SELECT 1 FROM x.y ORDER BY 1)`, ', ', QUERY_LENGTH)} SELECT 1 FROM t1 ORDER BY 1`,
      ),
    },
    { why: 'joins', text: asked(`SELECT 1 FROM a ${many(() => 'JOIN a ', '', QUERY_LENGTH)}`) },
    { why: 'tokens in a call', text: asked(`SELECT f(${many(() => 'FROM a ', '', QUERY_LENGTH)})`) },
    {
      why: 'unclosed heredocs',
      text: asked(`SELECT ${many((n) => `$a${n}$ `, '', QUERY_LENGTH)}`),
    },
  ])('$why', { timeout: TIMEOUT_MS }, ({ text }) => {
    const { inspected, diagnostics } = inspect('f.yaml', text);
    expect(diagnostics).toEqual([]);
    expect(inspected && lint(inspected.analysis)).toBeDefined();
  });
});

test.each([
  { why: 'too many aliases', list: many(() => '  - *a\n') },
  { why: 'anchors beside an alias', list: many((n) => `  - &b${n} 1\n`) },
])('$why', { timeout: TIMEOUT_MS }, ({ list }) => {
  const { diagnostics } = inspect('f.yaml', `${VALID}y: &a 1\nx:\n  - *a\n${list}`);
  expect(diagnostics).toMatchObject([{ code: 'yaml.bad_alias' }]);
});

test('an alias inside its own anchor is invalid', () => {
  expect(inspect('f.yaml', `${VALID}x: &a [*a]\n`).diagnostics).toMatchObject([
    { code: 'yaml.unknown_alias' },
  ]);
});

test('the settings file is bounded as well', { timeout: TIMEOUT_MS }, () => {
  const parsed = parseYaml(
    'millrace.yaml',
    many((n) => `k${n}: 1\n`),
  );
  if (!('document' in parsed)) throw new Error('the text is valid');
  expect(createSchemaCheck('settings')(parsed.document).length).toBe(MAX_FINDINGS + 1);
});

describe('the tokens file', () => {
  const entry = (n: number, hash: number): string =>
    `  - { name: k${n}, sha256: '${hash.toString(16).padStart(64, '0')}', endpoints: ['*'] }\n`;
  test.each([
    { why: 'unknown keys', text: `tokens: []\n${many((n) => `k${n}: 1\n`)}`, code: 'schema.unknown_key' },
    { why: 'invalid entries', text: `tokens:\n${many(() => '  - a: 1\n')}`, code: 'schema.unknown_key' },
    { why: 'one hash', text: `tokens:\n${many((n) => entry(n, 1))}`, code: 'tokens.duplicate_sha256' },
  ])('$why', { timeout: TIMEOUT_MS }, async ({ text, code }) => {
    const folder = await mkdtemp(join(tmpdir(), 'millrace-large-'));
    const path = join(folder, 'tokens.yaml');
    await writeFile(path, text);
    const read = await createReadTokens()(path);
    await rm(folder, { recursive: true });
    if (read.kind !== 'rejected') throw new Error('the file is wrong');
    expect(read.diagnostics.length).toBe(MAX_FINDINGS + 1);
    expect(read.diagnostics.map((each) => each.code)).toContain(code);
    expect(read.diagnostics.at(-1)?.code).toBe('file.more_findings');
  });
});
