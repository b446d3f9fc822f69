// Reads the events of a live endpoint (docs/author/live.md).
import { readEvents, type StreamEvent } from './events.ts';
import { parseJson, type Row } from './json.ts';
import { CallFailure, type Problem } from './problem.ts';

export interface LiveOptions {
  readonly signal: AbortSignal;
  /** All rows of a new result, or those that are new. */
  readonly onRows: (rows: readonly Row[]) => void;
  /** Anything arrived, if only a heartbeat: one is sent every 15 seconds. */
  readonly onArrival: () => void;
}

/** The header fields of a live call. */
export const LIVE_FIELDS = {
  Accept: 'text/event-stream',
  Prefer: 'result-shape=standard, non-finite=string',
} as const;

/** Calls back until the stream ends. Rejects with CallFailure for an event `error`. */
export async function readLive(
  { body }: Response,
  { onRows, onArrival }: Pick<LiveOptions, 'onRows' | 'onArrival'>,
): Promise<void> {
  if (body !== null) await readEvents(body, (event) => take(event, onRows), onArrival);
}

function take({ event, data }: StreamEvent, onRows: LiveOptions['onRows']): void {
  if (event === 'result' || event === 'rows') {
    const { result } = parseJson(data) as unknown as { readonly result: readonly Row[] }; // the service's envelope
    onRows(result);
  } else if (event === 'error') {
    const problem = parseJson(data) as unknown as Omit<Problem, 'requestId'>; // the service's own document
    throw new CallFailure({ ...problem, errors: problem.errors ?? [], requestId: '' });
  }
}
