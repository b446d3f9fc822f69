// The detectors as RE2 expressions, for redaction inside the engine. Each matches at least what its detector finds in plain text,
// and more where a detector needs a check sum or what surrounds a match.
import { DETECTOR_NAMES } from './detectors.ts';
import type { DetectorName } from './detector.ts';
import { API_KEY_PREFIXES } from './detectors/api-key.ts';
import { IBAN_COUNTRIES } from './detectors/iban.ts';
import { foldRanges } from './fold.ts';

/** Expressions for one choice of detectors. */
export interface EnginePatterns {
  /** In the order in which they are applied if each has a replacement of its own. */
  readonly byName: readonly (readonly [name: DetectorName, pattern: string])[];
  /** All of them. */
  readonly any: string;
  /** The same for the text of a JSON document: no match begins or ends a string in it. */
  readonly inJson: readonly (readonly [name: DetectorName, pattern: string])[];
  readonly anyInJson: string;
  /** Matches in the text of a JSON document that may be a number, which must not change. */
  readonly numbers: string | undefined;
}

const WIDE = '\\x{80}-\\x{10FFFF}';
const LABEL = `[\\w\\-${WIDE}]`;
const LOCAL = `[\\w.+'!#$*^~\\-${WIDE}]+`;
const HOSTS = `(?:@(?:${LABEL}+\\.)+(?:xn--${LABEL}+|[A-Za-z]{2,}|[${WIDE}]+))+`;
const EMAIL = `${LOCAL}${HOSTS}`;
const QUOTED_EMAIL = `"[^"@]{1,64}"${HOSTS}`;

const HEX = '[0-9A-Fa-f]';
const GROUP = `${HEX}{1,4}`;
const OCTETS = '[0-9]{1,3}(?:\\.[0-9]{1,3}){3,}';
/** What follows an address up to its end: its zone and everything that continues it. */
const REST = `(?:[0-9A-Fa-f:]|\\.[0-9])*(?:%[A-Za-z0-9]+(?:[._\\-][A-Za-z0-9]+)*)?`;
/** With `::`: a first group of four digits, a decimal digit on both sides, nothing before it, or three groups. */
const SHORT_IPV6 = [
  `${HEX}{4}::`,
  `[0-9]${HEX}{0,3}::[0-9]`,
  '::[0-9]',
  `${GROUP}(?::${GROUP})+::`,
  `(?:${GROUP})?::${GROUP}:${HEX}`,
  `(?:${GROUP})?::(?:${GROUP}:)*${OCTETS}`,
].join('|');
const LONG_IPV6 = `(?:${GROUP}:){7,}(?:${GROUP})?|(?:${GROUP}:){6}${OCTETS}`;
const IP = `[0-9A-Fa-f:]*(?:${SHORT_IPV6}|${LONG_IPV6})${REST}|${OCTETS}`;

const KEY = '[\\w\\-]';
const TOKEN68 = '[\\w.~+/=\\-]';
const TOKEN = `eyJ${KEY}{7,}\\.\\.?${KEY}{8,}(?:\\.${KEY}*)*|(?i:bearer)[ :=+]+(?:${TOKEN68}*[0-9]${TOKEN68}*|${TOKEN68}{24,})`;
const API_KEY = `(?:${API_KEY_PREFIXES.map(([prefix, least]) => `${prefix.replaceAll('.', '\\.')}${KEY}{${least},}`).join('|')})(?:\\.${KEY}{17,})*`;
/** At least 13 digits: the check digit cannot be computed. */
const CARD = '(?:\\b|_)[2-6](?:[ +\\-]?[0-9]){12,}';
const IBAN = `(?:\\b|_)(?i:${IBAN_COUNTRIES.join('|')})[0-9]{2}(?:[ +]?[0-9A-Za-z]{4}){2,7}(?:[ +]?[0-9A-Za-z]{1,3})?`;
const PHONE = '\\+[1-9](?:[ .()+\\-]{0,2}[0-9]){7,}';

const PATTERNS: Readonly<Record<DetectorName, string>> = {
  email: `${QUOTED_EMAIL}|${EMAIL}`,
  ip: IP,
  token: TOKEN,
  api_key: API_KEY,
  card: CARD,
  iban: IBAN,
  phone: PHONE,
};

/** E-mail first: other matches may be part of an address. */
const ORDER: readonly DetectorName[] = ['email', ...DETECTOR_NAMES.filter((name) => name !== 'email')];

/** The expressions of the detectors with these names. */
export function enginePatterns(names: readonly DetectorName[]): EnginePatterns {
  const byName = ORDER.filter((name) => names.includes(name)).map((name) => [name, PATTERNS[name]] as const);
  const inJson = byName
    .filter(([name]) => name !== 'card')
    .map(([name, pattern]) => [name, name === 'email' ? EMAIL : pattern] as const);
  // What a match ends with may be the local part of an address.
  const all = (patterns: readonly string[]): string =>
    patterns.length === 0 ? '' : `(?:${patterns.join('|')})${names.includes('email') ? `(?:${HOSTS})?` : ''}`;
  return {
    byName,
    any: all(byName.map(([, pattern]) => pattern)),
    inJson,
    anyInJson: all(inJson.map(([, pattern]) => pattern)),
    numbers: names.includes('card') ? CARD : undefined,
  };
}

/**
 * What may hide a match: escapes of JSON and URLs, character references, quoted-printable, and characters that fold to others.
 * A text without any of it is searched as it is.
 */
export const ENCODED = [
  '%[0-9A-Fa-f]{2}',
  '\\\\[uxnrtbf]',
  '&#?[0-9A-Za-z]{2,};',
  '=(?:[2-7][0-9A-Fa-f]|\\r?\\n)',
  `[${foldRanges().map(rangeOf).join('')}]`,
].join('|');

function rangeOf([first, last]: readonly [first: number, last: number]): string {
  return `\\x{${first.toString(16)}}-\\x{${last.toString(16)}}`;
}
