// Values inside JSON. JSON text is read with JSONExtract; a column of type JSON is read as text first.
import { joinSql, sql, type Sql, isKind, value, type Value, int } from './value.ts';
import { toNamedFloat } from './cast/number.ts';
import { quoteString } from '../clickhouse/literal.ts';
import type { Expression, Of } from './tree.ts';
import { unconverted, type Context, type Place } from './context.ts';

/** A value that represents a place in JSON text. */
export interface JsonValue extends Value {
  readonly json: {
    readonly root: Sql;
    readonly path: readonly Sql[];
    /** A document that is written in the query, whose parts have the spaces that it has. */
    readonly document?: string | undefined;
  };
}

function isJson(each: Value): each is JsonValue {
  return 'json' in each;
}

/** The JSON that a value is, or contains as text. */
export function jsonOf(each: Value): JsonValue {
  if (isJson(each)) return each;
  const root =
    each.type.kind === 'object'
      ? sql`toJSONString(${each.sql})`
      : isKind(each, 'text', 'json')
        ? each.sql
        : sql`toString(${each.sql})`;
  return { ...value('json', root), json: { root, path: [] } };
}

/** The arguments of ClickHouse's JSON functions for a place: the text, keys, and positions from 1. */
export function placeSql(each: Value): Sql {
  const { json } = jsonOf(each);
  return joinSql([json.root, ...json.path]);
}

const isPosition = (step: Sql): boolean => /^-?\d+$|\+ 1$/.test(String(step));

/** NULL if a position of the path is not one of an array: ClickHouse's positions count the values of objects, too. */
function inArrays({ json }: JsonValue, own: Sql): Sql {
  const tests = json.path.flatMap((step, index) =>
    isPosition(step) ? [sql`JSONType(${joinSql([json.root, ...json.path.slice(0, index)])}) = 'Array'`] : [],
  );
  return tests.length === 0 ? own : sql`if(${joinSql(tests, ' AND ')}, ${own}, NULL)`;
}

/** A place below another one; `steps` are quoted keys, or positions from 1. */
export function jsonAt(each: Value, steps: readonly Sql[]): JsonValue {
  const { json } = jsonOf(each);
  const own: JsonValue = { ...value('json', ''), json: { ...json, path: [...json.path, ...steps] } };
  return { ...own, sql: inArrays(own, sql`nullIf(JSONExtractRaw(${placeSql(own)}), '')`) };
}

/** As a string: strings without quotes, other values as JSON, null as NULL. */
export function jsonText(each: Value): Value {
  const own = jsonOf(each);
  return value('text', inArrays(own, sql`JSONExtract(${placeSql(own)}, 'Nullable(String)')`), true, {
    isBinary: true,
  });
}

/** As a string; NULL for objects and arrays. */
export function jsonScalar(each: Value): Value {
  const own = jsonText(each);
  // Only a string that begins like an object or an array can be confused with one.
  const isOpen = sql`substring(${own.sql}, 1, 1) IN ('{', '[')`;
  return { ...own, sql: sql`if(${isOpen} AND ${jsonType(each)} IN ('Object', 'Array'), NULL, ${own.sql})` };
}

/** As a number; NULL for other values. */
export function jsonNumber(each: Value): Value {
  return value('float', sql`toFloat64OrNull(${jsonText(each).sql})`);
}

/** JSON as a number. Where conditions are numbers, true and false are 1 and 0, and other strings are the numbers that they begin with. */
export function numberOfJson(own: Value, { at, context }: Place): Value {
  if (!context.shared.traits.hasNumericConditions) return jsonNumber(own);
  const text = bitsOfBooleans(own);
  return toNamedFloat(text, { name: 'DOUBLE', at }, { isSafe: false, at, context });
}

/** JSON as a string, with the numbers 1 and 0 for true and false. */
export function bitsOfBooleans(own: Value): Value {
  const text = jsonText(own);
  return { ...text, sql: sql`if(${jsonType(own)} = 'Bool', toString(${text.sql} = 'true'), ${text.sql})` };
}

/** As an integer; NULL for other values. */
export function jsonInteger(each: Value): Value {
  return int(sql`toInt64OrNull(${jsonText(each).sql})`);
}

const listed = (each: Value): Sql => {
  const { json } = jsonOf(each);
  // ClickHouse has no array that is NULL.
  const root = each.type.isNullable ? sql`ifNull(${json.root}, '')` : json.root;
  return joinSql([root, ...json.path]);
};

/** The elements of an array, as an array of a ClickHouse type. */
export function jsonArray(each: Value, type: string): Value {
  const element = {
    kind: type.includes('String') ? 'text' : type.includes('Int') ? 'int' : 'float',
    isNullable: true,
  } as const;
  return value('array', sql`JSONExtract(${listed(each)}, 'Array(${type})')`, false, { element });
}

/** The elements of an array, each as JSON text. */
export function jsonElements(each: Value): Value {
  return value('array', sql`JSONExtractArrayRaw(${listed(each)})`, false, {
    element: { kind: 'json', isNullable: false },
  });
}

/** The elements of an array of scalars as strings; another array is NULL. */
export function jsonScalars(each: Value): Value {
  const { sql: own, type } = jsonArray(each, 'Nullable(String)');
  const isNested = sql`arrayExists(e -> substring(e, 1, 1) IN ('{', '['), ${jsonElements(each).sql})`;
  return { sql: sql`if(${isNested}, [], ${own})`, type, absent: isNested };
}

/** The number of elements or keys. */
export function jsonLength(each: Value): Sql {
  return sql`JSONLength(${placeSql(each)})`;
}

/** Returns whether there is a value. */
export function jsonHas(each: Value): Sql {
  const own = jsonOf(each);
  return own.json.path.length === 0
    ? sql`isValidJSON(${own.json.root})`
    : inArrays(own, sql`JSONHas(${placeSql(own)})`);
}

/** The type: Object, Array, String, … */
export function jsonType(each: Value): Sql {
  return sql`JSONType(${placeSql(each)})`;
}

/** The text of JSON with a space after commas and colons, as PostgreSQL's jsonb and MySQL print it. */
export function spacedJson(own: Sql): Sql {
  const string = String.raw`"(?:[^"\\\\]|\\\\.)*"`;
  const open = sql`replaceRegexpAll(${own}, '(${string})|([,:])', '\\\\1\\\\2 ')`;
  return sql`replaceRegexpAll(${open}, '(${string}) ', '\\\\1')`;
}

const STEP =
  /\.(?:"((?:[^"\\]|\\.)*)"|([^\s.[\]"'$@*()?]+))|\.?\[\s*(?:(\d{1,9})|#-(\d{1,9}))\s*\]|\.?\[\s*(?:'([^']*)'|"([^"]*)")\s*\]/y;

/** The steps of a JSONPath such as `$.a.b[0]`; undefined for wildcards and filters. */
export function jsonPathSteps(path: string): readonly string[] | undefined {
  const start = path.startsWith('$') ? 1 : 0;
  const text = start === 0 ? `.${path}` : path;
  const steps: string[] = [];
  for (let at = start; at < text.length;) {
    STEP.lastIndex = at;
    const found = STEP.exec(text);
    if (found === null) return undefined;
    const [whole, quoted, plain, index, fromEnd, single, double] = found;
    const name = quoted ?? plain ?? single ?? double ?? '';
    if (fromEnd !== undefined) steps.push(`-${fromEnd}`);
    else steps.push(index === undefined ? quoteString(name) : String(Number(index) + 1));
    at += whole.length;
  }
  return steps;
}

/** The steps of a path argument: a literal. */
export function pathArgument(path: Expression | undefined, at: number): readonly string[] {
  const steps = path?.kind === 'string' ? jsonPathSteps(path.value) : undefined;
  return (
    steps ??
    unconverted(path?.at ?? at, 'expression', 'Only a literal JSONPath of keys and positions is converted')
  );
}

type Binary = Of<'binary'>;

/** Writes the operators on JSON; undefined for other operators. */
export function jsonOperator({ operator, left, right, at }: Binary, context: Context): Value | undefined {
  switch (operator) {
    case '->':
      return jsonAt(context.write(left, context), stepsOf(right, context));
    case '->>':
      return unquoted(jsonAt(context.write(left, context), stepsOf(right, context)), { at, context });
    case '#>':
      return atPath(context.write(left, context), pathItems(right, at));
    case '#>>':
      return unquoted(atPath(context.write(left, context), pathItems(right, at)), { at, context });
    case '?': {
      const key = context.write(right, context);
      const own = jsonOf(context.write(left, context));
      const isKey = sql`JSONHas(${joinSql([own.json.root, ...own.json.path])}, ${key.sql})`;
      const isElement = sql`has(arrayMap(e -> JSONExtract(e, 'Nullable(String)'), arrayFilter(e -> startsWith(e, '"'), ${jsonElements(own).sql})), ${key.sql})`;
      const isString = sql`${jsonText(own).sql} = ${key.sql}`;
      const test = sql`multiIf(isNull(${own.json.root}), NULL, ${jsonType(own)} = 'Object', ${isKey}, ${jsonType(own)} = 'Array', ${isElement}, ${jsonType(own)} = 'String' AND ${isString})`;
      return { ...value('bool', test), type: { kind: 'bool', isNullable: true, isNumberInClickHouse: true } };
    }
    case '@>':
    case '<@':
    case '?|':
    case '?&':
    case '@?':
    case '@@':
    case '#-':
      return unconverted(
        at,
        'expression',
        `The operator ${operator} is not converted`,
        'Compare the fields with JSONExtract functions.',
      );
    default:
      return undefined;
  }
}

/** The value of `->>`; of JSON that is a string, numbers stay numbers. */
function unquoted(place: JsonValue, { at, context }: Place): Value {
  const { isJsonMixed, jsonSpace } = context.shared.traits;
  const own = jsonText(place);
  if (isJsonMixed) return { ...place, sql: own.sql };
  if (jsonSpace === '' || context.shared.isStrict || isCompactPart(place.json, { at, context })) return own;
  const isPart = sql`substring(${own.sql}, 1, 1) IN ('{', '[') AND ${jsonType(place)} IN ('Object', 'Array')`;
  return { ...own, sql: sql`if(${isPart}, ${spacedJson(place.sql)}, ${own.sql})`, scalar: own.sql };
}

/**
 * Returns whether a part of a document that is written in the query has no spaces.
 * @throws UnconvertedError for an object or array whose spaces may be others than those after commas and colons
 */
export function isCompactPart({ document, path }: JsonValue['json'], { at }: Place): boolean {
  if (document === undefined) return false;
  if (document.replaceAll(/"(?:[^"\\]|\\.)*"/g, '').search(/\s/) === -1) return true;
  if (!isContainer(document, path)) return false;
  return unconverted(
    at,
    'expression',
    'The text of a part of this document has spaces of its own',
    'Cast it to jsonb.',
  );
}

/** Returns whether a place in a document that is written in the query is an object or an array. */
function isContainer(document: string, path: readonly Sql[]): boolean {
  let found: unknown = JSON.parse(document);
  for (const step of path.map(String)) {
    const name = /^'([^'\\]*)'$/.exec(step)?.[1] ?? Number(step) - 1;
    found =
      typeof found === 'object' && found !== null
        ? Object.entries(found).find(([key]) => key === String(name))?.[1]
        : undefined;
  }
  return typeof found === 'object' && found !== null;
}

/** The right side of `->`: a key, a position from 0, or a path. */
function stepsOf(right: Expression, context: Context): readonly Sql[] {
  if (right.kind === 'number' && right.text.startsWith('-') && context.shared.traits.isJsonMixed)
    return unconverted(right.at, 'expression', 'A place from the end is NULL in some versions');
  if (right.kind === 'number') return [position(right.text)];
  if (right.kind === 'string')
    return context.shared.traits.arrowHasPaths && right.value.startsWith('$')
      ? pathArgument(right, right.at)
      : [quoteString(right.value)];
  const written = context.write(right, context);
  if (written.type.kind === 'int') return [sql`${written.sql} + 1`];
  return [written.sql];
}

const position = (text: string): string => String(Number(text) < 0 ? Number(text) : Number(text) + 1);

/** Digits are a position in an array, and a key of an object. */
export function atPath(own: Value, items: readonly string[]): JsonValue {
  return items.reduce<JsonValue>((place, item) => {
    if (!/^-?\d+$/.test(item)) return jsonAt(place, [quoteString(item)]);
    const [element, member] = [jsonAt(place, [position(item)]), jsonAt(place, [quoteString(item)])];
    const root = sql`if(${jsonType(place)} = 'Object', ${member.sql}, ${element.sql})`;
    return { ...value('json', root), json: { root, path: [] } };
  }, jsonOf(own));
}

/** `'{a,0,b}'`. */
function pathItems(right: Expression, at: number): readonly string[] {
  const [, inner] = right.kind === 'string' ? (/^\{([^"{}]*)\}$/.exec(right.value) ?? []) : [];
  const items =
    right.kind === 'array'
      ? right.items.flatMap((item) => (item.kind === 'string' ? [item.value] : []))
      : inner?.split(',').map((item) => item.trim());
  if (items === undefined || (right.kind === 'array' && items.length < right.items.length))
    return unconverted(at, 'expression', 'Only a literal path is converted');
  return items;
}
