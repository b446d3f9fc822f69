// Values inside JSON. JSON text is read with JSONExtract; a column of type JSON is read as text first.
import { joinSql, sql, type Sql } from '../../dialects/sql.ts';
import { quoteString } from '../../sql/literal.ts';
import type { Expression } from '../../dialects/tree.ts';
import { unconverted, type Context } from '../../dialects/context.ts';
import { isKind, value, type Value } from '../../dialects/value.ts';

/** A value that represents a place in JSON text. */
export interface JsonValue extends Value {
  readonly json: { readonly root: Sql; readonly path: readonly Sql[] };
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

/** A place below another one; `steps` are quoted keys, or positions from 1. */
export function jsonAt(each: Value, steps: readonly Sql[]): JsonValue {
  const { json } = jsonOf(each);
  const path = [...json.path, ...steps];
  return {
    ...value('json', sql`nullIf(JSONExtractRaw(${joinSql([json.root, ...path])}), '')`),
    json: { root: json.root, path },
  };
}

/** As a string: strings without quotes, other values as JSON, null as NULL. */
export function jsonText(each: Value): Value {
  const { json } = jsonOf(each);
  return value('text', sql`JSONExtract(${joinSql([json.root, ...json.path])}, 'Nullable(String)')`, true, {
    isBinary: true,
  });
}

/** As a number; NULL for other values. */
export function jsonNumber(each: Value): Value {
  const { json } = jsonOf(each);
  return value(
    'float',
    sql`toFloat64OrNull(JSONExtract(${joinSql([json.root, ...json.path])}, 'Nullable(String)'))`,
  );
}

/** The elements of an array, as an array of a ClickHouse type. */
export function jsonArray(each: Value, type: string): Value {
  const { json } = jsonOf(each);
  const element = {
    kind: type.includes('String') ? 'text' : type.includes('Int') ? 'int' : 'float',
    isNullable: true,
  } as const;
  return value('array', sql`JSONExtract(${joinSql([json.root, ...json.path])}, 'Array(${type})')`, false, {
    element,
  });
}

/** The elements of an array, each as JSON text. */
export function jsonElements(each: Value): Value {
  const { json } = jsonOf(each);
  return value('array', sql`JSONExtractArrayRaw(${joinSql([json.root, ...json.path])})`, false, {
    element: { kind: 'json', isNullable: false },
  });
}

/** The number of elements or keys. */
export function jsonLength(each: Value): Sql {
  const { json } = jsonOf(each);
  return sql`JSONLength(${joinSql([json.root, ...json.path])})`;
}

/** Whether there is a value. */
export function jsonHas(each: Value): Sql {
  const { json } = jsonOf(each);
  return sql`JSONHas(${joinSql([json.root, ...json.path])})`;
}

/** The type: Object, Array, String, … */
export function jsonType(each: Value): Sql {
  const { json } = jsonOf(each);
  return sql`JSONType(${joinSql([json.root, ...json.path])})`;
}

const STEP = /\.(?:"((?:[^"\\]|\\.)*)"|([\w-]+))|\[(\d+)\]|\['([^']*)'\]/y;

/** The steps of a JSONPath such as `$.a.b[0]`; undefined for wildcards and filters. */
export function jsonPathSteps(path: string): readonly string[] | undefined {
  const start = path.startsWith('$') ? 1 : 0;
  const text = start === 0 ? `.${path}` : path;
  const steps: string[] = [];
  for (let at = start; at < text.length;) {
    STEP.lastIndex = at;
    const found = STEP.exec(text);
    if (found === null) return undefined;
    const [whole, quoted, plain, index, bracketed] = found;
    steps.push(
      index === undefined ? quoteString(quoted ?? plain ?? bracketed ?? '') : String(Number(index) + 1),
    );
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

type Binary = Extract<Expression, { kind: 'binary' }>;

/** Writes the operators on JSON; undefined for other operators. */
export function jsonOperator({ operator, left, right, at }: Binary, context: Context): Value | undefined {
  switch (operator) {
    case '->':
      return jsonAt(context.write(left, context), stepsOf(right, context));
    case '->>':
      return unquoted(jsonAt(context.write(left, context), stepsOf(right, context)), context);
    case '#>':
      return jsonAt(context.write(left, context), arraySteps(right, at));
    case '#>>':
      return jsonText(jsonAt(context.write(left, context), arraySteps(right, at)));
    case '?': {
      const key = context.write(right, context);
      const { json } = jsonOf(context.write(left, context));
      const place = joinSql([json.root, ...json.path]);
      const isKey = sql`JSONHas(${place}, ${key.sql})`;
      return {
        ...value('bool', sql`(${isKey} OR has(JSONExtract(${place}, 'Array(String)'), ${key.sql}))`),
        type: { kind: 'bool', isNullable: true, isNumberInClickHouse: true },
      };
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

/** The value of `->>`; in SQLite, numbers stay numbers. */
function unquoted(place: JsonValue, { shared }: Context): Value {
  return shared.dialect === 'sqlite' ? { ...place, sql: jsonText(place).sql } : jsonText(place);
}

/** The right side of `->`: a key, a position from 0, or in MySQL and SQLite a path. */
function stepsOf(right: Expression, context: Context): readonly Sql[] {
  const { dialect } = context.shared;
  const hasPaths = dialect === 'mysql' || dialect === 'mariadb' || dialect === 'sqlite';
  if (right.kind === 'number') return [position(right.text)];
  if (right.kind === 'string')
    return hasPaths && right.value.startsWith('$')
      ? pathArgument(right, right.at)
      : [quoteString(right.value)];
  const written = context.write(right, context);
  if (written.type.kind === 'int') return [sql`${written.sql} + 1`];
  return [written.sql];
}

const position = (text: string): string => String(Number(text) < 0 ? Number(text) : Number(text) + 1);

/** `'{a,0,b}'`. */
function arraySteps(right: Expression, at: number): readonly string[] {
  const [, inner] = right.kind === 'string' ? (/^\{([^"{}]*)\}$/.exec(right.value) ?? []) : [];
  const items =
    right.kind === 'array'
      ? right.items.map((item) => (item.kind === 'string' ? item.value : undefined))
      : inner?.split(',').map((item) => item.trim());
  if (items === undefined || items.includes(undefined))
    return unconverted(at, 'expression', 'Only a literal path is converted');
  return items.map((item = '') => (/^\d+$/.test(item) ? String(Number(item) + 1) : quoteString(item)));
}
