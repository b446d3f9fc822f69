// Turns requests into calls of the request path: of a pipe by its name, or of the pipe that a query reads.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Catalog } from '../../endpoints/catalog.ts';
import type { Endpoint } from '../../endpoints/endpoint.ts';
import { readOptions, type CallFields } from '../../http/call-fields.ts';
import { Problem } from '../../../sql/base/problem.ts';
import type { Call, CallContent } from '../../request/call.ts';
import { readSent, type SentContent } from './content.ts';
import { engineFormat, type NamedPipe } from './formats.ts';
import { tinybirdKey } from './key.ts';
import { placeResult, type PlacedQuery } from './over-result.ts';
import { readQuery, type SentQuery } from './statement.ts';

export interface ReceivedRequest {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly names: CallFields;
  readonly catalog: () => Catalog;
  /** Called at most once. */
  readonly createSignal: () => AbortSignal;
}

/** A call, and the way back to what was sent for problems with its query. */
export interface ReceivedCall {
  readonly call: Call;
  readonly located: (error: unknown) => unknown;
}

/** A call asks this of a pipe. */
interface AskedOfPipe {
  readonly sent: SentContent;
  /** Undefined: the saved query runs. */
  readonly query: SentQuery | undefined;
  /** ClickHouse's name of the format. */
  readonly engine: string;
}

/** A call of a pipe by its name. Throws Problem for a key that cannot be read. */
export function receivePipe(received: ReceivedRequest, { pipe, engine = 'JSON' }: NamedPipe): ReceivedCall {
  const { request, reply } = received;
  return callOf(received, { endpoint: pipe, key: tinybirdKey(request) }, async () => {
    const sent = await readSent(request, reply);
    const query = sent.query === undefined ? undefined : readQuery(sent.query);
    if (query?.engine !== undefined && query.engine !== engine)
      throw new Problem('format.not_acceptable', {
        detail: 'FORMAT names another format than the path',
        hint: 'Leave FORMAT out, or end the path with this format.',
      });
    return { sent, query, engine };
  });
}

/** A call of the pipe that a query reads. */
export function callOf(
  received: ReceivedRequest,
  { endpoint: name, key }: Pick<Call, 'endpoint' | 'key'>,
  read: () => Promise<AskedOfPipe>,
): ReceivedCall {
  const { request, reply, catalog, createSignal } = received;
  let placed: PlacedQuery | undefined;
  let signal: AbortSignal | undefined;
  const call: Call = {
    requestId: request.id,
    endpoint: name,
    key,
    record: reply.record,
    signal: () => (signal ??= createSignal()),
    read: async () => {
      const { sent, query, engine } = await read();
      const endpoint = catalog().find(name);
      placed = query && placedIn(query, name, endpoint);
      return contentOf(received, { sent, engine, endpoint, text: placed?.text });
    },
  };
  return {
    call,
    located: (error) => (error instanceof Problem && placed !== undefined ? placed.located(error) : error),
  };
}

/** Without a sandbox the query is not looked at: it is rejected anyway. */
function placedIn(query: SentQuery, name: string, endpoint: Endpoint | undefined): PlacedQuery {
  const { text } = query.select;
  if (endpoint === undefined || !endpoint.sandbox.enabled) return { text, located: (problem) => problem };
  return placeResult(query, endpoint, new Set(['_', name, endpoint.name]));
}

interface ContentParts {
  readonly sent: SentContent;
  readonly engine: string;
  readonly endpoint: Endpoint | undefined;
  readonly text: string | undefined;
}

/** Values that the pipe has no parameter for are ignored, as Tinybird does. */
function contentOf(
  { request, names }: ReceivedRequest,
  { sent, engine, endpoint, text }: ContentParts,
): CallContent {
  const declared = endpoint?.parameters ?? {};
  const values = [...sent.fields].filter(([name]) => Object.hasOwn(declared, name.replace(/\[\]$/, '')));
  const query =
    text === undefined
      ? []
      : ([
          ['sql', [text]],
          ['dialect', ['clickhouse']],
        ] as const);
  return {
    fields: new Map([...values, ...query]),
    format: engineFormat(engine, sent.settings),
    resultShape: undefined,
    ...readOptions(request, names),
  };
}
