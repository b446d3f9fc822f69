// How Snowflake's SQL is read.
import { COMPARISONS, operatorsOf, STANDARD, STANDARD_FEATURES, type Grammar } from '../read/grammar.ts';
import { commentsOf, STANDARD_LEXICAL } from '../read/lexical-rules.ts';

export const GRAMMAR: Grammar = {
  ...STANDARD,
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
