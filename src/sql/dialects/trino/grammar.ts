// How Trino's SQL is read.
import { COMPARISONS, operatorsOf, STANDARD, STANDARD_FEATURES, type Grammar } from '../read/grammar.ts';
import { STANDARD_LEXICAL } from '../read/lexical-rules.ts';

export const GRAMMAR: Grammar = {
  ...STANDARD,
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
