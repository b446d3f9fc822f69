// Prints the rows of a query, and its metadata.
import { elementsOf, linesOf, membersOf, plainText } from '../../../service/formats/members.ts';
import { count } from '../../findings/findings.ts';
import { renderTable } from '../../kit/table.ts';
import type { Terminal } from '../../kit/terminal.ts';
import { printAllPages } from './all-pages.ts';
import type { QueryReply } from './reply.ts';
import type { QueryOptions } from './options.ts';

/** Prints the rows of the page that is asked for, or of all pages from there on. */
export async function printReplies(
  ask: (cursor: string | undefined) => Promise<QueryReply>,
  options: Pick<QueryOptions, 'output' | 'meta' | 'allPages'>,
  terminal: Terminal,
): Promise<void> {
  const { output, allPages } = options;
  if (allPages !== undefined) {
    const printTable = (rows: readonly string[]): void => printRows(rows, 'table', terminal);
    return printAllPages(ask, { output, maxRows: allPages, printTable }, terminal);
  }
  const reply = await ask(undefined);
  print(reply.body, options, terminal);
  terminal.note(summaryOf(reply));
}

/** For example `7 rows, 12 ms in the engine`. Rows of CSV from a service are not counted. */
function summaryOf(answer: QueryReply): string {
  return [
    ...(answer.rows === undefined ? [] : [count(answer.rows, 'row')]),
    ...(answer.truncated ? ['truncated at the maximum'] : []),
    ...(answer.engine === undefined ? [] : [`${answer.engine.toFixed(0)} ms in the engine`]),
    ...(answer.next === undefined ? [] : [`next page: cursor=${answer.next}`]),
  ].join(', ');
}

/** The raw JSON text of the rows. */
export function rowsIn(body: Buffer, { meta }: Pick<QueryOptions, 'meta'>): readonly string[] {
  return meta ? elementsOf(memberIn(body, 'result')) : linesOf(body);
}

function memberIn(body: Buffer, name: string): string {
  return membersOf(body.toString()).find((each) => each.name === name)?.value ?? '';
}

/** Prints the bytes of the service's own formats: parsing JSON numbers would lose digits. */
function print(body: Buffer, options: Pick<QueryOptions, 'output' | 'meta'>, terminal: Terminal): void {
  const { output, meta } = options;
  if (output === 'csv') return terminal.write(body.toString());
  if (output === 'json' && meta) return terminal.write(`${body.toString()}\n`);
  const rows = rowsIn(body, options);
  printRows(rows, output, terminal);
  if (meta) printMetadata(memberIn(body, 'meta'), terminal);
}

/** The columns as a table, and the rest as JSON. */
function printMetadata(text: string, terminal: Terminal): void {
  const members = membersOf(text);
  const columns = elementsOf(members.find(({ name }) => name === 'columns')?.value ?? '');
  const cells = columns.map((column) => membersOf(column).map(({ value }) => plainText(value)));
  terminal.print('');
  for (const line of renderTable([['column', 'type'], ...cells])) terminal.print(line);
  terminal.print('');
  for (const { name, value } of members) if (name !== 'columns') terminal.print(`${name}: ${value}`);
}

export function printRows(rows: readonly string[], output: 'table' | 'json', terminal: Terminal): void {
  if (output === 'json') {
    return terminal.write(rows.length === 0 ? '[]\n' : `[\n  ${rows.join(',\n  ')}\n]\n`);
  }
  const [first] = rows;
  if (first === undefined) return;
  const header = membersOf(first).map(({ name }) => name);
  const cells = rows.map((row) => membersOf(row).map(({ value }) => plainText(value)));
  for (const line of renderTable([header, ...cells])) terminal.print(line);
}
