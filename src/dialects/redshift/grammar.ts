// How Redshift's SQL is read.
import { GRAMMAR as POSTGRESQL } from '../postgresql/grammar.ts';
import type { Grammar } from '../read/grammar.ts';
import { POSTGRESQL_ESCAPES } from '../read/lexical-rules.ts';

export const GRAMMAR: Grammar = {
  ...POSTGRESQL,
  lexical: { ...POSTGRESQL.lexical, plain: { content: 'text', escapes: POSTGRESQL_ESCAPES } },
};
