// Separates rows from errors: a server that fails after its first bytes writes the error into the same body.
import { engineErrorFrom } from '../failures.ts';

/** Passes a body through in pieces, holding back bytes that may be the start of an error. */
export interface ExceptionGate {
  /** Returns the bytes that can be passed on. */
  push(chunk: Uint8Array): Uint8Array;
  /** Returns the remaining bytes; throws EngineError if they are an error. */
  end(): Uint8Array;
}

/**
 * A gate for servers that send a tag in `X-ClickHouse-Exception-Tag` (since 25.11): the error follows CR LF
 * `__exception__` CR LF and the tag, which is unpredictable and so cannot occur in data.
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

/** A gate for older servers: an error is the last part of the body, so the end is held back and inspected. */
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
      // No valid result matches: a JSON row ends with a bracket, a CSV string with a quote, Parquet and Arrow with
      // magic bytes.
      if (VERSION_AT_END.test(held.subarray(-MAX_VERSION_BYTES).toString())) {
        throw engineErrorFrom(lastError(held.toString()));
      }
      return held;
    },
  };
}

/** A gate for responses that a server sends after the query has ended: an error is a response of its own. */
export const OPEN_GATE: ExceptionGate = { push: (chunk) => chunk, end: () => new Uint8Array(0) };

/** ClickHouse truncates the message of a tagged error at 16 KiB. */
const MAX_ERROR_BYTES = 32 * 1024;

/** The end of every error message: `(version 24.8.1.1 (official build))`. */
const VERSION_AT_END = / \(version [\w.-]+(?: \([\w .-]+\))?\)\s*$/;
const MAX_VERSION_BYTES = 200;

/** Starts at the last `Code: N. DB::Exception`, because rows before it may contain error messages too. */
function lastError(text: string): string {
  const exception = text.lastIndexOf('. DB::Exception');
  return text.slice(Math.max(0, text.lastIndexOf('Code: ', exception))).trim();
}
