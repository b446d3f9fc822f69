// The tracing interface: contexts for requests, and export of their spans.
import type { Observe, TraceContext } from '../../sql/base/observation.ts';
import { readTraceparent } from './trace-context.ts';

/** Trace contexts for requests, and the export of their spans. */
export interface Tracing {
  /** The context for a request with this `traceparent`. */
  readonly begin: (traceparent: string | undefined) => TraceContext | undefined;
  readonly observe: Observe;
  /** Flushes buffered spans, as far as the collector accepts them. */
  close(): Promise<void>;
}

/** Propagates incoming trace contexts and exports nothing. */
export const NO_TRACING: Tracing = {
  begin: readTraceparent,
  observe: () => undefined,
  close: async () => undefined,
};
