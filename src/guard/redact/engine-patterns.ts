// The detectors as RE2 expressions, for redaction inside the engine. Each matches at least what its detector finds in plain text,
// and more where a detector needs a check sum or what surrounds a match.
import { DETECTOR_NAMES } from './detectors.ts';
import { REDACTED, type DetectorName } from './detector.ts';
import { API_KEY_PREFIXES } from './detectors/api-key.ts';
import { IBAN_COUNTRIES } from './detectors/iban.ts';
import { foldRanges } from './fold.ts';

/** Expressions for one choice of detectors. */
export interface EnginePatterns {
  /** In the order in which they are applied if each has a replacement of its own. */
  readonly byName: readonly (readonly [name: DetectorName, pattern: string])[];
  /** All of them. */
  readonly any: string;
  /** Texts of which every match contains one, in any case of letters. */
  readonly needles: readonly string[];
  /** What every match and everything encoded contains, in text that is valid UTF-8. */
  readonly hint: string;
  /** All of them, for decoded text, in which what separated words may be gone. */
  readonly anyDecoded: string;
  /** What makes a text a match as a whole, once its plain matches are replaced. */
  readonly cut: string;
  /** The same for the text of a JSON document: no match begins or ends a string in it. */
  readonly inJson: readonly (readonly [name: DetectorName, pattern: string])[];
  readonly anyInJson: string;
  /** Matches in the text of a JSON document that may be a number, which must not change. */
  readonly numbers: string | undefined;
}

const WIDE = '\\x{80}-\\x{10FFFF}';
const LABEL = `[\\w\\-${WIDE}]`;
const IN_LOCAL = `[\\w.+'!#$*^~\\-${WIDE}]`;
const LOCAL = `${IN_LOCAL}+`;
/** Encoded in quoted-printable: `. : + -`, in front of what may be read as a match by itself, as in `ann=2Eb@example.com`. */
const QUOTED = '=(?:2[BDEbde]|3[Aa])';
const HOST = `(?:${LABEL}+\\.)+(?:xn--${LABEL}+|[A-Za-z]{2,}|[${WIDE}]+)`;
const HOSTS = `(?:@${HOST})+`;
/** The address of a recipient in that of a sender, as in `bounce+ann=example.org@lists.example.net`. */
const BOUNCE = `${IN_LOCAL}*\\+${IN_LOCAL}*=${HOST}`;
const LOCALS = `(?:${BOUNCE}|(?:${LOCAL}${QUOTED})*${LOCAL})`;
const EMAIL = `${LOCALS}${HOSTS}`;

const HEX = '[0-9A-Fa-f]';
const GROUP = `${HEX}+`;
const OCTETS = '[0-9]+(?:\\.[0-9]{1,3}){2,}\\.[0-9]+';
/** What follows an address up to its end: its zone and everything that continues it. */
const REST = `(?:[0-9A-Fa-f:]|\\.[0-9])*(?:%[A-Za-z0-9]+(?:[._\\-][A-Za-z0-9]+)*)?`;
/**
 * With `::`, after a first group of four digits or at least two groups, or before a decimal digit or two groups; or with seven groups.
 * Short and with few alternatives: the engine compiles it for each block of rows, and again with each kind of text that it reads.
 */
const IPV6 = `(?:${HEX}{4}|${HEX}:${GROUP})::|::(?:[0-9]|${GROUP}:${HEX})|(?:${GROUP}:){6}(?:${GROUP}:|${OCTETS})`;
const IP = `(?:[0-9A-Fa-f:]|${HEX}=3[Aa])*(?:${IPV6})${REST}|${OCTETS}`;

const KEY = '[\\w\\-]';
const TOKEN68 = '[\\w.~+/=\\-]';
const TOKEN = tokenOf(TOKEN68, `[ :=+"']`);
/** Counted repetitions are long in the compiled expression: two lengths for all. What is before the first dot may be short. */
const API_KEY = `(?:${keysOf(0, 20)}${KEY}{10,}|${keysOf(20, Infinity)}${KEY}{20,}|${keysOf(0, Infinity)}${KEY}*\\.${KEY}{16,})(?:\\.${KEY}{16,})*`;
/** At least 13 digits: the check digit cannot be computed. */
const WORD_START = '(?:\\b|_)';
const CARD = `${WORD_START}[2-6](?:[ +\\-]?[0-9]){12,}`;
const IBAN = `${WORD_START}(?i:${IBAN_COUNTRIES.join('|')})[0-9]{2}(?:[ +]?[0-9A-Za-z]{4}){2,7}(?:[ +]?[0-9A-Za-z]{1,3})?`;
const PHONE = '\\+[1-9](?:[ .()+\\-]{0,2}[0-9]){7,}';

function tokenOf(character: string, between: string): string {
  return `eyJ${KEY}{7,}\\.\\.?${KEY}{8,}(?:\\.${KEY}*)*|(?i:bearer)${between}+(?:${character}*[0-9]${character}*|${character}{24,})`;
}

function keysOf(least: number, below: number): string {
  const prefixes = API_KEY_PREFIXES.filter(([, length]) => length >= least && length < below);
  return `(?:${prefixes.map(([prefix]) => prefix.replaceAll('.', '\\.')).join('|')})`;
}

const PATTERNS: Readonly<Record<DetectorName, string>> = {
  email: `(?:"[^"@]+"|${LOCALS})${HOSTS}`,
  ip: IP,
  token: TOKEN,
  api_key: API_KEY,
  card: CARD,
  iban: IBAN,
  phone: PHONE,
};

/** Where the text of a JSON document differs: no string begins in a match, and slashes and quotes are escaped. */
const IN_JSON: Partial<Readonly<Record<DetectorName, string>>> = {
  email: EMAIL,
  token: tokenOf(`(?:${TOKEN68}|\\\\/)`, `(?:[ :=+']|\\\\")`),
};

/** What every match of a pattern contains. */
const HINTS: Readonly<Record<DetectorName, string>> = {
  email: '@',
  ip: `::|[0-9]\\.[0-9]|${HEX}:${GROUP}:`,
  token: 'eyJ|(?i:bearer)',
  api_key: keysOf(0, Infinity),
  card: '[0-9](?:[ +\\-]?[0-9]){12}',
  iban: '[A-Za-z]{2}[0-9]{2}[ +]?[0-9A-Za-z]{4}',
  phone: '\\+[1-9]',
};

/** What everything that is encoded contains. */
const MARKERS = '[%&=\\\\]|[^\\x00-\\x7f]';

const DIGITS = Array.from({ length: 10 }, (_, digit) => `${digit}`);

/** Texts of which every match of a pattern contains one, in any case of letters. */
const NEEDLES: Readonly<Record<DetectorName, readonly string[]>> = {
  email: ['@'],
  ip: ['.', ':'],
  token: ['eyJ', 'bearer'],
  api_key: API_KEY_PREFIXES.map(([prefix]) => prefix),
  card: DIGITS,
  iban: DIGITS,
  phone: ['+'],
};

/** E-mail first: other matches may be part of an address. */
const ORDER: readonly DetectorName[] = ['email', ...DETECTOR_NAMES.filter((name) => name !== 'email')];

/** The expressions of the detectors with these names. */
export function enginePatterns(names: readonly DetectorName[]): EnginePatterns {
  const byName = ORDER.filter((name) => names.includes(name)).map((name) => [name, PATTERNS[name]] as const);
  const inJson = byName
    .filter(([name]) => name !== 'card')
    .map(([name, pattern]) => [name, IN_JSON[name] ?? pattern] as const);
  // What a match ends with may be the local part of an address.
  const all = (patterns: readonly string[]): string =>
    patterns.length === 0 ? '' : `(?:${patterns.join('|')})${names.includes('email') ? `(?:${HOSTS})?` : ''}`;
  return {
    byName,
    any: all(byName.map(([, pattern]) => pattern)),
    needles: [...new Set(byName.flatMap(([name]) => NEEDLES[name]))],
    hint: [MARKERS, ...byName.map(([name]) => HINTS[name])].join('|'),
    anyDecoded: all(byName.map(([, pattern]) => pattern.replaceAll(WORD_START, ''))),
    cut: names.includes('email') ? `${CUT}|${ENCODED_EMAIL}` : CUT,
    inJson,
    anyInJson: all(inJson.map(([, pattern]) => pattern)),
    numbers: names.includes('card') ? CARD : undefined,
  };
}

const REFERENCE = '&#?[0-9A-Za-z]{2,};';
const SOFT_BREAK = '=\\r?\\n';

/**
 * What may hide a match: escapes of JSON and URLs, character references, quoted-printable that is not only text, and characters other
 * than ASCII, which may fold to others. Short, since the engine's plans repeat it often.
 */
export const ENCODED = `%[0-9A-Fa-f]{2}|\\\\[uxnrtbf]|${REFERENCE}|${QUOTED}|=40[A-Za-z=]|${SOFT_BREAK}|[^\\x00-\\x7f]`;

/**
 * A replacement beside an escape, of which it may have the end: what a match contains before the escape, or after it, is left, as in
 * `fran\\u00e7ois@example.com` and `Bearer abc12345%2Fdef`.
 */
export const CUT =
  `(?:%|\\\\+|${REFERENCE}|${QUOTED}|${SOFT_BREAK})[\\w.+'!#$*^~\\-]*${REDACTED}` +
  `|${REDACTED}(?::[a-z_]+)?(?:%[0-9A-Fa-f]{2}|\\\\+[ux]|${REFERENCE}|${QUOTED}|${SOFT_BREAK})`;

/** What a text has that has an encoding, or in which a replacement may be beside a part of one. */
export const MARKED = `${ENCODED}|[%\\\\][\\w.+'!#$*^~\\-]*${REDACTED}`;

/** An e-mail address with an encoded `@`: that it is one is known without decoding it. */
const ENCODED_EMAIL = '\\w%(?:25)*40(?:[\\w\\-]+\\.)+[A-Za-z]{2}';

type Replacements = readonly (readonly [pattern: string, by: string])[];

let replacements: Replacements | undefined;

/** Characters that fold to ASCII other than by compatibility (NFKC): what replaces each, as RE2 expressions. */
export function foldReplacements(): Replacements {
  return (replacements ??= [
    // A digit that begins a card number, an address and a phone number.
    [`[${foldedTo(/\d/)}]`, '4'],
    [`[${foldedTo(/-/)}]`, '-'],
    [`[${foldedTo(undefined)}]`, ''],
  ]);
}

/** The characters that fold to what `ascii` matches, or to nothing, as ranges of a character class. */
function foldedTo(ascii: RegExp | undefined): string {
  return foldRanges((fold) => (fold === '' ? ascii === undefined : ascii?.test(fold) === true))
    .map(([first, last]) => (first === last ? hex(first) : `${hex(first)}-${hex(last)}`))
    .join('');
}

function hex(code: number): string {
  return `\\x{${code.toString(16)}}`;
}
