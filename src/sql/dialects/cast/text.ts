// Casts to strings.
import { quoteString } from '../../clickhouse/literal.ts';
import type { TypeName } from '../tree.ts';
import { differs } from '../context.ts';
import { sql, type Sql, bytesOfDigits, isKind, isNumber, isTime, text, value, type Value } from '../value.ts';
import { timeText } from '../time/cast.ts';
import { intervalText } from '../time/interval.ts';
import { moment } from '../time/moment.ts';
import { strictly, type CastOptions } from './strict.ts';

const CHARS: ReadonlySet<string> = new Set(['CHAR', 'CHARACTER', 'BPCHAR']);

/** A value as a string of its type. */
export function toText(from: Value, type: TypeName, options: CastOptions): Value {
  const { isSafe, context } = options;
  const { sizes } = type;
  const kind = type.name === 'BYTES' ? 'bytes' : 'text';
  const nullable = from.type.isNullable || isSafe;
  const isPadded = context.shared.traits.padsChar && CHARS.has(type.name);
  const [most] = sizes ?? (isPadded && type.name !== 'BPCHAR' ? [1] : []);
  if (!context.shared.traits.hasExactTypes) {
    const own = textIn(from, options);
    if (isPadded && most !== undefined && (from.literal?.length ?? most - 1) < most && most > 1)
      differs(
        context,
        options.at,
        'type',
        'A shorter string has spaces at the end, which most functions ignore',
      );
    return value('text', most === undefined ? own : sql`substringUTF8(${own}, 1, ${String(most)})`, nullable);
  }
  const own = value(kind, exactText(from), from.type.isNullable);
  if (isKind(from, 'bytes') && kind === 'text') return decoded(own, isSafe);
  if (most === undefined) return { ...own, type: { ...own.type, isNullable: nullable } };
  // Beyond the maximum length, an error or NULL.
  const fitting = (each: Sql): Sql => sql`if(lengthUTF8(${each}) <= ${String(most)}, ${each}, NULL)`;
  if (isSafe) return value('text', fitting(own.sql));
  return value(
    'text',
    strictly(own, '', (each) => sql`CAST(${fitting(each)} AS String)`),
    nullable,
  );
}

const validText = (own: Sql): Sql => sql`if(isValidUTF8(${own}), ${own}, NULL)`;

/** Bytes that are not UTF-8 are no string. */
function decoded(own: Value, isSafe: boolean): Value {
  if (isSafe) return value('text', validText(own.sql));
  const checked = strictly(own, '', (each) => sql`CAST(${validText(each)} AS String)`);
  return value('text', checked, own.type.isNullable);
}

/** A value in the form that is known of its type. */
export function exactText(from: Value): Sql {
  if (isTime(from)) return timeText(from);
  if (isKind(from, 'interval')) return intervalText(from);
  if (isKind(from, 'bool')) return sql`toString(CAST(${from.sql} AS Nullable(Bool)))`;
  if (isKind(from, 'float')) return floatText(from.sql);
  return isKind(from, 'decimal') ? sql`toString(${from.sql})` : text(from);
}

function timestampText(from: Value, { at, context }: CastOptions): Sql {
  const { trimsFractions, printsFractions } = context.shared.traits;
  if (trimsFractions)
    return sql`replaceRegexpOne(toString(toDateTime64(${moment(from)}, 6, 'UTC')), '[.]?0+$', '')`;
  if (from.type.isDate === true)
    return sql`formatDateTime(${from.sql}, '%Y-%m-%d %H:%i:%S${printsFractions ? '.%f' : ''}')`;
  differs(
    context,
    at,
    'type',
    'The string form of a time differs: ClickHouse prints all digits of the fraction',
  );
  return sql`toString(${from.sql})`;
}

function textIn(from: Value, options: CastOptions): Sql {
  const { at, context } = options;
  const { traits } = context.shared;
  if (isKind(from, 'timestamp')) return timestampText(from, options);
  const bytes = traits.hasUnsignedBits ? bytesOfDigits(from) : undefined;
  if (bytes !== undefined) return bytes;
  if (isKind(from, 'bool') && traits.hasNumericConditions) return sql`toString(toUInt8(${from.sql}))`;
  const isConstant = /^-?\d+(?:\.\d+)?$/.test(String(from.sql));
  if (isNumber(from) && isConstant && !isKind(from, 'float')) return quoteString(String(from.sql));
  if (isKind(from, 'float', 'decimal') && traits.printsReals) return realText(from.sql);
  if (isKind(from, 'float', 'numeric'))
    differs(context, at, 'type', 'The string form of numbers with a fraction differs');
  return text(from);
}

/** A Float64 as BigQuery prints it: with 15 digits, or with 17 if 15 denote another number. */
function floatText(own: Sql): Sql {
  // Adding zero takes away the sign of zero.
  const number = sql`(toFloat64(${own}) + 0)`;
  const short = sql`printf('%.15g', ${number})`;
  return sql`if(toFloat64(${short}) = ${number} OR isNaN(${number}), ${short}, printf('%.17g', ${number}))`;
}

/** A Float64 as SQLite prints it: with 15 digits, and a point. */
function realText(own: Sql): Sql {
  return sql`replaceRegexpOne(printf('%.15g', toFloat64(${own})), '^(-?[0-9]+)(e|$)', '\\\\1.0\\\\2')`;
}
