// Calls of Tinybird's own tests: tests/PIPE.yaml with rows of JSON, and NAME.test files with a command and a result of CSV.
// Source: https://www.tinybird.co/docs/forward/test-and-deploy/test-your-project
import { entriesOf, member, textOf, type Contents } from '../../export/document.ts';
import type { SourceExample } from '../../export/foreign-query.ts';

type JsonRow = Readonly<Record<string, unknown>>;

/** By the name of the pipe. */
export function readExamples({ files, documents }: Contents): ReadonlyMap<string, readonly SourceExample[]> {
  const found = new Map<string, SourceExample[]>();
  const add = (pipe: string, example: SourceExample): void => {
    found.set(pipe, [...(found.get(pipe) ?? []), example]);
  };
  for (const { path, value } of documents) {
    const pipe = /(?:^|\/)tests\/([^/]+)\.ya?ml$/.exec(path)?.[1];
    if (pipe === undefined || !Array.isArray(value)) continue;
    for (const each of (value as readonly unknown[]).slice(0, MAX_EXAMPLES)) {
      const [name, expected] = [textOf(each, 'name'), textOf(each, 'expected_result')];
      if (name === undefined) continue;
      const rows = expected === undefined ? undefined : jsonRows(expected);
      const parameters = Object.fromEntries(new URLSearchParams(textOf(each, 'parameters') ?? ''));
      const status = Number(member(each, 'expected_http_status') ?? 200);
      if (status >= 400 && status < 500) add(pipe, { name, parameters, status });
      else add(pipe, { name, parameters, ...(rows === undefined ? {} : { rows }) });
    }
  }
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  for (const { path, text } of files) {
    const name = /([^/]+)\.test$/.exec(path)?.[1];
    const [, pipe, options] = /^\s*tb\s+pipe\s+data\s+(\w+)([^\n]*)/m.exec(text) ?? [];
    if (name === undefined || pipe === undefined || options === undefined) continue;
    const result = texts.get(`${path}.result`);
    const rows = result === undefined || !/--format\s+CSV/i.test(options) ? undefined : csvRows(result);
    add(pipe, { name, parameters: parametersOf(options), ...(rows === undefined ? {} : { rows }) });
  }
  return found;
}

const MAX_EXAMPLES = 50;
const MAX_ROWS = 100;

/** `--name value` for each, apart from those of the command itself. */
function parametersOf(options: string): Readonly<Record<string, string>> {
  const pairs = [...options.matchAll(/--(\w+)[ =]("[^"]*"|'[^']*'|\S+)/g)].map(
    ([, name = '', value = '']) => [name, value.replace(/^(["'])(.*)\1$/, '$2')] as const,
  );
  return Object.fromEntries(pairs.filter(([name]) => name !== 'format'));
}

/** One object a line; undefined if they are none, or too many. */
function jsonRows(text: string): readonly JsonRow[] | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length > MAX_ROWS) return undefined;
  try {
    const rows = lines.map((line): unknown => JSON.parse(line));
    return rows.every((row) => entriesOf(row).length > 0)
      ? rows.map((row) => typed(Object.fromEntries(entriesOf(row))))
      : undefined;
  } catch {
    return undefined;
  }
}

/** Lines with a header; undefined if a value is a list or has a line break, which this does not read. */
function csvRows(text: string): readonly JsonRow[] | undefined {
  const lines = text
    .trim()
    .split(/\r?\n/)
    .map((line) =>
      [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].slice(0, -1).map(([, cell = '']) => cell),
    );
  const [header, ...rows] = lines;
  if (header === undefined || rows.length > MAX_ROWS) return undefined;
  if (rows.some((row) => row.length !== header.length || row.some((cell) => /^"?\[/.test(cell))))
    return undefined;
  return rows.map((row) =>
    typed(Object.fromEntries(row.map((cell, at) => [unquoted(header[at] ?? ''), cellOf(cell)]))),
  );
}

function unquoted(cell: string): string {
  return cell.replace(/^"([^]*)"$/, '$1').replaceAll('""', '"');
}

function cellOf(cell: string): unknown {
  if (cell === '\\N') return null;
  return /^-?\d+(\.\d+)?(e[+-]?\d+)?$/.test(cell) ? Number(cell) : unquoted(cell);
}

/** Times as Millrace writes them. */
function typed(row: JsonRow): JsonRow {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'string' && /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?$/.test(value)
        ? `${value.replace(' ', 'T')}Z`
        : value,
    ]),
  );
}
