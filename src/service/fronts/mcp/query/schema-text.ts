// Tables, columns and paths as a text for agents, with as much detail as fits.
import { nearest } from '../../../../sql/base/nearest.ts';
import { plainText } from '../endpoints/table-text.ts';
import type { DescribedColumn, DescribedPath } from './described-paths.ts';

export interface DescribedTable {
  readonly name: string;
  readonly columns: readonly DescribedColumn[];
  /** Rows that were sampled; undefined: none were. */
  readonly sampled: number | undefined;
  /** Not with all parameters. */
  readonly conditional?: true | undefined;
}

/** How much of a table is written. */
interface Detail {
  /** Values of each path. */
  readonly values: number;
  readonly paths: 'all' | 'grouped' | 'none';
}

const DETAILS: readonly Detail[] = [
  { values: 8, paths: 'all' },
  { values: 4, paths: 'all' },
  { values: 2, paths: 'all' },
  { values: 1, paths: 'all' },
  { values: 0, paths: 'all' },
  { values: 0, paths: 'grouped' },
  { values: 0, paths: 'none' },
];

/** Bytes of the tables in an answer. */
const MAX_SCHEMA_BYTES = 16 * 1024;

/** The text with the most detail that fits; what is left out is named with the arguments that show it. */
export function schemaText(tables: readonly DescribedTable[], maxBytes = MAX_SCHEMA_BYTES): string {
  let text = '';
  for (const detail of DETAILS) {
    text = tables.map((table) => tableText(table, detail)).join('\n');
    if (Buffer.byteLength(text) <= maxBytes) return text;
  }
  return cutLines(text, maxBytes);
}

function cutLines(text: string, maxBytes: number): string {
  const lines = text.split('\n');
  let [kept, bytes] = [0, 0];
  for (const line of lines) {
    bytes += Buffer.byteLength(line) + 1;
    if (bytes > maxBytes) break;
    kept++;
  }
  const rest = `… ${lines.length - kept} more lines: ask for one table, or for the paths with one beginning (path).`;
  return [...lines.slice(0, kept), rest].join('\n');
}

function tableText({ name, columns, sampled, conditional }: DescribedTable, detail: Detail): string {
  const rows =
    sampled === undefined
      ? ''
      : ` (values: the most frequent of ${sampled} sampled rows; the table may have others, and other times)`;
  return [
    `table ${plainText(name)}${conditional === true ? ` (${CONDITIONAL})` : ''}${rows}`,
    ...columns.flatMap((column) => [
      `- ${pathText(column, detail)}`,
      ...pathLines(column, detail).map((line) => `  - ${line}`),
    ]),
  ].join('\n');
}

/** Of tables and columns that some variants lack. */
const CONDITIONAL = 'depends on the parameters';

function pathLines({ paths }: DescribedColumn, detail: Detail): readonly string[] {
  if (paths.length === 0) return [];
  switch (detail.paths) {
    case 'all':
      return paths.map((path) => pathText(path, detail));
    case 'grouped':
      return [...groupsOf(paths)].map(([start, count]) =>
        count === 1
          ? plainText(start)
          : `${plainText(start)}… : ${count} paths, listed with the argument path="${plainText(start)}"`,
      );
    case 'none':
      return [`${paths.length} paths, listed with the argument table`];
  }
}

/** The number of paths by their first segment after the column; a path alone is its own group. */
function groupsOf(paths: readonly DescribedPath[]): ReadonlyMap<string, number> {
  const groups = new Map<string, string[]>();
  for (const { path } of paths) {
    const start = /^[^.[]*(?:\.[^.[]*|\['[^.']*)/.exec(path)?.[0] ?? path;
    groups.set(start, [...(groups.get(start) ?? []), path]);
  }
  return new Map([...groups].map(([start, all]) => [(all.length === 1 && all[0]) || start, all.length]));
}

function pathText({ path, type, values, range }: DescribedPath, detail: Detail): string {
  const shown = range !== undefined && detail.values > 0 ? `${range.join(' to ')} in the sampled rows` : '';
  const list = values.slice(0, detail.values).join(', ');
  const more = values.length > detail.values && detail.values > 1 ? ', …' : '';
  const examples = shown !== '' ? shown : list === '' ? '' : `${list}${more}`;
  return plainText(`${path}: ${type}${examples === '' ? '' : ` = ${examples}`}`);
}

/** The columns and paths that start with `start`, however a map's key is written; the nearest path if there are none. */
export function selectPaths(
  table: DescribedTable,
  start: string,
): { readonly table: DescribedTable; readonly nearest: string | undefined } {
  const wanted = plainPath(start);
  const columns = table.columns.flatMap((column) => {
    if (plainPath(column.path).startsWith(wanted)) return [column];
    const paths = column.paths.filter(({ path }) => plainPath(path).startsWith(wanted));
    return paths.length === 0 ? [] : [{ ...column, values: [], range: undefined, paths }];
  });
  if (columns.length > 0) return { table: { ...table, columns }, nearest: undefined };
  const all = table.columns.flatMap((column) => [
    column.path,
    ...column.paths.flatMap(({ path }) => startsOf(path)),
  ]);
  return { table: { ...table, columns }, nearest: nearest(start, all) };
}

/** The path, and what it starts with up to each dot. */
function startsOf(path: string): readonly string[] {
  const dots = [...path.matchAll(/[.]/g)].map(({ index }) => path.slice(0, index));
  return [...dots, path];
}

/** `attributes['a.b']` as `attributes.a.b`. */
function plainPath(path: string): string {
  return path
    .replaceAll(/\['?/g, '.')
    .replaceAll(/['`\]]/g, '')
    .toLowerCase();
}
