// The source of a converted query, as endpoint files keep it, and its conversion by this release.
import { hash } from 'node:crypto';
import type { Converted } from '../../service/config/generated/endpoint.ts';
import type { ConversionNote, ForeignDialect } from '../../sql/dialects/conversion.ts';
import type { Converter } from '../convert/convert.ts';
import { convertTemplate } from '../convert/convert-template.ts';
import { readPlaceholders } from '../convert/placeholders/read-placeholders.ts';
import type { Declaration, TemplateTool } from '../convert/placeholders/template.ts';
import { printable } from '../convert/printable.ts';
import { qualifyTables } from '../convert/qualify-tables.ts';
import type { KnownTables } from '../kit/known-tables.ts';
import { liftLiterals } from './new/lift.ts';

/** The text that was converted, and how the command read it. */
export interface ConvertedSource {
  readonly dialect: ForeignDialect;
  readonly sql: string;
  /** Undefined: a file, whose literals become parameters. */
  readonly tool?: TemplateTool | undefined;
  readonly database?: string | undefined;
  readonly declarations?: readonly Declaration[] | undefined;
}

/** The key `converted` of a file with this query. */
export function convertedKey(
  { dialect, sql, tool, database, declarations = [] }: ConvertedSource,
  query: string,
): Converted {
  return {
    from: dialect,
    ...(tool === undefined ? {} : { tool }),
    ...(database === undefined ? {} : { database }),
    // As JSON has them: without members that are undefined.
    ...(declarations.length === 0
      ? {}
      : { declarations: JSON.parse(JSON.stringify(declarations)) as NonNullable<Converted['declarations']> }),
    hash: queryHash(query),
    sql: sql.replace(/\r\n?/g, '\n'),
  };
}

/** Equal for queries that differ only in white space at the ends of lines. */
export function queryHash(query: string): string {
  return hash('sha256', plainLines(query)).slice(0, 16);
}

/** Without white space at the ends of lines and of the query. */
export function plainLines(query: string): string {
  return query.replace(/[ \t]+$/gm, '').trim();
}

/** The query that this release writes for a source; undefined if it cannot be read. */
export async function convertAgain(
  { from: dialect, sql: source, tool, database, declarations }: Converted,
  { converter, known }: { readonly converter: Converter; readonly known: KnownTables | undefined },
): Promise<{ readonly query: string | undefined; readonly notes: readonly ConversionNote[] }> {
  const template = readPlaceholders(source, {
    dialect,
    ...(tool === undefined ? {} : { tool }),
    // Written by `convertedKey`; the readers of placeholders check what they use.
    ...(declarations === undefined
      ? {}
      : { declarations: declarations as unknown as readonly Declaration[] }),
  });
  if (template.isUnreadable === true) return { query: undefined, notes: template.notes };
  const { sql, parameters, notes } = await convertTemplate(converter, template, { dialect, ...known });
  if (sql === undefined) return { query: undefined, notes };
  if (tool === undefined) {
    const { query } = liftLiterals(sql, new Set(parameters.map(({ name }) => name)));
    return { query: plainLines(query), notes };
  }
  return { query: printable(database === undefined ? sql : qualifyTables(sql, () => ({ database }))), notes };
}
