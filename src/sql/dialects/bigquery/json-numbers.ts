// Numbers in strings that contain JSON, with their digits as written: ClickHouse reads no JSON with integers of more than 64 bits, and
// writes some other numbers in its own form.
import { quoteString } from '../../clickhouse/literal.ts';
import type { Application } from '../context.ts';
import { jsonAt, jsonOf } from '../json-path.ts';
import { sql, type Sql, value, type Value } from '../value.ts';

/** A number that ClickHouse would not return as it is written. */
const OTHER = String.raw`(?:^|[\[:,])\s*(?:-?[0-9]{19,}|-?[0-9]+\.[0-9]*0|-?[0-9]+\.[0-9]{15,}|-?[0-9.]+[eE][-+]?[0-9]+|-0(?:\.0*)?)\s*(?:[\]},]|$)`;
const STRING = String.raw`("(?:[^"\\]|\\.)*")`;
const NUMBER = '(-?[0-9][-+.0-9eE]*)';
/** Distinguishes numbers from strings: a character without a meaning. */
const MARK = '\u{E000}';

/** Reads from a document at a place. */
type FromPlace = (place: Value) => Sql;

/** A scalar as a string, or an array of them. */
export function withNumbers(place: Value, application: Application, build: FromPlace): Sql {
  return inDocument(place, application, { mark: '', build });
}

/** JSON text, or an array of it, of which `unmarked` is to be returned. */
export function withNumbersInJson(place: Value, application: Application, build: FromPlace): Sql {
  return inDocument(place, application, { mark: MARK, build });
}

/** JSON text in which numbers are numbers again. */
export const unmarked = (own: Sql): Sql =>
  sql`replaceRegexpAll(${own}, ${quoteString(`"${MARK}([^"]*)"`)}, ${quoteString('\\1')})`;

interface Marked {
  readonly mark: string;
  readonly build: FromPlace;
}

/** The document with its numbers as strings is written once, however often it is used. */
function inDocument(place: Value, { arg, context }: Application, { mark, build }: Marked): Sql {
  const { literal } = arg(0);
  if (literal !== undefined && !new RegExp(OTHER).test(literal)) return build(place);
  const { root, path } = jsonOf(place).json;
  const document = context.shared.fresh('j');
  const inside = jsonAt(value('json', document), path);
  return sql`arrayMap(${document} -> ${build(inside)}, [${quoted(root, mark)}])[1]`;
}

/** Numbers become strings; of what is a string already, only an empty string after it is added and removed. */
function quoted(root: Sql, mark: string): Sql {
  const all = sql`replaceRegexpAll(${root}, ${quoteString(`${STRING}|${NUMBER}`)}, ${quoteString(`\\1"${mark}\\2"`)})`;
  const numbers = sql`replaceRegexpAll(${all}, ${quoteString(`${STRING}"${mark}"`)}, ${quoteString('\\1')})`;
  return sql`if(match(${root}, ${quoteString(OTHER)}), ${numbers}, ${root})`;
}
