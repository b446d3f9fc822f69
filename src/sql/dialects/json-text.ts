// Values as JSON text.
import { quoteString } from '../clickhouse/literal.ts';
import { exactText } from './cast/text.ts';
import { unconverted, type Context, type Place } from './context.ts';
import { isNullArray } from './functions/array-value.ts';
import { shown } from './operand.ts';
import { joinSql, sql, type Sql } from './sql.ts';
import { isKind, isTime, text as plainText, UNKNOWN, type Value } from './value.ts';

export interface JsonTextOptions extends Place {
  /** Integers that Float64 does not represent are strings. */
  readonly quotesWide: boolean;
  /** It is between a name and its value; undefined means a colon and the space of the dialect. */
  readonly colon?: string;
  /** It is between the elements of an array; undefined means a comma. */
  readonly comma?: string;
}

/** JSON's string of a text: ClickHouse escapes slashes, too. */
const quoted = (text: Sql): Sql => sql`replaceAll(toJSONString(${text}), '\\\\/', '/')`;

/** The JSON text of a value; NULL is `null`. */
export function jsonTextOf(own: Value, options: JsonTextOptions): Sql {
  if (isKind(own, 'null')) return "'null'";
  const written = presentText(own, options);
  const isNull = isKind(own, 'array') ? isNullArray(own) : undefined;
  if (isNull !== undefined) return sql`if(${isNull}, 'null', ${written})`;
  return own.type.isNullable ? sql`ifNull(${written}, 'null')` : written;
}

/** NULL for NULL. */
function presentText(own: Value, options: JsonTextOptions): Sql {
  const { at, context, quotesWide } = options;
  const { kind, fields, element } = own.type;
  switch (kind) {
    case 'json':
      return own.sql;
    case 'text':
      return quoted(own.sql);
    case 'bytes':
      return quoted(sql`base64Encode(${own.sql})`);
    case 'int':
      return quotesWide
        ? sql`if(abs(${own.sql}) > 9007199254740992, concat('"', toString(${own.sql}), '"'), toString(${own.sql}))`
        : sql`toString(${own.sql})`;
    case 'float':
      return floatJson(own, quotesWide);
    case 'decimal':
      if (context.shared.traits.printsReals) return context.asText(own, at).sql;
      // Others print all digits.
      return context.shared.traits.hasExactTypes ? sql`toString(${own.sql})` : plainText(own);
    case 'bool':
      return sql`toString(${isNumberThere(own, context) ? sql`toUInt8(${own.sql})` : sql`CAST(${own.sql} AS Nullable(Bool))`})`;
    case 'date':
    case 'datetime':
    case 'timestamp':
      return timeJson(own, options);
    case 'array': {
      const item = context.shared.fresh('item');
      const texts = sql`arrayMap(${item} -> ${jsonTextOf({ sql: item, type: element ?? UNKNOWN }, options)}, ${own.sql})`;
      return sql`concat('[', arrayStringConcat(${texts}, '${options.comma ?? ','}'), ']')`;
    }
    case 'tuple':
      if (fields === undefined) return sql`toJSONString(${own.sql})`;
      return objectText(
        [...fields].map(([name, type], index) => ({
          name,
          value: { sql: sql`tupleElement(${own.sql}, ${String(index + 1)})`, type },
        })),
        options,
      );
    case 'interval':
    case 'seconds':
    case 'time':
      return unconverted(at, 'type', 'A value of this type is not written as JSON');
    case 'dynamic':
    case 'map':
    case 'null':
    case 'numeric':
    case 'object':
    case 'unknown':
    case 'uuid':
      return sql`toJSONString(${shown(own)})`;
  }
}

/** A column is a number of one byte where conditions are numbers; in JSON that is a string, conditions are numbers, too. */
function isNumberThere({ sql: own, type }: Value, { shared }: Context): boolean {
  const isCondition = type.isNumberInClickHouse === true || /^(?:true|false)$/.test(String(own));
  return shared.traits.hasNumericConditions && (shared.traits.isJsonMixed || !isCondition);
}

/** JSON has no NaN and no infinity; a JSON value keeps that a number is no integer. */
export function floatJson(own: Value, isText: boolean): Sql {
  const text = exactText(own);
  const number = isText ? text : sql`replaceRegexpOne(${text}, '^(-?[0-9]+)$', '\\\\1.0')`;
  const isNull = own.type.isNullable ? sql`isNull(${own.sql}), 'null', ` : '';
  return sql`multiIf(${isNull}isFinite(${own.sql}), ${number}, isNaN(${own.sql}), '"NaN"', ${own.sql} > 0, '"Infinity"', '"-Infinity"')`;
}

function timeJson(own: Value, { at, context }: JsonTextOptions): Sql {
  if (!context.shared.traits.hasJsonTimes || !isTime(own))
    return unconverted(at, 'type', 'A time is not converted to JSON', 'Cast it to a string.');
  const text = exactText(own);
  if (isKind(own, 'date')) return quoted(text);
  const local = sql`replaceOne(${text}, ' ', 'T')`;
  return quoted(isKind(own, 'timestamp') ? sql`replaceOne(${local}, '+00', 'Z')` : local);
}

/** A JSON object of named values. */
export function objectText(
  members: readonly { readonly name: string; readonly value: Value }[],
  options: JsonTextOptions,
): Sql {
  const { jsonSpace: space, sortsNames } = options.context.shared.traits;
  const isSorted = sortsNames && !options.quotesWide;
  const ordered = isSorted ? members.toSorted((a, b) => (a.name < b.name ? -1 : 1)) : members;
  const pieces = ordered.map(
    ({ name, value }, index) =>
      sql`${quoteString(`${index === 0 ? '{' : `,${space}`}${JSON.stringify(name)}${options.colon ?? `:${space}`}`)}, ${jsonTextOf(value, options)}`,
  );
  return members.length === 0 ? "'{}'" : sql`concat(${joinSql(pieces)}, '}')`;
}

/** A JSON array of values. */
export function arrayText(values: readonly Value[], options: JsonTextOptions): Sql {
  const pieces = values.map(
    (each, index) =>
      sql`${index === 0 ? '' : `',${options.context.shared.traits.jsonSpace}', `}${jsonTextOf(each, options)}`,
  );
  return values.length === 0 ? "'[]'" : sql`concat('[', ${joinSql(pieces)}, ']')`;
}
