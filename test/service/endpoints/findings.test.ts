// Golden files: every kind of mistake in an endpoint file, with the findings as printed.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createCompile } from '../../../src/service/endpoints/compile.ts';
import { FILE_CHECKS } from '../../../src/service/endpoints/checks/file-checks.ts';
import { renderFinding } from '../../../src/cli/kit/caret.ts';
import { createTerminal } from '../../../src/cli/kit/terminal.ts';

const FOLDER = join(import.meta.dirname, '../../golden/findings');
const compile = createCompile({ piiHashKey: undefined });
const plain = createTerminal(process.stdout, process.stderr, { NO_COLOR: '1' });
const files = readdirSync(FOLDER).filter((name) => name.endsWith('.yaml'));
const findingsOf = (name: string) => {
  const text = readFileSync(join(FOLDER, name), 'utf8');
  return { text, ...compile(name, text) };
};

test.each(files)('%s', async (name) => {
  const { text, candidate, diagnostics } = findingsOf(name);
  const rendered = diagnostics.flatMap((each) => [...renderFinding(each, text, plain), '']).join('\n');
  expect(candidate).toBeUndefined();
  expect(diagnostics.length).toBeGreaterThan(0);
  await expect(rendered).toMatchFileSnapshot(join(FOLDER, name.replace('.yaml', '.txt')));
});

test('every rule has a file that breaks it', () => {
  const codes = new Set(files.flatMap((name) => findingsOf(name).diagnostics.map((each) => each.code)));
  expect([...codes]).toEqual(expect.arrayContaining(Object.keys(FILE_CHECKS)));
});
