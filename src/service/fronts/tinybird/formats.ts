// The formats of results: by the end of a path, and by FORMAT in a query.
import { Problem } from '../../../sql/base/problem.ts';
import type { EngineFormat } from '../../formats/clickhouse-formats.ts';
import { outputSettingFault, withOutputSettings } from '../../formats/output-settings.ts';
import { invalidParameter } from '../../http/fields.ts';

/** ClickHouse's names, by the end of a path. */
const ENDS: Readonly<Record<string, string>> = {
  json: 'JSON',
  csv: 'CSVWithNames',
  csvwithnames: 'CSVWithNames',
  ndjson: 'JSONEachRow',
  parquet: 'Parquet',
};

/** ClickHouse's names, by those that FORMAT may have. */
const NAMED: Readonly<Record<string, string>> = {
  CSV: 'CSV',
  CSVWITHNAMES: 'CSVWithNames',
  JSON: 'JSON',
  JSONEACHROW: 'JSONEachRow',
  TSV: 'TabSeparated',
  TABSEPARATED: 'TabSeparated',
  TSVWITHNAMES: 'TabSeparatedWithNames',
  TABSEPARATEDWITHNAMES: 'TabSeparatedWithNames',
  PRETTYCOMPACT: 'PrettyCompactNoEscapes',
  PARQUET: 'Parquet',
};

/** Parameters of requests that are settings of formats. */
export const FORMAT_FIELDS = [
  'output_format_json_quote_64bit_integers',
  'output_format_json_quote_denormals',
  'output_format_parquet_string_as_string',
] as const;

/** A path as a pipe and a format; the format is undefined if the path has none. */
export interface NamedPipe {
  readonly pipe: string;
  readonly engine: string | undefined;
}

/** Reads `name.json`: names may have dots. Throws Problem `format.not_acceptable`. */
export function pipeAndFormat(text: string): NamedPipe {
  const dot = text.lastIndexOf('.');
  const end = dot > 0 ? text.slice(dot + 1) : '';
  const engine = Object.hasOwn(ENDS, end) ? ENDS[end] : undefined;
  if (engine !== undefined) return { pipe: text.slice(0, dot), engine };
  if (end !== 'prometheus') return { pipe: text, engine: undefined };
  throw notSupported(`.${end}`, `End the path with ${Object.keys(ENDS).join(', ')}.`);
}

/** ClickHouse's name of what FORMAT names. Throws Problem `format.not_acceptable`. */
export function formatNamedInQuery(name: string): string {
  const upper = name.toUpperCase();
  const engine = Object.hasOwn(NAMED, upper) ? NAMED[upper] : undefined;
  if (engine !== undefined) return engine;
  const names = 'CSV, CSVWithNames, JSON, TSV, TSVWithNames, PrettyCompact, JSONEachRow or Parquet';
  throw notSupported(name.slice(0, 100), `Write FORMAT ${names}.`);
}

function notSupported(name: string, hint: string): Problem {
  return new Problem('format.not_acceptable', { detail: `Format ${name} is not supported`, hint });
}

/** A format with the settings of a request. Throws Problem `request.parameters_invalid`. */
export function engineFormat(
  engine: string,
  settings: readonly (readonly [name: string, value: string])[],
): EngineFormat {
  for (const [name, value] of settings) {
    const fault = outputSettingFault(name, value);
    if (fault !== undefined) throw invalidParameter(name, fault);
  }
  return withOutputSettings({ engine }, settings);
}
