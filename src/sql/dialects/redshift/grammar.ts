// How Redshift's SQL is read.
import { ESCAPES, GRAMMAR as POSTGRESQL } from '../postgresql/grammar.ts';
import type { Grammar } from '../read/grammar.ts';

export const GRAMMAR: Grammar = {
  ...POSTGRESQL,
  lexical: { ...POSTGRESQL.lexical, plain: { content: 'text', escapes: ESCAPES } },
};
