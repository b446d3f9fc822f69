// Values as columns of a query; those of the result in the form that the source returns.
import { differs, type Use, type Place } from '../context.ts';
import { key, shown as inResult, whole, sql, bytesOfDigits, DYNAMIC, value, type Value } from '../value.ts';
import { columnType } from '../record.ts';
import { roundHalfAway } from '../round.ts';

/** A value as a column. */
export function shown(own: Value, { isShown, isPlain }: Use, place: Place): Value {
  // The group key is a string; the original value is the same for all rows of a group, so any of them can be returned.
  if (own.original !== undefined && !isPlain) return { type: DYNAMIC, sql: sql`any(${own.original})` };
  const kept = isPlain && own.type.kind === 'dynamic' ? key(own) : exact(own, place);
  const type = columnType(kept);
  if (isShown) return { ...formatted(kept, place), type };
  const { absent: _, ...column } = kept;
  return { ...column, sql: whole(kept), type };
}

/** The formats of the result. */
export function formatted(own: Value, { at, context }: Place): Value {
  const { kind, isNumberInClickHouse } = own.type;
  const { isStrict, traits } = context.shared;
  if (kind === 'bool' && !traits.hasNumericConditions && (isStrict || isNumberInClickHouse === true))
    return { sql: sql`toBool(${whole(own)})`, type: { ...own.type, isNumberInClickHouse: false } };
  // BigQuery's forms of these types are strings.
  if (kind === 'interval' && isStrict) return context.asText(own, at);
  if (kind === 'datetime' && isStrict)
    return value('text', sql`replaceOne(${context.asText(own, at).sql}, ' ', 'T')`);
  if (kind === 'seconds') differs(context, at, 'type', 'An interval is returned as a number of seconds');
  if (kind === 'interval') differs(context, at, 'type', 'An interval is returned in the form of ClickHouse');
  return { ...own, sql: inResult(own) };
}

/** Quotients with their digits, and JSON that is a string. */
function exact(own: Value, { at, context }: Place): Value {
  const { kind, scale } = own.type;
  const { dialect, traits } = context.shared;
  // In MySQL, these are strings, unless they are beside numbers.
  const bytes = traits.hasUnsignedBits ? bytesOfDigits(own) : undefined;
  if (bytes !== undefined) return value('text', bytes, false, { isBinary: true });
  if (kind === 'json' && traits.isJsonMixed) return value('text', own.sql, true, { isMixed: true });
  if (kind !== 'numeric' || traits.quotientDigits !== 'four more') return own;
  if (scale !== undefined && !/^(?:[\d.-]+$|round\()/.test(String(own.sql)))
    return { ...roundHalfAway(own, Math.min(scale, 15)), type: own.type };
  const message = `${dialect} rounds quotients and averages of exact numbers to a number of digits that depends on the columns`;
  if (scale === undefined) differs(context, at, 'type_unknown', message);
  return own;
}
