// Detector of e-mail addresses: at each @, the local part before it and the host name after it.
import type { Detector, Match } from '../detector.ts';
import { HAS_AT } from '../character-flags.ts';
import {
  ALNUM,
  ALPHA,
  AT,
  DIGIT,
  DOT,
  EQUALS,
  isAt,
  isWordAt,
  LABEL,
  LOCAL,
  PLUS,
  QUOTE,
  runEnd,
  textOf,
  UNDERSCORE,
  WIDE,
  type Units,
} from '../text.ts';

export const emailDetector: Detector = { name: 'email', needs: HAS_AT, shortest: 6, find: findEmails };

/**
 * Neither a local part nor a host name contains an @, so each unit is read only for the nearest @ on either side. The host
 * of one address may be the local part of another, as in `a@b.example@c.example`: they are merged into one match.
 */
function findEmails(units: Units, from: number, to: number, matches: Match[]): void {
  let last = from;
  for (let at = from; at < to; at++) {
    if (units[at] !== AT) continue;
    const start = localStart(units, at, from);
    const end = start === at ? -1 : hostEnd(units, at + 1);
    if (end === -1) continue;
    const first = start < last ? matches.pop()?.start : undefined;
    matches.push({ start: first ?? start, end, name: 'email' });
    last = end;
    at = end - 1;
  }
}

/** The start of the local part that ends before `at`; `at` itself if there is none. */
function localStart(units: Units, at: number, from: number): number {
  if (units[at - 1] === QUOTE) return quotedStart(units, at, from);
  let start = at;
  while (start > from && isAt(units, start - 1, LOCAL)) start--;
  while (start < at && !startsLocal(units, start)) start++;
  return bounceStart(units, start, { at, from });
}

/**
 * The start of `bounce+ann=example.org@lists.example.net`, the address of a sender with that of the recipient in it (VERP), in which
 * a host name is between `=` and `@`. Only with `+`: otherwise what precedes `=` is more likely the name of a value.
 */
function bounceStart(units: Units, start: number, { at, from }: { at: number; from: number }): number {
  if (start === from || units[start - 1] !== EQUALS || hostEnd(units, start) !== at) return start;
  let first = start - 1;
  let hasPlus = false;
  while (first > from && isAt(units, first - 1, LOCAL)) hasPlus = units[--first] === PLUS || hasPlus;
  while (first < start && !startsLocal(units, first)) first++;
  return hasPlus ? first : start;
}

/** Not punctuation, which belongs to the surrounding text, as in `'ann@example.com'` or `**ann@example.com**`. */
function startsLocal(units: Units, index: number): boolean {
  return isAt(units, index, ALNUM | WIDE) || units[index] === UNDERSCORE;
}

const LONGEST_LOCAL = 64;

/** `"any text"@example.com` (RFC 5321, 4.1.2). */
function quotedStart(units: Units, at: number, from: number): number {
  for (let i = at - 2; i >= from && at - i <= LONGEST_LOCAL + 2 && units[i] !== AT; i--) {
    if (units[i] === QUOTE) return i;
  }
  return at;
}

/**
 * The end of a host name whose last label is a top-level domain, or -1. Digits, dashes and labels after it that are not
 * domains are left out, as in `example.com-1` and `example.com.1`. Not hosts: versions (`pkg@1.2.3-rc.beta`), image scale
 * suffixes (`icon@2x.png`), names without a dot (`root@localhost`).
 */
function hostEnd(units: Units, start: number): number {
  let end = -1;
  let numbers = 0;
  let label = start;
  for (let index = 0; ; index++) {
    const stop = runEnd(units, label, LABEL);
    if (stop === label) return end;
    if (isAt(units, label, DIGIT)) numbers++;
    if (index === 1 && numbers === 2) return -1;
    if (index > 0) end = Math.max(end, topLevelEnd(units, label, stop));
    if (units[stop] !== DOT) return index === 1 && isPicture(units, start, stop) ? -1 : end;
    label = stop + 1;
  }
}

const PICTURES: ReadonlySet<string> = new Set(['png', 'jpg', 'jpeg', 'gif', 'svg', 'webp', 'avif']);

/** `2x.png`: the end of a high-resolution image's file name. */
function isPicture(units: Units, start: number, end: number): boolean {
  const scale = isAt(units, start, DIGIT) && units[start + 1] === 0x78 && units[start + 2] === DOT;
  return scale && end - start < 9 && PICTURES.has(textOf(units, start + 3, end).toLowerCase());
}

/** A top-level domain has two letters or more, all ASCII or all non-ASCII; `xn--` starts an encoded one (RFC 5890). */
function topLevelEnd(units: Units, start: number, stop: number): number {
  if (isWordAt(units, start, 'xn--')) return stop;
  const end = runEnd(units, start, isAt(units, start, WIDE) ? WIDE : ALPHA);
  return end - start < 2 ? -1 : end;
}
