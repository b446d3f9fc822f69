// /llms.txt: the endpoints of a key and the guides, as links to Markdown (https://llmstxt.org).
import type { Endpoint } from '../../endpoints/endpoint.ts';
import { QUERY_PATH } from './endpoint-markdown.ts';
import { firstSentence } from './first-sentence.ts';

/** `endpoints` are those that the key may call; `mcp` is the path of MCP, if it is served. */
export function llmsText(endpoints: readonly Endpoint[], mcp: string | undefined): string {
  const links = endpoints.map(
    ({ name, description }) => `- [${name}](${QUERY_PATH}${name}.md)${summaryOf(description)}`,
  );
  return `${[
    '# Millrace',
    '> An HTTP API of saved ClickHouse queries with typed parameters. This lists the endpoints that the key may call.',
    `Send the key in the header X-API-KEY or Authorization: Bearer. Endpoints whose page has the section "Queries of your own" also accept SQL or LQL over their tables.${mcp === undefined ? '' : ` Agents can use the same endpoints over MCP, at ${mcp}.`}`,
    `## Endpoints\n\n${links.length === 0 ? 'None.' : links.join('\n')}`,
    '## Guides\n\n- [SQL](/guides/sql.md): what queries of your own can do\n- [LQL](/guides/lql.md): the language for searching logs',
    '## Optional\n\n- [OpenAPI document](/openapi.json): all endpoints with their parameters, columns and errors\n- [Endpoints as data](/api/endpoints): the same as JSON, with the allowed functions',
  ].join('\n\n')}\n`;
}

function summaryOf(description: string): string {
  const text = firstSentence(description).replace(/[[\]]/g, String.raw`\$&`);
  return text === '' ? '' : `: ${text}`;
}
