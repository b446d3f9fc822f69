// How MariaDB differs from MySQL.
import { TRAITS as MYSQL } from '../mysql/traits.ts';
import type { Traits } from '../traits.ts';

export const TRAITS: Traits = {
  ...MYSQL,
  hasGeneralCollation: true,
  hasSequenceTables: true,
  roundsDeviations: true,
  datetimeSeconds: 'truncated',
};
