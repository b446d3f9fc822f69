// Functions that convert a value to a type.
import { castTo } from '../cast/cast.ts';
import { taking } from '../behaviour.ts';
import { byDialect, integer, type Rule, type Rules } from '../function.ts';
import { number } from '../operand.ts';
import { sql } from '../sql.ts';
import { timeString } from '../time/text.ts';
import { value } from '../value.ts';
import { jsonReading } from './json.ts';

/** CONVERT(type, value) of Redshift, CONVERT(value, type) of MySQL. */
const convert: Rule = ({ call, source, arg, at, context, dialect, fail }) => {
  const isMysql = dialect === 'mysql' || dialect === 'mariadb';
  if (call.args.length !== 2) return fail('convert is converted with two arguments');
  const [type, own] = isMysql ? [source(1), arg(0)] : [source(0), arg(1)];
  const named =
    type.kind === 'path'
      ? { name: type.parts.at(-1)?.name ?? '', sizes: undefined }
      : type.kind === 'call'
        ? { name: type.name, sizes: type.args.map((each) => integer(each) ?? 0) }
        : fail('The type of convert is not known');
  return castTo(
    own,
    { name: named.name.toUpperCase(), at, ...(named.sizes === undefined ? {} : { sizes: named.sizes }) },
    { isSafe: false, at, context },
  );
};

/** BigQuery's `string`: of JSON, of times, in a zone, and of other values. */
const string: Rule = (application) => {
  const { arg, call, fail, context, at } = application;
  const known = jsonReading(application, true) ?? timeString(application);
  if (known === undefined && call.args.length > 1)
    return fail('string has a time zone only with a timestamp');
  return known ?? context.asText(arg(0), at);
};

export const CONVERSION_FUNCTIONS: Rules = taking(
  'any',
  {
    convert,
    string: byDialect({ bigquery: string }),
    int64: byDialect({
      bigquery: (application) =>
        jsonReading(application) ??
        value('int', sql`accurateCastOrNull(${number(application.arg(0))}, 'Int64')`),
    }),
    float64: byDialect({
      bigquery: (application) => jsonReading(application) ?? value('float', number(application.arg(0))),
    }),
  },
  'decide',
);
