// Reads the events of a live call.

export interface LiveEvent {
  readonly event: string;
  readonly id?: string;
  readonly data: unknown;
}

export interface LiveClient {
  readonly response: Response;
  /** All so far. */
  readonly events: readonly LiveEvent[];
  /** Comment lines so far. */
  readonly heartbeats: () => number;
  /** Values of `retry` so far. */
  readonly retries: readonly number[];
  readonly isEnded: () => boolean;
  /** Closes the connection. */
  readonly close: () => void;
}

/** Rejects for responses that are no stream, with their status and code. */
export async function openLive(url: string, init: RequestInit = {}): Promise<LiveClient> {
  const controller = new AbortController();
  const response = await fetch(url, {
    ...init,
    headers: [['Accept', 'text/event-stream'], ...new Headers(init.headers)],
    signal: controller.signal,
  });
  if (response.headers.get('content-type') !== 'text/event-stream')
    throw new Error(`${response.status} ${await response.text()}`);
  const events: LiveEvent[] = [];
  const retries: number[] = [];
  const state = { heartbeats: 0, isEnded: false };
  const add = (block: string): void => {
    const fields = block.split('\n').map((line) => /^([^:]*):? ?(.*)$/s.exec(line) ?? []);
    const of = (name: string): string | undefined => fields.find(([, each]) => each === name)?.[2];
    if (block === ':') state.heartbeats++;
    const [retry, id, event] = [of('retry'), of('id'), of('event')];
    if (retry !== undefined) retries.push(Number(retry));
    if (event === undefined) return;
    events.push({ event, ...(id === undefined ? {} : { id }), data: JSON.parse(of('data') ?? 'null') });
  };
  const read = async (): Promise<void> => {
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) add(block);
    }
  };
  void read()
    .catch(() => undefined)
    .finally(() => (state.isEnded = true));
  return {
    response,
    events,
    retries,
    heartbeats: () => state.heartbeats,
    isEnded: () => state.isEnded,
    close: () => controller.abort(),
  };
}
