// Formats results as a Markdown table and writes it into the docs.
import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, totalmem } from 'node:os';
import type { Result } from './figures.ts';

export function machine(): string {
  return `${availableParallelism()} cores of ${cpus()[0]?.model ?? 'an unknown processor'}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Node ${process.version}`;
}

export function table(results: readonly Result[]): string {
  const head = [
    '| benchmark | contender | per second | p50 | p99 | relative | target |',
    '|---|---|---|---|---|---|---|',
  ];
  const lines = results.map(({ row, contender, unit, median, toReference, bar }, index) => {
    const what = results[index - 1]?.row === row ? '' : `**${row}**`;
    const shown = bar === undefined ? '' : bar.isMet ? bar.text : `**missed**: ${bar.text}`;
    const cells = [
      what,
      median.read === undefined
        ? contender
        : `${contender} (${median.read.rows.toLocaleString('en')} rows, ${number(median.read.bytes / 2 ** 20)} MiB read)`,
      number(median.rate),
      `${number(median.p50)} ${unit}`,
      `${number(median.p99)} ${unit}`,
      toReference.toFixed(2),
      shown,
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return [...head, ...lines].join('\n');
}

function number(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(2)));
}

const BEGIN = '<!-- the last run: begin -->';
const END = '<!-- the last run: end -->';

/** Inserts the table between the page's markers. */
export async function writePage(page: string, results: readonly Result[], command: string): Promise<void> {
  const text = await readFile(page, 'utf8');
  const [before, after] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (before === -1 || after === -1) throw new Error(`${page} has no place for the table`);
  const section = `${BEGIN}\n\n\`${command}\` on ${machine()}:\n\n${table(results)}\n\n`;
  await writeFile(page, text.slice(0, before) + section + text.slice(after));
}
