// Readers for strings and other types without an order: String, Bool, UUID, IPv4, IPv6.
import { isIPv4, isIPv6 } from 'node:net';
import { failure, read } from './reading.ts';
import type { ScalarReader } from './reading.ts';

/** Maximum length in characters of an Array(String) element, and of a String unless the parameter sets another. */
export const DEFAULT_MAX_LENGTH = 8192;

export const readString: ScalarReader = (raw) => {
  if (typeof raw !== 'string') return failure('must be a string');
  if (raw.includes('\0')) return failure('must not contain a NUL character');
  if (/\p{Surrogate}/u.test(raw)) return failure('must be valid Unicode, without unpaired surrogates');
  return read(raw);
};

export const readBool: ScalarReader = (raw) => {
  const text = String(raw);
  if (typeof raw === 'number') return failure('must be true or false');
  if (text === 'true' || text === '1') return read('true');
  return text === 'false' || text === '0' ? read('false') : failure('must be true or false');
};

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const readUuid: ScalarReader = (raw) => {
  if (typeof raw === 'string' && UUID.test(raw)) return read(raw.toLowerCase());
  return failure('must be a UUID: 8-4-4-4-12 hexadecimal digits');
};

export const readIPv4: ScalarReader = (raw) => {
  if (typeof raw === 'string' && isIPv4(raw)) return read(raw);
  return failure('must be an IPv4 address such as 192.0.2.1');
};

/** Canonical form of the URL standard, which shortens as in RFC 5952. Zone ids are rejected. */
export const readIPv6: ScalarReader = (raw) => {
  if (typeof raw !== 'string' || !isIPv6(raw) || raw.includes('%')) {
    return failure('must be an IPv6 address such as 2001:db8::1');
  }
  return read(new URL(`http://[${raw}]`).hostname.slice(1, -1));
};

/** Strings of at most this many bytes of UTF-8; the engine fills shorter ones with NUL. */
export function fixedReader(bytes: number): ScalarReader {
  return (raw) => {
    const reading = readString(raw);
    if (reading.kind === 'failure' || Buffer.byteLength(reading.text) <= bytes) return reading;
    return failure(`must have at most ${bytes} bytes in UTF-8`);
  };
}

const SHOWN_NAMES = 20;

/** The names of an Enum. */
export function enumReader(names: readonly string[]): ScalarReader {
  const known = new Set(names);
  const shown = names.slice(0, SHOWN_NAMES).join(', ');
  const message = `must be one of ${shown}${names.length > SHOWN_NAMES ? ', …' : ''}`;
  return (raw) => (typeof raw === 'string' && known.has(raw) ? read(raw) : failure(message));
}
