// Functions of PostgreSQL that other dialects do not have, or that mean something else there.
import { count, accepting, safely, taking } from '../function.ts';
import type { OwnFunctions, Rule, Rules } from '../context.ts';
import { lengthOfDimension } from '../functions/array.ts';
import { arrayLength, placeAt } from '../functions/json.ts';
import { signBy } from '../functions/number.ts';
import { regexpReplaceFirst, regexSubstring } from '../functions/regex.ts';
import { side, substring, substrings, type Length } from '../functions/text.ts';
import { sql } from '../value.ts';
import { datePart } from '../time/functions.ts';

const matched = accepting('text', regexSubstring);

/** substr and substring; of a text, substring has a pattern in place of a start. */
function substringsBy(length?: Length): Rules {
  const positioned = substring('counted', length);
  const positionedOrMatched: Rule = (application) =>
    (application.arg(1).type.kind === 'text' ? matched : positioned)(application);
  return safely(taking('any', { ...substrings('counted', length), substring: positionedOrMatched }));
}

/** Redshift shares these. */
export const FAMILY: Rules = {
  ...substringsBy(),
  ...taking('number', { sign: signBy(() => '0') }, 'propagate', undefined, 'decide'),
  ...taking('array any', { array_length: lengthOfDimension, array_upper: lengthOfDimension }, 'decide'),
};

/** An error of what is not an array. */
const checkedLength: Rule = (application) => {
  const own = arrayLength(application);
  if (application.arg(0).type.kind === 'array') return own;
  const place = placeAt(application);
  return { ...own, sql: sql`if(isNull(${place.sql}), NULL, CAST(${own.sql} AS UInt64))` };
};

export const FUNCTIONS: OwnFunctions = {
  values: {
    ...FAMILY,
    ...substringsBy(count),
    ...safely(taking('text', { regexp_replace: regexpReplaceFirst })),
    // A negative length drops characters from the other end.
    ...safely(
      taking('text integer', {
        left: side('left', ({ arg }, index) => arg(index).sql),
        right: side('right', ({ arg }, index) => arg(index).sql),
      }),
    ),
    ...taking('time any', {
      date_part: (application) => {
        const own = datePart(application);
        return { ...own, type: { ...own.type, kind: 'float' } };
      },
    }),
    ...taking(
      'document any',
      { json_array_length: checkedLength, jsonb_array_length: checkedLength },
      'decide',
    ),
  },
  aggregates: {},
};
