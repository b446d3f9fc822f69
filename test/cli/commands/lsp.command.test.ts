// `millrace lsp`, asked by a client over standard input and output.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
  type CompletionList,
  type Diagnostic,
  type Hover,
  type Location,
  type ProtocolConnection,
} from 'vscode-languageserver/node';
import { run, scratch } from '../../support/command.ts';

const SCHEMA = `CREATE DATABASE shop;
CREATE TABLE shop.orders (id UInt32, at DateTime64(3, 'UTC'), shop String, status Enum8('open' = 1, 'paid' = 2), amount Decimal(12, 4), meta Tuple(city String)) ENGINE = MergeTree ORDER BY at;
CREATE TABLE shop.refunds (id UInt32, price UInt32) ENGINE = MergeTree ORDER BY id;
`;
const PART = `tables:
  paid: SELECT id, at, amount FROM shop.orders WHERE shop = @shop AND status = 'paid'
parameters:
  shop: { type: String, required: true, description: Name of the shop. }
`;
const HEAD = 'id: 00000000-0000-4000-8000-000000000001\nname: one\ndescription: One.\n';
const PARAMETERS =
  'parameters:\n  since: { type: DateTime, required: true, description: The start. }\n  shop: { type: String, required: true, description: Name. }\n';
const PLAIN = (query: string): string =>
  `${HEAD}query: |\n  ${query.replaceAll('\n', '\n  ')}\n${PARAMETERS}`;
const INCLUDING = (query: string): string =>
  `${HEAD}include:\n  - from: part\n    tables: [paid]\nquery: |\n  ${query}\n`;

let cwd: string;
let child: ChildProcess;
let client: ProtocolConnection;
const published = new Map<string, (found: readonly Diagnostic[]) => void>();

beforeAll(async () => {
  cwd = scratch();
  for (const folder of ['endpoints', 'schema']) await mkdir(join(cwd, folder));
  await writeFile(join(cwd, 'schema/tables.sql'), SCHEMA);
  await writeFile(join(cwd, 'endpoints/part.shared.yaml'), PART);
  await writeFile(join(cwd, 'endpoints/other.yaml'), `${HEAD.replaceAll('1', '2').replace('one', 'other')}query: SELECT 1 AS n\n`);
  child = spawn(process.execPath, [join(import.meta.dirname, '../../../bin/millrace.cjs'), 'lsp', '--stdio'], {
    cwd,
    env: { PATH: process.env['PATH'], HOME: cwd, TMPDIR: process.env['TMPDIR'] },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error('the child has pipes');
  client = createProtocolConnection(new StreamMessageReader(stdout), new StreamMessageWriter(stdin));
  client.onNotification('textDocument/publishDiagnostics', ({ uri, version, diagnostics }: { uri: string; version?: number; diagnostics: Diagnostic[] }) =>
    published.get(`${uri} ${version}`)?.(diagnostics));
  client.listen();
  await client.sendRequest('initialize', { processId: process.pid, rootUri: null, capabilities: {} });
  await client.sendNotification('initialized', {});
}); // prettier-ignore
afterAll(async () => {
  child.kill('SIGKILL');
});

const uriOf = (name: string): string => pathToFileURL(join(cwd, 'endpoints', name)).href;
let version = 0;
const opened = new Set<string>();

async function edit(name: string, text: string): Promise<void> {
  const uri = uriOf(name);
  version++;
  if (opened.has(uri))
    await client.sendNotification('textDocument/didChange', { textDocument: { uri, version }, contentChanges: [{ text }] });
  else
    await client.sendNotification('textDocument/didOpen', { textDocument: { uri, languageId: 'yaml', version, text } });
  opened.add(uri);
} // prettier-ignore

/** The last diagnostics of a version that `isLast` accepts. */
async function diagnosticsOf(
  name: string,
  text: string,
  isLast: (found: readonly Diagnostic[]) => boolean = () => true,
): Promise<readonly Diagnostic[]> {
  const last = new Promise<readonly Diagnostic[]>((resolve) => {
    published.set(`${uriOf(name)} ${version + 1}`, (found) => isLast(found) && resolve(found));
  });
  await edit(name, text);
  return last;
}

const shown = (found: readonly Diagnostic[]): readonly string[] =>
  found
    .map(({ range: { start }, code, severity }) => `${start.line + 1}:${start.character + 1} ${severity === 1 ? 'error' : 'warning'} ${code}`)
    .toSorted(); // prettier-ignore

describe('diagnostics are the findings of validate', () => {
  const ROWS: readonly (readonly [why: string, text: string])[] = [
    ['none', PLAIN('SELECT id FROM shop.orders WHERE at > @since AND shop = @shop')],
    ['a key that is not known', `${HEAD}quary: SELECT 1\n`],
    ['no YAML', `${HEAD}query: [\n`],
    ['a column of the engine', PLAIN('SELECT idd FROM shop.orders\nWHERE at > @since AND shop = @shop')],
    ['a table of the engine', PLAIN('SELECT id FROM shop.order WHERE at > @since AND shop = @shop')],
    ['a parameter that is not declared', PLAIN('SELECT id FROM shop.orders WHERE at > @sinse')],
    ['a warning of lint', PLAIN('SELECT * FROM shop.orders WHERE at > @since AND shop = @shop')],
    ['a warning that is suppressed', PLAIN('SELECT * -- millrace-ignore: lint.select_star\nFROM shop.orders WHERE at > @since AND shop = @shop')],
    ['a column of an included table', INCLUDING('SELECT idd FROM paid')],
  ]; // prettier-ignore
  const files = ROWS.map(([why, text], n) => ({
    why,
    name: `d${n}.yaml`,
    text: text.replace('0000001', `00001${String(n).padStart(2, '0')}`).replace('name: one', `name: d${n}`),
  }));
  let byFile: ReadonlyMap<string, readonly string[]>;
  beforeAll(async () => {
    for (const { name, text } of files) await writeFile(join(cwd, 'endpoints', name), text);
    const { out } = await run(['validate', '--format', 'json', '--no-cache'], { cwd });
    const { findings } = JSON.parse(out) as {
      findings: readonly { file: string; line: number; column: number; severity: string; code: string }[];
    }; // our own report
    const found = new Map<string, string[]>();
    for (const { file, line, column, severity, code } of findings)
      found.set(file, [...(found.get(file) ?? []), `${line}:${column} ${severity} ${code}`]);
    byFile = found;
    for (const { name } of files) await rm(join(cwd, 'endpoints', name));
  });
  test('which has some', () => expect(byFile.size).toBeGreaterThan(5));
  test.each(files)('$why', async ({ name, text }) => {
    const expected = (byFile.get(`endpoints/${name}`) ?? []).toSorted();
    const found = await diagnosticsOf(name, text, (each) => shown(each).join() === expected.join());
    expect(shown(found)).toEqual(expected);
  });

  test('and the name of another file', async () => {
    const text = PLAIN('SELECT id FROM shop.orders WHERE at > @since AND shop = @shop').replace(
      'name: one',
      'name: other',
    );
    const found = await diagnosticsOf('same.yaml', text, (each) => each.length > 0);
    expect(shown(found)).toEqual(['2:7 error endpoint.duplicate_name']);
  });

  test('of the text in the editor, and not of the file', async () => {
    const wrong = await diagnosticsOf('one.yaml', `${HEAD}quary: 1\n`, (found) => found.length > 0);
    expect(shown(wrong)).toContain('4:1 error schema.unknown_key');
    const right = PLAIN('SELECT id FROM shop.orders WHERE at > @since AND shop = @shop');
    expect(await diagnosticsOf('one.yaml', right, (found) => found.length === 0)).toEqual([]);
  });

  test('a part that is open is read as it is in the editor', async () => {
    await edit('part.shared.yaml', PART.replace('SELECT id,', 'SELECT id AS number,'));
    const found = await diagnosticsOf(
      'one.yaml',
      INCLUDING('SELECT id FROM paid'),
      (each) => each.length > 0,
    );
    expect(shown(found)).toEqual(['8:10 error engine.unknown_column']);
    await edit('part.shared.yaml', PART);
  });

  test('a mistake in a part is shown at include', async () => {
    await edit('part.shared.yaml', PART.replace('SELECT id,', 'SELECT idd,'));
    const found = await diagnosticsOf(
      'one.yaml',
      INCLUDING('SELECT at FROM paid'),
      (each) => each.length > 0,
    );
    expect(shown(found)).toEqual(['4:1 error engine.unknown_column']);
    expect(found[0]?.message).toContain('part.shared.yaml:2:');
    await edit('part.shared.yaml', PART);
  });
});

/** The text without its mark, and the place of that. */
function marked(text: string): {
  readonly text: string;
  readonly position: { line: number; character: number };
} {
  const lines = text.slice(0, text.indexOf('¦')).split('\n');
  return {
    text: text.replace('¦', ''),
    position: { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 },
  };
}

async function ask<T>(method: string, text: string): Promise<T> {
  const at = marked(text);
  await edit('asked.yaml', at.text);
  return client.sendRequest<T>(`textDocument/${method}`, { textDocument: { uri: uriOf('asked.yaml') }, position: at.position });
} // prettier-ignore

describe('completion', () => {
  const ROWS: readonly (readonly [why: string, text: string, has: readonly string[], hasNot: readonly string[]])[] = [
    ['parameters', PLAIN('SELECT id FROM shop.orders WHERE at > @¦'), ['@since', '@shop'], ['id', 'count']],
    ['parameters that begin so', PLAIN('SELECT id FROM shop.orders WHERE at > @si¦'), ['@since'], ['@shop']],
    ['parameters of a part', INCLUDING('SELECT id FROM paid WHERE @¦'), ['@shop'], []],
    ['tables of a database', PLAIN('SELECT id FROM shop.¦'), ['orders', 'refunds'], ['id', 'shop.orders']],
    ['columns of an alias', PLAIN('SELECT o.¦ FROM shop.orders AS o'), ['id', 'amount'], ['price', 'count']],
    ['columns of an alias without AS', PLAIN('SELECT r.¦ FROM shop.orders o JOIN shop.refunds r ON r.id = o.id'), ['price'], ['amount']],
    ['columns of a table by its name', PLAIN('SELECT orders.¦ FROM shop.orders'), ['status'], ['price']],
    ['columns of the tables of the query', PLAIN('SELECT am¦ FROM shop.orders'), ['amount'], ['price']],
    ['functions', PLAIN('SELECT toStartOfH¦ FROM shop.orders'), ['toStartOfHour'], ['toStartOfDay']],
    ['tables', PLAIN('SELECT id FROM sh¦'), ['shop.orders', 'shop.refunds'], []],
    ['tables of a part', INCLUDING('SELECT id FROM pa¦'), ['paid'], []],
    ['tables of WITH', PLAIN('WITH mine AS (SELECT 1 AS n) SELECT n FROM mi¦'), [], ['@since']],
    ['nothing in a string', PLAIN("SELECT id FROM shop.orders WHERE shop = 'a¦'"), [], ['amount', 'abs']],
    ['nothing in a comment', PLAIN('SELECT id -- a¦\nFROM shop.orders'), [], ['amount', 'abs']],
    ['nothing outside of SQL', PLAIN('SELECT 1').replace('One.', 'On¦e.'), [], ['id']],
    ['in a folded query', `${HEAD}query: >\n  SELECT o.¦\n  FROM shop.orders AS o\n`, ['amount'], ['price']],
    ['in a quoted query', `${HEAD}query: "SELECT o.¦ FROM shop.orders AS o"\n`, ['amount'], ['price']],
    ['in a fragment of a choice', `${PLAIN('SELECT id FROM shop.orders ORDER BY @by')}  by: { choices: { a: "toStartOfM¦" } }\n`, ['toStartOfMonth'], []],
    ['in a shared file’s table', PART.replace('amount FROM', 'amount, @¦ FROM'), ['@shop'], []],
  ]; // prettier-ignore
  test.each(ROWS.map(([why, text, has, hasNot]) => ({ why, text, has, hasNot })))('$why', async (row) => {
    const list = await ask<CompletionList | null>('completion', row.text);
    const labels = list?.items.map(({ label }) => label) ?? [];
    expect(labels).toEqual(expect.arrayContaining([...row.has]));
    expect(row.hasNot.filter((label) => labels.includes(label))).toEqual([]);
  });
});

test.each<[why: string, text: string, shows: string | undefined]>([
  ['a column', PLAIN('SELECT am¦ount FROM shop.orders'), 'Decimal(12, 4)'],
  ['a column of an alias', PLAIN('SELECT o.am¦ount FROM shop.orders AS o'), 'Decimal(12, 4)'],
  ['a table', PLAIN('SELECT id FROM shop.ref¦unds'), 'price UInt32'],
  ['a parameter', PLAIN('SELECT id FROM shop.orders WHERE at > @si¦nce'), 'DateTime: The start.'],
  ['a parameter of a part', INCLUDING('SELECT id FROM paid WHERE @sh¦op != 1'), 'String: Name of the shop.'],
  ['a function', PLAIN('SELECT toStartOf¦Hour(at) FROM shop.orders'), 'toStartOfHour(datetime)'],
  ['nothing of what is not known', PLAIN('SELECT noth¦ing FROM shop.orders'), undefined],
  ['nothing in a string', PLAIN("SELECT 'am¦ount' FROM shop.orders"), undefined],
])('hover over %s', async (_why, text, shows) => {
  const hover = await ask<Hover | null>('hover', text);
  const value = hover === null ? undefined : JSON.stringify(hover.contents);
  if (shows === undefined) expect(value).toBeUndefined();
  else expect(value).toContain(shows);
});

test.each<[why: string, text: string, file: string | undefined, line: number]>([
  [
    'an included file',
    INCLUDING('SELECT 1 AS n').replace('from: part', 'from: pa¦rt'),
    'part.shared.yaml',
    0,
  ],
  [
    'a table that is included',
    INCLUDING('SELECT 1 AS n').replace('[paid]', '[pa¦id]'),
    'part.shared.yaml',
    1,
  ],
  ['an included table in SQL', INCLUDING('SELECT id FROM pa¦id'), 'part.shared.yaml', 1],
  ['a parameter of the file', PLAIN('SELECT id FROM shop.orders WHERE at > @si¦nce'), 'asked.yaml', 6],
  ['a parameter of a part', INCLUDING('SELECT id FROM paid WHERE @sh¦op != 1'), 'part.shared.yaml', 3],
  ['nothing', PLAIN('SELECT noth¦ing FROM shop.orders'), undefined, 0],
])('definition of %s', async (_why, text, file, line) => {
  await diagnosticsOf('asked.yaml', text.replace('¦', ''));
  const found = await ask<Location | null>('definition', text);
  expect(found && [found.uri, found.range.start.line]).toEqual(
    file === undefined ? null : [uriOf(file), line],
  );
});

test.each<[why: string, text: string]>([
  ['large', `${HEAD}query: SELECT '${'a'.repeat(2 ** 21)}'\n`],
  ['deep', `${HEAD}query: ${'['.repeat(50_000)}\n`],
  ['aliases of aliases', `a: &a [1]\n${Array.from({ length: 30 }, (_, n) => `b${n}: &b${n} [${Array(9).fill(n === 0 ? '*a' : `*b${n - 1}`).join()}]\n`).join('')}`],
  ['many brackets in SQL', PLAIN(`SELECT ${'('.repeat(20_000)}`)],
  ['many parameters', PLAIN(`SELECT ${'@a + '.repeat(10_000)}1`)],
  ['a file that includes itself', `${HEAD}include: [{ endpoint: hostile, result: r }]\nquery: SELECT 1 FROM r\n`],
  ['one that includes a path', `${HEAD}include: [{ from: ../../secret, tables: all }]\nquery: SELECT 1\n`],
  ['a query that never ends', PLAIN('SELECT (SELECT sum(cityHash64(number)) FROM numbers(1000000000000)) AS n').replace(PARAMETERS, 'limits: { time: 1 }\n')],
])('a hostile document does not stop the server: %s', async (_why, text) => {
  await edit('hostile.yaml', text);
  for (const [line, character] of [[0, 0], [3, 9], [4, 20_000]])
    for (const method of ['completion', 'hover', 'definition'])
      await client.sendRequest(`textDocument/${method}`, { textDocument: { uri: uriOf('hostile.yaml') }, position: { line, character } });
  expect(JSON.stringify(await ask('hover', PLAIN('SELECT am¦ount FROM shop.orders')))).toContain('Decimal');
}); // prettier-ignore

test('tables that are created while it runs are known', async () => {
  await writeFile(
    join(cwd, 'schema/more.sql'),
    'CREATE TABLE shop.baskets (size UInt8) ENGINE = MergeTree ORDER BY size;\n',
  );
  const list = await ask<CompletionList | null>('completion', PLAIN('SELECT ¦ FROM shop.baskets'));
  expect(list?.items.map(({ label }) => label)).toContain('size');
});

test('it ends as the protocol says', async () => {
  const exited = once(child, 'exit');
  await client.sendRequest('shutdown');
  await client.sendNotification('exit');
  expect((await exited)[0]).toBe(0);
});
