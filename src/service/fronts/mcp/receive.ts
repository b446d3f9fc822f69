// Reads a request of MCP: its key first, its body last.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../../sql/base/problem.ts';
import type { AnswerMcp, McpRequest } from './call.ts';
import { acceptedTypes, offeredTypes } from '../../http/accepted-types.ts';
import type { BaseOptions } from '../../http/base-server.ts';
import { readText } from '../../http/body-text.ts';
import { expectDepth, parseJson } from '../../http/json-body.ts';
import { requestSignal } from '../../http/request-signal.ts';
import { mcpClientName, namedIn } from './client-name.ts';
import { checkOrigin } from './origin.ts';
import { toProblem } from '../../http/problems.ts';
import { keyOf, mediaTypeOf, readOptions, type CallFields } from '../../http/call-fields.ts';
import type { CallRecord } from '../../request/call.ts';
import type { Principal } from '../../auth/principal.ts';

export interface McpParts {
  readonly answer: AnswerMcp;
  /** It throws Problem `auth.*`. */
  readonly identifyKey: (key: string | undefined, record: CallRecord) => Promise<Principal>;
  /** It is the issuer of JSON Web Tokens; undefined means that none are accepted. */
  readonly issuer: string | undefined;
  /** It is the address of the service for its clients; if it is undefined, each request has it. */
  readonly publicUrl: string | undefined;
}

export type McpOptions = BaseOptions & McpParts;

/** A JSON body has at most this many levels. */
const MAX_DEPTH = 64;
export const JSON_TYPE = 'application/json';
export const EVENTS_TYPE = 'text/event-stream';
/** Both types are UTF-8 by definition. */
const JSON_OFFERED = `${JSON_TYPE}; charset=utf-8`;
const EVENTS_OFFERED = `${EVENTS_TYPE}; charset=utf-8`;
const OFFERED = offeredTypes([JSON_OFFERED, EVENTS_OFFERED]);

interface Receiving {
  readonly options: McpOptions;
  readonly names: CallFields;
}

/** Reads the body last: of a client without a key it is not read. Throws Problem. */
export async function receive(
  request: FastifyRequest,
  reply: FastifyReply,
  { options, names }: Receiving,
): Promise<McpRequest> {
  checkOrigin(request, options);
  const key = keyOf(request);
  const { record } = reply;
  const principal = await options.identifyKey(key, record);
  const acceptsEvents = checkTypes(request);
  const text = await readText({ request: request.raw, response: reply.raw });
  expectDepth(text, MAX_DEPTH);
  const body = parseJson(text);
  record.clientName = mcpClientName(namedIn(body), request.headers['user-agent']);
  let signal: AbortSignal | undefined;
  return {
    body,
    headers: protocolFields(request),
    acceptsEvents,
    exchange: {
      requestId: request.id,
      key,
      record,
      principal,
      options: readOptions(request, names),
      signal: () => (signal ??= requestSignal(reply, options)),
      answered: (answer) => {
        reply.answer = answer;
      },
      failed: (error) => {
        reply.problem = toProblem(error);
      },
    },
  };
}

/** Returns whether the client accepts events besides JSON. Throws Problem. */
function checkTypes(request: FastifyRequest): boolean {
  if (mediaTypeOf(request) !== JSON_TYPE) {
    const detail = `Content-Type must be ${JSON_TYPE}`;
    throw new Problem('request.body_type_unsupported', { detail, hint: `Send ${JSON_TYPE}.` });
  }
  const accepted = acceptedTypes(request.headers.accept, OFFERED);
  if (accepted.includes(JSON_OFFERED)) return accepted.includes(EVENTS_OFFERED);
  const hint = `Send Accept: ${JSON_TYPE}, ${EVENTS_TYPE}.`;
  throw new Problem('format.not_acceptable', { detail: `Accept must include ${JSON_TYPE}`, hint });
}

const PROTOCOL_FIELDS = ['mcp-protocol-version', 'mcp-method', 'mcp-name'];

function protocolFields({ headers }: FastifyRequest): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of PROTOCOL_FIELDS) {
    const value = headers[name];
    if (typeof value === 'string') found[name] = value;
  }
  return found;
}
