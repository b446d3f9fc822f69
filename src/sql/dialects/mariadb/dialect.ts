// MariaDB: how it is read, and how it differs from most dialects.
import { MYSQL } from '../mysql/dialect.ts';
import type { Grammar } from '../read/grammar.ts';
import type { Traits } from '../traits.ts';
import type { Dialect } from '../context.ts';
import { FUNCTIONS } from './functions.ts';

const GRAMMAR: Grammar = {
  ...MYSQL.grammar,
  // Rows of VALUES are in plain parentheses.
  features: new Set([...MYSQL.grammar.features].filter((each) => each !== 'values function')),
};

const TRAITS: Traits = {
  ...MYSQL.traits,
  hasGeneralCollation: true,
  hasSequenceTables: true,
  roundsDeviations: true,
  datetimeSeconds: 'truncated',
};

export const MARIADB: Dialect = { grammar: GRAMMAR, traits: TRAITS, functions: FUNCTIONS };
