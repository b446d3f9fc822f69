// A search in redacted strings implies a search in the stored ones, which the engine evaluates first and for which it has indexes. Neither
// the rows that the stored search selects nor the time that redacting them takes may depend on personal data.
import { REDACTED } from '../../redact/detector.ts';
import type { TextSettings } from './text-functions.ts';

/**
 * Characters that no address and no e-mail address contains, in plain text or in an encoding, except in the quoted local part of an e-mail
 * address.
 */
const OUTSIDE = ' (),/<>?\\[\\]`{|}';
/** Characters of which each of them contains one: those of addresses and of encodings. */
const INSIDE = '@.:%&#\\x3b=\\\\\\x{80}-\\x{10FFFF}';

/**
 * An RE2 expression that a stored string matches if its redacted form matches the pattern of LIKE; undefined if none is known.
 *
 * What the redacted form has apart from replacements, the stored string has too. So has it the longest literal of the pattern, if no
 * replacement can begin or end in it. Between two characters outside of matches, the literal is no personal data unless a character inside
 * of matches is there, too. Before the first and after the last one, a match may overlap the literal: whatever has a character inside of
 * matches there is selected too.
 */
export function impliedPattern(pattern: string, { detectors, kind }: TextSettings): string | undefined {
  if (kind || !detectors.every((name) => name === 'email' || name === 'ip')) return undefined;
  if (!/^[\x20-\x7e]*$/.test(pattern) || /[_\\]/.test(pattern) || REPLACEMENT.test(pattern)) return undefined;
  const [literal = ''] = pattern.split('%').toSorted((a, b) => b.length - a.length);
  const parts = SPLIT.exec(literal);
  if (parts === null) return undefined;
  const [, before = '', between = '', after = ''] = parts;
  if (HAS_INSIDE.test(between)) return undefined;
  const start = before === '' ? '' : `(?:${escaped(before)}|[${INSIDE}][^${OUTSIDE}]*)`;
  const end = after === '' ? '' : `(?:${escaped(after)}|[^${OUTSIDE}]*[${INSIDE}])`;
  return `${start}${escaped(between)}${end}`;
}

const REPLACEMENT = new RegExp(`[${REDACTED}]`);
/** Up to the first, and from the last character outside of matches. */
const SPLIT = new RegExp(`^([^${OUTSIDE}]*)([${OUTSIDE}](?:.*[${OUTSIDE}])?)([^${OUTSIDE}]*)$`, 's');
const HAS_INSIDE = /[@.:%&#;=\\]/;

function escaped(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9 /]/g, (character) => `\\x${character.charCodeAt(0).toString(16)}`);
}
