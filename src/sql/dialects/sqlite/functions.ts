// Functions of SQLite that other dialects do not have, or that mean something else there.
import { safely, taking } from '../function.ts';
import type { OwnFunctions, Rule } from '../context.ts';
import { hex } from '../functions/strings.ts';
import { extreme } from '../functions/condition.ts';
import { arrayLength, extract, placeAt, rawJson, typeName, toJsonNull } from '../functions/json.ts';
import { logarithm } from '../functions/number.ts';
import { cased, replacePresent, substrings } from '../functions/text.ts';
import { jsonHas, jsonText, jsonType } from '../json-path.ts';
import { sql, float, isKind, value } from '../value.ts';
import { timeFunction } from './time.ts';

/** NULL has no bytes. */
const hexOrEmpty: Rule = (application) => {
  const { sql: digits, type } = hex(application);
  return value('text', type.isNullable ? sql`ifNull(${digits}, '')` : digits, false);
};

/** Keeps the fraction of a remainder, which the operator % of integers does not. */
const mod: Rule = ({ arg }) => value('float', sql`${float(arg(0))} % nullIf(${float(arg(1))}, 0)`, true);

/** The value at a path as a value of SQL: true and false are numbers. */
const extractValue: Rule = (application) => {
  if (application.call.args.length < 2) return application.fail('json_extract is converted with one path');
  const found = extract(application);
  if (!isKind(found, 'json')) return found;
  const own = jsonText(found).sql;
  return { ...found, sql: sql`if(${jsonType(found)} = 'Bool', toString(${own} = 'true'), ${own})` };
};

const TYPES = typeName('object array text integer integer real true null');

const typeOf: Rule = (application) => {
  const place = placeAt(application);
  const own = TYPES(application);
  const isFalse = sql`${jsonText(place).sql} = 'false' AND ${jsonType(place)} = 'Bool'`;
  return { ...own, sql: sql`if(${isFalse}, 'false', ${own.sql})` };
};

/** Returns 0 for a value that is no array. */
const lengthOrZero: Rule = (application) => {
  const own = arrayLength(application);
  if (isKind(application.arg(0), 'array')) return own;
  return { ...own, sql: sql`if(${jsonHas(placeAt(application))}, ifNull(${own.sql}, 0), NULL)` };
};

export const FUNCTIONS: OwnFunctions = {
  values: {
    ...safely({
      ...taking('text', {
        lower: cased('lower', true),
        lcase: cased('lower', true),
        upper: cased('upper', true),
        ucase: cased('upper', true),
      }),
      ...taking('text', { replace: replacePresent }, 'decide'),
      ...taking('any', substrings('around')),
      ...taking('any', { hex: hexOrEmpty }, 'decide'),
      ...taking('number', { mod, log: logarithm({ plain: 'log10', domain: 'log base' }) }),
    }),
    ...taking('time any', {
      strftime: timeFunction('strftime'),
      julianday: timeFunction('julianday'),
      unixepoch: timeFunction('unixepoch'),
    }),
    ...taking('any', {
      date: timeFunction('date'),
      datetime: timeFunction('datetime'),
      time: timeFunction('time'),
    }),
    ...taking(
      'any',
      {
        // Of several arguments; of one, they are aggregates.
        max: extreme('greatest'),
        min: extreme('least'),
        json_quote: (application) => ({
          ...toJsonNull(application),
          type: { kind: 'text', isNullable: false },
        }),
      },
      'decide',
    ),
    ...taking(
      'document any',
      {
        json: ({ arg }) => value('json', rawJson(arg(0).sql)),
        json_extract: extractValue,
        json_type: typeOf,
        json_array_length: lengthOrZero,
      },
      'decide',
    ),
  },
  aggregates: {},
};
