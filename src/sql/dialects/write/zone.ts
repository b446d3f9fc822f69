// EXTRACT, AT TIME ZONE and COLLATE.
import { castTo } from '../cast/cast.ts';
import { differs, unconverted, type Context } from '../context.ts';
import { settled, sql, isKind, isNullable, loose, value, type Value } from '../value.ts';
import { asTime, literalOf, localTime } from '../time/argument.ts';
import { timestamp, zoneOf } from '../time/moment.ts';
import { extracted } from '../time/parts.ts';
import type { Expression, Of } from '../tree.ts';

export function writeExtract(expression: Of<'extract'>, context: Context): Value {
  const { part, value: of, zone, at } = expression;
  const age = extractedAge(expression, context);
  if (age !== undefined) return age;
  const inner: Expression = zone === undefined ? of : { kind: 'at_zone', value: of, zone, at };
  const own = settled(context.write(inner, context));
  const time = isKind(own, 'seconds') ? own : asTime(own, context, of.at, 'timestamp');
  return extracted(time, part, context);
}

/** PostgreSQL's `EXTRACT(YEAR FROM age(later, earlier))`. */
function extractedAge({ value: inner, part }: Of<'extract'>, context: Context): Value | undefined {
  if (inner.kind !== 'call' || inner.name !== 'age' || inner.args.length !== 2) return undefined;
  const [to, from] = inner.args.map((each) => asTime(context.write(each, context), context, inner.at));
  if (to === undefined || from === undefined) return undefined;
  const months = sql`age('month', ${from.sql}, ${to.sql})`;
  const nullable = isNullable(to, from);
  if (part.name === 'YEAR') return value('decimal', sql`intDiv(${months}, 12)`, nullable, { scale: 0 });
  return part.name === 'MONTH' ? loose('decimal', sql`${months} % 12`, nullable, { scale: 0 }) : undefined;
}

const isUtc = (each: Value): boolean => /^(?:utc|gmt|etc\/utc)$/i.test(each.literal ?? '');

/** `value AT TIME ZONE zone`. */
export function writeZone({ value: inner, zone, at }: Of<'at_zone'>, context: Context): Value {
  const there = context.write(zone, context);
  const written = settled(context.write(inner, context));
  const own =
    inner.kind === 'string'
      ? literalOf(inner.value, inner.at, 'timestamp')
      : castTo(written, { name: 'TIMESTAMP', at }, { isSafe: false, at, context });
  const isChained = inner.kind === 'at_zone' && isUtc(context.write(inner.zone, context));
  if (isUtc(there) && inner.kind !== 'at_zone') return own;
  if (!isChained && context.shared.traits.zoneDependsOnType)
    differs(
      context,
      at,
      'time_zone',
      'The time is read as an instant (timestamp with time zone); a timestamp without time zone would be converted the other way',
    );
  const name = zone.kind === 'string' ? zoneOf(zone.value) : undefined;
  if (name === undefined)
    return unconverted(
      zone.at,
      'time_zone',
      'A time zone is converted only as a literal with the name of a zone',
    );
  return timestamp(localTime(own, name), own.type.isNullable);
}

export function writeCollation({ value: inner, collation }: Of<'collate'>, context: Context): Value {
  const own = context.write(inner, context);
  if (context.shared.traits.byteCollations.test(collation.name))
    return { ...own, type: { ...own.type, isBinary: true } };
  if (context.shared.traits.ignoresCase && /(?<!_as)_ci$/i.test(collation.name)) return own;
  const message = `COLLATE ${collation.name} is left out: strings are compared as without it`;
  differs(context, collation.at, 'collation', message);
  return own;
}
