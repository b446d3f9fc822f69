// Parses a request of ClickHouse's HTTP interface (https://clickhouse.com/docs/interfaces/http) into a call.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ClickHouseCall, ClickHouseContent } from './call.ts';
import { readQueryBody } from './body.ts';
import { clickHouseKey } from './key.ts';
import { invalidParameter } from '../../http/fields.ts';
import { flagOf, mergeParameters, readParameters, type Parameters } from './parameters.ts';
import { headerText, queryStringOf, readOptions, type CallFields } from '../../http/call-fields.ts';

/** A request as far as it is read before authentication: its URL and header fields. */
export interface ReceivedQuery {
  readonly call: Omit<ClickHouseCall, 'signal'>;
  readonly reply: ReplyOptions;
}

/** How the answer is to be sent. */
export interface ReplyOptions {
  /** `enable_http_compression=1`: Accept-Encoding counts. */
  readonly isEncoded: boolean;
  /** `compress=1`: in ClickHouse's compressed blocks. */
  readonly isInBlocks: boolean;
  /** `send_progress_in_http_headers=1`. */
  readonly hasProgress: boolean;
  /** `client_protocol_version`, of the native protocol: the format Native differs. 0: none. */
  readonly protocolVersion: number;
}

/**
 * Parameters that are no settings. Some do nothing here: every answer is complete before its first byte is sent, and
 * user names and quotas have no meaning.
 */
const OF_PROTOCOL: ReadonlySet<string> = new Set(
  `query query_id database default_format user password role quota_key session_id session_check session_timeout close_session
  compress decompress enable_http_compression send_progress_in_http_headers buffer_size wait_end_of_query stacktrace
  client_protocol_version`.split(/\s+/),
);

/**
 * A valid query id becomes the request id. Throws Problem for a URL that cannot be read, and `auth.conflict`.
 */
export function receiveQuery(request: FastifyRequest, reply: FastifyReply, names: CallFields): ReceivedQuery {
  const url = readParameters(queryStringOf(request));
  const queryId = sentQueryId(request, url);
  if (queryId !== undefined && QUERY_ID.test(queryId)) {
    request.id = queryId;
    reply.header('X-Request-Id', queryId);
  }
  const isInBlocks = flagOf(url, 'decompress');
  return {
    call: {
      requestId: request.id,
      key: clickHouseKey(request, url),
      read: async () => {
        const { text, form } = await readQueryBody(request, reply, { isInBlocks });
        const fields = mergeParameters(new Map(), form);
        const queries = [url.get('query'), fields.get('query'), text];
        const parameters = mergeParameters(
          url,
          [...fields].filter(([name]) => name !== 'query'),
        );
        const query = queries.filter((each) => each !== undefined && each !== '').join('\n');
        return { text: query, ...readOptions(request, names), ...contentOf(request, parameters) };
      },
      record: reply.record,
    },
    reply: {
      isEncoded: flagOf(url, 'enable_http_compression'),
      isInBlocks: flagOf(url, 'compress'),
      hasProgress: flagOf(url, 'send_progress_in_http_headers'),
      protocolVersion: protocolVersionOf(url),
    },
  };
}

type Named = Pick<
  ClickHouseContent,
  'database' | 'defaultFormat' | 'protocolVersion' | 'parameters' | 'settings' | 'queryId' | 'session'
>;

/** Header fields count before parameters, as on a server. */
function contentOf(request: FastifyRequest, parameters: Parameters): Named {
  const database = headerText(request, 'x-clickhouse-database') ?? parameters.get('database');
  const defaultFormat = headerText(request, 'x-clickhouse-format') ?? parameters.get('default_format');
  const own = [...parameters].filter(([name]) => name.startsWith(PLACEHOLDER));
  const settings = [...parameters].filter(([name]) => !isOfProtocol(name));
  return {
    database: nonEmpty(database),
    defaultFormat: nonEmpty(defaultFormat),
    parameters: new Map(own.map(([name, value]) => [name.slice(PLACEHOLDER.length), value])),
    protocolVersion: protocolVersionOf(parameters),
    settings: new Map(settings),
    queryId: requiredQueryId(request, parameters),
    session: sessionOf(parameters),
  };
}

const PLACEHOLDER = 'param_';
const PROTOCOL_VERSION = 'client_protocol_version';

function protocolVersionOf(parameters: Parameters): number {
  const sent = nonEmpty(parameters.get(PROTOCOL_VERSION)) ?? '0';
  if (/^\d{1,9}$/.test(sent)) return Number(sent);
  throw invalidParameter(PROTOCOL_VERSION, 'must be a whole number');
}

function isOfProtocol(name: string): boolean {
  return OF_PROTOCOL.has(name) || name.startsWith(PLACEHOLDER) || name.startsWith('http_');
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

const QUERY_ID = /^[\w.:-]{1,128}$/;

function requiredQueryId(request: FastifyRequest, parameters: Parameters): string | undefined {
  const id = sentQueryId(request, parameters);
  if (id === undefined || QUERY_ID.test(id)) return id;
  throw invalidParameter('query_id', 'must be 1 to 128 letters, digits, "_", ".", ":" or "-"');
}

function sentQueryId(request: FastifyRequest, parameters: Parameters): string | undefined {
  return nonEmpty(parameters.get('query_id') ?? headerText(request, 'x-clickhouse-query-id'));
}

const MAX_SESSION_ID = 200;
const MAX_SESSION_SECONDS = 3600;

function sessionOf(parameters: Parameters): ClickHouseContent['session'] {
  const id = nonEmpty(parameters.get('session_id'));
  if (id === undefined) return undefined;
  if (id.length > MAX_SESSION_ID)
    throw invalidParameter('session_id', `must be at most ${MAX_SESSION_ID} characters`);
  const sent = nonEmpty(parameters.get('session_timeout'));
  const timeout = sent === undefined ? undefined : Number(sent);
  if (timeout !== undefined && !(/^\d{1,9}$/.test(sent ?? '') && timeout <= MAX_SESSION_SECONDS))
    throw invalidParameter(
      'session_timeout',
      `must be a whole number of seconds, at most ${MAX_SESSION_SECONDS}`,
    );
  return { id, check: flagOf(parameters, 'session_check'), timeout };
}
