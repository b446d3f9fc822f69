// How MariaDB's SQL is read.
import { GRAMMAR as MYSQL } from '../mysql/grammar.ts';
import type { Grammar } from '../read/grammar.ts';

export const GRAMMAR: Grammar = {
  ...MYSQL,
  // Rows of VALUES are in plain parentheses.
  features: new Set([...MYSQL.features].filter((each) => each !== 'values function')),
};
