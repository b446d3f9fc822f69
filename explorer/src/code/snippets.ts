// The current request as code snippets. The key is read from the environment and is never part of what is copied.
import { fieldsOf, type Ask } from '../service/client.ts';
import type { Endpoint } from '../service/listing.ts';
import { rowType } from './row-type.ts';

/** Name of the view that is not a snippet: a consumer query as an endpoint file. */
export const ENDPOINT_FILE = 'endpoint';

export interface Snippet {
  readonly name: string;
  readonly label: string;
  readonly text: string;
}

export interface SnippetOptions {
  readonly ask: Ask;
  readonly endpoint: Endpoint;
  /** Base URL of the service, with a trailing slash. */
  readonly base: string;
}

interface Call {
  readonly url: string;
  readonly fields: Readonly<Record<string, string>>;
  /** Consumer queries are sent in a body: they may exceed the URL length limit. */
  readonly isPost: boolean;
}

export function snippetsOf({ ask, endpoint, base }: SnippetOptions): readonly Snippet[] {
  const url = new URL(`api/endpoints/query/${encodeURIComponent(ask.endpoint)}`, base).href;
  const call: Call = { url, fields: fieldsOf(ask), isPost: ask.own !== undefined };
  const row = ask.own === undefined ? rowType(endpoint.columns ?? []) : 'Record<string, unknown>';
  return [
    { name: 'curl', label: 'curl', text: curl(call) },
    { name: 'javascript', label: 'JavaScript', text: script(call, undefined) },
    { name: 'typescript', label: 'TypeScript', text: script(call, row) },
    { name: 'python', label: 'Python', text: python(call) },
  ];
}

function curl({ url, fields, isPost }: Call): string {
  const key = 'curl -H "X-API-KEY: $MILLRACE_KEY"';
  if (isPost) {
    const body = JSON.stringify(fields, null, 2);
    return `${key} -H 'Content-Type: application/json' \\\n  ${shell(url)} \\\n  --data ${shell(body)}`;
  }
  const pairs = Object.entries(fields).map(
    ([name, value]) => `--data-urlencode ${shell(`${name}=${value}`)}`,
  );
  return [`${key} -G ${shell(url)}`, ...pairs].join(' \\\n  ');
}

/** JavaScript; with a row type, TypeScript. */
function script({ url, fields, isPost }: Call, row: string | undefined): string {
  const typed = row !== undefined;
  const key = typed ? `process.env['MILLRACE_KEY'] ?? ''` : 'process.env.MILLRACE_KEY';
  const values = literal(fields);
  const ask = isPost
    ? `const response = await fetch(${quoted(url)}, {
  method: 'POST',
  headers: { 'X-API-KEY': ${key}, 'Content-Type': 'application/json' },
  body: JSON.stringify(${values}),
});`
    : `const parameters = new URLSearchParams(${values});
const response = await fetch(\`${url}?\${parameters}\`, {
  headers: { 'X-API-KEY': ${key} },
});`;
  return `${typed ? `type Row = ${row};\n\n` : ''}${ask}
if (!response.ok) throw new Error(await response.text());
const { result } = ${typed ? '(await response.json()) as { result: Row[] }' : 'await response.json()'};
console.log(result.length, 'rows');`;
}

function python({ url, fields, isPost }: Call): string {
  const values = JSON.stringify(fields, null, 4).replace(/\n/g, '\n    ');
  return `import os
import requests

response = requests.${isPost ? 'post' : 'get'}(
    ${JSON.stringify(url)},
    headers={"X-API-KEY": os.environ["MILLRACE_KEY"]},
    ${isPost ? 'json' : 'params'}=${values},
    timeout=60,
)
response.raise_for_status()
rows = response.json()["result"]
print(len(rows), "rows")`;
}

/** A quoted word for POSIX shells. */
function shell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** A JavaScript string literal. */
function quoted(text: string): string {
  return text.includes("'") || /[\n\\]/.test(text) ? JSON.stringify(text) : `'${text}'`;
}

/** A JavaScript object literal; multi-line strings become template literals. */
function literal(fields: Call['fields']): string {
  const items = Object.entries(fields).map(([name, value]) => {
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
    return `  ${key}: ${value.includes('\n') ? template(value) : quoted(value)},\n`;
  });
  return items.length === 0 ? '{}' : `{\n${items.join('')}}`;
}

function template(text: string): string {
  return `\`${text.replace(/[\\`]|\$(?=\{)/g, String.raw`\$&`)}\``;
}
