// Reads server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html) from a response. EventSource
// cannot send the key.

/** A finding in an endpoint file. */
export interface FileFinding {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly hint?: string;
}

/** The endpoint files have been loaded; `count` is the number of findings, of which the first are listed. */
export interface ServerEvent {
  readonly findings: readonly FileFinding[];
  readonly count: number;
}

/** Calls back for each event until the stream ends. */
export async function readEvents(
  body: ReadableStream<Uint8Array>,
  onEvent: (event: ServerEvent) => void,
): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let pending = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    pending += decoder.decode(value, { stream: true });
    const messages = pending.split('\n\n');
    pending = messages.pop() ?? '';
    for (const message of messages) {
      const data = /^data: (.*)$/m.exec(message)?.[1];
      if (data !== undefined) onEvent(JSON.parse(data) as ServerEvent); // the service's own event
    }
  }
}
