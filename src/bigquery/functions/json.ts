// Functions that read JSON, from strings and from JSON columns.
import { arrayOfType, TEXT, type Value, value } from '../../dialects/value.ts';
import { constantText, rule, type Application, type FunctionRule } from './function.ts';
import { syntax } from '../translation-error.ts';
import { joinSql, sql, type Sql } from '../../dialects/sql.ts';
import { quoteString } from '../../sql/literal.ts';
import { field, shown, text } from '../value.ts';

type Step = string | number;

const STEP = /\.([A-Za-z_][\w-]*)|\.?\[(\d{1,9})\]|\.?\['([^']*)'\]|\.?\["([^"]*)"\]|\."([^"]*)"/y;

/** Parses `$.a.b[0]` to steps. Source: BigQuery, JSONPath format. */
function stepsOf(application: Application): readonly Step[] {
  if (application.call.args.length < 2) return [];
  const path = constantText(application, 1, 'a path');
  const { at } = application.source(1);
  if (!path.startsWith('$')) syntax(at, 'A JSON path must start with $');
  const steps: Step[] = [];
  for (STEP.lastIndex = 1; STEP.lastIndex < path.length;) {
    const found = STEP.exec(path);
    if (found === null)
      return syntax(at, `'${path.slice(0, 60)}' is not a valid JSON path`, "Write '$.a.b[0]'.");
    const [, bare, index, single, double, dotted] = found;
    steps.push(index === undefined ? (bare ?? single ?? double ?? dotted ?? '') : Number(index));
  }
  return steps;
}

/** The target of the path: a value inside a JSON column, or how to extract it from a string. */
type Found =
  | { readonly kind: 'value'; readonly value: Value }
  | { readonly kind: 'text'; readonly text: Sql; readonly rest: Sql };

function find(application: Application): Found {
  const steps = stepsOf(application);
  const { at } = application.source(0);
  let inside = application.arg(0);
  let taken = 0;
  for (; taken < steps.length && inside.subcolumn !== undefined; taken++) {
    const step = steps[taken];
    // A record is treated as an array with one element, as it is in a path.
    if (typeof step === 'string') inside = field(inside, { name: step, at });
    else if (step !== 0) break;
  }
  if (taken === steps.length && inside.subcolumn !== undefined) return { kind: 'value', value: inside };
  if (taken === steps.length && taken > 0) return { kind: 'value', value: inside };
  const rest = steps
    .slice(taken)
    .map((step) => (typeof step === 'number' ? `, ${step + 1}` : `, ${quoteString(step)}`));
  return { kind: 'text', text: text(inside), rest: joinSql(rest, '') };
}

const scalar = rule(1, 2, (application) => {
  const found = find(application);
  if (found.kind === 'text')
    return value('text', sql`JSONExtract(${found.text}${found.rest}, 'Nullable(String)')`);
  const { value: inside } = found;
  const isText = inside.type.kind === 'text' || inside.type.kind === 'dynamic';
  return value('text', isText ? text(inside) : sql`toString(${text(inside)})`);
});

const json = rule(1, 2, (application) => {
  const found = find(application);
  if (found.kind === 'value') return value('text', sql`toJSONString(${shown(found.value)})`);
  return value('text', sql`nullIf(JSONExtractRaw(${found.text}${found.rest}), '')`);
});

function list(type: string): FunctionRule {
  return rule(1, 2, (application) => {
    const found = find(application);
    if (found.kind === 'value') {
      return {
        sql: sql`CAST(${found.value.sql} AS Array(Nullable(String)))`,
        type: arrayOfType(TEXT),
      };
    }
    const inside =
      type === 'raw'
        ? sql`JSONExtractArrayRaw(${found.text}${found.rest})`
        : sql`JSONExtract(${found.text}${found.rest}, 'Array(String)')`;
    return { sql: inside, type: arrayOfType(TEXT) };
  });
}

export const JSON_FUNCTIONS: Readonly<Record<string, FunctionRule>> = {
  json_value: scalar,
  json_extract_scalar: scalar,
  json_query: json,
  json_extract: json,
  json_query_array: list('raw'),
  json_extract_array: list('raw'),
  json_value_array: list('text'),
  json_extract_string_array: list('text'),
  to_json_string: rule(1, 2, ({ arg: at }) => value('text', sql`toJSONString(${shown(at(0))})`)),
  to_json: rule(1, 1, ({ arg: at }) => value('text', sql`toJSONString(${shown(at(0))})`)),
  parse_json: rule(1, 1, ({ arg: at }) => value('text', text(at(0)))),
};
