// `millrace query --all`: the rows of all pages, one page in memory at a time where the output allows it.
import { count } from '../../findings/findings.ts';
import type { Terminal } from '../../kit/terminal.ts';
import type { QueryOutput, QueryReply } from './reply.ts';
import { linesOf } from '../../../service/formats/members.ts';

/** Bytes of all pages. A table is printed at once, because its widths depend on all rows. */
const MAX_BYTES = 256 * 2 ** 20;

export interface AllPagesOptions {
  readonly output: QueryOutput;
  /** No further page is requested once there are so many rows. */
  readonly maxRows: number;
  /** Prints rows, each as JSON, as a table. */
  readonly printTable: (rows: readonly string[]) => void;
}

/** Prints the rows of all pages; `ask` returns the page after a cursor, in CSV or NDJSON. Rejects as `ask` does. */
export async function printAllPages(
  ask: (cursor: string | undefined) => Promise<QueryReply>,
  { output, maxRows, printTable }: AllPagesOptions,
  terminal: Terminal,
): Promise<void> {
  const writer = writerOf(output, printTable, terminal);
  let [rows, bytes, pages, engine] = [0, 0, 0, 0];
  let reply: QueryReply | undefined;
  do {
    reply = await ask(reply?.next);
    rows += writer.add(reply.body);
    bytes += reply.body.length;
    pages++;
    engine += reply.engine ?? 0;
    if (reply.next !== undefined) terminal.progress(`${count(rows, 'row')}, ${count(pages, 'page')}`);
  } while (reply.next !== undefined && rows < maxRows && bytes < MAX_BYTES);
  terminal.progress('');
  writer.end();
  const summary = [count(rows, 'row'), count(pages, 'page'), `${engine.toFixed(0)} ms in the engine`];
  if (reply.truncated) summary.push('truncated at the maximum');
  if (reply.next !== undefined) {
    const limit = rows >= maxRows ? `--max-rows ${maxRows}` : `${MAX_BYTES / 2 ** 20} MiB`;
    summary.push(`stopped at ${limit}`, `next page: cursor=${reply.next}`);
  }
  terminal.note(summary.join(', '));
}

interface Writer {
  /** Returns the number of rows. */
  readonly add: (page: Buffer) => number;
  readonly end: () => void;
}

function writerOf(
  output: QueryOutput,
  printTable: AllPagesOptions['printTable'],
  terminal: Terminal,
): Writer {
  switch (output) {
    case 'table': {
      const all: string[] = [];
      const add = (page: Buffer): number => {
        const rows = linesOf(page);
        for (const row of rows) all.push(row);
        return rows.length;
      };
      return { add, end: () => printTable(all) };
    }
    case 'json': {
      let total = 0;
      const add = (page: Buffer): number => {
        const rows = linesOf(page);
        const text = rows.map((row, index) => `${total + index === 0 ? '[\n' : ',\n'}  ${row}`).join('');
        total += rows.length;
        if (text !== '') terminal.write(text);
        return rows.length;
      };
      return { add, end: () => terminal.write(total === 0 ? '[]\n' : '\n]\n') };
    }
    case 'csv': {
      let isFirst = true;
      const add = (page: Buffer): number => {
        const { header, records } = scanCsv(page);
        terminal.write((isFirst ? page : page.subarray(header)).toString());
        isFirst = false;
        return records;
      };
      return { add, end: () => {} };
    }
  }
}

const [QUOTE, LF] = [0x22, 0x0a];

/** The bytes of the header, and the number of records after it: RFC 4180, with line breaks in quotes. */
export function scanCsv(text: Buffer): { readonly header: number; readonly records: number } {
  let isQuoted = false;
  let header = 0;
  let lines = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === QUOTE) isQuoted = !isQuoted;
    if (text[at] !== LF || isQuoted) continue;
    if (lines++ === 0) header = at + 1;
  }
  return { header, records: Math.max(lines - 1, 0) };
}
