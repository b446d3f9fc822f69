// Rewrites rows in JSONEachRow to the shape of BigQuery's results: records as arrays of records, timestamps as microseconds.

/** Where the timestamps of a value are: the value itself, all its elements or entries, or some members by name or index. */
export type Timestamps =
  | 'timestamp'
  | { readonly each: Timestamps }
  | { readonly members: ReadonlyMap<string, Timestamps> };

// Local constants: V8 folds them in the loop over all bytes.
const LF = 0x0a;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** An open object or array. */
interface Frame {
  readonly isArray: boolean;
  /** It is true if the object is the only element of an array that is added around it. */
  readonly isWrapped: boolean;
  readonly timestamps: Timestamps | undefined;
  /** Of the value that comes next. */
  next: Timestamps | undefined;
  /** Index of the element of an array. */
  index: number;
}

/**
 * The rows with every object inside a row, unless it is an element of an array already, as an array of that one object, and
 * with `timestamps` (in ISO 8601 with `Z`) as integers: microseconds since 1970, rounded down. Everything else keeps its
 * bytes. `lines` are whole rows, each a JSON object ended by LF.
 */
export function bigqueryShape(lines: Uint8Array, timestamps: Timestamps | undefined): Buffer {
  const source = Buffer.from(lines.buffer, lines.byteOffset, lines.length);
  const target = Buffer.allocUnsafe(lines.length + growthOf(source));
  const outer: Frame[] = [];
  let frame: Frame | undefined;
  let copied = 0;
  let written = 0;
  const copyTo = (end: number): void => {
    written += source.copy(target, written, copied, end);
    copied = end;
  };
  const writeTimestamp = (open: number, close: number): void => {
    const text = microsecondsOf(source.toString('latin1', open + 1, close));
    if (text === undefined) return;
    copyTo(open);
    written += target.write(text, written, 'latin1');
    copied = close + 1;
  };
  for (let at = 0; at < source.length; at++) {
    const byte = source[at] ?? 0;
    if (byte === QUOTE) {
      const close = closingQuote(source, at);
      if (frame?.next === 'timestamp') writeTimestamp(at, close);
      else if (frame?.isArray === false && source[close + 1] === COLON)
        frame.next = memberOf(frame.timestamps, () => nameOf(source, at, close));
      at = close;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      const isArray = byte === OPEN_BRACKET;
      const isWrapped = !isArray && frame?.isArray === false;
      if (isWrapped) {
        copyTo(at);
        target[written++] = OPEN_BRACKET;
      }
      const inner: Timestamps | undefined = frame === undefined ? timestamps : frame.next;
      if (frame !== undefined) outer.push(frame);
      frame = { isArray, isWrapped, timestamps: inner, next: undefined, index: 0 };
      if (isArray) frame.next = memberOf(inner, () => '0');
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      if (frame?.isWrapped === true) {
        copyTo(at + 1);
        target[written++] = CLOSE_BRACKET;
      }
      frame = outer.pop();
    } else if (byte === COMMA && frame !== undefined) {
      frame.next = frame.isArray ? memberOf(frame.timestamps, elementName(frame)) : undefined;
    } else if (byte === LF) {
      outer.length = 0;
      frame = undefined;
    }
  }
  copyTo(source.length);
  return target.subarray(0, written);
}

/** At most: two bytes for each object, while timestamps only shrink. Braces in strings do not count: they can be megabytes. */
function growthOf(source: Buffer): number {
  let growth = 0;
  for (let at = 0; at < source.length; at++) {
    if (source[at] === QUOTE) at = closingQuote(source, at);
    else if (source[at] === OPEN_BRACE) growth += 2;
  }
  return growth;
}

function elementName(frame: Frame): () => string {
  frame.index++;
  return () => String(frame.index);
}

/** `name` is called only if it matters. */
function memberOf(timestamps: Timestamps | undefined, name: () => string): Timestamps | undefined {
  if (timestamps === undefined || timestamps === 'timestamp') return undefined;
  return 'each' in timestamps ? timestamps.each : timestamps.members.get(name());
}

/** The offset of the quote that closes the string opened at `open`; the length if there is none. */
function closingQuote(bytes: Buffer, open: number): number {
  let at = open + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return Math.min(at, bytes.length);
}

function nameOf(bytes: Buffer, open: number, close: number): string {
  const text = bytes.toString('utf8', open + 1, close);
  return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text; // a string that the engine wrote
}

const TIMESTAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z$/;

/** `2024-01-01T00:00:00.5Z` as microseconds since 1970, exact and rounded down; undefined for any other text. */
export function microsecondsOf(text: string): string | undefined {
  const [, seconds, fraction = ''] = TIMESTAMP.exec(text) ?? [];
  const milliseconds = seconds === undefined ? Number.NaN : Date.parse(`${seconds}Z`);
  if (Number.isNaN(milliseconds)) return undefined;
  const micros = Number(fraction.slice(0, 6).padEnd(6, '0'));
  const total = milliseconds * 1000 + micros;
  return Number.isSafeInteger(total) ? String(total) : String(BigInt(milliseconds) * 1000n + BigInt(micros));
}
