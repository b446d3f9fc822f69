// What a person should look at in values that no detector finds and no rule names: shapes and names that often are personal data.

/** Why a column or path should be looked at. */
export type Suspicion = 'name' | 'high_entropy' | 'spelled_out_email' | 'ip_as_number' | 'phone_as_number';

/** Words of names whose values usually are personal data. */
const PERSONAL: ReadonlySet<string> = new Set(
  `ip ips ipv4 ipv6 addr address phone phones mobile telephone tel fax email emails mail ssn passport surname lastname firstname fullname username nickname
  birthday birthdate birth dob gender iban card iin bic cookie password passwd secret token authorization auth latitude longitude lat lon lng street zip zipcode
  postcode postal city salary nationality religion license plate fingerprint contact`.split(/\s+/),
);

/** Words that make a personal name of `name`. */
const OF_PERSON: ReadonlySet<string> = new Set(
  'user first last full family given middle display customer person contact account owner employee patient member author sender recipient nick'.split(
    ' ',
  ),
);

/** Returns whether a name of a column or path, such as `client_ip` or `metadata.user.name`, says personal data. */
export function isPersonalName(path: string): boolean {
  const parts = path.split('.');
  const words = wordsOf(parts.at(-1) ?? '');
  if (words.some((word) => PERSONAL.has(word))) return true;
  if (!words.includes('name')) return false;
  const above = wordsOf(parts.at(-2) ?? '');
  return (
    (words.length === 1 && above.length === 0) || [...words, ...above].some((word) => OF_PERSON.has(word))
  );
}

function wordsOf(name: string): readonly string[] {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .filter(Boolean);
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const SHORTEST_TOKEN = 20;
/** Bits per character; words and paths have less, base64 of 20 characters about 4. */
const TOKEN_ENTROPY = 3.5;
/** Hexadecimal digits have at most four bits. */
const HEX = /^[\da-f]{32,}$/i;
const HEX_ENTROPY = 3;
/** Longer texts are searched only so far. */
const MAX_TEXT = 4096;

/** Returns whether a text contains letters and digits that look random, such as keys and session ids. UUIDs are not counted. */
export function hasHighEntropy(text: string): boolean {
  const words = text.slice(0, MAX_TEXT).split(/[^\w+~-]+/);
  return words.some(
    (word) =>
      word.length >= SHORTEST_TOKEN &&
      /\d/.test(word) &&
      /[A-Za-z]/.test(word) &&
      !UUID.test(word) &&
      entropyOf(word) >= (HEX.test(word) ? HEX_ENTROPY : TOKEN_ENTROPY),
  );
}

/** Shannon entropy of the characters, in bits. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  return [...counts.values()].reduce(
    (sum, count) => sum - (count / text.length) * Math.log2(count / text.length),
    0,
  );
}

const DOT = String.raw`(?:\.|\s?[([{]\s?dot\s?[)\]}]\s?)`;
const SPELLED = [
  new RegExp(String.raw`[\w+-]\s?[([{]\s?(?:at|@)\s?[)\]}]\s?[\w-]+${DOT}[a-z]{2}`, 'i'),
  /\w at [\w-]+ dot [a-z]{2}/i,
];

/** Returns whether a text contains an e-mail address as `ann [at] example.com` or `ann at example dot com`. */
export function hasSpelledEmail(text: string): boolean {
  const start = text.slice(0, MAX_TEXT);
  return SPELLED.some((pattern) => pattern.test(start));
}

/** A range of numbers seen at a path. */
export interface NumberRange {
  readonly least: number;
  readonly greatest: number;
}

const YEARS = 20 * 365.25 * 24 * 3600;

/** What a column of whole numbers may be; `now` is in seconds. Times as numbers, and numbers that count up, are left out. */
export function numbersLookLike(
  { least, greatest }: NumberRange,
  now: number,
): 'ip_as_number' | 'phone_as_number' | undefined {
  const isTime = [1, 1e3, 1e6].some(
    (scale) => least > (now - YEARS) * scale && greatest < (now + YEARS) * scale,
  );
  if (isTime || least < 2 ** 24) return undefined;
  // 1.0.0.0 and above; numbers close to each other are more likely ids.
  if (greatest < 2 ** 32) return greatest - least > 2 ** 28 ? 'ip_as_number' : undefined;
  return least >= 1e9 && greatest < 1e15 ? 'phone_as_number' : undefined;
}
