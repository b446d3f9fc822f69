// The documentation: no link is dead, the index of each folder lists its pages, and no guide or decision is too long to be read at once.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const pages = execFileSync('git', ['ls-files', '-z', '--', '*.md', ':!test'], { cwd: ROOT, encoding: 'utf8' })
  .split('\0')
  .filter((path) => path !== '' && existsSync(join(ROOT, path)));
const read = (path: string): string =>
  readFileSync(join(ROOT, path), 'utf8').replaceAll(/^```[^]*?^```/gm, '');

/** The anchors of headings, as GitHub makes them. */
function anchorsOf(text: string): ReadonlySet<string> {
  const seen = new Map<string, number>();
  const anchors = new Set(Array.from(text.matchAll(/\b(?:id|name)="([^"]+)"/g), ([, id = '']) => id));
  for (const [, heading = ''] of text.matchAll(/^#+ (.*)$/gm)) {
    const shown = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*_]/g, '');
    const anchor = shown
      .trim()
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-');
    const count = seen.get(anchor) ?? 0;
    seen.set(anchor, count + 1);
    anchors.add(count === 0 ? anchor : `${anchor}-${count}`);
  }
  return anchors;
}

/** Links to other files and to headings that are not there. */
function deadLinks(page: string): readonly string[] {
  const links = Array.from(read(page).matchAll(/\]\(([^)\s]+)\)/g), ([, link = '']) => link);
  return links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false;
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? page : join(dirname(page), path);
    if (!existsSync(join(ROOT, target))) return true;
    return anchor !== undefined && target.endsWith('.md') && !anchorsOf(read(target)).has(anchor);
  });
}

test('no link is dead', () => {
  expect(pages.length).toBeGreaterThan(80);
  expect(pages.flatMap((page) => deadLinks(page).map((link) => `${page}: ${link}`))).toEqual([]);
});

test('the index of each folder lists its pages, and only these', () => {
  const indexes = pages.filter((page) => /^docs\/[^/]+\/README\.md$/.test(page));
  expect(indexes).toHaveLength(8);
  for (const index of indexes) {
    const listed = Array.from(read(index).matchAll(/^\d+\. \[.*?\]\(([^)]+)\)/gm), ([, page = '']) => page);
    const there = pages.filter((page) => dirname(page) === dirname(index) && page !== index);
    expect([index, listed.toSorted()]).toEqual([index, there.map((page) => basename(page)).toSorted()]);
  }
});

test('a guide has at most 1,800 words', () => {
  const guides = pages.filter((page) => /^docs\/(?!reference|decisions)[^/]+\//.test(page));
  const words = (page: string): number => readFileSync(join(ROOT, page), 'utf8').split(/\s+/).length;
  expect(guides.filter((page) => words(page) > 1800)).toEqual([]);
});

test('a decision has at most 400 words', () => {
  const decisions = pages.filter((page) => /^docs\/decisions\/\d/.test(page));
  expect(decisions.length).toBeGreaterThan(20);
  const words = (page: string): number => read(page).trim().split(/\s+/).length;
  expect(decisions.filter((page) => words(page) > 400)).toEqual([]);
});
