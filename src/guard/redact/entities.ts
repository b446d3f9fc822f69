// HTML character references (https://html.spec.whatwg.org/#character-references): `&#64;`, `&#x40;`, `&commat;`.
import { hexValue, putCodePoint, rewrite, type Draft } from './draft.ts';
import { ALPHA, AT, DIGIT, isAt, isWordAt, textOf, type Units } from './text.ts';

const AMPERSAND = 0x26;
const SEMICOLON = 0x3b;
const HASH = 0x23;
const LETTER_X = 0x78;
const MAX_DIGITS = 7;
const MAX_NAME = 20;

/** Named references to characters that can be part of a match, or hide one. */
const NAMED: ReadonlyMap<string, number> = new Map(
  Object.entries({
    commat: '@',
    period: '.',
    colon: ':',
    plus: '+',
    lowbar: '_',
    lpar: '(',
    rpar: ')',
    sol: '/',
    equals: '=',
    percnt: '%',
    quot: '"',
    QUOT: '"',
    apos: "'",
    lt: '<',
    gt: '>',
    nbsp: '\u00a0',
    NonBreakingSpace: '\u00a0',
    ensp: '\u2002',
    emsp: '\u2003',
    numsp: '\u2007',
    puncsp: '\u2008',
    thinsp: '\u2009',
    hairsp: '\u200a',
    hyphen: '\u2010',
    dash: '\u2010',
    ndash: '\u2013',
    minus: '\u2212',
    shy: '\u00ad',
    zwnj: '\u200c',
    zwj: '\u200d',
    lrm: '\u200e',
    rlm: '\u200f',
    ZeroWidthSpace: '\u200b',
    NoBreak: '\u2060',
  }).map(([name, character]) => [name, character.charCodeAt(0)]),
);

/** Returns whether `from` to `to` (exclusive) contains a reference that `decodeEntities` decodes. */
export function hasEntity(bytes: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) {
    if (bytes[i] !== AMPERSAND) continue;
    // The shortest name has two letters; in URLs, an ampersand is often followed by a single one.
    const mayBegin = bytes[i + 1] === HASH || ((bytes[i + 1] ?? 0) > AT && (bytes[i + 2] ?? 0) > AT);
    if (mayBegin && entityAt(bytes, i, to) !== undefined) return true;
  }
  return false;
}

/** Decodes in place, including references whose ampersand was encoded repeatedly: `&amp;amp;#64;`. */
export function decodeEntities(draft: Draft, to: number): void {
  const { units, offsets } = draft;
  rewrite(draft, to, (index, end) => {
    const entity = units[index] === AMPERSAND ? entityAt(units, index, end) : undefined;
    if (entity === undefined) return -1;
    putCodePoint(draft, entity.codePoint, offsets[index] ?? to);
    return entity.end;
  });
}

interface Entity {
  readonly codePoint: number;
  readonly end: number;
}

function entityAt(units: Units, ampersand: number, to: number): Entity | undefined {
  let start = ampersand + 1;
  while (isWordAt(units, start, 'amp;')) start += 4;
  return units[start] === HASH ? numberedAt(units, start + 1, to) : namedAt(units, start, to);
}

function numberedAt(units: Units, hash: number, to: number): Entity | undefined {
  const isHex = ((units[hash] ?? 0) | 0x20) === LETTER_X;
  const start = isHex ? hash + 1 : hash;
  let codePoint = 0;
  let end = start;
  for (; end < to && end - start < MAX_DIGITS; end++) {
    const digit = isHex || isAt(units, end, DIGIT) ? hexValue(units[end] ?? 0) : -1;
    if (digit === -1) break;
    codePoint = codePoint * (isHex ? 16 : 10) + digit;
  }
  return end > start && end < to && units[end] === SEMICOLON ? { codePoint, end: end + 1 } : undefined;
}

function namedAt(units: Units, start: number, to: number): Entity | undefined {
  let end = start;
  while (end < to && end - start < MAX_NAME && isAt(units, end, ALPHA)) end++;
  if (end === start || end >= to || units[end] !== SEMICOLON) return undefined;
  const codePoint = NAMED.get(textOf(units, start, end));
  return codePoint === undefined ? undefined : { codePoint, end: end + 1 };
}
