// Where requests stand in traces, and who is told of them.
import type { Observe, TraceContext } from '../core/observation.ts';
import { readTraceparent } from './trace-context.ts';

export interface Tracing {
  /** The context of a request with this `traceparent`. */
  readonly begin: (traceparent: string | undefined) => TraceContext | undefined;
  readonly observe: Observe;
  /** Sends what is waiting, as far as the collector takes it. */
  close(): Promise<void>;
}

/** Passes on what callers say, and sends nothing. */
export const NO_TRACING: Tracing = {
  begin: readTraceparent,
  observe: () => undefined,
  close: async () => undefined,
};
