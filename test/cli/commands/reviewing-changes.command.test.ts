// The examples of docs/author/reviewing-changes.md and comparison.md: what diff prints for each, which `vitest -u` writes into the pages.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repository } from '../../support/git-repository.ts';

const PAGES = ['reviewing-changes', 'comparison'].map((name) =>
  join(import.meta.dirname, `../../../docs/author/${name}.md`),
);
/** Between the pages; in none of them. */
const BREAK = '\f';
const NAME = 'orders.by-day';
const BLOCK = /^```(\w*)\n([^]*?)^```$/gm;

interface Example {
  /** Where the output is in the page. */
  readonly start: number;
  readonly end: number;
  readonly before: string | undefined;
  readonly after: string;
}

/** The examples are each followed by a block without a language: what is printed. */
function examplesIn(page: string): { readonly tables: string; readonly examples: readonly Example[] } {
  let [base, tables] = ['', ''];
  let pending: Pick<Example, 'before' | 'after'> | undefined;
  const examples: Example[] = [];
  for (const { index, 0: whole, 1: language, 2: text = '' } of page.matchAll(BLOCK)) {
    if (language === 'sql') tables = text;
    if (language === 'yaml' && text.includes(`name: ${NAME}\n`)) base = text;
    else if (language === 'yaml') pending = { before: undefined, after: text };
    if (language === 'diff') pending = { before: base, after: edit(base, text) };
    if (language !== '' || pending === undefined) continue;
    examples.push({ ...pending, start: index, end: index + whole.length });
    pending = undefined;
  }
  return { tables, examples };
}

function edit(base: string, hunk: string): string {
  const lines = (sign: string): string =>
    hunk
      .split('\n')
      .filter((line) => line.startsWith(sign))
      .map((line) => `${line.slice(1)}\n`)
      .join('');
  if (!base.includes(lines('-'))) throw new Error(`the file has no ${lines('-')}`);
  return base.replace(lines('-'), () => lines('+'));
}

/** Each example becomes an endpoint of its own, so that one comparison prints all. */
function fileOf(text: string, index: number): string {
  return text
    .replace(/^id: .{4}/m, `id: ${String(index).padStart(4, '0')}`)
    .replace(/^name: (.*)$/m, `name: $1.example-${index}`);
}

test('the pages show what diff prints', async () => {
  const page = PAGES.map((path) => readFileSync(path, 'utf8')).join(BREAK);
  const { tables, examples } = examplesIn(page);
  const { write, diff } = repository({
    'seeds/1.sql': `CREATE DATABASE IF NOT EXISTS shop;\n${tables}`,
    ...Object.fromEntries(
      examples.flatMap(({ before }, index) =>
        before === undefined ? [] : [[`endpoints/${index}.yaml`, fileOf(before, index)]],
      ),
    ),
  });
  for (const [index, { after }] of examples.entries()) write(`endpoints/${index}.yaml`, fileOf(after, index));
  const { out } = await diff('main');
  const sections = new Map(
    out.split(/^#### /m).map((section) => [/^.*\.example-(\d+)$/m.exec(section)?.[1], section] as const),
  );
  const printed = examples.map((_, index) => {
    const [table = ''] = (sections.get(String(index)) ?? '').replace(/^.*\n\n/, '').split('\n\n<details>');
    return table.trimEnd().replaceAll(`.example-${index}`, '').replaceAll(`${index}.yaml`, 'FILE.yaml');
  });
  const text = examples.reduceRight((rest, { start, end, after }, index) => {
    const name = /^name: (.*)$/m.exec(after)?.[1] ?? '';
    const shown = (printed[index] ?? '').replaceAll('FILE', name);
    return `${rest.slice(0, start)}\`\`\`\n${shown}\n\`\`\`${rest.slice(end)}`;
  }, page);
  expect(examples).toHaveLength(11);
  for (const [index, own] of text.split(BREAK).entries())
    await expect(own).toMatchFileSnapshot(PAGES[index] ?? '');
});
