// Personal data of every kind in two versions: what one version has, the other has exchanged for another of the same kind.
import { createRandom } from '../../sandbox/mutants.ts';

export type Version = 'a' | 'b';

/** The kinds; the first seven have detectors, the others need a rule by column name. */
export type SecretKind =
  | 'email' | 'ip' | 'ip6' | 'phone' | 'card' | 'iban' | 'token' | 'key'
  | 'person' | 'account' | 'note'; // prettier-ignore

/**
 * The n-th value of a kind. Values of `a` repeat, those of `b` do not. For even n both have the same length; for odd n
 * the lengths differ. The order of the values differs, and so does whether check digits are correct.
 */
export function secretOf(version: Version, kind: SecretKind, n: number): string {
  const plain = VALUES_OF_A[kind][n % VALUES_OF_A[kind].length] ?? '';
  if (version === 'a') return plain;
  const random = createRandom(1 + n * 31 + KINDS.indexOf(kind) * 7919);
  const words = (count: number): string => Array.from({ length: count }, () => LETTERS[random(26)]).join('');
  const digits = (count: number): string => Array.from({ length: count }, () => random(10)).join('');
  return n % 2 === 0 ? sameLength(plain, kind, { words, digits }) : OTHERS[kind]({ words, digits });
}

interface Source {
  readonly words: (count: number) => string;
  readonly digits: (count: number) => string;
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** Others in place of the characters that are free to choose. */
function sameLength(plain: string, kind: SecretKind, { words, digits }: Source): string {
  switch (kind) {
    case 'email':
      return plain.replace(/^\w+/, (local) => words(local.length));
    case 'ip':
      return plain.replaceAll(/\d+/g, (octet) => String(10 ** (octet.length - 1) + (Number(octet) + 37) % (octet.length === 3 ? 150 : 9 * 10 ** (octet.length - 1))));
    case 'ip6':
      return plain.replace(/[0-9a-f]+$/, (group) => `f${digits(group.length - 1)}`);
    case 'card':
    case 'iban':
    case 'phone':
      return plain.replace(/\d{6}$/, digits(6));
    case 'token':
    case 'key':
    case 'account':
    case 'note':
    case 'person':
      return plain.replace(/[A-Za-z]{4}$/, () => words(4));
  }
} // prettier-ignore

const PAYLOAD = (name: string): string => Buffer.from(JSON.stringify({ sub: name })).toString('base64url');

const VALUES_OF_A: Readonly<Record<SecretKind, readonly string[]>> = {
  email: ['ann@example.com', 'zoe@mail.example.org', 'bob@example.com'],
  ip: ['203.0.113.9', '198.51.100.77', '10.0.0.1'],
  ip6: ['2001:db8::1a2b', 'fe80::1234:5678:9abc', '2001:db8:40df:7:1:2:3:4'],
  phone: ['+14155552671', '+442071838750', '+4930123456789'],
  card: ['4111111111111111', '5500005555555559', '378282246310005'],
  iban: ['DE89370400440532013000', 'NL91ABNA0417164300', 'FR7630006000011234567890189'],
  token: [`eyJhbGciOiJIUzI1NiJ9.${PAYLOAD('ann-the-first')}.c2lnbmF0dXJlYWJj`, `eyJhbGciOiJSUzI1NiJ9.${PAYLOAD('zoe')}.QUJDREVGR0g`],
  key: ['ghp_0123456789abcdefghijABCDEFGHIJabcdef', 'AKIAIOSFODNN7EXAMPLE'],
  person: ['Ann Brown', 'Zoe Young', 'Bob Carter'],
  account: ['account-aaaa', 'account-zzzz', 'account-mmmm'],
  note: ['likes oranges', 'owes money', 'moved to Rome'],
}; // prettier-ignore

const OTHERS: Readonly<Record<SecretKind, (source: Source) => string>> = {
  email: ({ words }) => `${words(3)}.${words(9)}+${words(2)}@${words(12)}.example.co.uk`,
  ip: ({ digits }) => `8.${1 + Number(digits(1))}.4.${1 + Number(digits(1))}`,
  ip6: ({ digits }) => `::ffff:192.0.2.${10 + Number(digits(2))}`,
  phone: ({ digits }) => `+33 1 ${digits(4)}-${digits(4)}`,
  card: ({ digits }) => `6${digits(3)} ${digits(4)} ${digits(4)} ${digits(4)} ${digits(3)}`,
  iban: ({ digits }) => `GB${digits(2)} WEST ${digits(4)} ${digits(4)} ${digits(4)} ${digits(2)}`,
  token: ({ words, digits }) => `eyJhbGciOiJub25lIn0.${PAYLOAD(words(30))}.${words(20)}${digits(9)}`,
  key: ({ words, digits }) => `sk_live_${words(12)}${digits(14)}`,
  person: ({ words }) => `${words(7)} ${words(11)}`,
  account: ({ words }) => `account-${words(17)}`,
  note: ({ words }) => `${words(5)} ${words(15)} ${words(3)}`,
};

export const KINDS: readonly SecretKind[] = [
  'email', 'ip', 'ip6', 'phone', 'card', 'iban', 'token', 'key', 'person', 'account', 'note',
]; // prettier-ignore

/** What a value may be turned into without losing it, in lower case. */
export function imagesOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const number = /^\d+\.\d+\.\d+\.\d+$/.test(secret) ? [bytesOf(secret).readUInt32BE()] : [];
  return [
    secret,
    secret.split('').toReversed().join(''),
    bytes.toString('hex'),
    bytes.toString('base64').replace(/.?=*$/, ''),
    encodeURIComponent(secret),
    secret.replaceAll(/[a-z]/gi, (letter) => String.fromCharCode((letter.toLowerCase().charCodeAt(0) - 84) % 26 + 97)),
    ...number.flatMap((each) => [String(each), each.toString(16).padStart(8, '0')]),
  ].map((image) => image.toLowerCase());
} // prettier-ignore

function bytesOf(address: string): Buffer {
  return Buffer.from(address.split('.').map(Number));
}
