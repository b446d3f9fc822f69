// Generates an endpoint file from a consumer query, ready for a pull request.
import type { Endpoint } from '../service/listing.ts';

export interface EndpointFileOptions {
  readonly name: string;
  /** A new UUID. */
  readonly id: string;
  /** The query, in SQL. */
  readonly sql: string;
  readonly isFromLql: boolean;
  /** The endpoint that exposes the tables, and its parameter values. */
  readonly endpoint: Endpoint;
  readonly parameters: Readonly<Record<string, string>>;
  /** Names of the tables that the query reads. */
  readonly tables: readonly string[];
}

const NAME = /^[a-z][a-z0-9_-]*(\.[a-z0-9_-]+)*$/;

/** Returns whether this is a valid endpoint name. */
export function isEndpointName(name: string): boolean {
  return NAME.test(name) && name.length <= 100;
}

export function endpointFile(options: EndpointFileOptions): string {
  const { name, id, sql, endpoint, parameters } = options;
  const filled = Object.entries(parameters).filter(([, value]) => value !== '');
  return [
    '# yaml-language-server: $schema=../schemas/endpoint.schema.json',
    `id: ${id}`,
    `name: ${name}`,
    'description: Describe what the rows contain, and for whom.',
    ...notes(options).map((note) => `# ${note}`),
    'query: |',
    ...sql
      .trim()
      .replace(/;$/, '')
      .split(/\r\n|\r|\n/)
      .map((line) => `  ${line}`.trimEnd()),
    ...parameterLines(endpoint),
    `max_rows: ${endpoint.max_rows}`,
    'examples:',
    '  - name: as run in the explorer',
    `    parameters: { ${filled.map(([name, value]) => `${name}: ${scalar(value)}`).join(', ')} }`,
    '',
  ].join('\n');
}

function notes({ endpoint, tables, isFromLql }: EndpointFileOptions): readonly string[] {
  const subject = tables.length === 1 ? `${tables[0]} is a table` : `${tables.join(', ')} are tables`;
  return [
    `${subject} of ${endpoint.name}: copy the WITH clause of its file in front of this query,`,
    'with the parameters that it uses. Then run millrace validate and millrace test, and open a pull request.',
    ...(isFromLql
      ? ['The translation from LQL replaced relative times with fixed times: write them with now() again.']
      : []),
  ];
}

function parameterLines({ parameters }: Endpoint): readonly string[] {
  if (parameters.length === 0) return [];
  return [
    'parameters:',
    ...parameters.flatMap(({ name, type, required, description, enum: values, ...others }) => [
      `  ${name}:`,
      `    type: ${scalar(type)}`,
      ...(required ? ['    required: true'] : []),
      ...(values === undefined ? [] : [`    enum: [${values.map((each) => scalar(each)).join(', ')}]`]),
      ...Object.entries(others)
        .filter(([key]) => key !== 'locked' && key !== 'multiple') // by the key, or of choices in the file
        .map(([key, value]) => `    ${key}: ${JSON.stringify(value)}`),
      ...(description === undefined ? [] : [`    description: ${scalar(description)}`]),
    ]),
  ];
}

/** A YAML scalar: plain if unambiguous, otherwise in double quotes, which YAML parses like JSON. */
function scalar(value: string | number | boolean): string {
  if (typeof value !== 'string') return String(value);
  const isPlain =
    /^[A-Za-z][\w.-]*(?:\(\d+\))?$/.test(value) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(value);
  return isPlain ? value : JSON.stringify(value);
}
