// Functions of MariaDB that mean something else in MySQL.
import { safely, taking } from '../behaviour.ts';
import type { Application, OwnFunctions, Rule } from '../function.ts';
import { firstMatch, regexpReplace } from '../functions/regex.ts';
import { AGGREGATES } from '../functions/row-functions.ts';
import { positionFrom } from '../functions/search.ts';
import { FUNCTIONS as MYSQL } from '../mysql/functions.ts';
import { sql } from '../sql.ts';
import { unixTimestamp } from '../time/functions.ts';
import { operand, text } from '../value.ts';
import { mayBeEmpty } from '../window.ts';

/** An empty expression replaces nothing. */
const replacePresent: Rule = (application) => {
  const own = regexpReplace(application);
  if (application.source(1).kind === 'string') return own;
  const by = application.arg(2);
  const isKnown = by.type.isNullable ? sql` AND ${text(by)} IS NOT NULL` : '';
  const isEmpty = sql`${text(application.arg(1))} = ''${isKnown}`;
  return { ...own, sql: sql`if(${isEmpty}, ${text(application.arg(0))}, ${own.sql})` };
};

/** An empty string is found at the positions of characters only. */
const locate: Rule = (application) => {
  const own = positionFrom(application);
  const [part, string, from] = [application.arg(0), application.arg(1), application.optional(2)];
  if (from === undefined || (part.literal ?? '') !== '') return own;
  return { ...own, sql: sql`(${own.sql} * (${operand(from)} <= lengthUTF8(${text(string)})))` };
};

/** Over a frame that becomes empty, MariaDB returns the bits of earlier rows if some values are NULL. */
const ofWholeFrames = (rule: Rule): Rule =>
  Object.assign((application: Application) => {
    const { call, context, fail } = application;
    const isOpen = call.over !== undefined && mayBeEmpty(call.over, context);
    if (isOpen && application.arg(0).type.isNullable)
      return fail(`${call.name} of NULL over a frame that can be empty is not converted`);
    return rule(application);
  }, rule);

export const FUNCTIONS: OwnFunctions = {
  values: {
    ...MYSQL.values,
    ...safely(
      taking('text', {
        regexp_replace: replacePresent,
        regexp_substr: firstMatch({ ofNone: "''" }),
      }),
    ),
    ...safely(taking('text text integer', { locate, position: locate })),
    ...taking('time any', {
      // NULL of times outside of its range.
      unix_timestamp: unixTimestamp((own) => ({
        ...own,
        sql: sql`if(${operand(own)} BETWEEN 0 AND 2147483647.999999, ${own.sql}, NULL)`,
        type: { ...own.type, isNullable: true },
      })),
    }),
  },
  aggregates: {
    ...MYSQL.aggregates,
    ...Object.fromEntries(
      Object.entries(AGGREGATES)
        .filter(([name]) => name.startsWith('bit_'))
        .map(([name, rule]) => [name, ofWholeFrames(rule)]),
    ),
  },
};
