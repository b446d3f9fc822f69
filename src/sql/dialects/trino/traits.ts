// How Trino differs from most dialects.
import { STANDARD, type Traits } from '../traits.ts';

export const TRAITS: Traits = {
  ...STANDARD,
  nulls: 'last',
  hasStrictArrays: true,
  hasShortLiterals: true,
  comparesDates: true,
  booleanWords: 't true 1|f false 0',
  quotientDigits: 'most',
  sumsIntegers: true,
  averageOfIntegers: 'float',
  correlationCanBeNan: true,
  likeEscape: false,
  replacementOf: (written) => written.replaceAll(/\$(\d)/g, '\\$1'),
  // Source: Java, Character.isWhitespace.
  spaces: '\\t-\\r\\x1c- \\x{1680}\\x{2000}-\\x{2006}\\x{2008}-\\x{200a}\\x{2028}\\x{2029}\\x{205f}\\x{3000}',
  padsChar: true,
  printsFractions: true,
  weekdays: '0',
  dateDifference: 'interval',
  hasJsonPaths: true,
};
