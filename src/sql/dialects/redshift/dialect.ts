// Redshift: how it is read, and how it differs from most dialects.
import { ESCAPES, POSTGRESQL, FAMILY } from '../postgresql/dialect.ts';
import type { Grammar } from '../read/grammar.ts';
import type { Traits } from '../traits.ts';
import type { Dialect } from '../context.ts';
import { FUNCTIONS } from './functions.ts';

const GRAMMAR: Grammar = {
  ...POSTGRESQL.grammar,
  lexical: { ...POSTGRESQL.grammar.lexical, plain: { content: 'text', escapes: ESCAPES } },
};

const TRAITS: Traits = {
  ...FAMILY,
  whereSeesAliases: true,
  seesEarlierAliases: true,
  averageOfIntegers: 'int',
  booleanWords: 't true y yes 1|f false n no 0',
};

export const REDSHIFT: Dialect = { grammar: GRAMMAR, traits: TRAITS, functions: FUNCTIONS };
