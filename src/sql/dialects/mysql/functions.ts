// Functions of MySQL that other dialects do not have, or that mean something else there.
import { signedInteger, safely, taking } from '../function.ts';
import type { OwnFunctions, Rule } from '../context.ts';
import { isNullTest } from '../functions/condition.ts';
import { convert } from '../functions/conversion.ts';
import { container, extractSpaced, hasPath, placeAt, scalar, typeName } from '../functions/json.ts';
import { arcTangent, logarithm } from '../functions/number.ts';
import { POPULATION_AGGREGATES } from '../functions/row-functions.ts';
import { asciiByte, BYTES_OF_TEXT, lengthBy, padded, replacePresent, substrings } from '../functions/text.ts';
import { jsonType } from '../json-path.ts';
import { sql, isKind, operand } from '../value.ts';
import { TIME_FUNCTIONS } from './time.ts';

/** NULL of a negative length. */
export function paddedOrNull(name: 'leftPad' | 'rightPad'): Rule {
  const pad = padded(name);
  return (application) => {
    const { arg, source } = application;
    const own = pad(application);
    if ((signedInteger(source(1)) ?? -1) >= 0) return own;
    return {
      ...own,
      sql: sql`if(${operand(arg(1))} < 0, NULL, ${own.sql})`,
      type: { ...own.type, isNullable: true },
    };
  };
}

/** Boolean values are the numbers 0 and 1. */
const numericScalar: Rule = (application) => {
  const own = scalar(application);
  const place = placeAt(application);
  if (!isKind(place, 'json')) return own;
  return { ...own, sql: sql`if(${jsonType(place)} = 'Bool', toString(${own.sql} = 'true'), ${own.sql})` };
};

const length = lengthBy(BYTES_OF_TEXT);

export const FUNCTIONS: OwnFunctions = {
  values: {
    ...safely({
      ...taking('any', { length, len: length, ...substrings('empty') }),
      ...taking('text', { ascii: asciiByte }),
      ...taking('text integer text', { lpad: paddedOrNull('leftPad'), rpad: paddedOrNull('rightPad') }),
      ...taking('text', { replace: replacePresent }, 'decide'),
      ...taking('number', { log: logarithm({ plain: 'log' }), atan: arcTangent, atan2: arcTangent }),
    }),
    ...TIME_FUNCTIONS,
    ...taking('any', { isnull: isNullTest, convert: convert(1) }, 'decide'),
    ...taking(
      'document any',
      {
        json_query: container,
        json_extract: extractSpaced,
        json_value: numericScalar,
        json_extract_scalar: numericScalar,
        json_contains_path: hasPath,
        json_type: typeName('OBJECT ARRAY STRING INTEGER INTEGER DOUBLE BOOLEAN NULL'),
      },
      'decide',
    ),
  },
  aggregates: POPULATION_AGGREGATES,
};
