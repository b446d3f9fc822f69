// Redshift.
import type { Dialect } from '../dialect.ts';
import { FUNCTIONS } from './functions.ts';
import { GRAMMAR } from './grammar.ts';
import { TRAITS } from './traits.ts';

export const REDSHIFT: Dialect = { grammar: GRAMMAR, traits: TRAITS, functions: FUNCTIONS };
