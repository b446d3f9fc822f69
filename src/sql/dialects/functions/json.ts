// Functions that read and write JSON.
import { taking } from '../function.ts';
import type { Application, Rule, Rules } from '../context.ts';
import {
  bySize,
  arrayText,
  jsonTextOf,
  objectText,
  type JsonTextOptions,
  printedLiteral,
} from '../json-text.ts';
import { sql, isKind, value, type Sql, condition, text, type Value, int } from '../value.ts';
import { quoteString } from '../../clickhouse/literal.ts';
import { strictly } from '../cast/strict.ts';
import {
  atPath,
  jsonAt,
  jsonHas,
  jsonInteger,
  jsonLength,
  jsonNumber,
  jsonOf,
  jsonPathSteps,
  jsonScalar,
  jsonText,
  jsonType,
  pathArgument,
  spacedJson,
} from '../json-path.ts';
import { field } from '../record.ts';

const textOptions = ({ at: place, context, call }: Application): Omit<JsonTextOptions, 'quotesWide'> => ({
  at: place,
  context,
  ...(/jsonb/.test(call.name) ? { comma: ', ' } : {}),
});

/** Arguments after the first have another meaning: `to_json_string(x, true)` is indented. */
function checkPlain({ call, fail }: Application): void {
  const [, more, extra] = call.args;
  const isPlain = more === undefined || (more.kind === 'boolean' && !more.value);
  if (!isPlain || extra !== undefined) fail(`${call.name} is supported with one argument`);
}

/** NULL becomes `null`. */
export const toJsonNull: Rule = (application) => {
  checkPlain(application);
  return value(
    'json',
    jsonTextOf(application.arg(0), { ...textOptions(application), quotesWide: false }),
    false,
  );
};

/** NULL stays NULL. */
const toJson: Rule = (application) => {
  const own = application.arg(0);
  const { sql: written } = toJsonNull(application);
  const { isNullable } = own.type;
  return value('json', isNullable ? sql`if(isNull(${own.sql}), NULL, ${written})` : written, isNullable);
};

const toJsonString: Rule = (application) => {
  checkPlain(application);
  return value(
    'text',
    jsonTextOf(application.arg(0), { ...textOptions(application), quotesWide: true }),
    false,
  );
};

const buildArray: Rule = (application) =>
  value('json', arrayText(application.all(), { ...textOptions(application), quotesWide: false }), false);

const buildObject: Rule = (application) => {
  const { call, arg, fail } = application;
  if (call.args.length % 2 === 1) return fail(`${call.name} is converted with pairs of a name and a value`);
  const members = call.args.flatMap((name, index) => {
    if (index % 2 === 1) return [];
    if (name.kind !== 'string') return fail(`${call.name} is converted with literal names`);
    return [{ name: name.value, value: arg(index + 1) }];
  });
  if (new Set(members.map(({ name }) => name)).size < members.length)
    return fail(`${call.name} is converted with different names`);
  // PostgreSQL's jsonb has its names in an order of its own, and its json has spaces around the colon.
  const ordered =
    call.name === 'jsonb_build_object' ? members.toSorted((a, b) => bySize(a.name, b.name)) : members;
  const colon = call.name === 'json_build_object' ? { colon: ' : ' } : {};
  return value(
    'json',
    objectText(ordered, { ...textOptions(application), quotesWide: false, ...colon }),
    false,
  );
};

/** JSON_QUOTE, of strings only. */
const jsonQuoted: Rule = (application) => {
  const own = application.arg(0);
  if (!isKind(own, 'text', 'null')) return application.fail('json_quote is converted only for strings');
  return { ...toJson(application), type: { kind: 'text', isNullable: own.type.isNullable } };
};

const JSON_WRITING_FUNCTIONS: Rules = taking(
  'any',
  {
    json_quote: jsonQuoted,
    to_json: toJson,
    to_jsonb: toJson,
    to_json_string: toJsonString,
    json_array: buildArray,
    json_build_array: buildArray,
    jsonb_build_array: buildArray,
    json_object: buildObject,
    json_build_object: buildObject,
    jsonb_build_object: buildObject,
  },
  'decide',
  undefined,
  'decide',
);

/** The place that a path argument names. */
export function placeAt(application: Application, index = 1): Value {
  const { arg, call, traits, fail } = application;
  const path = call.args[index];
  if (traits.hasJsonPaths && path?.kind === 'string' && !path.value.startsWith('$'))
    return fail('A JSON path must start with $');
  const own = columnPlace(application, index);
  if (own !== undefined) return own;
  return call.args.length <= index
    ? jsonOf(arg(0))
    : jsonAt(arg(0), pathArgument(call.args[index], application.at));
}

/** In a JSON column, the path of the column as far as it has fields; a record is an array with one element. */
function columnPlace({ arg, call, source }: Application, index: number): Value | undefined {
  const own = arg(0);
  if (own.subcolumn === undefined) return undefined;
  const path = call.args.length <= index ? undefined : source(index);
  const steps = path?.kind === 'string' ? jsonPathSteps(path.value) : path === undefined ? [] : undefined;
  if (steps === undefined) return undefined;
  let place = own;
  for (const [taken, step] of steps.entries()) {
    const name = /^'(.*)'$/s.exec(step)?.[1];
    if (place.subcolumn === undefined || (name === undefined && step !== '1'))
      return jsonAt(value('text', text(place)), steps.slice(taken));
    if (name !== undefined) place = field(place, { name, at: path?.at ?? 0 });
  }
  return place;
}

/** Returns whether a place is in a column of type JSON, which has no text. */
export const isColumn = (place: Value): boolean => !isKind(place, 'json');

/** The value at a path as JSON. */
export function extract(application: Application): Value {
  const { call, context } = application;
  if (call.args.length > 2) return application.fail(`${call.name} is converted with one path`);
  const found = placeAt(application);
  return isColumn(found)
    ? value('text', jsonTextOf(found, { at: application.at, context, quotesWide: false }))
    : found;
}

/** The value at a path as JSON, with a space after commas and colons. */
export const extractSpaced: Rule = (application) => {
  const found = extract(application);
  return isColumn(found) ? found : { ...found, sql: spacedPart(found) };
};

const spacedPart = (place: Value): Sql =>
  sql`if(${jsonType(place)} IN ('Object', 'Array'), ${spacedJson(place.sql)}, ${place.sql})`;

/** Returns whether the spaces of JSON are those after commas and colons. */
function isSpaced(document: string): boolean {
  const bare = document.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
  return !/[,:](?! \S)|[[{]\s|\s[\]},:]|\s\s/.test(bare);
}

/** The object or array at a path; NULL for others. */
export const container: Rule = (application) => {
  const found = placeAt(application);
  const { literal } = application.arg(0);
  if (literal !== undefined && !isSpaced(literal))
    return application.fail('The part has the spaces of this document, which are others');
  return {
    ...found,
    sql: sql`if(${jsonType(found)} IN ('Object', 'Array'), ${spacedJson(found.sql)}, NULL)`,
  };
};

/** The scalar value at a path as a string; NULL for objects and arrays. */
export const scalar: Rule = (application) => {
  const place = placeAt(application);
  return isColumn(place) ? value('text', text(place)) : jsonScalar(place);
};

const unquoted: Rule = ({ arg }) => {
  const own = arg(0);
  const found = jsonText(own);
  // A JSON null is a string, other strings have no quotes.
  const sqlOf = isKind(own, 'json')
    ? sql`multiIf(${jsonType(own)} = 'Null' AND isNotNull(${own.sql}), 'null', ${jsonType(own)} IN ('Object', 'Array'), ${own.sql}, ${found.sql})`
    : sql`if(startsWith(${own.sql}, '"'), ${found.sql}, ${own.sql})`;
  return { ...found, sql: sqlOf };
};

/** Keys as separate arguments. */
export function byKeys({ call, arg, fail }: Application): Value {
  const items = call.args
    .slice(1)
    .map((each) => (each.kind === 'string' ? each.value : fail('A path is converted only if it is literal')));
  return jsonText(atPath(arg(0), items));
}

const size: Rule = (application) => {
  const place = placeAt(application);
  const own = sql`if(${jsonType(place)} IN ('Object', 'Array'), ${jsonLength(place)}, 1)`;
  return int(sql`if(${jsonHas(place)}, ${own}, NULL)`);
};

/** The number of elements of an array; NULL for other values. */
export const arrayLength: Rule = (application) => {
  const own = application.arg(0);
  if (own.type.kind === 'array') return int(sql`length(${own.sql})`, false);
  const place = placeAt(application);
  return int(sql`if(${jsonType(place)} = 'Array', ${jsonLength(place)}, NULL)`);
};

const TYPES = ['Object', 'Array', 'String', 'Int64', 'UInt64', 'Double', 'Bool', 'Null'];

/** The name of the type of the value at a path, by ClickHouse's types in the order of `TYPES`; NULL if there is none. */
export function typeName(names: string): Rule {
  const words = names.split(' ').map(quoteString).join(', ');
  const known = TYPES.map(quoteString).join(', ');
  return (application) => {
    const place = placeAt(application);
    const name = sql`transform(toString(${jsonType(place)}), [${known}], [${words}], '')`;
    return value('text', sql`if(${jsonHas(place)}, ${name}, NULL)`);
  };
}

export const STANDARD_TYPES = typeName('object array string number number number boolean null');

const valid: Rule = ({ arg }) => {
  const own = arg(0);
  return int(sql`toInt64(isValidJSON(${own.sql}))`, own.type.isNullable);
};

/** JSON text without space; NULL for what is not JSON. */
export const rawJson = (own: Sql): Sql => sql`nullIf(JSONExtractRaw(${own}), '')`;

/** JSON text as a value; NULL, or an error, for what is not JSON. */
function parsed(isSafe: boolean): Rule {
  return (application) => {
    const { arg, call, context, fail } = application;
    if (call.args.length > 1) return fail(`${call.name} is supported with one argument`);
    const own = arg(0);
    if (!context.shared.isStrict) return jsonOf(own);
    const json = { root: own.sql, path: [] };
    if (isSafe || call.isSafe) return { ...value('json', rawJson(own.sql)), json } as Value;
    const printed = printedLiteral(own);
    if (printed !== undefined) return jsonOf(value('json', quoteString(printed), false));
    const checked = strictly(own, 'null', (each) => sql`CAST(${rawJson(each)} AS String)`);
    return { ...value('json', checked, own.type.isNullable), json } as Value;
  };
}

export const hasPath: Rule = (application) => {
  if (application.call.args.length !== 3)
    return application.fail('json_contains_path is converted with one path');
  // With one path, all of them and one of them are the same.
  const which = application.source(1);
  if (which.kind !== 'string' || !/^(?:one|all)$/i.test(which.value))
    return application.fail("json_contains_path is converted with 'one' or 'all'");
  return condition(jsonHas(placeAt(application, 2)), true);
};

interface JsonReading {
  readonly types: string;
  /** The type in ClickHouse. */
  readonly type: string;
  /** JSON that can be read, in place of NULL. */
  readonly sample: string;
  readonly of: (place: Value) => Value;
}

/** A JSON value as a value of SQL: NULL if the function is safe, or an error, for one of another type. */
function read(own: Value, { types, type, sample, of }: JsonReading, isSafe: boolean): Value {
  const { json } = jsonOf(own);
  const from = (root: Sql): Sql => {
    const place = jsonAt(value('json', root), json.path);
    return sql`if(${jsonType(place)} IN (${types}), ${of(place).sql}, NULL)`;
  };
  const { kind } = of(own).type;
  if (isSafe) return value(kind, from(json.root));
  if (json.path.length > 0)
    return value(kind, sql`if(isNull(${own.sql}), NULL, CAST(${from(json.root)} AS ${type}))`);
  return value(
    kind,
    strictly({ ...own, sql: json.root }, sample, (each) => sql`CAST(${from(each)} AS ${type})`),
  );
}

/** Functions that read a value of type JSON; undefined for other values. */
export function jsonReading({ arg, call, context }: Application, isString = false): Value | undefined {
  const own = arg(0);
  const reading = READINGS.get(isString ? 'string' : call.name);
  if (!isKind(own, 'json') || reading === undefined || !context.shared.isStrict) return undefined;
  return read(own, reading, call.isSafe);
}

const NUMBERS = "'Int64', 'UInt64', 'Double'";
const READINGS: ReadonlyMap<string, JsonReading> = new Map(
  Object.entries({
    string: { types: "'String'", type: 'String', sample: '""', of: jsonText },
    int64: { types: NUMBERS, type: 'Int64', sample: '0', of: jsonInteger },
    float64: { types: NUMBERS, type: 'Float64', sample: '0', of: jsonNumber },
    bool: {
      types: "'Bool'",
      type: 'Bool',
      sample: 'true',
      of: (place) => value('bool', sql`${jsonText(place).sql} = 'true'`),
    },
  }),
);

export const JSON_FUNCTIONS: Rules = {
  ...JSON_WRITING_FUNCTIONS,
  ...taking(
    'document any',
    {
      json_extract: extract,
      json_query: extract,
      json_value: scalar,
      json_extract_scalar: scalar,
      json_unquote: unquoted,
      json_extract_path_text: byKeys,
      jsonb_extract_path_text: byKeys,
      json_array_length: arrayLength,
      jsonb_array_length: arrayLength,
      json_length: size,
      array_size: arrayLength,
      json_typeof: STANDARD_TYPES,
      jsonb_typeof: STANDARD_TYPES,
      json_valid: valid,
      json_keys: ({ arg }) => jsonKeys(arg(0)),
      json_exists: (application) => {
        const place = placeAt(application);
        return condition(sql`if(isValidJSON(${application.arg(0).sql}), ${jsonHas(place)}, NULL)`, true);
      },
      bool: (application) =>
        jsonReading(application) ??
        application.fail('bool is supported for values of type JSON', 'Write CAST(… AS BOOL).'),
      parse_json: parsed(false),
      try_parse_json: parsed(true),
      json_parse: parsed(false),
      get_path: (application) =>
        jsonAt(application.arg(0), pathArgument(application.call.args[1], application.at)),
    },
    'decide',
  ),
};

function jsonKeys(own: Value): Value {
  const keys = sql`JSONExtractKeys(ifNull(${own.sql}, ''))`;
  const list = sql`concat('["', arrayStringConcat(${keys}, '", "'), '"]')`;
  return value('json', sql`if(${jsonType(jsonOf(own))} = 'Object', if(empty(${keys}), '[]', ${list}), NULL)`);
}
