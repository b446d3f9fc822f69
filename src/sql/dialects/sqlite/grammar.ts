// How SQLite's SQL is read.
import { operatorsOf, STANDARD, STANDARD_FEATURES, type Grammar } from '../read/grammar.ts';
import { STANDARD_LEXICAL } from '../read/lexical-rules.ts';

export const GRAMMAR: Grammar = {
  ...STANDARD,
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
