// Request bodies as text: decoded as Content-Encoding and the charset of Content-Type say, and never replaced by other text.
import { isAscii } from 'node:buffer';
import { Problem } from '../../sql/base/problem.ts';
import { BODY_LIMIT, readBytes, type Exchange } from './body.ts';
import { decodeContent } from './content-coding.ts';

/** Without a byte order mark, which is no part of the text. */
const UTF_8 = new TextDecoder('utf-8', { fatal: true });

/** US-ASCII is a subset of UTF-8. */
const UTF_8_NAMES: ReadonlySet<string> = new Set(['utf-8', 'utf8', 'us-ascii', 'ascii']);

/**
 * The body as text; '' if there is none. Call once. Throws Problem as `readBytes` and `decodeContent` do, and as `textOf` does.
 */
export async function readText(exchange: Exchange): Promise<string> {
  const { 'content-type': type, 'content-encoding': coding } = exchange.request.headers;
  const bytes = await readBytes(exchange);
  if (bytes.length === 0) return '';
  return textOf(await decodeContent(bytes, coding, BODY_LIMIT), type);
}

/**
 * Throws Problem `request.body_invalid` for bytes that are not UTF-8: replaced, they would be another value or query. Throws
 * `request.body_type_unsupported` if the media type declares another encoding.
 */
export function textOf(bytes: Buffer, contentType: string | undefined): string {
  const charset = charsetOf(contentType) ?? 'utf-8';
  if (!UTF_8_NAMES.has(charset) && !(EXTEND_ASCII.test(charset) && isOnlyAscii(bytes, contentType))) {
    const detail = `Bodies with the charset ${charset.slice(0, 100)} are not supported`;
    throw new Problem('request.body_type_unsupported', { detail, hint: 'Send the body in UTF-8.' });
  }
  try {
    return UTF_8.decode(bytes);
  } catch (cause) {
    throw new Problem('request.body_invalid', { detail: 'The body is not valid UTF-8', cause });
  }
}

/** Encodings that libraries declare by default, whatever they send. */
const EXTEND_ASCII = /^(?:iso-8859-\d{1,2}|latin-?1|windows-125\d)$/;

/** Returns whether the bytes mean the same in all of these encodings. Those of a form may be encoded in ASCII. */
function isOnlyAscii(bytes: Buffer, contentType = ''): boolean {
  return isAscii(bytes) && !/^\s*application\/x-www-form-urlencoded\b/i.test(contentType);
}

const CHARSET = /;\s*charset\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]*))/i;

/** In lower case; undefined if none is declared. */
function charsetOf(contentType: string | undefined): string | undefined {
  const [, quoted, plain = ''] = CHARSET.exec(contentType ?? '') ?? [];
  const name = (quoted?.replace(/\\(.)/g, '$1') ?? plain).trim().toLowerCase();
  return name === '' ? undefined : name;
}
