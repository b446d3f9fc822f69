// How PostgreSQL's SQL is read.
import { COMPARISONS, operatorsOf, STANDARD, STANDARD_FEATURES, type Grammar } from '../read/grammar.ts';
import { POSTGRESQL_ESCAPES, STANDARD_LEXICAL } from '../read/lexical-rules.ts';

const UNREAD_BITS = { content: 'unsupported' } as const;

export const GRAMMAR: Grammar = {
  ...STANDARD,
  lexical: {
    ...STANDARD_LEXICAL,
    prefixes: {
      e: { content: 'text', escapes: POSTGRESQL_ESCAPES },
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
