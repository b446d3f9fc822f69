// Templates of other tools as endpoint files: calls return the rows of the query that the tool would send, on the engine.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { createCompile } from '../../../src/service/endpoints/compile.ts';
import type { Endpoint } from '../../../src/service/endpoints/endpoint.ts';
import { Problem } from '../../../src/sql/base/problem.ts';
import type { Conversion, ConvertedParameter } from '../../../src/sql/dialects/conversion.ts';
import { convertTemplate } from '../../../src/cli/convert/convert-template.ts';
import { createConverter, type Converter } from '../../../src/cli/convert/convert.ts';
import { readPlaceholders } from '../../../src/cli/convert/placeholders/read-placeholders.ts';
import type {
  Declaration,
  TemplateDialect,
  TemplateTool,
} from '../../../src/cli/convert/placeholders/template.ts';
import type { RawValue } from '../../../src/service/params/reading.ts';
import { quoteString } from '../../../src/sql/clickhouse/literal.ts';
import { openOracle, type Oracle } from '../../sql/clickhouse/oracle.ts';

interface Call {
  readonly with?: Readonly<Record<string, RawValue>>;
  /** What the tool sends for these values; on ClickHouse, as it is. */
  readonly sends?: string;
  /** Instead: the rows as CSV, with spaces between them. */
  readonly rows?: string;
  /** The tool answers with an error. */
  readonly rejected?: true;
}

interface Case {
  readonly why: string;
  readonly dialect?: TemplateDialect;
  readonly source: string;
  readonly declarations?: readonly Declaration[];
  /** Missing: the source is only converted partly. */
  readonly calls?: readonly Call[];
  /** What is named as not converted, or as different: the text at each place. */
  readonly partly?: readonly string[];
}

const FOLDER = join(import.meta.dirname, 'rows');
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith('.yaml'));
const compile = createCompile({ piiHashKey: undefined });

let oracle: Oracle;
let converter: Converter;
beforeAll(async () => {
  oracle = openOracle();
  converter = createConverter();
  for (const statement of readFileSync(join(FOLDER, 'tables.sql'), 'utf8').split(/;\n/))
    if (statement.trim() !== '') await oracle.ask(statement);
});
afterAll(async () => {
  oracle.close();
  await converter.close();
});

type Converted = Pick<Conversion, 'notes' | 'parameters'> & { readonly sql: string };

async function convert(
  tool: TemplateTool,
  { source, dialect = 'clickhouse', declarations }: Case,
): Promise<Converted> {
  const template = readPlaceholders(source, {
    tool,
    dialect,
    ...(declarations === undefined ? {} : { declarations }),
  });
  if (dialect === 'clickhouse') return { ...template, sql: template.restore(template.sql) };
  const { sql = '', ...rest } = await convertTemplate(converter, template, { dialect });
  return { ...rest, sql };
}

function declarationOf({
  type,
  choices,
  required,
  default: value,
  enum: values,
}: ConvertedParameter): object {
  return {
    ...(choices === undefined ? { type } : { choices }),
    ...(required ? { required } : {}),
    ...(value === undefined ? {} : { default: value }),
    ...(values === undefined ? {} : { enum: values }),
  };
}

/** The endpoint of a file with this query, which has no finding that is an error. */
function endpointOf({ sql, parameters }: Converted): Endpoint {
  const document = {
    id: '0f6f5a52-6a34-4f0c-9a68-6d5b6f6a0001',
    name: 'imported',
    description: 'Imported.',
    query: sql,
    parameters: Object.fromEntries(parameters.map((each) => [each.name, declarationOf(each)])),
  };
  const { candidate, diagnostics } = compile('imported.yaml', stringify(document));
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  if (candidate === undefined) throw new Error('not compiled');
  return candidate.endpoint;
}

/** The query of a call, with its values as literals. */
function statementOf(endpoint: Endpoint, values: Call['with'] = {}): string {
  const raw = new Map(Object.entries(values).map(([name, value]) => [name, [value]]));
  const bindings = endpoint.binder.bind(raw, 0);
  const { query } = endpoint.variantOf(bindings);
  return query.replace(/\{(\w+):((?:[^{}'"]|'[^']*')+)\}/g, (_, name: string, type: string) => {
    const value = bindings.values[name];
    return `CAST(${value === null || value === undefined ? 'NULL' : quoteString(value)} AS ${type})`;
  });
}

describe.each(FILES)('%s', (file) => {
  const tool = file.replace(/\.yaml$/, '') as TemplateTool; // the names of the files are those of the tools
  const cases = parse(readFileSync(join(FOLDER, file), 'utf8')) as readonly Case[];
  test.each(cases)('$why', async (each) => {
    const converted = await convert(tool, each);
    const named = converted.notes.filter(({ severity }) => severity !== 'note');
    expect(named.map(({ start, end }) => each.source.slice(start, end))).toEqual(each.partly ?? []);
    if (each.calls === undefined) return;
    const endpoint = endpointOf(converted);
    for (const { with: values, sends, rows, rejected } of each.calls) {
      if (rejected === true) {
        expect(() => statementOf(endpoint, values)).toThrow(Problem);
        continue;
      }
      const answer = (await oracle.ask(statementOf(endpoint, values), 'CSVWithNames')).trim();
      const expected = sends === undefined ? undefined : (await oracle.ask(sends, 'CSVWithNames')).trim();
      const shown = answer.split('\n').slice(1).join(' ').replaceAll('"', '');
      expect([values, expected === undefined ? shown : answer]).toEqual([values, expected ?? rows ?? '']);
    }
  });
});
