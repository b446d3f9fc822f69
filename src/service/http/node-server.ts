// Creates Node's HTTP server of a listener, with its limits, and with what sees a request before routing.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { closeWithConnection } from './pipelined.ts';

/** The URL and all headers together have at most this many bytes: a query of 64 KiB fits, percent-encoded where necessary. */
export const HEADER_LIMIT = 131_072;
const RECEIVE_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_MS = 72_000;

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

/** It sees requests before routing, and calls `next` for those that it does not answer. */
export type Intercept = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

export function createNodeServer(handle: Handle, intercept: Intercept | undefined): Server {
  const listener: Handle = (request, response) => {
    closeWithConnection(request, response);
    if (intercept === undefined) handle(request, response);
    else intercept(request, response, () => handle(request, response));
  };
  const server = createServer({ maxHeaderSize: HEADER_LIMIT, requestTimeout: RECEIVE_TIMEOUT_MS }, listener);
  server.on('checkContinue', listener); // 100 Continue is sent only when the body is needed
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  return server;
}
