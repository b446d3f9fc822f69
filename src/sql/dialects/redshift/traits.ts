// How Redshift differs from most dialects.
import { FAMILY } from '../postgresql/traits.ts';
import type { Traits } from '../traits.ts';

export const TRAITS: Traits = {
  ...FAMILY,
  whereSeesAliases: true,
  seesEarlierAliases: true,
  averageOfIntegers: 'int',
  booleanWords: 't true y yes 1|f false n no 0',
};
