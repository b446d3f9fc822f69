// Trino: how it is read, and how it differs from most dialects.
import {
  COMPARISONS,
  operatorsOf,
  STANDARD_GRAMMAR,
  STANDARD_FEATURES,
  type Grammar,
  STANDARD_LEXICAL,
} from '../read/grammar.ts';
import { STANDARD_TRAITS, type Traits } from '../traits.ts';
import type { Dialect } from '../context.ts';
import { FUNCTIONS } from './functions.ts';

const GRAMMAR: Grammar = {
  ...STANDARD_GRAMMAR,
  lexical: {
    ...STANDARD_LEXICAL,
    prefixes: { 'u&': { content: 'unicode' }, x: { content: 'hexadecimal' } },
  },
  // Source: Trino's grammar, SqlBase.g4.
  operators: operatorsOf([
    ['OR'],
    ['AND'],
    ['(not)'],
    [...COMPARISONS, '(is)', '(predicate)'],
    ['||'],
    ['+', '-'],
    ['*', '/', '%'],
    ['AT'],
  ]),
  features: new Set([...STANDARD_FEATURES, 'lambdas']),
};

const TRAITS: Traits = {
  ...STANDARD_TRAITS,
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

export const TRINO: Dialect = { grammar: GRAMMAR, traits: TRAITS, functions: FUNCTIONS };
