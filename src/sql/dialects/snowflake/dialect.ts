// Snowflake: how it is read, and how it differs from most dialects.
import {
  COMPARISONS,
  operatorsOf,
  STANDARD_GRAMMAR,
  STANDARD_FEATURES,
  type Grammar,
  commentsOf,
  STANDARD_LEXICAL,
} from '../read/grammar.ts';
import { STANDARD_TRAITS, type Traits } from '../traits.ts';
import type { Dialect } from '../context.ts';
import { FUNCTIONS } from './functions.ts';

const GRAMMAR: Grammar = {
  ...STANDARD_GRAMMAR,
  lexical: {
    ...STANDARD_LEXICAL,
    // Source: Snowflake, "Escape sequences in single-quoted string constants".
    plain: {
      content: 'text',
      escapes: {
        characters: { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', '0': '\0' },
        hexadecimal: /x([\da-fA-F]{2})|u([\da-fA-F]{4})/y,
        octal: /[0-3][0-7]{2}/y,
        others: 'dropped',
      },
    },
    prefixes: { x: { content: 'hexadecimal' } },
    hasDollarStrings: true,
    ...commentsOf('--', '//'),
    position: /\$\d+/y,
  },
  operators: operatorsOf([
    ['OR'],
    ['AND'],
    ['(not)'],
    [...COMPARISONS, '(is)', '(predicate)'],
    ['||'],
    ['+', '-'],
    ['*', '/', '%'],
  ]),
  features: new Set([
    ...[...STANDARD_FEATURES].filter((each) => each !== 'not like any'),
    'lambdas',
    'string aliases',
    'objects',
    'colon paths',
    'like lists',
    'dual',
  ]),
  indexBase: 0,
};

const TRAITS: Traits = {
  ...STANDARD_TRAITS,
  whereSeesAliases: true,
  seesEarlierAliases: true,
  fieldsAreJson: true,
  windowsAreWhole: true,
  collectsNothing: true,
  convertsArguments: true,
  roundsArguments: true,
  comparesStringsAsNumbers: true,
  hasIntegerDivision: false,
  quotientDigits: 'six more',
  hasSizedIntegers: false,
  sumsIntegers: true,
  nanIsGreatest: true,
  casesEachLetter: false,
  likeEscape: false,
  regexIsWhole: true,
  castsNumbersToTimes: true,
  addsDays: true,
  subtractsTimes: false,
  hasShortNames: true,
};

export const SNOWFLAKE: Dialect = { grammar: GRAMMAR, traits: TRAITS, functions: FUNCTIONS };
