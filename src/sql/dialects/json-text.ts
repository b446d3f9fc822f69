// Values as JSON: documents that are written in the query, and what is printed.
import { quoteString } from '../clickhouse/literal.ts';
import { exactText } from './cast/text.ts';
import { unconverted, type Context, type Place } from './context.ts';
import { isNullArray } from './functions/array-value.ts';
import { shown, joinSql, sql, type Sql, isKind, isTime, text as plainText, UNKNOWN, type Value } from './value.ts'; // prettier-ignore

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

const PART = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\s+/g;

/**
 * Returns a literal document as the source prints it: without spaces, and with a fraction for each number that has one. Returns undefined
 * if it is not plain.
 */
export function printedLiteral({ literal }: Value): string | undefined {
  if (literal === undefined) return undefined;
  try {
    JSON.parse(literal);
  } catch {
    return undefined;
  }
  let isPlain = true;
  const printed = literal.replaceAll(PART, (part) => {
    if (part.startsWith('"') || /^-?\d{1,18}$/.test(part)) return part;
    if (part.trim() === '') return '';
    const number = Number(part);
    isPlain &&= number === 0 ? !part.startsWith('-') : Math.abs(number) >= 1e-4 && Math.abs(number) < 1e15;
    return Number.isInteger(number) ? `${number}.0` : String(number);
  });
  return isPlain ? ordered(printed, { space: '', order: byName }) : undefined;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^{}[\],:"]+/g;

interface JsonMember {
  readonly name: string;
  readonly text: string;
}

/** It sets what follows commas and colons, and which member of an object comes first. */
interface Printing {
  readonly space: '' | ' ';
  readonly order: (a: string, b: string) => number;
}

const byName = (a: string, b: string): number => (a < b ? -1 : 1);

const sizeOf = (name: string): number => new TextEncoder().encode(name).length;

/** PostgreSQL's jsonb orders names like this. */
export const bySize = (a: string, b: string): number => sizeOf(a) - sizeOf(b) || byName(a, b);

const withoutSpaces = (document: string): string =>
  document.replaceAll(/"(?:[^"\\]|\\.)*"|\s+/g, (part) => (part.startsWith('"') ? part : ''));

/** Returns a literal document as PostgreSQL's jsonb prints it, with the last member of each name; undefined if it is none. */
export function jsonbLiteral(literal: string): string | undefined {
  try {
    JSON.parse(literal);
  } catch {
    return undefined;
  }
  const compact = withoutSpaces(literal);
  // Other numbers are written in another form, and escapes as the characters that they mean.
  return /[eE][+-]?\d|\\/.test(compact) ? undefined : ordered(compact, { space: ' ', order: bySize });
}

/** Returns whether an object in a document has two members of a name. */
export function repeatsName(document: string): boolean {
  const compact = withoutSpaces(document);
  return ordered(compact, { space: '', order: () => 0 }).length < compact.length;
}

/** Returns a document without spaces, with the members of each object in order, and one of each name. */
function ordered(document: string, { space, order }: Printing): string {
  const tokens = document.match(TOKEN) ?? [];
  let at = 0;
  const read = (): string => {
    const start = tokens[at++] ?? '';
    if (start !== '{' && start !== '[') return start;
    const [end, items] = [start === '{' ? '}' : ']', [] as JsonMember[]];
    while (at < tokens.length && tokens[at] !== end) {
      const name = start === '{' ? `${tokens[at++] ?? ''}${tokens[at++] ?? ''}` : '';
      items.push({ name, text: read() });
      if (tokens[at] === ',') at++;
    }
    at++;
    const kept = start === '{' ? members(items, { space, order }) : items;
    const between = space === '' || start === '[' ? '' : space;
    return `${start}${kept.map(({ name, text }) => name + between + text).join(`,${space}`)}${end}`;
  };
  return read();
}

/** PostgreSQL keeps the last member of a name, BigQuery the first one. */
function members(items: readonly JsonMember[], { space, order }: Printing): readonly JsonMember[] {
  const inTurn = space === ' ' ? items.toReversed() : items;
  const once = inTurn.filter(({ name }, index) => inTurn.findIndex((each) => each.name === name) === index);
  return once.toSorted((a, b) => order(a.name, b.name));
}
