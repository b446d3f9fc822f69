// Functions of MariaDB that mean something else in MySQL.
import { safely, taking } from '../behaviour.ts';
import type { OwnFunctions, Rule } from '../function.ts';
import { firstMatch, regexpReplace } from '../functions/regex.ts';
import { FUNCTIONS as MYSQL } from '../mysql/functions.ts';
import { sql } from '../sql.ts';
import { unixTimestamp } from '../time/functions.ts';
import { operand, text } from '../value.ts';

/** An empty expression replaces nothing. */
const replacePresent: Rule = (application) => {
  const own = regexpReplace(application);
  if (application.source(1).kind === 'string') return own;
  const isEmpty = sql`${text(application.arg(1))} = ''`;
  return { ...own, sql: sql`if(${isEmpty}, ${text(application.arg(0))}, ${own.sql})` };
};

export const FUNCTIONS: OwnFunctions = {
  values: {
    ...MYSQL.values,
    ...safely(
      taking('text', {
        regexp_replace: replacePresent,
        regexp_substr: firstMatch({ ofNone: "''" }),
      }),
    ),
    ...taking('time any', {
      // NULL of times outside of its range.
      unix_timestamp: unixTimestamp((own) => ({
        ...own,
        sql: sql`if(${operand(own)} BETWEEN 0 AND 2147483647.999999, ${own.sql}, NULL)`,
        type: { ...own.type, isNullable: true },
      })),
    }),
  },
  aggregates: MYSQL.aggregates,
};
