// Opens the analysis cache for a command, with the definitions of the tables and the way to an engine that has them.
import { readFileSettings } from '../../checks/file.ts';
import type { Command } from 'commander';
import type { Settings } from '../../../service/config/settings.ts';
import type { CommandDeps } from '../../kit/command.ts';
import { REAL_TIME } from '../../kit/real-time.ts';
import { readTables, withSchemaEngine } from '../../kit/schema-engine.ts';
import type { SchemaChoice } from '../../kit/schema-options.ts';
import type { Analyses } from './analyse.ts';
import { openAnalysisCache, type AnalysisCache } from './cache.ts';
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

/** Opens the cache in the folder that the flag or the environment names, with a warning if it cannot be used. */
export async function openCache(
  key: string,
  flag: string | false | undefined,
  { env, terminal }: Pick<CommandDeps, 'env' | 'terminal'>,
): Promise<AnalysisCache> {
  const folder = await chooseCacheFolder(flag, env);
  if (folder.path === undefined && folder.reason !== undefined)
    terminal.note(`warning: the analysis cache is not used: ${folder.reason}`);
  const cache = await openAnalysisCache(folder.path, key, REAL_TIME.epoch);
  if (cache.isInvalid) terminal.note('warning: the analysis cache is not used: its file is damaged');
  return cache;
}

/** Rejects with CommandError if the definitions of the tables cannot be read. */
export async function openAnalyses(
  { settings, schema, cache }: OpenAnalysesOptions,
  { env, openEngine, terminal }: Pick<CommandDeps, 'env' | 'openEngine' | 'terminal'>,
): Promise<Analyses> {
  const tables = schema === undefined ? undefined : await readTables(schema);
  const { engineSources } = settings;
  const context = { ...(await readFileSettings(settings)), engineSources };
  const key = analysisKey({ ...context, database: schema?.database, tables });
  return {
    cache: await openCache(key, cache, { env, terminal }),
    withEngine: (use) =>
      withSchemaEngine({ settings, schema, files: tables, openEngine }, (engine, _, loaded) =>
        use(rememberStatements(engine), loaded),
      ),
  };
}
