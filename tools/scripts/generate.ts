// Writes the files derived from schemas and code tables; with --check, fails if a committed file differs from the output. What needs a
// browser, other programs or another engine is written only if it is asked for: see BY_HAND.
import { readFile, writeFile } from 'node:fs/promises';
import { compile, type JSONSchema } from 'json-schema-to-typescript';
import { changesPage } from './changes-page.ts';
import { clickhousePage } from './clickhouse-page.ts';
import { findingsPage } from './findings-page.ts';
import { formatsPage } from './formats-page.ts';
import { functionsPage } from './functions-page.ts';
import { problemsPage } from './problems-page.ts';
import { requestFieldsPage } from './request-fields-page.ts';
import { rollupSchema } from './rollup-schema.ts';
import { schemaPage } from './schema-page.ts';
import { sharedSchema } from './shared-schema.ts';
import { valuesPage } from './values-page.ts';

/** They have the names of their types. */
const SCHEMAS = {
  endpoint: 'EndpointFile',
  shared: 'SharedFile',
  rollup: 'RollupFile',
  view: 'ViewFile',
  statistics: 'StatisticsFile',
  tokens: 'TokensFile',
  settings: 'SettingsFile',
};

/** Only editors read these: labels, snippets and names that are no types. */
const EDITOR_KEYWORDS: ReadonlySet<string> = new Set(['title', '$id', 'allOf', 'defaultSnippets']);

/** Tuples such as [A, ...A[]] are hard to read and prove little: the types use arrays, ajv checks their length. */
function withoutLengths(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutLengths);
  if (typeof node !== 'object' || node === null) return node;
  const kept = Object.entries(node).filter(
    ([key]) => key !== 'minItems' && key !== 'maxItems' && !EDITOR_KEYWORDS.has(key),
  );
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutLengths(value)]));
}

async function typesOf(name: string, type: string): Promise<string> {
  const schema: unknown = JSON.parse(await readFile(`schemas/${name}.schema.json`, 'utf8'));
  // The schema files are JSON Schemas: in the tests, ajv compiles the same files in strict mode.
  const body = await compile(withoutLengths(schema) as JSONSchema, type, {
    bannerComment: `// Generated from schemas/${name}.schema.json by \`npm run generate\`; change the schema instead.`,
    style: { singleQuote: true, printWidth: 110 },
  });
  return body;
}

/** Writes a file if its text differs; with `check`, only reports it. */
async function write(path: string, text: string, check: boolean): Promise<readonly string[]> {
  const current = await readFile(path, 'utf8').catch(() => '');
  if (current === text) return [];
  if (!check) await writeFile(path, text);
  return [path];
}

async function main(): Promise<void> {
  const check = process.argv.includes('--check');
  const endpoint = await readFile('schemas/endpoint.schema.json', 'utf8');
  const stale = [
    ...(await write('schemas/shared.schema.json', sharedSchema(endpoint), check)),
    ...(await write('schemas/rollup.schema.json', rollupSchema(endpoint), check)),
  ]; // types and pages are derived from them
  const outputs = new Map<string, string>();
  for (const [name, type] of Object.entries(SCHEMAS))
    outputs.set(`src/service/config/generated/${name}.ts`, await typesOf(name, type));
  outputs.set('docs/reference/endpoint-file.md', await schemaPage('endpoint', 'The endpoint file'));
  outputs.set('docs/reference/shared-file.md', await schemaPage('shared', 'The shared file'));
  outputs.set('docs/reference/rollup-file.md', await schemaPage('rollup', 'The rollup file'));
  outputs.set('docs/reference/view-file.md', await schemaPage('view', 'The view file'));
  outputs.set('docs/reference/statistics-file.md', await schemaPage('statistics', 'The file of statistics'));
  outputs.set('docs/reference/tokens-file.md', await schemaPage('tokens', 'The tokens file'));
  outputs.set('docs/reference/settings.md', await schemaPage('settings', 'Settings'));
  outputs.set('docs/reference/problems.md', problemsPage());
  outputs.set('docs/reference/findings.md', findingsPage());
  outputs.set('docs/reference/request-fields.md', requestFieldsPage());
  outputs.set('docs/reference/functions.md', functionsPage());
  outputs.set('docs/reference/clickhouse-formats.md', formatsPage());
  outputs.set('docs/reference/clickhouse-statements.md', clickhousePage());
  outputs.set('docs/reference/contract-changes.md', changesPage());
  outputs.set('docs/reference/translated-values.md', valuesPage());
  for (const [path, text] of outputs) stale.push(...(await write(path, text, check)));
  if (check && stale.length > 0) {
    process.stderr.write(`out of date: ${stale.join(', ')}; run npm run generate\n`);
    process.exitCode = 1;
  }
}

/** By option; each module writes its files when it is loaded. */
const BY_HAND: Readonly<Record<string, () => Promise<unknown>>> = {
  // After updating the engine: columns of ClickHouse's system tables, and settings. `npm run fix` formats them.
  '--engine': async () => [await import('./system-columns.ts'), await import('./engine-settings.ts')],
  '--pictures': () => import('./pictures.ts'),
  '--dashboard': () => import('./dashboard-picture.ts'),
  // Expected rows of converted queries, from the systems themselves.
  '--expected': () => import('./convert-expected.ts'),
};

const byHand = process.argv.flatMap((option) => BY_HAND[option] ?? []);
for (const run of byHand) await run();
if (byHand.length === 0) await main();
