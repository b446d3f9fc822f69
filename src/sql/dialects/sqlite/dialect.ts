// SQLite: how it is read, and how it differs from most dialects.
import {
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
  lexical: { ...STANDARD_LEXICAL, names: '"`[', prefixes: { x: { content: 'hexadecimal' } } },
  // Source: SQLite, "Operators, and Parse-Affecting Attributes".
  operators: operatorsOf([
    ['OR'],
    ['AND'],
    ['(not)'],
    ['=', '==', '<>', '!=', '(is)', '(predicate)'],
    ['<', '>', '<=', '>='],
    ['&', '|', '<<', '>>'],
    ['+', '-'],
    ['*', '/', '%'],
    ['||', '->', '->>'],
  ]),
  features: new Set([
    ...[...STANDARD_FEATURES].filter((each) => each !== 'tight intersect'),
    'string aliases',
    'empty lists',
    'is any',
    'isnull',
  ]),
};

const TRAITS: Traits = {
  ...STANDARD_TRAITS,
  whereSeesAliases: true,
  nulls: 'low',
  groupsOtherColumns: true,
  extremeSelectsRow: true,
  separator: ',',
  hasNumericConditions: true,
  readsPrefixes: true,
  roundsArguments: true,
  comparesTimesAsText: true,
  numbersAreLess: true,
  likeIgnoresCase: 'ASCII',
  byteCollations: /^binary$/i,
  dividesByZero: true,
  hasFloatNumbers: true,
  plainDecimal: 'float',
  hasSizedIntegers: false,
  castTruncates: true,
  roundsDigits: true,
  remainderIsWhole: true,
  shiftsBothWays: true,
  sumsIntegers: true,
  averageOfIntegers: 'float',
  hasNan: false,
  likeEscape: false,
  dotIsBreak: true,
  printsReals: true,
  losesEmpty: true,
  distinctKeepsOrder: true,
  dateDifference: undefined,
  subtractsTimes: false,
  isJsonMixed: true,
  hasJsonPaths: true,
  arrowHasPaths: true,
};

export const SQLITE: Dialect = { grammar: GRAMMAR, traits: TRAITS, functions: FUNCTIONS };
