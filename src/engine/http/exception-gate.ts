// Rows and nothing else: a server that fails after its first bytes writes the error into the same body.
import { engineErrorFrom } from '../failures.ts';

/** Lets a body through in pieces, keeping back what may be the beginning of an error. */
export interface ExceptionGate {
  /** The bytes that may go out now. */
  push(chunk: Uint8Array): Uint8Array;
  /** The last bytes; throws EngineError when they are an error. */
  end(): Uint8Array;
}

/**
 * A gate for servers that announce a tag in `X-ClickHouse-Exception-Tag` (since 25.11): the error follows
 * CR LF `__exception__` CR LF and the tag, which no data can know.
 */
export function createTaggedGate(tag: string): ExceptionGate {
  const marker = Buffer.from(`\r\n__exception__\r\n${tag}`);
  let held: Buffer = Buffer.alloc(0);
  let found = false;
  return {
    push: (chunk) => {
      const body = Buffer.concat([held, chunk]);
      const at = found ? 0 : body.indexOf(marker);
      found ||= at !== -1;
      const cut = found ? at : Math.max(0, body.length - marker.length + 1);
      held = body.subarray(cut, cut + MAX_ERROR_BYTES);
      return body.subarray(0, cut);
    },
    end: () => {
      if (found) throw engineErrorFrom(held.subarray(marker.length).toString().trim());
      return held;
    },
  };
}

/** A gate for older servers: their error is the last thing in the body, so the end of it is kept back and looked at. */
export function createTailGate(): ExceptionGate {
  let held: Buffer = Buffer.alloc(0);
  return {
    push: (chunk) => {
      const body = Buffer.concat([held, chunk]);
      const cut = Math.max(0, body.length - MAX_ERROR_BYTES);
      held = body.subarray(cut);
      return body.subarray(0, cut);
    },
    end: () => {
      // A JSON row ends in a bracket, a CSV string in a quote, Parquet and Arrow in their magic bytes: no result ends so.
      if (VERSION_AT_END.test(held.subarray(-MAX_VERSION_BYTES).toString())) {
        throw engineErrorFrom(lastError(held.toString()));
      }
      return held;
    },
  };
}

/** ClickHouse cuts the message of a tagged error at 16 KiB. */
const MAX_ERROR_BYTES = 32 * 1024;

/** How every error text ends: `(version 24.8.1.1 (official build))`. */
const VERSION_AT_END = / \(version [\w.-]+(?: \([\w .-]+\))?\)\s*$/;
const MAX_VERSION_BYTES = 200;

/** From the last `Code: N. DB::Exception` on: rows in front of it may speak of errors too. */
function lastError(text: string): string {
  const exception = text.lastIndexOf('. DB::Exception');
  return text.slice(Math.max(0, text.lastIndexOf('Code: ', exception))).trim();
}
