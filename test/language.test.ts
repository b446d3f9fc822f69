// Checks the vocabulary: words of language-words.txt do not occur in docs, messages, comments and names.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const CHECKED = [
  'src', 'explorer/src', 'docs', 'schemas', 'endpoints', 'deploy', 'tools',
  'README.md', 'CHANGELOG.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md',
]; // prettier-ignore
const TEXT = /\.(?:ts|tsx|css|html|md|json|ya?ml|sql|service)$|Dockerfile$/;

interface Rule {
  readonly words: RegExp;
  readonly replacement: string;
}

const rules: readonly Rule[] = readFileSync(join(import.meta.dirname, 'language-words.txt'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => {
    const [pattern = '', replacement = ''] = line.split(' -> ');
    return { words: new RegExp(String.raw`\b(?:${pattern})\b`, 'i'), replacement };
  });

function textFiles(path: string): readonly string[] {
  if (statSync(join(ROOT, path)).isFile()) return [path];
  return readdirSync(join(ROOT, path), { recursive: true, encoding: 'utf8' })
    .filter((name) => TEXT.test(name))
    .map((name) => join(path, name));
}

/** The changelog's list of renames contains the old names. */
function withoutRenames(text: string): string {
  return text.replace(/^- Renamed (?:.|\n(?!- ))*/gm, (entry) => entry.replace(/[^\n]/g, ''));
}

test('old words have a standard replacement', () => {
  const found = CHECKED.flatMap(textFiles).flatMap((path) =>
    withoutRenames(readFileSync(join(ROOT, path), 'utf8'))
      .split('\n')
      .flatMap((line, index) =>
        rules.flatMap(({ words, replacement }) => {
          const word = words.exec(line)?.[0];
          return word === undefined ? [] : [`${path}:${index + 1}: "${word}": write ${replacement}`];
        }),
      ),
  );
  expect(found).toEqual([]);
});
