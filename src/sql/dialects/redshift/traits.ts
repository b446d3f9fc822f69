// How Redshift differs from most dialects.
import { FAMILY } from '../postgresql/traits.ts';
import type { Traits } from '../traits.ts';

export const TRAITS: Traits = {
  ...FAMILY,
  whereSeesAliases: true,
  seesEarlierAliases: true,
  averageOfIntegers: 'int',
};
