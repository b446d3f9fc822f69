// The text of an endpoint file for a converted query.
import { randomUUID } from 'node:crypto';
import type { ConvertedParameter } from '../../../sql/dialects/conversion.ts';
import { textOf } from '../../convert/export/document.ts';
import { formatYaml } from '../../yaml/format-yaml.ts';
import { readTextSync } from '../../../service/config/read-text.ts';
import { MAX_DOCUMENT_BYTES, parseYaml } from '../../../service/config/yaml-document.ts';
import { writeYaml } from '../../yaml/yaml-edit.ts';
import { convertedKey } from '../converted-source.ts';
import type { ConvertedQuery } from './convert-query.ts';
import { printable, printableLines } from '../../convert/printable.ts';

/** A converted query, and what its file is named. */
export interface EndpointDraft extends ConvertedQuery {
  readonly sql: string;
  readonly endpoint: string;
  readonly path: string;
  /** Names of the endpoints whose rows it reads, by the names of the tables in the SQL. */
  readonly includes: ReadonlyMap<string, string>;
  /** Its SETTINGS clause has these beside its own: `name = value`. */
  readonly settings?: readonly string[];
}

export interface TextSettings {
  /** The first line, for editors. */
  readonly schemaLine: string;
  /** The identifier of a file that exists stays. */
  readonly isForced: boolean;
  /** For the source that the file keeps. */
  readonly database: string | undefined;
}

export function endpointText(draft: EndpointDraft, { schemaLine, isForced, database }: TextSettings): string {
  const { endpoint, path, query, sql, parameters, includes } = draft;
  const id = (isForced ? idOf(path) : undefined) ?? randomUUID();
  const description = (query.description ?? query.title).replace(/\r\n?/g, '\n').trim().slice(0, 4000);
  const source = sourceOf(draft, database);
  const examples = examplesOf(draft);
  const document = {
    id,
    name: endpoint,
    description,
    ...(includes.size === 0
      ? {}
      : { include: [...includes].map(([result, each]) => ({ endpoint: each, result })) }),
    query: `${(hasTags(query.sql) ? printableLines : printable)(withClause(sql, draft.settings ?? []))}\n`,
    ...(parameters.length === 0
      ? {}
      : { parameters: Object.fromEntries(parameters.map((each) => [each.name, declarationOf(each)])) }),
    max_rows: 10_000,
    cache: 'disabled',
    sandbox: { enabled: false },
    ...(examples.length === 0 ? {} : { examples }),
    ...(source === undefined ? {} : { converted: convertedKey(source, printable(sql)) }),
  };
  return formatYaml(schemaLine + writeYaml(document), 'endpoint');
}

function hasTags(source: string): boolean {
  return source.includes('{%');
}

/** The query with settings in its SETTINGS clause, or in one of its own. */
function withClause(sql: string, settings: readonly string[]): string {
  if (settings.length === 0) return sql;
  const hasClause = /\bSETTINGS\b[^()]*$/i.test(sql);
  return `${sql.trimEnd()}${hasClause ? ', ' : '\nSETTINGS '}${settings.join(', ')}`;
}

/** Queries in ClickHouse SQL are as they were, and need no source. */
function sourceOf({ dialect, query }: EndpointDraft, database: string | undefined) {
  if (dialect === undefined || dialect === 'clickhouse') return undefined;
  const { tool: exported, template, declarations } = query;
  return { dialect, sql: query.sql, tool: template ?? exported, database, declarations };
}

/** The source's own, otherwise a first call, if the values of its parameters are known. */
function examplesOf({ query, parameters }: EndpointDraft): readonly object[] {
  const own = (query.examples ?? []).map(({ name, parameters: sent, rows, status }) => ({
    name,
    ...(Object.keys(sent).length === 0 ? {} : { parameters: sent }),
    ...(rows === undefined ? {} : { expect: { result: rows } }),
    ...(status === undefined ? {} : { expect: { status } }),
  }));
  if (own.length > 0) return own;
  if (parameters.some((each) => each.required && each.example === undefined)) return [];
  const values = parameters.flatMap(({ name, example, required, default: fallback }) => {
    const value = example ?? (required ? undefined : fallback);
    return value === undefined || (Array.isArray(value) && value.length === 0)
      ? []
      : [[name, value] as const];
  });
  return [
    { name: 'a first call', ...(values.length === 0 ? {} : { parameters: Object.fromEntries(values) }) },
  ];
}

/** With parameters in place of the parts that were not converted: the rest can be checked. */
export function withStandIns(draft: EndpointDraft): EndpointDraft {
  const names = new Set([...draft.sql.matchAll(/@(not_converted_\d+)\b/g)].map(([, name = '']) => name));
  const standIns = [...names].map((name) => ({ name, type: 'String', required: false, default: '1' }));
  return { ...draft, parameters: [...draft.parameters, ...standIns] };
}

export function declarationOf(parameter: ConvertedParameter): object {
  const { name: _, isTypeGuessed: __, example: ___, type, required, ...rest } = parameter;
  return { ...(rest.choices === undefined ? { type } : {}), ...rest, ...(required ? { required } : {}) };
}

/** The identifier of an endpoint file, which stays if the file is overwritten. */
function idOf(path: string): string | undefined {
  const text = readTextSync(path, MAX_DOCUMENT_BYTES);
  const parsed = text === undefined ? undefined : parseYaml(path, text);
  return parsed !== undefined && 'document' in parsed ? textOf(parsed.document.value, 'id') : undefined;
}
