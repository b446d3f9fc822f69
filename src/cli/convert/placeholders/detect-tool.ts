// Which tool's placeholders a text has, if it is not known.
import type { TemplateTool } from './template.ts';

const SIGNS: readonly (readonly [RegExp, TemplateTool])[] = [
  [/\$__\w+|\$\{__(from|to|interval)\b/, 'grafana'],
  [/\[\[[^\]]*\{\{|\{\{\s*(snippet\s*:|#\d)/, 'metabase'],
  [
    /^\s*%[ \t]*\r?\n|\{%-?\s*end\s*-?%\}|\{\{-?\s*(String|U?Int\d+|Float\d+|Date|DateTime|DateTime64|Array|Boolean|UUID|column|columns|symbol)\(/,
    'tinybird',
  ],
  [
    /\b(filter_values|url_param|get_filters|current_username|current_user_id|cache_key_wrapper)\s*\(|\b(from_dttm|to_dttm)\b/,
    'superset',
  ],
  [/\{%|\{#|\{\{[^{}]*[('"|]/, 'dbt'],
  [/\{\{\{?\s*[#^/]?\s*[\w. ]+\}\}/, 'redash'],
];

/** The first tool whose signs the text has; driver without any. */
export function detectTool(text: string): TemplateTool {
  return SIGNS.find(([pattern]) => pattern.test(text))?.[1] ?? 'driver';
}
