// PostgreSQL.
import type { Dialect } from '../dialect.ts';
import { FUNCTIONS } from './functions.ts';
import { GRAMMAR } from './grammar.ts';
import { TRAITS } from './traits.ts';

export const POSTGRESQL: Dialect = { grammar: GRAMMAR, traits: TRAITS, functions: FUNCTIONS };
