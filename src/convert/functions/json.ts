// Functions of JSON.
import { sql } from '../../dialects/sql.ts';
import { quoteString } from '../../sql/literal.ts';
import {
  jsonArray,
  jsonAt,
  jsonElements,
  jsonHas,
  jsonLength,
  jsonOf,
  jsonText,
  jsonType,
  pathArgument,
} from '../../dialects/json-path.ts';
import { condition, value, type Value } from '../../dialects/value.ts';
import { byDialect, type Application, type Rule, type Rules } from '../../dialects/function.ts';

/** The place that a path argument names. */
function at(application: Application, index = 1): Value {
  const { arg, call } = application;
  return call.args.length <= index
    ? jsonOf(arg(0))
    : jsonAt(arg(0), pathArgument(call.args[index], application.at));
}

/** The value at a path as JSON; in SQLite as SQL value. */
const extract: Rule = (application) => {
  if (application.call.args.length > 2) return application.fail('json_extract is converted with one path');
  const found = at(application);
  return application.dialect === 'sqlite' ? { ...found, sql: jsonText(found).sql } : found;
};

/** The scalar value at a path as a string; NULL for objects and arrays. */
const scalar: Rule = (application) => {
  const place = at(application);
  const kind = jsonType(place);
  return value('text', sql`if(${kind} IN ('Object', 'Array'), NULL, ${jsonText(place).sql})`);
};

const unquoted: Rule = ({ arg }) => {
  const own = arg(0);
  return own.type.kind === 'json' ? jsonText(own) : own;
};

/** Keys as separate arguments. */
function byKeys(application: Application, empty: boolean): Value {
  const { call, arg } = application;
  const steps = call.args
    .slice(1)
    .map((each) =>
      each.kind === 'string'
        ? /^\d+$/.test(each.value)
          ? String(Number(each.value) + 1)
          : quoteString(each.value)
        : application.fail('A path is converted only if it is literal'),
    );
  const found = jsonText(jsonAt(arg(0), steps));
  return empty ? value('text', sql`ifNull(${found.sql}, '')`, false) : found;
}

const size: Rule = (application) => {
  const place = at(application);
  return value('int', sql`if(${jsonType(place)} = 'Null', NULL, ${jsonLength(place)})`, true, { scale: 0 });
};

const arrayLength: Rule = (application) => {
  const own = application.arg(0);
  if (own.type.kind === 'array') return value('int', sql`length(${own.sql})`, false, { scale: 0 });
  const place = at(application);
  return value('int', sql`if(${jsonType(place)} = 'Array', ${jsonLength(place)}, NULL)`, true, { scale: 0 });
};

const NAMES = "['Object', 'Array', 'String', 'Int64', 'UInt64', 'Double', 'Bool', 'Null']";

const typeName: Rule = (application) => {
  const place = at(application);
  return value(
    'text',
    sql`transform(toString(${jsonType(place)}), ${NAMES}, ['object', 'array', 'string', 'number', 'number', 'number', 'boolean', 'null'], '')`,
    false,
  );
};

export const JSON_FUNCTIONS: Rules = {
  json_extract: extract,
  json_query: extract,
  json_value: scalar,
  json_extract_scalar: scalar,
  json_unquote: unquoted,
  json_extract_path_text: (application) => byKeys(application, application.dialect === 'redshift'),
  jsonb_extract_path_text: (application) => byKeys(application, false),
  json_value_array: (application) => jsonArray(at(application), 'Nullable(String)'),
  json_extract_string_array: (application) => jsonArray(at(application), 'Nullable(String)'),
  json_query_array: (application) => jsonElements(at(application)),
  json_extract_array: (application) => jsonElements(at(application)),
  json_array_length: arrayLength,
  jsonb_array_length: arrayLength,
  json_length: size,
  array_size: arrayLength,
  json_typeof: typeName,
  jsonb_typeof: typeName,
  json_exists: (application) => condition(jsonHas(at(application)), true),
  json_contains_path: byDialect({ mysql: contains, mariadb: contains }),
  parse_json: ({ arg }) => jsonOf(arg(0)),
  try_parse_json: ({ arg }) => jsonOf(arg(0)),
  json_parse: ({ arg }) => jsonOf(arg(0)),
  to_json: ({ arg }) => value('json', sql`toJSONString(${arg(0).sql})`, arg(0).type.isNullable),
  to_json_string: ({ arg }) => value('text', sql`toJSONString(${arg(0).sql})`, arg(0).type.isNullable),
  get_path: (application) =>
    jsonAt(application.arg(0), pathArgument(application.call.args[1], application.at)),
  get: byDialect({
    snowflake: (application) => {
      const key = application.source(1);
      return jsonAt(application.arg(0), [
        key.kind === 'number' ? String(Number(key.text) + 1) : application.arg(1).sql,
      ]);
    },
  }),
};

function contains(application: Application): Value {
  if (application.call.args.length !== 3)
    return application.fail('json_contains_path is converted with one path');
  return condition(jsonHas(at(application, 2)), true);
}
