// What failed statements have read: a server reports it in the header of the error, which the client's error does not have.
import diagnostics from 'node:diagnostics_channel';
import type { ReadSummary } from '../../../sql/base/observation.ts';
import { readSummary } from './summary.ts';

export interface FailedReads {
  /** Reports what this statement has read if its response is an error. Returns a function that stops. */
  watch(queryId: string, onRead: (read: ReadSummary) => void): () => void;
  close(): void;
}

/** https://nodejs.org/api/diagnostics_channel.html#http: every response that a client of this process receives. */
const CHANNEL = 'http.client.response.finish';

export function createFailedReads(): FailedReads {
  const watched = new Map<string, (read: ReadSummary) => void>();
  const listen = (message: unknown): void => {
    const headers = watched.size === 0 ? undefined : errorHeaders(message);
    const id = headers?.['x-clickhouse-query-id'];
    const read = readSummary(headers?.['x-clickhouse-summary']);
    if (typeof id !== 'string' || read === undefined) return;
    watched.get(id)?.(read);
    watched.delete(id);
  };
  diagnostics.subscribe(CHANNEL, listen);
  return {
    watch: (queryId, onRead) => {
      watched.set(queryId, onRead);
      return () => void watched.delete(queryId);
    },
    close: () => void diagnostics.unsubscribe(CHANNEL, listen),
  };
}

/** The header fields of an error; undefined for other responses. */
function errorHeaders(message: unknown): Readonly<Record<string, unknown>> | undefined {
  const response: unknown = isRecord(message) ? message['response'] : undefined;
  if (!isRecord(response) || typeof response['statusCode'] !== 'number') return undefined;
  const { headers, statusCode } = response;
  if (!isRecord(headers)) return undefined;
  return statusCode >= 400 || headers['x-clickhouse-exception-code'] !== undefined ? headers : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
