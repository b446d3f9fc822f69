// How PostgreSQL's SQL is read.
import { COMPARISONS, operatorsOf, STANDARD, STANDARD_FEATURES, type Grammar } from '../read/grammar.ts';
import { STANDARD_LEXICAL, type Escapes } from '../read/lexical-rules.ts';
/** These are in `E'…'`, and in Redshift's ordinary strings. */
export const ESCAPES: Escapes = {
  characters: { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' },
  hexadecimal: /x([\da-fA-F]{1,2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})/y,
  octal: /[0-7]{1,3}/y,
  others: 'dropped',
};

const UNREAD_BITS = { content: 'unsupported' } as const;

export const GRAMMAR: Grammar = {
  ...STANDARD,
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
