// `millrace query --url`: runs one endpoint on a running service.
import { CommandError } from '../../kit/command-error.ts';
import {
  callService,
  membersIn,
  NoResponseError,
  type ServiceAddress,
  type ServiceCall,
  type ServiceResponse,
} from '../../kit/service-client.ts';
import type { Terminal } from '../../kit/terminal.ts';
import type { QueryReply } from './reply.ts';
import { type QueryOptions, formOf, fieldsOf, formatOf } from './options.ts';
import type { StatementStep } from '../../../service/request/planned-query.ts';
import { printReplies, rowsIn } from './print.ts';
import { printSteps } from './print-steps.ts';
import { rejectionIn } from './problem-error.ts';

const ACCEPT = { csv: 'text/csv', json: 'application/json', ndjson: 'application/x-ndjson' } as const;
/** ms; beyond the longest time that a service gives a query. */
const TIMEOUT_MS = 600_000;

/** Calls the endpoint on a running service and prints its rows; with `explain`, prints the query that it would run. */
export async function queryService(
  address: ServiceAddress,
  options: Omit<QueryOptions, 'settings' | 'observe'>,
  terminal: Terminal,
): Promise<void> {
  const { endpoint, output, meta, explain: isExplained } = options;
  const bodyAfter = (cursor: string | undefined): URLSearchParams => formOf(fieldsOf(options, cursor));
  const common = { endpoint, timeoutMs: TIMEOUT_MS };
  if (isExplained) {
    const call = {
      ...common,
      route: 'explain',
      accept: 'application/json',
      body: bodyAfter(undefined),
    } as const;
    const { sql, steps } = explainedIn({ ...(await answerOf(address, call)), url: address.url });
    for (const line of sql.split('\n')) terminal.print(line);
    printSteps(steps, terminal);
    return;
  }
  const call = {
    ...common,
    route: 'query',
    accept: ACCEPT[formatOf(options)],
    prefer: meta ? 'metadata' : undefined,
  } as const;
  const ask = async (cursor: string | undefined): Promise<QueryReply> => {
    const { body, headers } = await answerOf(address, { ...call, body: bodyAfter(cursor) });
    const engine = /(?:^|,)\s*engine;dur=([\d.]+)/.exec(headers.get('Server-Timing') ?? '')?.[1];
    return {
      body,
      rows: output === 'csv' ? undefined : rowsIn(body, options).length,
      truncated: headers.has('Millrace-Truncated'),
      next: /[?&]cursor=([\w-]+)>; rel="next"/.exec(headers.get('Link') ?? '')?.[1],
      engine: engine === undefined ? undefined : Number(engine),
    };
  };
  await printReplies(ask, options, terminal);
}

function explainedIn({ body, url }: ServiceResponse & Pick<ServiceAddress, 'url'>) {
  const { result } = membersIn(body);
  const { sql, steps = [] } = Object(result) as { readonly sql?: unknown; readonly steps?: unknown }; // read below
  if (typeof sql !== 'string') throw new CommandError(`${url} responded with no query`);
  return { sql, steps: Array.isArray(steps) ? steps.filter(isStep) : [] };
}

function isStep(value: unknown): value is StatementStep {
  const { step, reason, sql } = Object(value) as Readonly<Record<string, unknown>>; // read below
  return [step, reason, sql].every((each) => typeof each === 'string');
}

/** A successful response. Rejects with CommandError. */
async function answerOf(address: ServiceAddress, call: ServiceCall): Promise<ServiceResponse> {
  const { url } = address;
  const response = await callService(address, call).catch((cause: unknown) => {
    if (!(cause instanceof NoResponseError)) throw cause;
    throw new CommandError(`No response from ${url}: ${cause.message}`, { cause });
  });
  if (response.status === 200) return response;
  throw rejectionIn(response, url);
}
