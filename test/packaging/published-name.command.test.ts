// The package is not published in the npm registry: nothing that people copy may fetch what another author publishes by its name.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const FOLDERS = ['docs', 'deploy', 'samples', 'src', 'explorer/src', 'bin'];
const TEXT = /\.(?:md|ts|tsx|ya?ml|json|sh|cjs|service|conf)$|\/[^.]+$/;

/** Commands that install or run a package by its name, unless what is installed is asked for. */
const FETCHES = [
  /\bnpx(?! --no-install )(?:\s+-[\w-]+(?:=\S+)?)*\s+(?:--\s+)?millrace\b/,
  /"npx"/,
  /\b(?:npm exec|npm x|pnpx|pnpm dlx|pnpm exec|yarn dlx|bunx|bun x)\s+(?:-\S+\s+)*millrace\b/,
  /\b(?:npm|pnpm|yarn|bun)\s+(?:i|install|add)\s+(?:-\S+\s+)*millrace(?:@[^\s/]+)?(?=\s|$|[`'"])/,
  /\b(?:unpkg\.com|cdn\.jsdelivr\.net\/npm|esm\.sh)\/millrace\b/,
];

function fetchesIn(text: string): readonly string[] {
  return text.split('\n').filter((line) => FETCHES.some((pattern) => pattern.test(line)));
}

function files(): readonly string[] {
  const inFolders = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  const guides = readdirSync(ROOT).filter((name) => name.endsWith('.md') && name !== 'CHANGELOG.md');
  return [...guides.map((name) => join(ROOT, name)), ...inFolders].filter((path) => TEXT.test(path));
}

test('no doc, template or message does', () => {
  const paths = files();
  expect(paths.length).toBeGreaterThan(900);
  const found = paths.flatMap((path) =>
    fetchesIn(readFileSync(path, 'utf8')).map((line) => `${relative(ROOT, path)}: ${line.trim()}`),
  );
  expect(found).toEqual([]);
});

test.each([
  'npx millrace init',
  'npx -y millrace mcp',
  'npx --yes millrace@latest serve',
  'claude mcp add millrace -- npx millrace mcp',
  '{ "command": "npx", "args": ["-y", "millrace"] }',
  'MILLRACE_KEY=K npx millrace conformance',
  'npm exec millrace validate',
  'pnpm dlx millrace init',
  'npm install millrace',
  'npm i -g millrace@1',
  'https://unpkg.com/millrace@1/schemas/endpoint.schema.json',
])('%s would', (line) => {
  expect(fetchesIn(line)).toEqual([line]);
});

test.each([
  'npx --no-install millrace validate',
  'npm install /path/to/millrace-<version>.tgz',
  'npm install --prefix /opt/millrace /path/to/millrace-<version>.tgz',
  'node bin/millrace.cjs init ../my-endpoints',
  'npx vitest run test/cli/commands/diff.command.test.ts',
])('%s would not', (line) => {
  expect(fetchesIn(line)).toEqual([]);
});
