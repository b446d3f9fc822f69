// BigQuery's functions of JSON.
import { quoteString } from '../../clickhouse/literal.ts';
import type { Application, Rule, Rules } from '../context.ts';
import { jsonAt, jsonOf, jsonElements, jsonScalar, jsonScalars, jsonType, placeSql } from '../json-path.ts';
import { sql, type Sql, value, type Value, isKind } from '../value.ts';
import { taking } from '../function.ts';
import { extract, isColumn, placeAt, scalar, STANDARD_TYPES } from '../functions/json.ts';
import { floatJson } from '../json-text.ts';

/** A number that ClickHouse would not return as it is written. */
const OTHER = String.raw`(?:^|[\[:,])\s*(?:-?[0-9]{19,}|-?[0-9]+\.[0-9]*0|-?[0-9]+\.[0-9]{15,}|-?[0-9.]+[eE][-+]?[0-9]+|-0(?:\.0*)?)\s*(?:[\]},]|$)`;
const STRING = String.raw`("(?:[^"\\]|\\.)*")`;
const NUMBER = '(-?[0-9][-+.0-9eE]*)';
/** Distinguishes numbers from strings: a character without a meaning. */
const MARK = '\u{E000}';

/** Reads from a document at a place. */
type FromPlace = (place: Value) => Sql;

/** A scalar as a string, or an array of them. */
function withNumbers(place: Value, application: Application, build: FromPlace): Sql {
  return inDocument(place, application, { mark: '', build });
}

/** JSON text, or an array of it, of which `unmarked` is to be returned. */
function withNumbersInJson(place: Value, application: Application, build: FromPlace): Sql {
  return inDocument(place, application, { mark: MARK, build });
}

/** JSON text in which numbers are numbers again. */
const unmarked = (own: Sql): Sql =>
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

/** Returns whether the document is a string, rather than a value of type JSON. */
const isText = ({ arg, context }: Application): boolean => context.shared.isStrict && !isKind(arg(0), 'json');

const presentOf = (place: Value): Sql => unmarked(sql`nullIf(${place.sql}, 'null')`);

/** A null in a string is NULL. */
const extractPresent: Rule = (application) => {
  const found = extract(application);
  if (isColumn(found) || !isText(application)) return found;
  return value('text', withNumbersInJson(found, application, presentOf));
};

const scalarText: Rule = (application) => {
  const found = placeAt(application);
  if (isColumn(found) || !application.context.shared.isStrict) return scalar(application);
  if (!isText(application)) return ofJson(found);
  return { ...jsonScalar(found), sql: readAt(found, application, (place) => jsonScalar(place).sql) };
};

/** A number in JSON that is no integer has a fraction as a string, too: `1.0`. */
function ofJson(place: Value): Value {
  const { sql: own, type } = jsonScalar(place);
  const number = value('float', sql`JSONExtract(${placeSql(place)}, 'Float64')`, false);
  return { sql: sql`if(${jsonType(place)} = 'Double', ${floatJson(number, false)}, ${own})`, type };
}

const elementsOf = (place: Value): Sql => jsonElements(place).sql;
const markedOf = (place: Value): Sql => sql`arrayMap(e -> ${unmarked('e')}, ${elementsOf(place)})`;
const scalarsOf = (place: Value): Sql => jsonScalars(place).sql;
const isNested = (place: Value): Sql => jsonScalars(place).absent ?? 'false';
const isOther = (place: Value): Sql => sql`ifNull(${jsonType(place)} != 'Array', true)`;

const raws: Rule = (application) => {
  const found = placeAt(application);
  if (isColumn(found)) return ofColumn(found);
  const { type } = jsonElements(found);
  const own = isText(application) ? withNumbersInJson(found, application, markedOf) : elementsOf(found);
  return { sql: own, type, absent: readAt(found, application, isOther) };
};

const texts: Rule = (application) => {
  const found = placeAt(application);
  if (isColumn(found)) return ofColumn(found);
  const { type } = jsonScalars(found);
  const absent = readAt(found, application, (place) => sql`(${isOther(place)} OR ${isNested(place)})`);
  return { sql: readAt(found, application, scalarsOf), type, absent };
};

/** Reads the value at a place; numbers in a string keep their digits. */
function readAt(place: Value, application: Application, build: (place: Value) => Sql): Sql {
  return isText(application) ? withNumbers(place, application, build) : build(place);
}

const ofColumn = (place: Value): Value =>
  value('array', sql`CAST(${place.sql} AS Array(Nullable(String)))`, false, {
    element: { kind: 'text', isNullable: true },
  });

export const JSON_FUNCTIONS: Rules = {
  ...taking('document any', {
    json_value: scalarText,
    json_extract_scalar: scalarText,
    json_value_array: texts,
    json_extract_string_array: texts,
    json_query_array: raws,
    json_extract_array: raws,
  }),
  ...taking(
    'document any',
    { json_extract: extractPresent, json_query: extractPresent, json_type: STANDARD_TYPES },
    'decide',
  ),
};
