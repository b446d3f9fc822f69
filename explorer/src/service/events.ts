// Reads server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html) from a response. EventSource
// cannot send the key.
import type { Finding } from '../../../src/sql/base/finding.ts';
import { unreachable } from './problem.ts';

/** The endpoint files have been loaded; `count` is the number of findings, of which the first are listed. */
export interface ServerEvent {
  readonly findings: readonly Finding[];
  readonly count: number;
}

/** An event of a stream. */
export interface StreamEvent {
  readonly event: string;
  readonly data: string;
}

/** Calls back for each event that has data until the stream ends, and for whatever arrives. A callback that throws ends the call. */
export async function readEvents(
  body: ReadableStream<Uint8Array>,
  onEvent: (event: StreamEvent) => void,
  onArrival: () => void = () => undefined,
): Promise<void> {
  const reader = body.getReader();
  try {
    await readAll(reader, onEvent, onArrival);
  } finally {
    void reader.cancel().catch(() => undefined); // the connection would stay open
  }
}

async function readAll(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  onEvent: (event: StreamEvent) => void,
  onArrival: () => void,
): Promise<void> {
  const decoder = new TextDecoder();
  const waiting: string[] = [];
  for (;;) {
    const { done, value } = await reader.read().catch(unreachable);
    if (done) return;
    const messages = decoder.decode(value, { stream: true }).split('\n\n');
    // A long event comes in many pieces.
    for (const message of messages.slice(0, -1)) {
      const text = waiting.splice(0).join('') + message;
      const data = /^data: (.*)$/m.exec(text)?.[1];
      if (data !== undefined) onEvent({ event: /^event: (.*)$/m.exec(text)?.[1] ?? 'message', data });
    }
    waiting.push(messages.at(-1) ?? '');
    onArrival();
  }
}
