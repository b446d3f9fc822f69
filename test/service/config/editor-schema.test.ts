// The schemas under a YAML language server: what it offers while keys and values are written, and which mistakes it marks.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { getLanguageService, type LanguageService } from 'yaml-language-server';
import { PROBLEMS } from '../../../src/sql/base/problems.ts';
import { parseYaml } from '../../../src/service/config/yaml-document.ts';
import { createSchemaCheck } from '../../../src/service/config/schema.ts';

type Options = Parameters<typeof getLanguageService>[0];

const textOf = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../../schemas/${name}.schema.json`, import.meta.url)), 'utf8');

function serviceFor(name: string): LanguageService {
  const options = {
    schemaRequestService: async () => textOf(name),
    workspaceContext: { resolveRelativePath: (path: string) => path },
    telemetry: { send: () => undefined, sendError: () => undefined, sendTrack: () => undefined },
    yamlSettings: { documents: { get: () => undefined } },
    clientCapabilities: {},
  } as unknown as Options; // what it needs without a connection
  const service = getLanguageService(options);
  const schema: object = JSON.parse(textOf(name)) as object; // our own schema
  service.configure({ validate: true, completion: true, schemas: [{ uri: 'file:///schema.json', fileMatch: ['*.yaml'], schema }] });
  return service;
} // prettier-ignore

let version = 0;
const open = (text: string): TextDocument => TextDocument.create('file:///a.yaml', 'yaml', ++version, text);
const services = Object.fromEntries(
  ['endpoint', 'shared', 'rollup', 'view', 'tokens', 'settings'].map((name) => [name, serviceFor(name)]),
);

async function labels(name: string, marked: string): Promise<readonly string[]> {
  const document = open(marked.replace('¦', ''));
  const found = await services[name]?.doComplete(document, document.positionAt(marked.indexOf('¦')), false);
  return found?.items.map(({ label }) => label) ?? [];
}

const HEAD = 'id: 5c1f7c3e-8a55-4c8e-9d0b-6a1e7c1f2d30\nname: a.b\nquery: SELECT 1\n';

/** Every key of a schema, as a place where a value is written, and one where keys are. */
function places(name: string): readonly string[] {
  const { properties } = JSON.parse(textOf(name)) as { properties: Record<string, unknown> }; // our own schema
  const head = name === 'endpoint' ? HEAD : '';
  return Object.keys(properties).flatMap((key) =>
    head.includes(`${key}:`) ? [] : [`${head}${key}: ¦`, `${head}${key}:\n  ¦`, `${head}${key}:\n  - ¦`],
  );
}

test.each(Object.keys(services).flatMap((name) => ['¦', ...places(name)].map((text) => ({ name, text }))))(
  '$name has plain labels at $text',
  async ({ name, text }) => {
    const types = Object.keys((JSON.parse(textOf(name)) as { $defs?: object }).$defs ?? {});
    const found = await labels(name, text);
    expect(found.filter((label) => /\[object|^object\(/.test(label) || label.endsWith('File') || types.includes(label))).toEqual([]);
  },
); // prettier-ignore

test.each([
  ['keys of a file', '¦', ['id', 'name', 'query', 'required keys']],
  [
    'a block with its example',
    `${HEAD}cache: ¦`,
    ['disabled', '{ ttl: 900, min_refresh: 10, stale_if_error: 3600 }'],
  ],
  ['codes of rejections', `${HEAD}examples:\n  - name: a\n    expect:\n      code: ¦`, Object.keys(PROBLEMS)],
  ['types', `${HEAD}parameters:\n  a:\n    type: ¦`, ['String', 'UInt16']],
])('offers %s', async (_why, text, expected) => {
  expect(await labels('endpoint', text)).toEqual(expect.arrayContaining([...expected]));
});

const typed = (type: string): string => `${HEAD}parameters:\n  a: { type: "${type}" }\n`;
test.each([
  ['a UUID that is none', HEAD.replace('5c1f7c3e', '5c1f7c3'), '1:5'],
  ['a type that is not known', typed('Strng'), '5:14'],
  ['one inside another', typed('Array(Nulable(String))'), '5:14'],
  ['none beside parameter', `${HEAD}tenancy: { parameter: a, none: b }\n`, '4:12', 'remove it'],
  ['a type with a comma in braces', `${HEAD}parameters:\n  a: { type: Decimal(12, 4) }\n`, '5:14', 'quotes'],
  ['an unknown key', `${HEAD}quary: a\n`, '4:1'],
])('marks %s', async (_why, text, place, message = '') => {
  const found = (await services['endpoint']?.doValidation(open(text), false)) ?? [];
  expect(found.map(({ range: { start } }) => `${start.line + 1}:${start.character + 1}`)).toEqual([place]);
  expect(found[0]?.message).toContain(message);
});

test.each([
  'String', 'FixedString(3)', 'Bool', 'UInt8', 'Int256', 'Float64', 'Decimal(12, 4)', 'Decimal64(3)', 'Date32', "DateTime('Europe/Berlin')",
  "DateTime64(3, 'UTC')", 'UUID', 'IPv4', "Enum8('a', 'Strng')", "Enum('it''s' = 1, 'Ö' = 2)", 'Nullable(String)', 'LowCardinality(Nullable(String))',
  'Array(Array(UInt8))', 'Tuple(UInt64, String)', 'Tuple(Name String, id UInt8)', 'Map(String, UInt64)', 'BIGINT', 'DOUBLE PRECISION', 'text', 'varchar(20)',
])('knows the type %s', async (type) => {
  expect(await services['endpoint']?.doValidation(open(typed(type)), false)).toEqual([]);
}); // prettier-ignore

test.each([
  `${'A '.repeat(2000)}!Strng`,
  `${'_ '.repeat(2000)}Strng`,
  `${'('.repeat(4000)}Strng`,
  `${"'a' ".repeat(1000)}'`,
])('a hostile type takes no time', async (type) => {
  expect(await services['endpoint']?.doValidation(open(typed(type)), false)).not.toEqual([]);
});

test('what only editors read is no second finding of the service', () => {
  const text = `${HEAD.replace('5c1f7c3e', '5c1f7c3')}tenancy: { parameter: a, none: b }\nparameters:\n  a: { type: Strng }\n`;
  const parsed = parseYaml('a.yaml', text);
  const found = 'document' in parsed ? createSchemaCheck('endpoint')(parsed.document) : [];
  expect(found.map(({ line }) => line)).toEqual([1]); // the others are found by rules
});
