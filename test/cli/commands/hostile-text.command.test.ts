// What files of others say in names, keys, values, queries and rows, through every command that prints them and in every format: nothing
// acts on a terminal, on a service of continuous integration or on the page where a report is shown.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { visibleJson } from '../../../src/service/observe/visible-text.ts';
import { some } from '../../support/runs.ts';
import { run, scratch } from '../../support/command.ts';
import { repository, type Repository } from '../../support/git-repository.ts';

/** Moves the cursor, reverses text, breaks lines, forges commands of CI, mentions, links and closes cells. */
const EVIL =
  '\u001b[31m\u009b1m\u202e\u2066\u200f\u061c\u2028x\n::error::forged\n::set-output name=a::b\r##[error]c ##vso[task.x]d @someone #12 GH-12 https://evil.example <img src=x> [a](b) | ` end';
/** As a double-quoted string of YAML or JSON. */
const QUOTED = visibleJson(JSON.stringify(EVIL));

const id = (n: number): string => `id: 00000000-0000-4000-8000-0000000000${n}\n`;
/** A query whose lines look like commands, with an error beside text that reverses others. */
const QUERY = `query: |
  SELECT 1 AS a, '\u202e\u2066' AS b, numbr AS c
  ::String
  FROM numbers(3)
`;

const SOUND = `${id(10)}name: good
description: ${QUOTED}
query: |
  WITH t AS (SELECT number AS n, concat('x', toString(number)) AS mail FROM numbers(3))
  SELECT n, mail AS "b | @someone #12" FROM t
  -- ::error::in a comment
sandbox: { enabled: true }
tenancy: { none: ${QUOTED} }
pii: { redact: true, columns: { "b | @someone #12": mask, mail: mask } }
cache: { ttl: 60 }
examples:
  - { name: ${QUOTED}, expect: { rows: 7, result: [{ n: ${QUOTED} }] } }
`;

const BROKEN: Readonly<Record<string, string>> = {
  'endpoints/@someone.yaml': `${id(11)}name: keys\nquery: SELECT 1\n${QUOTED}: 1\nparameters: { ${QUOTED}: { type: ${QUOTED} } }\ncache: ${QUOTED}\n`,
  'endpoints/\u001b[31m\u202e::error::a.yaml': `${id(12)}name: lines\ndescription: x.\n${QUERY}`,
  'endpoints/b #12\n::error::forged | `c`.yaml': `${id(13)}name: breaks\ndescription: ${QUOTED}\n${QUERY}`,
  'endpoints/::set-output name=a::b.yaml': `${id(14)}name: ${QUOTED}\nquery: |\n  ::error::not SQL \u202e\n`,
  'endpoints/##[error]x.yaml': 'name: [\n',
  'endpoints/plain.yaml': 'a: [\n  ::error::x: \u202e\n',
  'endpoints/keys.yaml': '{ \u202e\u009b }: 1\n? [\u2066]\n: 2\n',
};

const MORE: Readonly<Record<string, string>> = {
  'schema/@someone.sql': `CREATE TABLE t (n UInt8) ORDER BY n;\n::error::\u202e not a statement;\nCREATE TABLE "\u202e@someone" (n Nope);\n`,
  'consumers/@someone.sql': `-- owner: @someone #12 \u202e::error::\nSELECT missing\n::error::x\nFROM t\n`,
  'consumers/all.jsonl': `{"name": ${JSON.stringify(EVIL)}, "owner": ${JSON.stringify(EVIL)}, "sql": "SELECT missing FROM t"}\n`,
  'endpoints/fixtures/@someone.txt': 'x',
};

function world(files: Readonly<Record<string, string>>): string {
  const cwd = scratch();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(cwd, name, '..'), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
  return cwd;
}

// oxlint-disable-next-line no-control-regex -- they are what must not be printed
const ACTING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
/** An annotation as the service of continuous integration reads it; every `:` and `,` of a property is encoded. */
const ANNOTATION = /^::(?:error|warning) file=[^:,]*(?:,line=\d+,col=\d+)?,title=[\w.]+::[^\r]*$/;

/** Lines that a service of continuous integration takes as commands: the runner of GitHub trims them. */
const commandsIn = (text: string): readonly string[] =>
  text.split(/\r\n|\n|\r/).filter((line) => /^\s*::|##\w*\[/.test(line));

function expectHarmless(text: string, { annotations = false } = {}): void {
  expect(ACTING.exec(text.replaceAll('\r\n', '\n'))).toBeNull();
  const commands = commandsIn(text);
  if (annotations) for (const each of commands) expect(each).toMatch(ANNOTATION);
  else expect(commands).toEqual([]);
}

/** What is left of Markdown outside of code, without escapes. */
const outsideCode = (text: string): string =>
  text
    .replace(/^(`{3,}).*\n[\s\S]*?^\1$/gm, '')
    .replace(/\\[^\n]|(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g, (found) => (found.startsWith('\\') ? '\\' : ''));

/** Outside of code, GitHub and GitLab find nothing, and rows have the cells of their table. */
function expectPlainMarkdown(text: string): void {
  const outside = outsideCode(text);
  for (const each of ['@', '#12', 'GH-12', 'https:', 'evil.example', '<img', '[a]', '](b)'])
    expect(outside).not.toContain(each);
  let cells = 0;
  for (const line of outside.split('\n')) {
    const found = line.match(/\|/g)?.length ?? 0;
    if (!line.startsWith('|') || cells === 0) cells = found;
    expect([line, found]).toEqual([line, cells]);
  }
}

function expectReport(text: string, format: string): void {
  expectHarmless(text, { annotations: format === 'github' });
  if (format === 'markdown') expectPlainMarkdown(text);
  if (['json', 'sarif', 'gitlab'].includes(format)) expect(() => JSON.parse(text) as unknown).not.toThrow();
}

const FORMATS: Readonly<Record<string, readonly string[]>> = {
  validate: ['human', 'github', 'gitlab', 'sarif', 'json', 'markdown'],
  test: ['human', 'github', 'junit', 'json', 'markdown'],
};

describe('files with errors', () => {
  const cwd = world({ ...BROKEN, ...MORE, 'endpoints/good.yaml': SOUND });
  const rows = Object.entries(FORMATS).flatMap(([command, formats]) =>
    formats.map((format) => [command, format] as const),
  );

  test.each(some(rows, 2))('%s --format %s', async (command, format) => {
    const summary = join(cwd, `summary-${command}.md`);
    const env = { HOME: cwd, GITHUB_STEP_SUMMARY: summary };
    const { code, out, err } = await run([command, '--format', format], { cwd, env });
    expect(code).toBe(1);
    expectReport(out, format);
    expectHarmless(err);
    if (format !== 'github') return;
    expectHarmless(readFileSync(summary, 'utf8'));
    expectPlainMarkdown(readFileSync(summary, 'utf8'));
  });

  const commands: readonly (readonly string[])[] = [
    ['validate', '--no-engine'],
    ['validate', 'endpoints/@someone.yaml', `endpoints/b #12\n::error::forged | \`c\`.yaml`],
    ['validate', `missing\n::error::${EVIL}`],
    ['format', '--check'],
    ['exposure'],
    ['types'],
    ['openapi'],
    ['capacity'],
    ['cost'],
    ['validate', '--cost'],
    ['cost', '--compare', EVIL],
    ['conformance', 'consumers', '--endpoint', EVIL],
    ['query', 'good'],
    ['query', EVIL],
    ['new', EVIL],
    ['redact', '--explain', 'good'],
    ['doctor'],
    [EVIL],
    ['validate', `--${EVIL}`],
  ];
  test.each(some(commands, 2))('%j', async (...args) => {
    const { out, err } = await run(
      args.map((each) => each.replaceAll('\0', '')),
      { cwd },
    );
    expect(`${out}${err}`.length).toBeGreaterThan(5);
    expectHarmless(out);
    expectHarmless(err);
  });

  test('a report that is written to a file', async () => {
    for (const format of some(FORMATS['validate'] ?? [], 3)) {
      const { code } = await run(['validate', '--write', `${format}=report`], { cwd });
      expect(code).toBe(1);
      expectReport(readFileSync(join(cwd, 'report'), 'utf8'), format);
    }
  });
});

describe('files without errors', () => {
  const files = { 'endpoints/good.yaml': SOUND, ...MORE, 'seeds/1.sql': 'SELECT 1;\n' };
  const cwd = world(files);
  const commands: readonly (readonly string[])[] = [
    ['exposure'],
    ['exposure', '--format', 'json'],
    ['validate'],
    ['test'],
    ['openapi'],
    ['query', 'good'],
    ['query', 'good', '--explain'],
    ['query', 'good', '--param', `x=${EVIL}`],
    ['query', 'good', '--sql', `SELECT '${EVIL.replaceAll('\u0060', '')}' AS n, n FROM t`],
    ['redact', '--explain', 'good'],
    ['conformance', 'consumers', '--endpoint', 'good'],
    ['conformance', 'consumers', '--endpoint', 'good', '--format', 'markdown'],
    ['conformance', 'consumers', '--endpoint', 'good', '--format', 'json'],
    ['types'],
  ];
  test.each(some(commands, 2))('%j', async (...args) => {
    const { out, err } = await run([...args], { cwd });
    expect(`${out}${err}`.length).toBeGreaterThan(5);
    expectReport(out, args.at(-1) ?? '');
    expectHarmless(err);
  });

  test('seeds that fail, keys and settings that are invalid', async () => {
    const seeds = world({
      ...files,
      'seeds/@someone \u202e.sql': `SELECT '\u202e';\n::error::\u001b[31m;\n`,
    });
    const seed = await run(['seed'], { cwd: seeds });
    expect(seed.code).toBe(1);
    expectHarmless(seed.out + seed.err);
    const wrong = world({
      'tokens.yaml': `tokens: [{ name: ${QUOTED}, ${QUOTED}: 1 }]\n`,
      'millrace.yaml': 'tokens: tokens.yaml\n',
      'bad.yaml': `${QUOTED}: 1\nport: ${QUOTED}\n`,
    });
    for (const args of [
      ['token', 'list'],
      ['serve', '--check', '--config', 'bad.yaml'],
    ]) {
      const { code, out, err } = await run(args, { cwd: wrong });
      expect([args, code === 0]).toEqual([args, false]);
      expectHarmless(out + err);
    }
  });

  test.each(['table', 'markdown', 'json'])('import --format %s', async (format) => {
    const panel = { title: EVIL, type: 'table', targets: [{ rawSql: `SELECT nope(\u202e) FROM "@someone"`, refId: 'A' }] }; // prettier-ignore
    const dashboard = { title: EVIL, uid: 'x', schemaVersion: 30, panels: [panel] };
    const from = world({ '@someone \u202e\n::error::.json': JSON.stringify(dashboard) });
    const args = ['import', from, '--from', 'grafana', '--dialect', 'postgresql', '--dry-run'];
    const { code, out, err } = await run([...args, '--format', format], { cwd });
    expect(code).toBe(1);
    expectReport(out, format);
    expectHarmless(err);
  });
});

describe('two revisions', () => {
  let changed: Repository;
  const start = (): Repository => {
    const found = repository({ 'endpoints/good.yaml': SOUND, ...MORE });
    found.write(
      'endpoints/good.yaml',
      `${SOUND.replace('mail AS "b | @someone #12"', 'n AS m').replaceAll('mail', 'post')}max_rows: 2\nallow_security: { redaction.column_removed: ${QUOTED} }\n`,
    );
    found.write('endpoints/@someone.yaml', `${id(15)}name: added\nquery: SELECT 1 AS "@someone | #12"\n`);
    return found;
  };

  test.each([
    ['diff', 'markdown'],
    ['diff', 'json'],
    ['diff', 'github'],
    ['impact', 'text'],
    ['impact', 'markdown'],
    ['impact', 'json'],
    ['impact', 'github'],
  ])('%s --format %s', async (command, format) => {
    changed ??= start();
    const { out, err } = await changed.millrace(command, 'HEAD', '--format', format);
    expect(`${out}${err}`.length).toBeGreaterThan(20);
    expectReport(out, format);
    expectHarmless(err);
  });

  test('revisions that do not exist', async () => {
    changed ??= start();
    const { code, out, err } = await changed.diff(EVIL.replaceAll('\0', ''));
    expect([code, out]).toEqual([2, '']);
    expectHarmless(err);
  });
});
