// `millrace init`: what it creates works at once, and it changes nothing that exists.
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { some } from '../../support/runs.ts';
import { run, scratch, start, type Running } from '../../support/command.ts';

const ROOT = join(import.meta.dirname, '../../..');

let running: Running | undefined;
afterEach(async () => {
  running?.child.kill('SIGKILL');
  await running?.finished;
  running = undefined;
});

/** Paths of all files, relative to the folder. */
const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name).slice(folder.length + 1))
    .toSorted();

describe.each(some(['events', 'otel', 'blank'], 2))('the template %s', (template) => {
  test('passes its own checks, and is served with its rows', async () => {
    const cwd = scratch();
    const { code, out } = await run(['init', 'shop api', '--template', template], { cwd });
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/cd 'shop api'\n  git init [^]*npm install\n[^]*npm start/),
    ]);
    const folder = join(cwd, 'shop api');
    expect(filesIn(folder)).toEqual(
      expect.arrayContaining([
        '.githooks/pre-commit',
        '.github/workflows/endpoints.yml',
        '.gitignore',
        '.gitlab-ci.yml',
        '.vscode/settings.json',
        'README.md',
        'package.json',
        'schemas/endpoint.schema.json',
      ]),
    );
    for (const file of filesIn(folder))
      expect(readFileSync(join(folder, file), 'utf8')).not.toMatch(/\{\{(name|uuid)/);
    const validated = await run(['validate', '--strict'], { cwd: folder });
    expect([validated.code, validated.out]).toEqual([0, '']);
    expect((await run(['format', '--check'], { cwd: folder })).code).toBe(0);
    expect(await run(['test'], { cwd: folder })).toMatchObject({
      code: 0,
      err: expect.stringContaining(', 0 failed'),
    });
    running = start(['serve', '--dev', '--port', '0', '--admin-port', '0'], { cwd: folder });
    await running.says(/Press Ctrl/);
    const calls = [...running.output().matchAll(/curl -H '([^:]+): ([^']+)' '([^']+)'/g)];
    expect(calls.length).toBeGreaterThan(0);
    for (const [, name = '', key = '', url = ''] of calls) {
      const { result } = (await (await fetch(url, { headers: { [name]: key } })).json()) as {
        result: unknown[];
      };
      expect(result).not.toEqual([]);
    }
    expect(running.output()).not.toContain('sample endpoints');
  });
});

describe('what every repository gets', () => {
  test('a manifest with scripts and this version, workflows that parse, a hook that git runs', async () => {
    const cwd = scratch();
    await run(['init', '--template', 'blank'], { cwd });
    expect(JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8'))).toMatchObject({
      private: true,
      scripts: { start: 'exec millrace serve --dev' },
      dependencies: { millrace: `file:${relative(realpathSync(cwd), ROOT)}` },
    });
    for (const file of ['.github/workflows/endpoints.yml', '.gitlab-ci.yml'])
      expect(parse(readFileSync(join(cwd, file), 'utf8'))).toBeTypeOf('object');
    for (const schema of readdirSync(join(ROOT, 'schemas')))
      expect(readFileSync(join(cwd, 'schemas', schema), 'utf8')).toBe(
        readFileSync(join(ROOT, 'schemas', schema), 'utf8'),
      );
    expect(statSync(join(cwd, '.githooks/pre-commit')).mode & 0o111).toBe(0o111);

    const git = (...args: string[]): string =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t.example', ...args], {
        cwd,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      });
    git('init', '-q');
    execFileSync('npm', ['run', '--silent', 'prepare'], { cwd });
    mkdirSync(join(cwd, 'node_modules/.bin'), { recursive: true });
    symlinkSync(join(ROOT, 'bin/millrace.cjs'), join(cwd, 'node_modules/.bin/millrace'));
    writeFileSync(join(cwd, 'endpoints/broken.yaml'), 'name: 1\n');
    git('add', '.');
    expect(() => git('commit', '-qm', 'broken')).toThrow(/broken\.yaml/);
  });

  test('in a folder of a larger repository, workflows that name the folder, and no hook', async () => {
    const root = scratch();
    execFileSync('git', ['init', '-q'], { cwd: root });
    const folder = join(root, 'services/api');
    const { code, err } = await run(['init', 'services/api', '--template', 'blank'], { cwd: root });
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(/services\/api is a folder of a repository[^]*GitHub: move [^]*GitLab: include /),
    ]);
    expect(filesIn(folder)).not.toContain('.githooks/pre-commit');
    const read = (path: string): unknown => parse(readFileSync(join(folder, path), 'utf8'));
    expect(read('package.json')).not.toHaveProperty('scripts.prepare');
    expect(read('.github/workflows/endpoints.yml')).toHaveProperty(
      'jobs.check.steps',
      expect.arrayContaining([
        { run: 'npm ci', 'working-directory': 'services/api' },
        {
          uses: './services/api/node_modules/millrace/deploy/github-action',
          with: { 'working-directory': 'services/api' },
        },
      ]),
    );
    expect(read('.gitlab-ci.yml')).toMatchObject({
      millrace: {
        script: expect.arrayContaining(["cd 'services/api'", 'npm ci']),
        artifacts: {
          paths: ['services/api/millrace-diff.md'],
          reports: {
            codequality: 'services/api/gl-code-quality-report.json',
            junit: 'services/api/millrace.xml',
          },
        },
      },
    });
  });

  test.each<[why: string, workspaces: unknown, installed: string]>([
    ['a glob', ['services/*'], './node_modules'],
    ['any depth, with an exception', { packages: ['**/api', '!other/**'] }, './node_modules'],
    ['other folders', ['libs/*', 'services/*/api'], './services/api/node_modules'],
    ['left out', ['services/*', '!services/api'], './services/api/node_modules'],
  ])('among the workspaces of npm: %s', async (_why, workspaces, installed) => {
    const root = scratch();
    execFileSync('git', ['init', '-q'], { cwd: root });
    writeFileSync(join(root, 'package.json'), JSON.stringify({ workspaces }));
    const { code, out } = await run(['init', 'services/api', '--template', 'blank'], { cwd: root });
    expect([code, out]).toEqual([0, expect.not.stringContaining('git init')]);
    const workflow = join(root, 'services/api/.github/workflows/endpoints.yml');
    const steps = (
      parse(readFileSync(workflow, 'utf8')) as { jobs: { check: { steps: Record<string, unknown>[] } } }
    ).jobs.check.steps.slice(-2);
    const isShared = installed === './node_modules';
    expect(steps).toEqual([
      { run: 'npm ci', ...(isShared ? {} : { 'working-directory': 'services/api' }) },
      {
        uses: `${installed}/millrace/deploy/github-action`,
        with: { 'working-directory': 'services/api' },
      },
    ]);
  });

  test('a dependency on what was installed: a file, a release, an address', async () => {
    const cwd = scratch();
    const installed = join(cwd, 'tools/node_modules/millrace');
    cpSync(join(ROOT, 'bin'), join(installed, 'bin'), { recursive: true });
    cpSync(join(ROOT, 'dist'), join(installed, 'dist'), { recursive: true });
    for (const each of ['schemas', 'samples', 'deploy', 'package.json'])
      cpSync(join(ROOT, each), join(installed, each), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(installed, 'node_modules'));
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    const specs = {
      'file:../packages/millrace.tgz': 'file:../packages/millrace.tgz',
      '^0.1.0': `^${version}`,
      'git+ssh://git@example.com/millrace.git#1': 'git+ssh://git@example.com/millrace.git#1',
    };
    const options = { cwd, bin: join(installed, 'bin/millrace.cjs') };
    for (const [index, [spec, expected]] of Object.entries(specs).entries()) {
      writeFileSync(join(cwd, 'tools/package.json'), JSON.stringify({ devDependencies: { millrace: spec } }));
      const { code, err } = await run(['init', `a${index}`, '--template', 'blank'], options);
      expect([code, err.includes('CI needs that file')]).toEqual([0, spec.startsWith('file:')]);
      expect(JSON.parse(readFileSync(join(cwd, `a${index}/package.json`), 'utf8'))).toHaveProperty(
        'dependencies.millrace',
        expected,
      );
    }
    writeFileSync(join(cwd, 'pnpm-lock.yaml'), '');
    execFileSync('git', ['init', '-q'], { cwd });
    expect((await run(['init', 'b', '--template', 'blank'], options)).err).toContain(
      'write "pnpm install --frozen-lockfile" for "npm ci"',
    );
  });

  test('new endpoints refer to its schema', async () => {
    const cwd = scratch();
    await run(['init', '--template', 'blank'], { cwd });
    await run(['new', 'orders'], { cwd });
    expect(readFileSync(join(cwd, 'endpoints/orders.yaml'), 'utf8')).toContain(
      '$schema=../schemas/endpoint.schema.json',
    );
  });
});

describe('what exists', () => {
  test('is kept, and package.json gets what it does not have', async () => {
    const cwd = scratch();
    mkdirSync(join(cwd, 'endpoints'));
    writeFileSync(join(cwd, 'endpoints/mine.yaml'), 'mine');
    writeFileSync(join(cwd, '.gitignore'), 'mine\n');
    const manifest = { name: 'x', scripts: { test: 'mine' }, devDependencies: { millrace: 'file:a.tgz' } };
    writeFileSync(join(cwd, 'package.json'), JSON.stringify(manifest, null, '\t'));
    const { code, out, err } = await run(['init'], { cwd });
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(/there are endpoints already[^]*\.gitignore exists and was kept/),
    ]);
    expect(out).toMatch(/npm start[^]*npx --no-install millrace validate && npx --no-install millrace test/); // not its own `npm test`
    const git = (...args: string[]): string => execFileSync('git', args, { cwd, encoding: 'utf8' });
    git('init', '-q');
    git('config', 'core.hooksPath', '.husky');
    execFileSync('npm', ['run', '--silent', 'prepare'], { cwd, stdio: 'ignore' });
    expect(git('config', 'core.hooksPath')).toBe('.husky\n');
    expect(readdirSync(join(cwd, 'endpoints'))).toEqual(['mine.yaml']);
    expect(readFileSync(join(cwd, '.gitignore'), 'utf8')).toBe('mine\n');
    const text = readFileSync(join(cwd, 'package.json'), 'utf8');
    expect(text).toContain('\n\t"scripts"');
    expect(JSON.parse(text)).toEqual({
      ...manifest,
      scripts: { start: 'exec millrace serve --dev', test: 'mine', prepare: expect.any(String) },
    });
    const before = filesIn(cwd);
    expect((await run(['init'], { cwd })).err).toMatch(/^0 files created/);
    expect(filesIn(cwd)).toEqual(before);
  });

  test('--update replaces schemas of another version, and nothing else', async () => {
    const cwd = scratch();
    await run(['init', '--template', 'blank'], { cwd });
    writeFileSync(join(cwd, 'schemas/endpoint.schema.json'), '{}');
    writeFileSync(join(cwd, 'README.md'), 'mine');
    expect(await run(['init', '--update'], { cwd })).toEqual({
      code: 0,
      out: 'schemas/endpoint.schema.json\n',
      err: '1 schema replaced\n',
    });
    expect(readFileSync(join(cwd, 'README.md'), 'utf8')).toBe('mine');
    expect((await run(['init', '--update'], { cwd })).err).toBe('0 schemas replaced\n');
    expect((await run(['init', '--update', '--template', 'blank'], { cwd })).code).toBe(2);
  });

  test.each([
    { why: 'an unknown template', args: ['--template', 'shop'], code: 2, says: /events, logs, otel, blank/ },
    { why: 'a manifest that is not JSON', args: [], code: 1, says: /package\.json is not valid JSON/ },
    {
      why: 'a file in place of the folder',
      args: ['package.json'],
      code: 1,
      says: /Cannot write package\.json/,
    },
  ])('$why is an error', async ({ args, code, says }) => {
    const cwd = scratch();
    writeFileSync(join(cwd, 'package.json'), '{');
    expect(await run(['init', ...args], { cwd })).toMatchObject({ code, err: expect.stringMatching(says) });
  });
});
