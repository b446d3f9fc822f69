// A query with the values that it has when nothing is sent, for views, which have no parameters.
import type { ConvertedParameter, ParameterValue } from '../../../sql/dialects/conversion.ts';
import { expandTemplate } from '../../../sql/clickhouse/expand.ts';
import { quoteString } from '../../../sql/clickhouse/literal.ts';
import { bindPlaceholders } from '../../../sql/clickhouse/placeholders.ts';
import { readTemplate } from '../../../sql/clickhouse/template.ts';

/** Undefined if a parameter is required. */
export function fixedQuery(sql: string, parameters: readonly ConvertedParameter[]): string | undefined {
  if (parameters.length === 0) return sql;
  if (parameters.some(({ required, default: value }) => required && value === undefined)) return undefined;
  const values = new Map(parameters.map((each) => [each.name, each]));
  const sent = parameters.filter((each) => each.default !== undefined);
  const given = new Set(sent.filter((each) => each.default !== false).map(({ name }) => name));
  const choices = new Map(sent.map(({ name, default: value }) => [name, [String(value)]]));
  const template = readTemplate(sql, () => false);
  const { sql: expanded } = expandTemplate(template, new Map(), { choices, given });
  let fixed = '';
  let copied = 0;
  for (const { name, start, end } of bindPlaceholders(expanded, () => undefined).uses) {
    fixed += expanded.slice(copied, start) + valueOf(values.get(name));
    copied = end;
  }
  return fixed + expanded.slice(copied);
}

function valueOf(parameter: ConvertedParameter | undefined): string {
  const value = parameter?.default;
  if (parameter === undefined || value === undefined) return 'NULL';
  return literalOf(value);
}

function literalOf(value: ParameterValue): string {
  if (typeof value === 'object') return `[${value.map(literalOf).join(', ')}]`;
  return typeof value === 'string' ? quoteString(value) : String(value);
}
