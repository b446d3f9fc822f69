// Functions of Redshift that other dialects do not have, or that mean something else there.
import { safely, taking } from '../function.ts';
import type { OwnFunctions } from '../context.ts';
import { concatAll } from '../functions/strings.ts';
import { coalesce, decode } from '../functions/condition.ts';
import { byKeys } from '../functions/json.ts';
import { truncate } from '../functions/number.ts';
import { firstMatch } from '../functions/regex.ts';
import { FAMILY } from '../postgresql/functions.ts';
import { sql, value } from '../value.ts';
import { unitFirstBoundaries } from '../time/difference.ts';

/** Weeks start on Sunday. */
const difference = unitFirstBoundaries(0);

export const FUNCTIONS: OwnFunctions = {
  values: {
    ...FAMILY,
    ...safely(taking('text', { regexp_substr: firstMatch({ ofNone: "''" }) })),
    ...safely(taking('any', { trunc: truncate })),
    ...safely(taking('any', { concat_ws: concatAll }, 'decide')),
    ...taking('time any', { date_diff: difference, datediff: difference }),
    ...taking('any', { isnull: coalesce, decode }, 'decide'),
    ...taking(
      'document any',
      {
        json_extract_path_text: (application) =>
          value('text', sql`ifNull(${byKeys(application).sql}, '')`, false),
      },
      'decide',
    ),
  },
  aggregates: {},
};
