// `millrace diff` as a user runs it, over a real git repository: its output, exit code and rejected changes.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { run, scratch, type Finished } from '../../support/command.ts';
import { repository, type Repository } from '../../support/git-repository.ts';

const GOLDEN = join(import.meta.dirname, '../../golden/diff');
const ID = '00000000-0000-4000-8000-000000000001';

const TABLES = `CREATE DATABASE IF NOT EXISTS logs;
CREATE TABLE logs.t (project String, time DateTime, level UInt8, message String) ENGINE = MergeTree ORDER BY time;
INSERT INTO logs.t VALUES ('abc', now(), 1, 'never loaded');
`;
const LOGS = `id: ${ID}
name: logs.recent
query: |
  WITH recent AS (
    SELECT time, level, message
    FROM logs.t
    WHERE project = @project
  )
  SELECT time, level, message
  FROM recent
  ORDER BY time DESC
parameters:
  project: { type: String, required: true }
sandbox: { enabled: true }
max_rows: 100
`;

const withLogs = (): Repository => repository({ 'endpoints/recent.yaml': LOGS, 'seeds/1.sql': TABLES });
/** Weakens security, breaks, and changes behaviour; the file's name and its line numbers change too. */
const CHANGED = `# A comment.\n${LOGS}cache: { ttl: 60 }\n`
  .replace('    WHERE project = @project\n', '    WHERE project = @project OR level > 3 -- `|*_\n')
  .replace(
    'SELECT time, level, message\n  FROM recent',
    'SELECT time, toString(level) AS level\n  FROM recent',
  )
  .replace('max_rows: 100', 'max_rows: 50');

interface Json {
  readonly changes: readonly {
    readonly class: string;
    readonly code: string;
    readonly file: string;
    readonly message: string;
  }[];
}

function codesIn({ out }: Finished): readonly string[] {
  return (JSON.parse(out) as Json).changes.map(({ code }) => code); // what the command documents
}

describe('output', () => {
  test('annotations for GitHub, and the report in the summary', async () => {
    const { cwd, write, diff } = withLogs();
    write('endpoints/recent.yaml', CHANGED);
    const summary = join(cwd, 'summary.md');
    const { out } = await run(['diff', 'HEAD', '--format', 'github'], {
      cwd,
      env: { HOME: cwd, GITHUB_STEP_SUMMARY: summary },
    });
    await expect(out).toMatchFileSnapshot(join(GOLDEN, 'report.github.txt'));
    expect(readFileSync(summary, 'utf8')).toBe((await diff('HEAD')).out);
  });

  test('reasons by code allow the changes, only once', async () => {
    const { write, commit, diff } = withLogs();
    write('endpoints/recent.yaml', CHANGED);
    const { changes } = JSON.parse((await diff('HEAD', '--format', 'json')).out) as Json;
    const reasons = (kind: string): string =>
      [...new Set(changes.filter((change) => change.class === kind).map(({ code }) => code))]
        .map((code) => `  ${code}: agreed with | all\n`)
        .join('');
    const allowed = `${CHANGED}allow:\n${reasons('breaking')}allow_security:\n${reasons('security')}`;
    write('endpoints/recent.yaml', allowed);
    const { code, out } = await diff('HEAD');
    expect(code).toBe(0);
    expect(out).toContain('| security, allowed |');
    expect(out).toContain(String.raw`(allowed: agreed with \| all)`);
    commit('second');
    write('endpoints/recent.yaml', allowed.replace('max_rows: 50', 'max_rows: 40'));
    const later = await diff('HEAD', '--format', 'json');
    expect(later.code).toBe(1);
    const [first, ...others] = (JSON.parse(later.out) as Json).changes;
    expect(first).toMatchObject({
      code: 'max_rows.lowered',
      message: expect.stringContaining('is of an earlier change'),
    });
    expect(new Set(others.map((other) => other.code))).toEqual(new Set(['reason.stale']));
  });
});

describe.concurrent('comparison', () => {
  test('untracked files, and folders under other names', async () => {
    const { cwd, write, diff } = repository({ 'apis/recent.yaml': LOGS, 'ddl/1.sql': TABLES });
    write('apis/more.yaml', LOGS.replace(ID, ID.replace('1', '2')).replace('logs.recent', 'logs.more'));
    const flags = ['--format', 'json', '--endpoints', 'apis', '--schema', 'ddl'];
    const added = await diff('HEAD', ...flags);
    expect([added.code, added.err, codesIn(added)]).toEqual([0, '', ['endpoint.added']]);
    mkdirSync(join(cwd, 'below'));
    const below = ['--format', 'json', '--endpoints', '../apis', '--schema', '../ddl'];
    expect(await run(['diff', 'HEAD', ...below], { cwd: join(cwd, 'below'), env: { HOME: cwd } })).toEqual(
      added,
    );
  });

  test('tables that the engine rejects, or that are missing on one side', async () => {
    const { cwd, write, diff } = withLogs();
    write('endpoints/recent.yaml', LOGS.replace('max_rows: 100', 'max_rows: 200'));
    write('seeds/1.sql', TABLES.replace('UInt8', 'UInt7'));
    const rejected = await diff('HEAD', '--format', 'json');
    expect([rejected.code, codesIn(rejected)]).toEqual([
      1,
      ['tables.rejected', 'query.rejected', 'max_rows.raised'],
    ]);
    expect((JSON.parse(rejected.out) as Json).changes[0]).toMatchObject({
      file: 'seeds/1.sql',
      message: expect.stringMatching(/^table logs\.t could not be created: .*UInt7/),
    });
    rmSync(join(cwd, 'seeds'), { recursive: true });
    const lacking = await diff('HEAD', '--format', 'json');
    expect([lacking.code, codesIn(lacking)]).toEqual([0, ['max_rows.raised']]);
    expect(lacking.err).toContain(
      'the work tree has no seeds: its queries are analysed with the tables of the other revision',
    );
  });

  test('columns that cannot be compared: exit 2 after the other changes, unless --no-engine', async () => {
    const raised = LOGS.replace('max_rows: 100', 'max_rows: 200');
    const [none, unreadable] = [repository({ 'endpoints/recent.yaml': LOGS }), withLogs()];
    execFileSync('mkfifo', [join(unreadable.cwd, 'seeds/2.sql')]);
    for (const { write, diff } of [none, unreadable]) {
      write('endpoints/recent.yaml', raised);
      const found = await diff('HEAD', '--format', 'json');
      expect([found.code, codesIn(found)]).toEqual([2, ['max_rows.raised']]);
      expect(found.err).toMatch(/columns were not compared.*--no-engine/);
      expect((await diff('HEAD', '--format', 'json', '--no-engine')).code).toBe(0);
    }
  });

  test('links inside the repository are followed, others and large files are not read', async () => {
    const { cwd, write, commit, diff } = repository({ 'shared/recent.yaml': LOGS });
    mkdirSync(join(cwd, 'endpoints'));
    symlinkSync('../shared/recent.yaml', join(cwd, 'endpoints/recent.yaml'));
    symlinkSync('/etc/hostname', join(cwd, 'endpoints/away.yaml'));
    write('endpoints/large.yaml', '#'.repeat(2 ** 20 + 1));
    commit('second');
    rmSync(join(cwd, 'endpoints'), { recursive: true });
    write('endpoints/recent.yaml', LOGS);
    expect(codesIn(await diff('HEAD', '--format', 'json', '--no-engine'))).toEqual([]);
  });

  test('a pull request, from its merge base', async () => {
    const { git, write, commit, diff } = withLogs();
    git('checkout', '--quiet', '-b', 'change');
    write('endpoints/recent.yaml', LOGS.replace('max_rows: 100', 'max_rows: 200'));
    commit('on the branch');
    git('checkout', '--quiet', 'main');
    write(
      'endpoints/other.yaml',
      LOGS.replace(ID, ID.replace('1', '2')).replace('logs.recent', 'logs.other'),
    );
    commit('on main meanwhile');
    const codes = async (...range: string[]): Promise<readonly string[]> =>
      codesIn(await diff(...range, '--format', 'json', '--no-engine'));
    const [parted, tips, ...turned] = await Promise.all([
      codes('main...change'),
      codes('main..change'),
      codes('change', 'main'),
      codes('change..'),
    ]);
    expect(parted).toEqual(['max_rows.raised']);
    expect(tips).toEqual(['endpoint.removed', 'max_rows.raised']);
    expect(turned).toEqual([
      ['endpoint.added', 'max_rows.lowered'],
      ['endpoint.added', 'max_rows.lowered'],
    ]);
    git('checkout', '--quiet', '--orphan', 'alone');
    commit('without ancestors');
    expect(await diff('main...alone')).toMatchObject({
      code: 2,
      err: expect.stringContaining('no common ancestor'),
    });
  });
});

describe.concurrent('rejected with one line and exit 2', () => {
  const rejections: readonly { why: string; args: readonly string[]; prints: RegExp }[] = [
    { why: 'an unknown revision', args: ['nowhere'], prints: /Unknown git revision nowhere/ },
    { why: 'one unknown revision of two', args: ['HEAD', 'nowhere'], prints: /Unknown git revision nowhere/ },
    { why: 'a side of a range', args: ['HEAD..nowhere'], prints: /Unknown git revision nowhere/ },
    { why: 'an option for git', args: ['--', '--output=x'], prints: /Unknown git revision --output=x/ },
    { why: 'an option after dots', args: ['HEAD..--output=x'], prints: /Unknown git revision --output=x/ },
    { why: 'a shell command', args: ['$(touch x)'], prints: /Unknown git revision \$\(touch x\)/ },
    { why: 'another shell command', args: ['HEAD;touch x'], prints: /Unknown git revision HEAD;touch x/ },
    { why: 'a file of a commit', args: ['HEAD:endpoints'], prints: /Unknown git revision HEAD:endpoints/ },
    {
      why: 'terminal control characters',
      args: ['\u001b[2J'],
      prints: /^millrace: Unknown git revision \\u001b\[2J;/,
    },
    { why: 'an empty revision', args: [''], prints: /Unknown git revision ;/ },
    { why: 'a very long revision', args: ['HEAD'.repeat(1000)], prints: /Unknown git revision (HEAD)+;/ },
    {
      why: 'a folder that exists on neither side',
      args: ['HEAD', '--endpoints', 'nowhere'],
      prints: /Folder nowhere does not exist in HEAD/,
    },
    {
      why: 'a folder outside the repository',
      args: ['HEAD', '--endpoints', '..'],
      prints: /outside the repository/,
    },
    {
      why: 'a folder that looks like an option',
      args: ['HEAD', '--endpoints=--output=x'],
      prints: /Folder --output=x does not exist in HEAD/,
    },
    { why: 'no revision at all', args: [], prints: /missing required argument 'base'/ },
    {
      why: 'an unknown format',
      args: ['HEAD', '--format', 'xml'],
      prints: /Allowed choices are markdown, json, github/,
    },
  ];

  test('command-line arguments', async () => {
    const { cwd, diff } = withLogs();
    const results = await Promise.all(
      rejections.map(async (row) => ({ ...row, ...(await diff(...row.args)) })),
    );
    for (const { why, prints, code, out, err } of results) {
      expect({ why, code, out, err }).toEqual({ why, code: 2, out: '', err: expect.stringMatching(prints) });
    }
    expect(existsSync(join(cwd, 'x'))).toBe(false);
  });

  test('a folder that is missing on one side', async () => {
    const { cwd, diff } = withLogs();
    rmSync(join(cwd, 'endpoints'), { recursive: true });
    expect(await diff('HEAD')).toMatchObject({
      code: 2,
      err: expect.stringContaining('Folder endpoints does not exist in the work tree'),
    });
  });

  test('without a repository, or without git', async () => {
    const cwd = scratch();
    expect(await run(['diff', 'HEAD'], { cwd })).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^millrace: Not a git work tree/),
    });
    expect(await run(['diff', 'HEAD'], { cwd, env: { PATH: cwd } })).toMatchObject({
      code: 2,
      err: 'millrace: Comparing revisions requires git, which is not installed\n',
    });
  });
});
