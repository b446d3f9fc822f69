// Functions of JSON of BigQuery: numbers in strings of JSON keep their digits, and what is no array has no elements.
import { taking } from '../function.ts';
import type { Application, Rule, Rules } from '../context.ts';
import { extract, isColumn, placeAt, scalar, STANDARD_TYPES } from '../functions/json.ts';
import { jsonElements, jsonScalar, jsonScalars, jsonType, placeSql } from '../json-path.ts';
import { floatJson } from '../json-text.ts';
import { sql, type Sql, isKind, value, type Value } from '../value.ts';
import { unmarked, withNumbers, withNumbersInJson } from './json-numbers.ts';

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
