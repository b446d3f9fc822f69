// Text as people mean it: escapes of JSON and of URLs read, so that no way of writing an address hides it.
import { HAS_ESCAPE, hintsOf } from './hints.ts';
import { BACKSLASH, LETTER, OTHER, PERCENT, type Units } from './text.ts';
import { characterEnd, codePointAt, isWordCharacter } from './utf8.ts';

/** Decoded text: `units` from 1 to before `end`, between sentinels; unit i was written from byte `offsets[i]` on. */
export interface Decoded {
  readonly units: Uint8Array;
  readonly offsets: Uint32Array;
  readonly end: number;
  /** Of the decoded text. */
  readonly hints: number;
}

export type Decode = (bytes: Uint8Array, from: number, to: number) => Decoded;

interface Draft {
  readonly units: Uint8Array;
  readonly offsets: Uint32Array;
  end: number;
  hints: number;
}

/** Room kept from one call to the next, in units; longer texts get room of their own. */
const KEPT_ROOM = 16_384;

/**
 * A function that decodes bytes `from` to before `to`, the inside of a JSON string or plain text. Escapes are read at any
 * depth, since logs hold JSON in JSON: `\\u0040` means @ as `\u0040` does, so does `%2540`. What a call returns holds until
 * the next.
 */
export function createDecode(): Decode {
  let kept: Draft | undefined; // made when it is first needed: most endpoints redact nothing
  return (bytes, from, to) => {
    const room = to - from + 2;
    const draft = room > KEPT_ROOM ? newDraft(room) : (kept ??= newDraft(KEPT_ROOM));
    draft.end = 1;
    for (let i = from; i < to;) {
      i = readAscii(draft, bytes, i, to);
      i = readWide(draft, bytes, i, to);
      if (bytes[i] === BACKSLASH && i < to) i = readEscape(draft, bytes, i, to);
    }
    finish(draft, to);
    if ((draft.hints & HAS_ESCAPE) !== 0) decodePercents(draft, to);
    return draft;
  };
}

function newDraft(room: number): Draft {
  return { units: new Uint8Array(room), offsets: new Uint32Array(room), end: 1, hints: 0 };
}

function finish(draft: Draft, to: number): void {
  draft.units[draft.end] = 0;
  draft.offsets[draft.end] = to;
  draft.hints = hintsOf(draft.units, 1, draft.end);
}

function put(draft: Draft, unit: number, offset: number): void {
  draft.units[draft.end] = unit;
  draft.offsets[draft.end] = offset;
  draft.end++;
}

/** Adds characters of ASCII up to the first that is none, or a backslash, and returns where that is. */
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

/** Adds characters beyond ASCII up to the first that is none, and returns where that is. */
function readWide(draft: Draft, bytes: Uint8Array, at: number, to: number): number {
  let i = at;
  while (i < to && (bytes[i] ?? 0) >= 0x80) {
    const end = characterEnd(bytes, i, to);
    put(draft, toUnit(codePointAt(bytes, i, end)), i);
    i = end;
  }
  return i;
}

/** Letters after a backslash that stand for control characters. */
const CONTROLS: ReadonlyMap<number, number> = new Map(
  ['n\n', 'r\r', 't\t', 'b\b', 'f\f'].map((pair) => [pair.charCodeAt(0), pair.charCodeAt(1)]),
);
/** Letters after a backslash that hexadecimal digits follow, and how many: JSON's, and nginx's `\x22`. */
const HEX_ESCAPES: ReadonlyMap<number, number> = new Map([
  ['u'.charCodeAt(0), 4],
  ['x'.charCodeAt(0), 2],
]);
const ESCAPED_ALONE: ReadonlySet<number> = new Set(Buffer.from('"/'));

/**
 * A unit covers all backslashes in a row with what they escape, so an edit never tears an escape apart. An even number of
 * them before an `n` may be a real backslash; read as a line break it ends a word, which hides nothing.
 */
function readEscape(draft: Draft, bytes: Uint8Array, at: number, to: number): number {
  let i = at;
  while (i < to && bytes[i] === BACKSLASH) i++;
  const letter = i < to ? (bytes[i] ?? 0) : 0;
  const digits = HEX_ESCAPES.get(letter) ?? 0;
  const code = digits === 0 || i + digits >= to ? -1 : readHex(bytes, i + 1, digits);
  if (code !== -1) {
    put(draft, toUnit(code), at);
    return i + 1 + digits;
  }
  const control = ESCAPED_ALONE.has(letter) ? letter : CONTROLS.get(letter);
  put(draft, control ?? BACKSLASH, at);
  return control === undefined ? i : i + 1;
}

/** In place: percent-encoded bytes become units, also those whose percent sign was encoded again and again. */
function decodePercents(draft: Draft, to: number): void {
  const { units, offsets, end } = draft;
  draft.end = 1;
  for (let i = 1; i < end;) {
    const offset = offsets[i] ?? to;
    if (units[i] !== PERCENT) {
      put(draft, units[i++] ?? 0, offset);
      continue;
    }
    let digits = i + 1;
    while (readHex(units, digits, 2) === PERCENT && readHex(units, digits + 2, 2) !== -1) digits += 2;
    const code = readHex(units, digits, 2);
    put(draft, code === -1 ? PERCENT : toUnit(code, LETTER), offset);
    i = code === -1 ? i + 1 : digits + 2;
  }
  finish(draft, to);
}

/** A code point as a unit; `wide` is what becomes of one that is known to be no ASCII, and no more. */
function toUnit(codePoint: number, wide?: number): number {
  if (codePoint < 0x80) return codePoint;
  return wide ?? (isWordCharacter(codePoint) ? LETTER : OTHER);
}

/** The number in `count` hexadecimal digits, or -1. */
function readHex(units: Units, start: number, count: number): number {
  let value = 0;
  for (let i = start; i < start + count; i++) {
    const digit = i < units.length ? hexValue(units[i] ?? 0) : -1;
    if (digit === -1) return -1;
    value = value * 16 + digit;
  }
  return value;
}

function hexValue(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
