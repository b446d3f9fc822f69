// Functions of Trino that other dialects do not have, or that mean something else there.
import { count, safely, taking } from '../function.ts';
import type { OwnFunctions, Rule } from '../context.ts';
import { containsOrNull } from '../functions/array.ts';
import { tests } from '../functions/number.ts';
import { firstMatch } from '../functions/regex.ts';
import { strposOf } from '../functions/search.ts';
import { padded, splitPart, substrings } from '../functions/text.ts';
import { sql, text, value } from '../value.ts';
import { unitFirstWhole } from '../time/difference.ts';
import { unitFirst } from '../time/functions.ts';

/** NULL beyond the last part. */
const partOrNull: Rule = (application) => {
  const { arg } = application;
  const { type } = splitPart(application);
  const written = sql`arrayElementOrNull(splitByString(${arg(1).sql}, ${text(arg(0))}), ${arg(2).sql})`;
  return { sql: written, type: { ...type, isNullable: true } };
};

export const FUNCTIONS: OwnFunctions = {
  values: {
    ...safely({
      ...taking('text', {
        md5: ({ fail }) => fail('md5 returns bytes and is not converted'),
        regexp_extract: firstMatch({ groupArgument: 2 }),
      }),
      ...taking('text text integer', { strpos: strposOf, split_part: partOrNull }),
      ...taking('text integer', {
        repeat: ({ fail }) => fail('repeat of an element is not converted', 'Use arrayWithConstant.'),
      }),
      ...taking('text integer text', { lpad: padded('leftPad', count), rpad: padded('rightPad', count) }),
      ...taking('any', substrings('empty')),
      ...taking('number', { is_nan: tests('isNaN') }, 'propagate', undefined, 'decide'),
    }),
    ...taking('time any', { date_add: unitFirst, date_diff: unitFirstWhole }),
    ...taking(
      'array any',
      {
        contains: containsOrNull,
        array_contains: containsOrNull,
        transform: ({ arg }) =>
          value('array', sql`arrayMap(${arg(1).sql}, ${arg(0).sql})`, false, {
            element: { kind: arg(1).type.kind, isNullable: true },
          }),
        filter: ({ arg }) => ({ sql: sql`arrayFilter(${arg(1).sql}, ${arg(0).sql})`, type: arg(0).type }),
      },
      'decide',
    ),
  },
  aggregates: {},
};
