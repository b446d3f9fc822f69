// `millrace diff` over a repository in which several queries and a view change at once.
import { expect, test } from 'vitest';
import { PAIRS } from '../compare/pairs/all.ts';
import type { Pair } from '../compare/pairs/pair.ts';
import { PRODUCTS } from '../compare/pairs/schema.ts';
import { repository } from '../../support/git-repository.ts';

const DANGEROUS = [
  'USING loses the tenant',
  'WHERE becomes QUALIFY beside a window',
  'a hash is removed',
  'a filter of a table gets an alternative',
];
const HARMLESS = ['two WITH tables', 'the filter in a subquery', 'LIMIT of a table'];

const pairOf = (name: string): Pair => {
  const found = PAIRS.find((pair) => pair.name === name);
  if (found === undefined) throw new Error(`no pair ${name}`);
  return found;
};

const VIEW = 'CREATE VIEW app.paths AS SELECT tenant, path FROM app.events WHERE ms > 0;\n';
const tables = (view: string): string =>
  `CREATE DATABASE IF NOT EXISTS app;\n${PRODUCTS.tables.replaceAll('{db}', 'app')}${view}`;

/** An endpoint file. Tables of a sandbox are the WITH table `t`. */
function fileOf(name: string, query: string, isTable: boolean): string {
  const parameters = Object.entries(PRODUCTS.parameters)
    .filter(([key]) => new RegExp(String.raw`@${key}\b`).test(query))
    .map(([key, { type }]) => `  ${key}: { type: ${type}, required: true }\n`);
  const sql = isTable ? `WITH t AS (${query}) SELECT * FROM t` : query;
  const id = `00000000-0000-4000-8000-${name.replaceAll(/\W|[a-z]/g, '').padStart(12, '0')}`;
  return `id: ${id}
name: ${name}
query: |
  ${sql.replaceAll('\n', '\n  ')}
parameters:
${parameters.join('')}${isTable ? 'sandbox: { enabled: true }\n' : ''}`;
}

interface Json {
  readonly changes: readonly { readonly endpoint: string; readonly code: string; readonly class: string }[];
}

test('reports the dangerous changes as security, and only these', async () => {
  const names = new Map([...DANGEROUS, ...HARMLESS].map((name, index) => [name, `pairs.p${index + 1}`]));
  const files = (side: 'before' | 'after'): Readonly<Record<string, string>> => {
    const own = [...names].map(([name, endpoint]): readonly [string, string] => {
      const pair = pairOf(name);
      return [`endpoints/${endpoint}.yaml`, fileOf(endpoint, pair[side], pair.isTable)];
    });
    const view = ['endpoints/pairs.seen.yaml', fileOf('pairs.view', 'SELECT path FROM app.paths WHERE tenant = @tenant', false)]; // prettier-ignore
    return Object.fromEntries([...own, view]);
  };
  const { write, diff } = repository({ ...files('before'), 'schema/1.sql': tables(VIEW) });
  for (const [path, text] of Object.entries(files('after'))) write(path, text);
  write('schema/1.sql', tables(VIEW.replace('SELECT tenant', "SELECT 'a' AS tenant")));

  const { code, out, err } = await diff('HEAD', '--format', 'json');
  const { changes } = JSON.parse(out) as Json; // what the command documents
  expect({ code, err, broken: changes.filter((each) => each.code.startsWith('file.')) }).toEqual({
    code: 1,
    err: '',
    broken: [],
  });
  const security = changes.filter((change) => change.class === 'security').map(({ endpoint }) => endpoint);
  expect(new Set(security)).toEqual(new Set([...DANGEROUS.map((name) => names.get(name)), 'pairs.view']));
});
