// Functions of Snowflake that other dialects do not have, or that mean something else there.
import { safely, taking } from '../function.ts';
import type { OwnFunctions, Rule } from '../context.ts';
import { contains } from '../functions/array.ts';
import { concatAll } from '../functions/strings.ts';
import { decode } from '../functions/condition.ts';
import { truncate } from '../functions/number.ts';
import { containsText } from '../functions/text.ts';
import { jsonAt } from '../json-path.ts';
import { sql, int } from '../value.ts';
import { unitFirstBoundaries } from '../time/difference.ts';

/** A key, or a position from 0. */
const get: Rule = ({ arg, source }) => {
  const key = source(1);
  return jsonAt(arg(0), [key.kind === 'number' ? String(Number(key.text) + 1) : arg(1).sql]);
};

/** Snowflake counts the places of an array from 0. */
const placeFromZero: Rule = ({ arg, context }) =>
  int(sql`nullIf(indexOf(${context.elements(arg(1)).sql}, ${arg(0).sql}), 0) - 1`);

export const FUNCTIONS: OwnFunctions = {
  values: {
    ...safely(taking('any', { trunc: truncate })),
    ...safely(taking('any', { concat_ws: concatAll }, 'decide')),
    ...taking('time any', { timestampdiff: unitFirstBoundaries() }),
    ...taking('array any', { contains: containsText, array_contains: contains(1) }, 'decide'),
    ...taking('any array', { array_position: placeFromZero }, 'decide'),
    ...taking('any', { decode }, 'decide'),
    ...taking('document any', { get }, 'decide'),
  },
  aggregates: {},
};
