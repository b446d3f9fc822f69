// Changes a query as the engine asks, where servers of the tool run it as it is: adds settings, and types of parameters.
import type { Finding } from '../../../sql/base/finding.ts';
import type { ConvertedParameter } from '../../../sql/dialects/conversion.ts';
import { readMarker } from '../../../sql/clickhouse/part-condition.ts';
import { innerType, parseType } from '../../../sql/types/type.ts';
import { comparedColumns } from '../../convert/qualify-tables.ts';
import type { KnownTables } from '../../kit/known-tables.ts';
import type { EndpointDraft } from './endpoint-text.ts';

/** Returns the draft as the errors of the engine ask for it; undefined if they ask for nothing, or for what it has. */
export function asAsked(
  draft: EndpointDraft,
  errors: readonly Finding[],
  known: KnownTables,
): EndpointDraft | undefined {
  if (draft.dialect !== 'clickhouse') return undefined;
  return withSettings(draft, errors) ?? withNames(draft, errors) ?? withTypes(draft, errors, known);
}

/** Servers of the tools have these settings, which ClickHouse does not have by default; the engine's error without one selects it. */
const SETTINGS: readonly (readonly [RegExp, string])[] = [
  // Grouping and ordering by the same column are rejected one after the other.
  [
    /Variant\/Dynamic are not allowed in (GROUP|ORDER) BY/,
    'allow_suspicious_types_in_group_by = 1, allow_suspicious_types_in_order_by = 1',
  ],
  [/JOIN on keys with Dynamic type is not supported/, 'allow_dynamic_type_in_join_keys = 1'],
  [
    /function (runningDifference\w*|neighbor|runningAccumulate) is deprecated/,
    'allow_deprecated_error_prone_window_functions = 1',
  ],
];

/** Returns the draft with the settings that an error of the engine asks for; undefined if it asks for none, or for those that it has. */
function withSettings(draft: EndpointDraft, errors: readonly Finding[]): EndpointDraft | undefined {
  const { settings = [] } = draft;
  const asked = SETTINGS.filter(
    ([said, text]) => !settings.includes(text) && errors.some(({ message }) => said.test(message)),
  );
  if (asked.length === 0) return undefined;
  return { ...draft, settings: [...settings, ...asked.map(([, text]) => text)] };
}

/**
 * A template without an alternative for other values writes no query for them: the values that it compares are those that the
 * parameter has.
 */
function withNames(draft: EndpointDraft, errors: readonly Finding[]): EndpointDraft | undefined {
  const found = errors.map(({ code, message }) =>
    code === 'engine.syntax' ? /\(.*\bwith another (\w+)/.exec(message)?.[1] : undefined,
  );
  const [name] = found;
  if (name === undefined || found.some((each) => each !== name)) return undefined;
  const values = [...draft.sql.matchAll(/\/\*[^*]*\*\//g)].flatMap(([comment]) => {
    const marker = readMarker(comment);
    const conditions = marker?.kind === 'if' ? marker.conditions : [];
    return conditions.flatMap((each) => (each.name === name ? (each.value ?? []) : []));
  });
  const names = [...new Set(values)];
  const parameters = draft.parameters.map((each) =>
    each.name === name && each.type === 'String' && each.enum === undefined ? { ...each, enum: names } : each,
  );
  const isChanged = parameters.some((each, index) => each !== draft.parameters[index]);
  return names.length > 0 && isChanged ? { ...draft, parameters } : undefined;
}

const NO_TEXT = /cannot (?:convert|parse) string .* (?:to|as) (?:type )?([A-Z]\w*)/i;

/** Parameters that the source writes as strings, and compares with columns of another type, have the type of the columns. */
function withTypes(
  draft: EndpointDraft,
  errors: readonly Finding[],
  { columnsOf }: KnownTables,
): EndpointDraft | undefined {
  const types = new Set(errors.flatMap(({ message }) => NO_TEXT.exec(message)?.[1] ?? []));
  if (types.size === 0) return undefined;
  const relations = [...draft.sql.matchAll(/\b(\w+)\.(\w+)\b/g)].map(([, database = '', table = '']) => [
    database,
    table,
  ]);
  const columns = relations.flatMap((relation) => columnsOf?.(relation) ?? []);
  const typeOf = (name: string): string | undefined => {
    const own = new Set(columns.filter((column) => column.name === name).map(({ type }) => valueType(type)));
    const [type, more] = own;
    return more === undefined && type !== undefined && types.has(type) ? type : undefined;
  };
  const parameters = draft.parameters.map((each) => withColumnType(each, draft.sql, typeOf));
  return parameters.some((each, index) => each !== draft.parameters[index])
    ? { ...draft, parameters }
    : undefined;
}

function valueType(type: string): string {
  const parsed = parseType(type);
  return parsed.name === 'Nullable' || parsed.name === 'LowCardinality'
    ? innerType(parsed).name
    : parsed.name;
}

/** Changes the type only if the parameter is a text without values of its own, and all its comparisons are with columns of one type. */
function withColumnType(
  parameter: ConvertedParameter,
  sql: string,
  typeOf: (column: string) => string | undefined,
): ConvertedParameter {
  const { name, type, default: fallback, enum: values, example, choices } = parameter;
  const hasValues = [fallback, values, example, choices].some((each) => each !== undefined && !isEmpty(each));
  if ((type !== 'String' && type !== 'Array(String)') || hasValues) return parameter;
  const found = new Set(comparedColumns(sql, name).map(typeOf));
  const [own, more] = found;
  if (own === undefined || more !== undefined) return parameter;
  return { ...parameter, type: type === 'String' ? own : `Array(${own})` };
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
