// The TypeScript module of a set of endpoints: names, parameters, rows, and a small client over fetch.
import type { Endpoint } from '../../catalog/endpoint.ts';
import type { Parameter } from '../../config/generated/endpoint.ts';
import type { Column } from '../../engine/engine.ts';
import { textLiteral, typescriptOf } from './column-types.ts';

export interface TypedEndpoint {
  readonly endpoint: Endpoint;
  /** Undefined where the engine does not know the tables. */
  readonly columns: readonly Column[] | undefined;
}

/** The whole text; the same for the same endpoints. */
export function typesModule(endpoints: readonly TypedEndpoint[], headerPrefix: string): string {
  const entries = endpoints.map(entryOf).join('\n');
  return `// Written by \`millrace types\`; write it anew instead of changing it.\n${interfaceOf(entries)}\n${CLIENT.replaceAll('SVC-', `${headerPrefix}-`)}`;
}

function interfaceOf(entries: string): string {
  return `
/** Every endpoint: what it takes, and the rows that it gives. */
export interface Endpoints {
${entries}
}
`;
}

function entryOf({ endpoint, columns }: TypedEndpoint): string {
  const { name, description, parameters, int64, sandbox } = endpoint;
  const own = sandbox.enabled ? [...sandbox.languages].map((each) => `'${each}'`).join(' | ') : 'never';
  const taken = Object.entries(parameters).map(([key, spec]) => parameterOf(key, spec));
  const rows = columns?.map(
    (column) => `      ${textLiteral(column.name)}: ${typescriptOf(column.type, int64)};`,
  );
  return [
    ...comment(description, '  '),
    `  ${textLiteral(name)}: {`,
    taken.length === 0 ? '    parameters: {};' : `    parameters: {\n${taken.join('\n')}\n    };`,
    rows === undefined ? '    row: Record<string, unknown>;' : `    row: {\n${rows.join('\n')}\n    };`,
    `    ownQueries: ${own};`,
    '  };',
  ].join('\n');
}

function parameterOf(name: string, { type, description, required, enum: allowed }: Parameter): string {
  const plain = /^Array\((.*)\)$/.exec(type)?.[1] ?? type;
  const value =
    allowed === undefined
      ? sentType(plain)
      : allowed.map((each) => (typeof each === 'string' ? textLiteral(each) : String(each))).join(' | ');
  const whole = plain === type ? value : `readonly (${value})[]`;
  const line = `      ${textLiteral(name)}${required === true ? '' : '?'}: ${whole}${required === true ? '' : ' | null'};`;
  return [...comment(description ?? '', '      '), line].join('\n');
}

/** What a caller may write for a value of a type. */
function sentType(type: string): string {
  if (/^(U?Int(64|128|256)|Decimal)/.test(type)) return 'number | string';
  if (/^(U?Int|Float)/.test(type)) return 'number';
  return type === 'Bool' ? 'boolean' : 'string';
}

function comment(text: string, indent: string): readonly string[] {
  const plain = text.trim().replaceAll('*/', '* /');
  return plain === '' ? [] : [`${indent}/** ${plain.replace(/\s+/g, ' ')} */`];
}

const CLIENT = `export type EndpointName = keyof Endpoints;
export type ParametersOf<Name extends EndpointName> = Endpoints[Name]['parameters'];
export type RowOf<Name extends EndpointName> = Endpoints[Name]['row'];

/** A refusal or failure, as the service describes it (RFC 9457). */
export class MillraceError extends Error {
  readonly status: number;
  /** \`family.reason\`, stable. */
  readonly code: string;
  readonly hint: string;
  /** The request id, to be quoted to the operator. */
  readonly instance: string;
  readonly errors: readonly { message: string; parameter?: string; line?: number; column?: number }[];

  constructor(status: number, problem: Record<string, unknown>) {
    super(String(problem['detail'] ?? problem['title'] ?? \`status \${status}\`));
    this.name = 'MillraceError';
    this.status = status;
    this.code = String(problem['code'] ?? 'unknown');
    this.hint = String(problem['hint'] ?? '');
    this.instance = String(problem['instance'] ?? '');
    this.errors = Array.isArray(problem['errors']) ? problem['errors'] : [];
  }
}

export interface ClientOptions {
  /** Where the service is, without a path. */
  baseUrl: string;
  key: string;
  fetch?: typeof globalThis.fetch;
}

export interface CallOptions {
  signal?: AbortSignal;
  /** Have personal data taken out of this answer. */
  redact?: boolean;
}

export interface Client {
  /** The rows of an endpoint. Rejects with MillraceError. */
  query<Name extends EndpointName>(name: Name, parameters: ParametersOf<Name>, options?: CallOptions): Promise<RowOf<Name>[]>;
  /** The rows of a query of your own over the endpoint's tables. Rejects with MillraceError. */
  ownQuery<Name extends EndpointName>(
    name: Name,
    query: Endpoints[Name]['ownQueries'] extends infer Language extends string ? { [Each in Language]: Record<Each, string> }[Language] : never,
    parameters: ParametersOf<Name>,
    options?: CallOptions,
  ): Promise<Record<string, unknown>[]>;
}

export function createClient({ baseUrl, key, fetch = globalThis.fetch }: ClientOptions): Client {
  const call = async (name: string, body: object, { signal, redact }: CallOptions = {}): Promise<any[]> => {
    const response = await fetch(\`\${baseUrl.replace(/\\/$/, '')}/api/endpoints/query/\${encodeURIComponent(name)}\`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json',
        'X-API-KEY': key,
        ...(redact === true ? { 'SVC-ENDPOINT-REDACT-PII': 'true' } : {}),
      },
      body: JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    });
    const answer = (await response.json().catch(() => ({}))) as Record<string, unknown>;
    if (!response.ok || !Array.isArray(answer['result'])) throw new MillraceError(response.status, answer);
    return answer['result'];
  };
  return {
    query: (name, parameters, options) => call(name, parameters, options),
    ownQuery: (name, query, parameters, options) => call(name, { ...parameters, ...(query as object) }, options),
  };
}
`;
