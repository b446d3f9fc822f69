// PostgreSQL: how it is read, and how it differs from most dialects.
import {
  COMPARISONS,
  operatorsOf,
  STANDARD_GRAMMAR,
  STANDARD_FEATURES,
  type Grammar,
  STANDARD_LEXICAL,
  type Escapes,
} from '../read/grammar.ts';
import { STANDARD_TRAITS, type Traits } from '../traits.ts';
import type { Dialect } from '../context.ts';
import { FUNCTIONS } from './functions.ts';

/** These are in `E'…'`, and in Redshift's ordinary strings. */
export const ESCAPES: Escapes = {
  characters: { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' },
  hexadecimal: /x([\da-fA-F]{1,2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})/y,
  octal: /[0-7]{1,3}/y,
  others: 'dropped',
};

const UNREAD_BITS = { content: 'unsupported' } as const;

const GRAMMAR: Grammar = {
  ...STANDARD_GRAMMAR,
  lexical: {
    ...STANDARD_LEXICAL,
    prefixes: {
      e: { content: 'text', escapes: ESCAPES },
      n: { content: 'text' },
      'u&': { content: 'unicode' },
      b: UNREAD_BITS,
      x: UNREAD_BITS,
    },
    hasDollarStrings: true,
    hasNestedComments: true,
  },
  // Source: PostgreSQL, "Operator Precedence".
  operators: operatorsOf(
    [
      ['OR'],
      ['AND'],
      ['(not)'],
      ['(is)'],
      COMPARISONS,
      ['(predicate)'],
      ['||', '->', '->>', '#>', '#>>', '#-', '@>', '<@', '?', '?|', '?&', '&&', '~', '~*', '!~', '!~*', '~~', '~~*', '!~~',
        '!~~*', '&', '|', '#', '<<', '>>', '@@', '@?'], // prettier-ignore
      ['+', '-'],
      ['*', '/', '%'],
      ['^'],
      ['AT'],
    ],
    {
      patterns: {
        '~': ['REGEXP', false],
        '~*': ['IREGEXP', false],
        '!~': ['REGEXP', true],
        '!~*': ['IREGEXP', true],
        '~~': ['LIKE', false],
        '~~*': ['ILIKE', false],
        '!~~': ['LIKE', true],
        '!~~*': ['ILIKE', true],
      },
    },
  ),
  features: new Set([...STANDARD_FEATURES, 'adjacent strings', 'isnull']),
};

/** Redshift shares these. */
export const FAMILY: Traits = {
  ...STANDARD_TRAITS,
  namesExpressions: true,
  fieldsDecideNull: true,
  stringsAreUntyped: true,
  comparesDates: true,
  extremeOfNullIsNull: false,
  hasShortLiterals: true,
  roundsHalfToEven: true,
  failingPowers: 'large or small',
  hasPowerOperator: true,
  nanIsGreatest: true,
  dotIsBreak: true,
  booleansAreLetters: true,
  padsChar: true,
  datesBecomeTimestamps: true,
  trimsFractions: true,
  zoneDependsOnType: true,
  addsDays: true,
};

const TRAITS: Traits = {
  ...FAMILY,
  groupsOtherColumns: true,
  castsToBool: 'short integers',
  booleanWords: 't tr tru true y ye yes on 1|f fa fal fals false n no of off 0',
  plainDecimal: 'any',
  concatSkipsNull: true,
  // A group that does not exist is empty.
  replacementOf: (written, groups) =>
    written.replaceAll(/\\[^]/g, (escape) => {
      if (escape === '\\&') return '\\0';
      return Number(escape.slice(1)) > groups ? '' : escape;
    }),
  hasFractionalParts: true,
  isJsonDocument: true,
  jsonSpace: ' ',
};

export const POSTGRESQL: Dialect = { grammar: GRAMMAR, traits: TRAITS, functions: FUNCTIONS };
