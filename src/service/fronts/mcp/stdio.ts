// MCP over the standard streams of a process, for one client with full access.
import { randomUUID } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { Principal } from '../../auth/principal.ts';
import { NO_DIRECTIVES } from '../../cache/freshness.ts';
import { createServer, type Origin, type ServerParts } from './server.ts';

export interface Streams {
  readonly input: Readable;
  readonly output: Writable;
}

export interface StdioOptions {
  readonly streams: Streams;
  readonly principal: Principal;
  /** Gets messages that cannot be read, and failures. */
  readonly onError: (error: unknown) => void;
}

export interface StdioServer {
  /** Resolves when the client closes the input, or does not read the output any more. */
  readonly ended: Promise<void>;
  /** Ends running calls. */
  readonly close: () => Promise<void>;
}

/** Bytes of one message; longer ones end the connection. */
const MAX_MESSAGE = 4_194_304;

export function serveOverStdio(
  parts: ServerParts,
  { streams, principal, onError }: StdioOptions,
): StdioServer {
  const transport = new StdioServerTransport(streams.input, streams.output, { maxBufferSize: MAX_MESSAGE });
  const close = transport.close.bind(transport);
  const ended = new Promise<void>((resolve) => {
    transport.close = async () => {
      await close();
      resolve();
    };
  });
  // Messages are cancelled by signals of their own.
  const { signal } = new AbortController();
  const originOf = (): Origin => ({
    canNotify: true,
    exchange: {
      requestId: randomUUID(),
      key: principal.id,
      principal,
      record: {},
      options: {
        redact: false,
        labels: undefined,
        reservation: undefined,
        directives: NO_DIRECTIVES,
      },
      signal: () => signal,
      answered: () => undefined,
      failed: onError,
    },
  });
  const handle = serveStdio(() => createServer(parts, originOf), {
    transport,
    maxSubscriptions: 0,
    onerror: onError,
  });
  return { ended, close: handle.close };
}
