// How MySQL's SQL is read.
import { COMPARISONS, operatorsOf, STANDARD, STANDARD_FEATURES, type Grammar } from '../read/grammar.ts';
import { commentsOf, SPACED_HYPHENS, STANDARD_LEXICAL, type StringForm } from '../read/lexical-rules.ts';

/** Source: MySQL, "String Literals". */
const TEXT: StringForm = {
  content: 'text',
  escapes: {
    characters: { n: '\n', t: '\t', r: '\r', b: '\b', '0': '\0', Z: '\x1a' },
    others: 'pattern',
  },
};

export const GRAMMAR: Grammar = {
  ...STANDARD,
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
