// Describes the columns of two revisions: from the analysis cache of their states of the tables and of the setting, or from an engine.
import type { Settings } from '../../../service/config/settings.ts';
import type { SchemaChoice } from '../../kit/schema-options.ts';
import type { AnalysisCache } from '../analysis/cache.ts';
import { analysisKey } from '../analysis/keys.ts';
import { openCache } from '../analysis/open.ts';
import { reportColumns, type ColumnDeps, type ReportedColumns } from './columns.ts';
import type { RevisionFiles } from './compile-sides.ts';
import type { Described } from './wanted.ts';
import type { Terminal } from '../../kit/terminal.ts';
import type { OpenEngine } from '../../kit/dependencies.ts';

export interface RevisionOptions {
  /** It is a revision, or a range of two. */
  readonly base: string;
  /** If it is undefined, the head is the other side of the range, or the work tree. */
  readonly head: string | undefined;
  readonly settings: Settings;
  /** It defines the tables; if it is undefined, columns are not compared. */
  readonly schema: SchemaChoice | undefined;
  /** It is the folder of the analysis cache, as the flag has it. */
  readonly cache: string | false | undefined;
}

export interface RevisionDeps {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly terminal: Terminal;
  readonly openEngine: OpenEngine;
}

/** Opens the analysis cache of these two states of the tables and of the setting. */
export function comparisonCache(
  sides: readonly RevisionFiles[],
  { settings: { engineSources }, schema, cache }: RevisionOptions,
  deps: RevisionDeps,
): Promise<AnalysisCache> {
  const key = analysisKey({
    tenancies: sides.map(({ tenancy }) => tenancy.setting),
    engineSources,
    database: schema?.database,
    variables: [...(schema?.variables ?? [])],
    tables: sides.map(({ tables }) => tables),
  });
  return openCache(key, schema === undefined ? false : cache, deps);
}

export async function columnsOf(
  [before, after]: readonly [Described, Described],
  { settings, schema }: RevisionOptions,
  { terminal, ...deps }: RevisionDeps & Pick<ColumnDeps, 'cache' | 'needed'>,
): Promise<ReportedColumns> {
  if (schema === undefined) return { notes: ['Columns are not compared (--no-engine)'], comparisons: [] };
  terminal.progress('Describing columns');
  const reported = await reportColumns(before, after, { ...deps, settings, schema, terminal });
  terminal.progress('');
  return reported;
}
