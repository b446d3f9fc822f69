// Detector of bank account numbers (IBAN, ISO 13616): a country code, its fixed length, and two check digits.
import type { Match, WordDetector } from '../detector.ts';
import { HAS_DIGIT } from '../character-flags.ts';
import { ALNUM, DIGIT, isAt, PLUS, SPACE, textOf, type Units } from '../text.ts';

/** Lengths from the SWIFT IBAN registry. */
const LENGTHS: ReadonlyMap<string, number> = new Map(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 ' +
    'FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 ' +
    'LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 ' +
    'RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

/** Codes of the countries that have such numbers. */
export const IBAN_COUNTRIES: readonly string[] = [...LENGTHS.keys()];

export const ibanDetector: WordDetector = {
  name: 'iban',
  needs: HAS_DIGIT,
  shortest: Math.min(...LENGTHS.values()),
  initials: [...LENGTHS.keys()]
    .map((country) => country.charAt(0) + country.charAt(0).toLowerCase())
    .join(''),
  read: readIban,
};

/** Groups of four may be separated by one space, or `+` in a form. */
function readIban(units: Units, start: number): Match | undefined {
  if (!isAt(units, start + 2, DIGIT) || !isAt(units, start + 3, DIGIT)) return undefined;
  const length = LENGTHS.get(textOf(units, start, start + 2).toUpperCase());
  if (length === undefined) return undefined;
  let end = start;
  let text = '';
  while (text.length < length) {
    if (text.length % 4 === 0 && text !== '' && (units[end] === SPACE || units[end] === PLUS)) end++;
    if (!isAt(units, end, ALNUM)) return undefined;
    text += String.fromCharCode(units[end++] ?? 0);
  }
  return !isAt(units, end, ALNUM) && passesCheck(text) ? { start, end, name: 'iban' } : undefined;
}

/** Country and check digits move to the end, letters count as 10 to 35; the remainder modulo 97 is 1 (ISO/IEC 7064). */
function passesCheck(text: string): boolean {
  let remainder = 0;
  for (const character of text.slice(4) + text.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder === 1;
}
