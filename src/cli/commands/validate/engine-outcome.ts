// Collects what the engine finds in endpoint files, or why it could not be asked.
import { declaredIn, rollupFindings } from '../../checks/engine/rollups.ts';
import { rollupRoutes } from '../../checks/engine/rollup-routes.ts';
import type { Finding } from '../../../sql/base/finding.ts';
import { EngineError } from '../../../service/engine/engine.ts';
import { analyseFiles, type Analyses } from '../analysis/analyse.ts';
import { CommandError } from '../../kit/command-error.ts';
import type { Terminal } from '../../kit/terminal.ts';
import type { ValidateOptions } from './options.ts';
import type { ListedFiles } from './own-findings.ts';

interface EngineOutcome {
  readonly findings: readonly Finding[];
  readonly routes: readonly string[];
  /** It says why the engine could not be asked at all, or about tables: the findings are printed all the same. */
  readonly failure: CommandError | undefined;
}

export const NOTHING: EngineOutcome = { findings: [], routes: [], failure: undefined };

export async function engineOutcome(
  opened: Analyses | CommandError,
  { sound, files, concerned }: Pick<ListedFiles, 'sound' | 'files' | 'concerned'>,
  options: ValidateOptions & { readonly terminal: Terminal },
): Promise<EngineOutcome> {
  const { withoutTables } = options;
  const declared = withoutTables === undefined ? declaredIn(files, concerned) : [];
  if (sound.length === 0 && declared.length === 0) return NOTHING;
  if (opened instanceof CommandError) return { ...NOTHING, failure: opened };
  const ofRollups = await rollupFindings(declared, opened.withEngine).catch(commandError);
  if (ofRollups instanceof CommandError) return { ...NOTHING, failure: ofRollups };
  const all = sound.length === 0 ? [] : await analyseFiles(opened, sound, options).catch(commandError);
  if (all instanceof CommandError) return { ...NOTHING, failure: all };
  if (withoutTables === undefined) {
    const routes = await routesOf(opened, { sound, files }, options);
    return { findings: [...all, ...ofRollups], routes, failure: undefined };
  }
  const findings = all.filter(({ code }) => code !== 'engine.unknown_table');
  return { findings, routes: [], failure: findings.length < all.length ? withoutTables : undefined };
}

function routesOf(
  { withEngine }: Analyses,
  { sound, files }: Pick<ListedFiles, 'sound' | 'files'>,
  { routes }: Pick<ValidateOptions, 'routes'>,
): Promise<readonly string[]> | readonly string[] {
  const declared = declaredIn(files, new Set(files.keys()));
  if (routes === undefined || declared.length === 0) return [];
  const endpoints = sound.flatMap(({ inspected }) => inspected?.candidate.endpoint ?? []);
  return withEngine((engine) => rollupRoutes(engine, { ...routes, endpoints, declared }));
}

export function commandError(cause: unknown): CommandError {
  if (cause instanceof CommandError) return cause;
  if (cause instanceof EngineError)
    return new CommandError(`The queries were not analysed: ${cause.message}`, { cause });
  throw cause;
}
