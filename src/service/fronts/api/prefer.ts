// Preferences of a request (Prefer, RFC 7240).
import type { ResultShape } from '../../endpoints/endpoint.ts';
import { isReadable } from '../../http/header-fields.ts';

/** One preference with its parameters; a comma in a quoted string does not end it. */
const PREFERENCE = /(?:[^,"]|"(?:[^"\\]|\\.)*")+/g;
const RESULT_SHAPE = /^\s*result-shape\s*=\s*("?)(standard|bigquery)\1\s*(?:;|$)/i;
const IS_RESULT_SHAPE = /^\s*result-shape\s*(?:[=;]|$)/i;
/** A preference without a value; an empty one is the same (RFC 7240, 2). */
const METADATA = /^\s*metadata\s*(?:=\s*(?:"")?\s*)?(?:;|$)/i;

/**
 * The first preference `result-shape`. Undefined if there is none, if its value is unknown, or if the header is oversized: a
 * preference that a server does not know is ignored.
 */
export function preferredShape(header: string | undefined): ResultShape | undefined {
  if (!isReadable(header)) return undefined;
  const preference = header.match(PREFERENCE)?.find((each) => IS_RESULT_SHAPE.test(each)) ?? '';
  const [, , value] = RESULT_SHAPE.exec(preference) ?? [];
  return value?.toLowerCase() as ResultShape | undefined; // one of the values in the pattern
}

const WAIT = /^\s*wait\s*=\s*("?)(\d{1,6})\1\s*(?:;|$)/i;

/** The seconds that the client would wait (RFC 7240, 4.3); undefined: it does not say. */
export function preferredWait(header: string | undefined): number | undefined {
  if (!isReadable(header)) return undefined;
  const preference = header.match(PREFERENCE)?.find((each) => WAIT.test(each)) ?? '';
  const [, , seconds] = WAIT.exec(preference) ?? [];
  return seconds === undefined ? undefined : Number(seconds);
}

/** Whether one of the preferences is `metadata`. */
export function prefersMetadata(header: string | undefined): boolean {
  if (!isReadable(header)) return false;
  return header.match(PREFERENCE)?.some((each) => METADATA.test(each)) ?? false;
}
