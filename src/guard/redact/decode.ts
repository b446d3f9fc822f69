// Decodes JSON and URL escapes before detection, so that escaping cannot hide personal data.
import {
  begin,
  finish,
  hasEscape,
  newDraft,
  put,
  putCodePoint,
  readHex,
  rewrite,
  type Draft,
} from './draft.ts';
import { decodeEntities, hasEntity } from './entities.ts';
import { HAS_ENTITY, HAS_EQUALS } from './character-flags.ts';
import { decodeQuoted, hasQuoted } from './quoted-printable.ts';
import { BACKSLASH, LETTER, PERCENT, type Units } from './text.ts';
import { characterEnd, codePointAt } from './utf8.ts';

/** Decoded text: `units` from 1 to `end` (exclusive), between sentinels; unit i comes from byte `offsets[i]` onwards. */
export type Decoded = Readonly<Draft>;

/**
 * How a text is decoded. Each reading can hide what another reveals: `host=10.0.0.1` is not an address in quoted-printable,
 * and an address after a soft hyphen is part of a word unless folded. Matches of all applicable readings are combined.
 */
export type TextReading =
  | 'written' // JSON and URL escapes only
  | 'folded' // plus characters that fold to ASCII or to nothing, and HTML character references
  | 'quoted'; // plus quoted-printable

/** The decoded bytes `from` to `to` (exclusive) in one reading; reuses its buffer. */
export type Decode = (bytes: Uint8Array, from: number, to: number, reading: TextReading) => Decoded;

/** Size of the reused buffer, in units; longer texts get their own. */
const KEPT_ROOM = 16_384;

/**
 * Creates a function that decodes bytes `from` to `to` (exclusive), the inside of a JSON string or plain text. Escapes are
 * decoded at any depth, since logs contain JSON in JSON: `\\u0040` means @ as `\u0040` does, and so does `%2540`. A result is
 * valid until the next call. The `written` reading also reports which other readings would differ.
 */
export function createDecode(): Decode {
  let kept: Draft | undefined; // allocated on first use: most endpoints redact nothing
  return (bytes, from, to, reading) => {
    const room = to - from + 2;
    const draft = room > KEPT_ROOM ? newDraft(room) : (kept ??= newDraft(KEPT_ROOM));
    begin(draft, reading !== 'written');
    for (let i = from; i < to;) {
      i = readAscii(draft, bytes, i, to);
      i = readWide(draft, bytes, i, to);
      if (bytes[i] === BACKSLASH && i < to) i = readEscape(draft, bytes, i, to);
    }
    finish(draft, to);
    if (hasEscape(draft)) decodePercents(draft, to);
    if (reading === 'written') lookAhead(draft);
    else decodeFurther(draft, to, reading);
    return draft;
  };
}

function lookAhead(draft: Draft): void {
  const { units, end, hints } = draft;
  draft.canFold ||= (hints & HAS_ENTITY) === HAS_ENTITY && hasEntity(units, 1, end);
  draft.canQuote = (hints & HAS_EQUALS) !== 0 && hasQuoted(units, 1, end);
}

function decodeFurther(draft: Draft, to: number, reading: TextReading): void {
  if ((draft.hints & HAS_ENTITY) === HAS_ENTITY) decodeEntities(draft, to);
  if (reading === 'quoted') decodeQuoted(draft, to);
}

/** Adds ASCII characters up to the first backslash or non-ASCII byte, and returns its offset. */
function readAscii(draft: Draft, bytes: Uint8Array, at: number, to: number): number {
  const { units, offsets } = draft;
  const shift = draft.end - at;
  let i = at;
  for (let byte = bytes[i] ?? 0; i < to && byte < 0x80 && byte !== BACKSLASH; byte = bytes[++i] ?? 0) {
    units[i + shift] = byte;
    offsets[i + shift] = i;
  }
  draft.end = i + shift;
  return i;
}

/** Adds non-ASCII characters up to the first ASCII byte, and returns its offset. */
function readWide(draft: Draft, bytes: Uint8Array, at: number, to: number): number {
  let i = at;
  for (let lead = bytes[i] ?? 0; i < to && lead >= 0x80; lead = bytes[i] ?? 0) {
    const [second, third] = [bytes[i + 1] ?? 0, bytes[i + 2] ?? 0];
    const isOfThree = lead >> 4 === 0xe && second >> 6 === 0b10 && third >> 6 === 0b10 && i + 3 <= to;
    const end = isOfThree ? i + 3 : characterEnd(bytes, i, to);
    const codePoint = isOfThree
      ? ((lead & 0xf) << 12) | ((second & 0x3f) << 6) | (third & 0x3f)
      : codePointAt(bytes, i, end);
    putCodePoint(draft, codePoint, i);
    i = end;
  }
  return i;
}

/** Letters that form a control character after a backslash. */
const CONTROLS: ReadonlyMap<number, number> = new Map(
  ['n\n', 'r\r', 't\t', 'b\b', 'f\f'].map((pair) => [pair.charCodeAt(0), pair.charCodeAt(1)]),
);
/** Letters that introduce hexadecimal digits after a backslash, and how many: JSON's `\u`, and nginx's `\x22`. */
const HEX_ESCAPES: ReadonlyMap<number, number> = new Map([
  ['u'.charCodeAt(0), 4],
  ['x'.charCodeAt(0), 2],
]);
const ESCAPED_ALONE: ReadonlySet<number> = new Set(Buffer.from('"/'));

/**
 * One unit covers a whole run of backslashes with what they escape, so an edit never splits an escape. An even number of
 * them before an `n` may be literal backslashes; reading a line break there only ends a word, which hides nothing.
 */
function readEscape(draft: Draft, bytes: Uint8Array, at: number, to: number): number {
  let i = at;
  while (i < to && bytes[i] === BACKSLASH) i++;
  const letter = i < to ? (bytes[i] ?? 0) : 0;
  const digits = HEX_ESCAPES.get(letter) ?? 0;
  const code = digits === 0 || i + digits >= to ? -1 : readHex(bytes, i + 1, digits);
  if (code !== -1) {
    putCodePoint(draft, code, at);
    return i + 1 + digits;
  }
  const control = ESCAPED_ALONE.has(letter) ? letter : CONTROLS.get(letter);
  put(draft, control ?? BACKSLASH, at);
  return control === undefined ? i : i + 1;
}

/** In place: percent-encoded bytes become units, including those whose percent sign was itself encoded repeatedly. */
function decodePercents(draft: Draft, to: number): void {
  const { units, offsets } = draft;
  rewrite(draft, to, (index) => {
    if (units[index] !== PERCENT) return -1;
    const offset = offsets[index] ?? to;
    const { code, end } = readPercent(units, index);
    if (code === -1) return -1;
    if (code < 0x80) put(draft, code, offset);
    else if (draft.isFolded) return putEncoded(draft, { lead: code, offset, end });
    else put(draft, LETTER, offset);
    draft.canFold ||= code >= 0x80;
    return end;
  });
}

/** The byte encoded at a percent sign, or -1, and where the encoding ends. */
function readPercent(units: Units, percent: number): { readonly code: number; readonly end: number } {
  let digits = percent + 1;
  while (readHex(units, digits, 2) === PERCENT && readHex(units, digits + 2, 2) !== -1) digits += 2;
  return { code: readHex(units, digits, 2), end: digits + 2 };
}

const MAX_CONTINUATION = 3;

/** Adds the UTF-8 character that starts with a percent-encoded byte; returns the end of its last byte. */
function putEncoded(
  draft: Draft,
  { lead, offset, end }: { readonly lead: number; readonly offset: number; readonly end: number },
): number {
  const bytes = [lead];
  const ends = [end];
  while (bytes.length <= MAX_CONTINUATION && draft.units[ends.at(-1) ?? end] === PERCENT) {
    const next = readPercent(draft.units, ends.at(-1) ?? end);
    if (next.code >> 6 !== 0b10) break;
    bytes.push(next.code);
    ends.push(next.end);
  }
  const length = characterEnd(Uint8Array.from(bytes), 0, bytes.length);
  if (length === 1) put(draft, LETTER, offset);
  else putCodePoint(draft, codePointAt(Uint8Array.from(bytes), 0, length), offset);
  return ends[length - 1] ?? end;
}
