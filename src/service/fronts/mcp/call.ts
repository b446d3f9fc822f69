// An MCP request as its transport received it, and its reply. One request may cause several calls.
import type { Principal } from '../../auth/principal.ts';
import type { Answer, Call, CallContent } from '../../request/call.ts';

/** What the calls of one request have in common. */
export interface Exchange extends Pick<Call, 'requestId' | 'key' | 'record' | 'signal'> {
  readonly principal: Principal;
  /** What header fields ask for. */
  readonly options: Pick<CallContent, 'redact' | 'labels' | 'reservation' | 'directives'>;
  /** Gets every answer, for the observation of the request. */
  readonly answered: (answer: Answer) => void;
  /** Gets every failure that the client sees as a result, for the observation of the request. */
  readonly failed: (error: unknown) => void;
}

export interface McpRequest {
  /** Parsed JSON of bounded depth: a message, or an array of messages. */
  readonly body: unknown;
  /** Header fields of the protocol, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The client can read a stream of events. */
  readonly acceptsEvents: boolean;
  readonly exchange: Exchange;
}

export interface McpReply {
  readonly status: number;
  /** JSON text, server-sent events, or nothing. */
  readonly body: string | Buffer | AsyncIterable<Uint8Array> | undefined;
}

/** Throws Problem for requests that are not served at all; other failures are in the reply. */
export type AnswerMcp = (request: McpRequest) => Promise<McpReply>;
