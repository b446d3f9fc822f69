// Opens the analysis cache for a command, with the definitions of the tables and the way to an engine that has them.
import type { Command } from 'commander';
import type { Settings } from '../../../service/config/settings.ts';
import type { CommandDeps } from '../../kit/command.ts';
import { REAL_TIME } from '../../kit/real-time.ts';
import { readTables, withSchemaEngine } from '../../kit/schema-engine.ts';
import type { SchemaChoice } from '../../kit/schema-options.ts';
import type { Analyses } from './analyse.ts';
import { openAnalysisCache } from './cache.ts';
import { chooseCacheFolder } from './folder.ts';
import { analysisKey } from './keys.ts';
import { rememberStatements } from './remember.ts';

/** Adds the flags to a command. */
export function withCacheOptions(command: Command): Command {
  return command
    .option(
      '--cache <folder>',
      'folder that keeps what was found about files that do not change [MILLRACE_ANALYSIS_CACHE; default: ~/.cache/millrace/analysis]',
    )
    .option('--no-cache', 'analyse every file, and keep nothing');
}

interface OpenAnalysesOptions {
  readonly settings: Settings;
  readonly schema: SchemaChoice | undefined;
  /** The flag; false: no cache. */
  readonly cache: string | false | undefined;
}

/** Rejects with CommandError if the definitions of the tables cannot be read. */
export async function openAnalyses(
  { settings, schema, cache }: OpenAnalysesOptions,
  { env, openEngine, terminal }: Pick<CommandDeps, 'env' | 'openEngine' | 'terminal'>,
): Promise<Analyses> {
  const tables = schema === undefined ? undefined : await readTables(schema);
  const folder = await chooseCacheFolder(cache, env);
  if (folder.path === undefined && folder.reason !== undefined)
    terminal.note(`warning: the analysis cache is not used: ${folder.reason}`);
  const { tenancy, engineSources, piiHashKey } = settings;
  const context = { tenancy, engineSources, hasHashKey: piiHashKey !== undefined };
  const key = analysisKey({ ...context, database: schema?.database, tables });
  const kept = await openAnalysisCache(folder.path, key, REAL_TIME.epoch);
  if (kept.isInvalid) terminal.note('warning: the analysis cache is not used: its file is damaged');
  return {
    cache: kept,
    withEngine: (use) =>
      withSchemaEngine({ settings, schema, files: tables, openEngine }, (engine, _, loaded) =>
        use(rememberStatements(engine), loaded),
      ),
  };
}
