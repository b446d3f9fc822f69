// Converts one query of an export to ClickHouse SQL.
import type { ConversionNote, ConvertedParameter } from '../../../sql/dialects/conversion.ts';
import { statusOf, type ConversionStatus } from '../../../sql/dialects/conversion.ts';
import type { Converter } from '../../convert/convert.ts';
import { convertTemplate } from '../../convert/convert-template.ts';
import { readPlaceholders } from '../../convert/placeholders/read-placeholders.ts';
import type { Template, TemplateDialect } from '../../convert/placeholders/template.ts';
import { createPositions, type Position } from '../../../sql/base/position.ts';
import { significantTokens } from '../../../sql/clickhouse/cursor.ts';
import type { EngineSources } from '../../../sql/clickhouse/outside-sources.ts';
import type { KnownTables } from '../../kit/known-tables.ts';
import type { ForeignQuery } from '../../convert/export/foreign-query.ts';
import { clusterTables, qualifyTables, type QualifiedTable } from '../../convert/qualify-tables.ts';

export interface ConvertSettings {
  readonly converter: Converter;
  /** For queries whose export names no database system. */
  readonly dialect: TemplateDialect | undefined;
  /** It returns the table that a query names without a database. */
  readonly relationOf: (query: ForeignQuery, table: string) => QualifiedTable | undefined;
  readonly known: KnownTables;
  /** If `remote` is among them, the tables of clusters stay. */
  readonly engineSources: EngineSources;
}

/** A note with its places: in the file of the export, and in the query. */
export interface PlacedNote extends Pick<ConversionNote, 'severity' | 'message' | 'hint'> {
  /** The code of the conversion, or of the engine's finding. */
  readonly code: string;
  readonly place: Position;
  readonly inQuery: Position;
}

export interface ConvertedQuery {
  readonly query: ForeignQuery;
  readonly dialect: TemplateDialect | undefined;
  readonly status: ConversionStatus;
  readonly sql: string | undefined;
  readonly parameters: readonly ConvertedParameter[];
  readonly notes: readonly PlacedNote[];
  readonly place: Position;
}

interface QueryConversion {
  readonly sql: string | undefined;
  readonly parameters: readonly ConvertedParameter[];
  readonly notes: readonly ConversionNote[];
}

export async function convertQuery(query: ForeignQuery, settings: ConvertSettings): Promise<ConvertedQuery> {
  const dialect = query.dialect ?? settings.dialect;
  const obstacle = obstacleOf(query, dialect);
  const result =
    obstacle !== undefined || dialect === undefined
      ? failure(obstacle ?? 'The database system is not known')
      : await convertText(query, dialect, settings);
  const positions = createPositions(query.sql);
  const found = [...result.notes, ...divisionOf(query, result.sql)];
  const notes = found.map(({ severity, code, message, hint, start }): PlacedNote => ({
    severity,
    code,
    message,
    ...(hint === undefined ? {} : { hint }),
    place: query.locate(start),
    inQuery: positions(start),
  }));
  return {
    query,
    dialect,
    status: statusOf({ ...result, notes: found }),
    sql: result.sql,
    parameters: result.parameters,
    notes,
    place: query.locate(0),
  };
}

function obstacleOf(query: ForeignQuery, dialect: TemplateDialect | undefined): string | undefined {
  if (query.reason !== undefined) return query.reason;
  if (query.sql.trim() === '') return 'The query is empty';
  if (dialect !== undefined) return undefined;
  return query.engine === undefined
    ? 'The export does not name the database system: set --dialect'
    : `The database system ${query.engine} is not supported: set --dialect if its SQL is like that of another`;
}

/** DuckDB is read as PostgreSQL, whose division of integers is another. */
function divisionOf({ engine = '', sql }: ForeignQuery, converted = ''): readonly ConversionNote[] {
  const start = sql.indexOf('/');
  if (!/duckdb/i.test(engine) || !/\bintDiv\(/.test(converted) || start < 0) return [];
  const message = 'In DuckDB, the quotient of two integers is a fraction: here it is an integer';
  const hint = 'Write a / b in place of intDiv(a, b)';
  return [{ severity: 'differs', code: 'expression', start, end: start + 1, message, hint }];
}

function failure(message: string): QueryConversion {
  return {
    sql: undefined,
    parameters: [],
    notes: [{ severity: 'not_converted', code: 'statement', start: 0, end: 0, message }],
  };
}

async function convertText(
  query: ForeignQuery,
  dialect: TemplateDialect,
  settings: ConvertSettings,
): Promise<QueryConversion> {
  const { sql, tool, template: own, declarations, prefersParts } = query;
  const template = readPlaceholders(sql, { tool: own ?? tool, dialect, declarations, prefersParts });
  if (template.isUnreadable === true) return { sql: undefined, parameters: [], notes: template.notes };
  const result =
    dialect === 'clickhouse'
      ? onOneServer(template, settings.engineSources)
      : await convertTemplate(settings.converter, template, { dialect, ...settings.known });
  const qualified = (text: string): string =>
    qualifyTables(text, (table) => settings.relationOf(query, table));
  if (result.sql === undefined) return result;
  const parameters = result.parameters.map((each) => withTables(each, result.sql ?? '', qualified));
  return { ...result, sql: qualified(result.sql), parameters };
}

/** The tables of a cluster as the one server has them, unless other servers may be read. */
function onOneServer(template: Template, sources: EngineSources): QueryConversion {
  const isAllowed = sources === 'any' || sources.includes('remote');
  const found = isAllowed ? [] : clusterTables(template.sql);
  const sql = found.reduceRight(
    (text, { start, end, table }) => text.slice(0, start) + table + text.slice(end),
    template.sql,
  );
  const notes = found.map(({ start, end, function: name }): ConversionNote => ({
    severity: 'differs',
    code: 'function',
    start: template.sourceOffset(start),
    end: template.sourceOffset(end),
    message: `${name}() reads all servers of a cluster: here it is the table of one server, whose rows are all rows only if it has no other`,
    hint: 'With several servers, import again with --engine-sources remote, or read a Distributed table',
  }));
  const isLeft = ({ name }: ConvertedParameter): boolean =>
    found.length === 0 || new RegExp(`@${name}\\b`).test(sql);
  return {
    sql: template.restore(withoutEnd(sql)),
    parameters: template.parameters.filter(isLeft),
    notes: [...template.notes, ...notes],
  };
}

const FROM = 'SELECT 1 FROM ';

/** A choice of tables with their databases; names of the query's WITH clauses stay. */
function withTables(
  parameter: ConvertedParameter,
  sql: string,
  qualified: (sql: string) => string,
): ConvertedParameter {
  const { choices, name } = parameter;
  if (choices === undefined || !new RegExp(`\\b(from|join)\\s+@${name}\\b`, 'i').test(sql)) return parameter;
  const tables = Object.entries(choices).map(([key, table]) => {
    const isCommon = new RegExp(`\\b${table.replace(/\W/g, '.')}\\s+as\\s*\\(`, 'i').test(sql);
    return [key, isCommon ? table : qualified(FROM + table).slice(FROM.length)] as const;
  });
  return { ...parameter, choices: Object.fromEntries(tables) };
}

/** Without a semicolon and a FORMAT clause at the end; comments there can be those of an optional part. */
function withoutEnd(sql: string): string {
  const tokens = significantTokens(sql);
  const last = tokens.at(-1);
  const kept = last?.kind === ';' ? tokens.slice(0, -1) : tokens;
  const [format, kind] = kept.slice(-2);
  const isFormat =
    kind?.kind === 'word' && format !== undefined && /^format$/i.test(sql.slice(format.start, format.end));
  const cut = [...(isFormat ? [format, kind] : []), ...(last?.kind === ';' ? [last] : [])];
  return cut.reduceRight((text, { start, end }) => text.slice(0, start) + text.slice(end), sql).trim();
}
