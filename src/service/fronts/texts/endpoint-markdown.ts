// An endpoint as Markdown, for the view of one key.
import { deprecationText } from '../../endpoints/versions.ts';
import { referenceOf } from '../../endpoints/endpoint.ts';
import { budgetText } from '../../config/budget.ts';
import type { Principal } from '../../auth/principal.ts';
import { redactedType } from '../../endpoints/column-rules.ts';
import type { Endpoint } from '../../endpoints/endpoint.ts';
import type { MergedColumn } from '../../endpoints/row-shapes.ts';
import { FORMATS } from '../../formats/formats.ts';
import { isAlwaysRedacted, redactedBy, type VisibleTable } from '../../request/consumer/visible-tables.ts';
import { plainText } from '../mcp/endpoints/table-text.ts';
import { describeColumns } from '../mcp/query/described-paths.ts';
import { openEndpoint } from '../mcp/query/open-endpoints.ts';
import { schemaText } from '../mcp/query/schema-text.ts';

/** An endpoint as the key sees it; undefined columns or tables are not known now. */
export interface SeenEndpoint {
  readonly endpoint: Endpoint;
  readonly principal: Principal;
  /** Result columns of all variants of the saved query. */
  readonly columns: readonly MergedColumn[] | undefined;
  /** The tables of its sandbox; undefined also if it has none. */
  readonly tables: readonly VisibleTable[] | undefined;
}

export const QUERY_PATH = '/api/endpoints/query/';
const MAX_SCHEMA_BYTES = 64 * 1024;

/** The document. It ends with a line break. */
export function endpointMarkdown(seen: SeenEndpoint): string {
  const { endpoint } = seen;
  const parts = [
    `# ${referenceOf(endpoint)}`,
    deprecationText(endpoint, endpoint.deprecated?.successor) ?? '',
    endpoint.description.trim(),
    callText(seen),
    parametersText(seen),
    columnsText(seen),
    limitsText(seen),
    queriesText(seen),
    examplesText(seen),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function callText({ endpoint, principal }: SeenEndpoint): string {
  const { parameters, examples } = endpoint;
  const [example] = examples;
  const sent = Object.entries(parameters).flatMap(([name, spec]) => {
    if (spec.required !== true || principal.locked.has(name)) return [];
    const value: unknown = example?.parameters?.[name];
    const shown = value === undefined ? `{${name}}` : encodeURIComponent(textOf(value));
    return [`${encodeURIComponent(name)}=${shown}`];
  });
  const query = sent.length === 0 ? '' : `?${sent.join('&')}`;
  const url = `${QUERY_PATH}${referenceOf(endpoint)}${query}`;
  return [
    '## Call',
    'Send the key in the header `X-API-KEY` or `Authorization: Bearer`; parameters in the query string, or as a JSON object with POST.',
    fence('http', `GET ${url}`),
    `The response is JSON, \`{"result": [{…}, …]}\`; other formats by \`format\`: ${Object.keys(FORMATS).join(', ')}. Errors are problem documents (RFC 9457) with \`code\`, \`detail\`, \`hint\` and \`errors\`.`,
  ].join('\n\n');
}

function parametersText({ endpoint, principal }: SeenEndpoint): string {
  const rows = Object.entries(endpoint.parameters).map(([name, spec]) => {
    const isLocked = principal.locked.has(name);
    const notes = [
      ...(isLocked ? ['Set by your key.'] : []),
      // Its choices may be names of other tenants.
      ...(isLocked || spec.enum === undefined ? [] : [`One of ${spec.enum.map(textOf).join(', ')}.`]),
      ...(isLocked || spec.default === undefined ? [] : [`Default: ${textOf(spec.default)}.`]),
      ...(spec.description === undefined ? [] : [spec.description]),
    ];
    const needed = spec.required === true && !isLocked;
    return [code(name), code(spec.type), needed ? 'yes' : 'no', notes.join(' ')];
  });
  if (rows.length === 0) return '## Parameters\n\nNone.';
  return `## Parameters\n\n${table(['name', 'type', 'required', 'description'], rows)}`;
}

function columnsText({ endpoint, principal, columns }: SeenEndpoint): string {
  if (columns === undefined) return '';
  const redacted = redactedBy(endpoint, principal);
  const isRedacted = isAlwaysRedacted(endpoint, principal);
  const rows = columns.flatMap(({ name, types, isAlways }) => {
    const shown = types.flatMap(
      (type) => (isRedacted ? redactedType(endpoint.redaction, name, type) : type) ?? [],
    );
    if (shown.length === 0) return []; // dropped
    const action = redacted({ name, type: types[0] ?? '' }).redacted;
    const notes = [
      ...(action === undefined ? [] : [`redacted: ${action}`]),
      ...(isAlways ? [] : ['depends on the parameters']),
    ];
    return [[code(name), [...new Set(shown)].map(code).join(' or '), notes.join(', ')]];
  });
  return `## Result columns\n\n${table(['name', 'type', ''], rows)}`;
}

function limitsText({ endpoint, principal }: SeenEndpoint): string {
  const { maxRows, limits, rate, budgets, cache, live } = endpoint;
  const lines = [
    `At most ${maxRows} rows; with more, \`truncated\` is true.`,
    `At most ${limits.time} s.`,
    ...(rate === undefined ? [] : [`At most ${rate.limit} calls in ${rate.window} s.`]),
    ...budgets.map(
      (each) =>
        `A budget for ${each.resource === 'read' ? 'what queries read' : 'the time of queries'}: ${budgetText(each)}.`,
    ),
    cache === undefined ? 'Not cached.' : `Cached for ${cache.ttl} s.`,
    ...(live === undefined
      ? []
      : [
          `Live: with \`Accept: text/event-stream\` the response is a stream of events, one whenever the result has changed, looked for every ${live.every} s.`,
        ]),
    ...(isAlwaysRedacted(endpoint, principal) ? ['Personal data is redacted.'] : []),
  ];
  return `## Limits\n\n${lines.map((line) => `- ${line}`).join('\n')}`;
}

function queriesText({ endpoint, principal, tables }: SeenEndpoint): string {
  const open = openEndpoint(endpoint, principal);
  if (open === undefined || tables === undefined) return '';
  const { languages, dialects } = open;
  const described = tables.map(({ name, columns }) => ({
    name,
    columns: describeColumns(columns, undefined),
    sampled: undefined,
  }));
  return [
    '## Queries of your own',
    `Instead of the saved query, ${languages.map(code).join(' or ')} runs over these tables, which have only the rows that the key and the parameters allow.${dialects.length === 0 ? '' : ` Dialects of sql: ${dialects.join(', ')}.`} See the guides for [SQL](/guides/sql.md) and [LQL](/guides/lql.md).`,
    fence('text', schemaText(described, MAX_SCHEMA_BYTES)),
  ].join('\n\n');
}

function examplesText({ endpoint, principal }: SeenEndpoint): string {
  const own = openEndpoint(endpoint, principal)?.languages ?? [];
  const shown = endpoint.examples.flatMap(({ name, parameters = {}, sql, lql }) => {
    if ((sql !== undefined && !own.includes('sql')) || (lql !== undefined && !own.includes('lql'))) return [];
    const sent = Object.fromEntries(
      Object.entries(parameters).filter(([each]) => !principal.locked.has(each)),
    );
    const body = { ...sent, ...(sql && { sql }), ...(lql && { lql }) };
    return [`### ${plainText(name)}\n\n${fence('json', JSON.stringify(body, undefined, 2))}`];
  });
  if (shown.length === 0) return '';
  return ['## Examples', `Bodies of \`POST ${QUERY_PATH}${referenceOf(endpoint)}\`:`, ...shown].join('\n\n');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows.map((row) => row.map(cell))];
  return lines.map((line) => `| ${line.join(' | ')} |`).join('\n');
}

function cell(text: string): string {
  return plainText(text.trim().replace(/\s+/g, ' ')).replaceAll('|', String.raw`\|`);
}

/** Inline code that may contain backquotes. */
function code(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const mark = '`'.repeat(longest + 1);
  return longest === 0 ? `${mark}${text}${mark}` : `${mark} ${text} ${mark}`;
}

/** A block of code that no line of the text can end. */
function fence(language: string, text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const mark = '`'.repeat(longest + 1);
  return `${mark}${language}\n${text}\n${mark}`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
