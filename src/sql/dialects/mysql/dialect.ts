// MySQL: how it is read, and how it differs from most dialects.
import {
  COMPARISONS,
  operatorsOf,
  STANDARD_GRAMMAR,
  STANDARD_FEATURES,
  type Grammar,
  commentsOf,
  SPACED_HYPHENS,
  STANDARD_LEXICAL,
  type StringForm,
} from '../read/grammar.ts';
import { STANDARD_TRAITS, type Traits } from '../traits.ts';
import type { Dialect } from '../context.ts';
import { FUNCTIONS } from './functions.ts';

/** Source: MySQL, "String Literals". */
const TEXT: StringForm = {
  content: 'text',
  escapes: {
    characters: { n: '\n', t: '\t', r: '\r', b: '\b', '0': '\0', Z: '\x1a' },
    others: 'pattern',
  },
};

const GRAMMAR: Grammar = {
  ...STANDARD_GRAMMAR,
  lexical: {
    ...STANDARD_LEXICAL,
    names: '`',
    strings: `'"`,
    plain: TEXT,
    prefixes: { n: TEXT, x: { content: 'hexadecimal' }, b: { content: 'bits' } },
    hasCharacterSets: true,
    hasRunComments: true,
    ...commentsOf(SPACED_HYPHENS, '#'),
  },
  // Source: MySQL, "Operator Precedence".
  operators: operatorsOf(
    [
      ['OR', '||'],
      ['XOR'],
      ['AND', '&&'],
      ['(not)'],
      [...COMPARISONS, '(is)', '(predicate)'],
      ['|'],
      ['&'],
      ['<<', '>>'],
      ['+', '-'],
      ['*', '/', '%', 'DIV', 'MOD'],
      ['^'],
      ['->', '->>'],
    ],
    { chains: { AND: 'AND', OR: 'OR', '||': 'OR', '&&': 'AND' } },
  ),
  features: new Set([
    ...STANDARD_FEATURES,
    'adjacent strings',
    'string aliases',
    'interval expressions',
    'extended forms',
    'values function',
    'dual',
  ]),
};

const TRAITS: Traits = {
  ...STANDARD_TRAITS,
  havingPrefersAliases: true,
  nulls: 'low',
  groupsOtherColumns: true,
  separator: ',',
  concatenatesArguments: true,
  hasNumericConditions: true,
  readsPrefixes: true,
  convertsArguments: true,
  roundsArguments: true,
  hasSizedIntegers: false,
  ignoresCase: true,
  likeIgnoresCase: true,
  byteCollations: /(?:_bin|_cs|^binary)$/i,
  hasIntegerDivision: false,
  dividesByZero: true,
  quotientDigits: 'four more',
  failingPowers: 'large',
  roundsHalfToEven: true,
  hasUnsignedBits: true,
  hasNan: false,
  trimsStrings: true,
  datetimeSeconds: 'rounded',
  hasIsoWeeks: false,
  weekdays: '3',
  roundsIntervals: true,
  dateDifference: undefined,
  subtractsTimes: false,
  hasJsonPaths: true,
  arrowHasPaths: true,
  jsonSpace: ' ',
};

export const MYSQL: Dialect = { grammar: GRAMMAR, traits: TRAITS, functions: FUNCTIONS };
