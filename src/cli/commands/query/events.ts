// Reads server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html) as they arrive.

/** The fields of one event, such as `event`, `id` and `data`. */
export type EventFields = Readonly<Record<string, string>>;

/** Characters of one event: several times those of the largest result of a live call. */
const MAX_LENGTH = 64 * 2 ** 20;

/** The events of a stream. Throws RangeError for one that is too large. */
export async function* eventsOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<EventFields, void> {
  let fields = new Map<string, string>();
  for await (const line of linesIn(chunks)) {
    if (line !== '') {
      const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
      if (name !== '') fields.set(name, value);
      continue;
    }
    if (fields.size > 0) yield Object.fromEntries(fields);
    fields = new Map();
  }
}

/** A line comes in many chunks: its parts are joined once. */
async function* linesIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let parts: string[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    const [first = '', ...rest] = decoder.decode(chunk, { stream: true }).split('\n');
    parts.push(first);
    length += first.length;
    if (length > MAX_LENGTH) throw new RangeError('an event is too large');
    for (const next of rest) {
      yield parts.join('');
      parts = [next];
      length = next.length;
    }
  }
}
