import { describe, expect, test } from 'vitest';
import type { DetectorName } from '../../../src/guard/redact/detector.ts';
import { DETECTOR_NAMES } from '../../../src/guard/redact/detectors.ts';
import { chooseDetectors } from '../../../src/guard/redact/detectors.ts';
import { createRedactor } from '../../../src/guard/redact/redactor.ts';

const ALL = DETECTOR_NAMES;

/** Texts of one piece again and again, with something at the end that most of them wait for in vain. */
const PIECES: readonly string[] = [
  ...'a a@ @ @@ a. a.a@ @a. a@a. a@2x. \' - _. xn-- @xn--. "@ "a"@'.split(' '),
  ...'1 1. 1.1.1.1 1.1.1.1. 1: : :: ::1 1:: f:: a: aaaaa: 1:1:1:1:1:1:1:1: ::1.1.1.1: fe80::1% ::1%a. g:: :1.1.1.1.1'.split(
    ' ',
  ),
  ...'eyJ eyJ- eyJ. eyJaaaaaaa. eyJaaaaaaa.. eyJREDACTED- bearer= bearer=REDACTED REDACTED R RE'.split(' '),
  ...'sk- sk_live_ SG. SG.a. xoxb- sk-REDACTED AKIA 4 4- 4111- 4111. + +1 +1-1 DE89 DE de89a'.split(' '),
  ...'1.1.1.1_ A/1.1.1.1_ Aaaaaaaaaaaaaaaaaaaaa/1.1.1.1_ bearer_ Bearer_a_ 4_ 411_ 4111_ +1_ +1_( DE89_'
    .split(' ')
    .map((piece) => piece.replaceAll('_', ' ')),
];
const ENDS: readonly string[] = [
  '',
  '@a.example',
  '.aaaaaaaa',
  'REDACTED',
  ' 4111111111111111',
  '"@a.example',
];

/** How often a detector reads a unit of the text. */
function countReads(detectors: readonly DetectorName[], text: string): number {
  let reads = 0;
  const units = new Proxy(Buffer.from(`\0${text}\0`), {
    get(target, key) {
      reads++;
      return Reflect.get(target, key, target) as unknown;
    },
  });
  for (const { find } of chooseDetectors(detectors)) find(units, 1, text.length + 1, []);
  return reads;
}

const textOf = (piece: string, end: string, length: number) =>
  piece.repeat(Math.ceil(length / piece.length)).slice(0, length) + end;

describe('every unit is read at most a constant number of times', () => {
  /** Reads a unit, of all detectors together; the most is for digits in groups of three, each of which may begin a card. */
  const MOST = 120;

  test.each(PIECES)('%j repeated', (piece) => {
    for (const end of ENDS) {
      const [short, long] = [250, 1500].map((length) => countReads(ALL, textOf(piece, end, length)));
      expect(long).toBeLessThan(MOST * 1500);
      expect(long).toBeLessThan(6.4 * (short ?? 0) + 250);
    }
  });
});

test('rows and strings of any such piece terminate, as JSON', () => {
  const { redactLines, redactText } = createRedactor({ detectors: ALL });
  for (const piece of [
    ...PIECES,
    '%',
    '%25',
    '%EF%BC%A0',
    '＠',
    '１.',
    '\u00ad',
    '&#',
    '&#64;',
    '&amp;',
    '&amp;#64;',
    '=40',
    '=',
    '=\n',
    '\\',
    '\\u',
    '\\u0040',
    '\\\\u004',
    'é',
    '日本@日本.',
  ]) {
    const text = textOf(piece, '', 5000);
    const redacted = Buffer.from(redactLines(Buffer.from(`${JSON.stringify([text])}\n`))).toString();
    expect(JSON.parse(redacted)).toEqual([redactText(text)]);
  }
});
