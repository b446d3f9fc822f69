// The tracing interface: contexts for requests, the `traceparent` header (https://www.w3.org/TR/trace-context/), and export of spans.
import type { TraceContext, Observe } from '../../sql/base/observation.ts';

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const NO_ID = /^0+$/;

/** Parses a `traceparent`; undefined if invalid. Fields added by later versions are ignored. */
export function readTraceparent(text: string | undefined): TraceContext | undefined {
  if (text === undefined || text.length > 200) return undefined;
  const [, version, traceId = '', spanId = '', flags = '', rest] = TRACEPARENT.exec(text) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && rest !== undefined)) return undefined;
  if (NO_ID.test(traceId) || NO_ID.test(spanId)) return undefined;
  return { traceId, spanId, parentId: undefined, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** The header value for a request made on behalf of this span. */
export function traceparentOf({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}

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
