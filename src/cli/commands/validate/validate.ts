// `millrace validate`: reports every finding in endpoint files, with its location.
import { assembleCatalog } from '../../../service/endpoints/catalog.ts';
import { HASH_WITHOUT_KEY } from '../../../service/endpoints/checks/confinement.ts';
import { dependsOnTime } from '../../../service/endpoints/checks/defaults.ts';
import { declaresEndpoint } from '../../../service/endpoints/file-kinds.ts';
import { declaredIn, rollupFindings } from '../../checks/engine/rollups.ts';
import { fileFindings, type FileSettings } from '../../checks/file.ts';
import { folderFindings, type FolderInput } from '../../checks/folder.ts';
import type { Finding } from '../../../sql/base/finding.ts';
import { EngineError } from '../../../service/engine/engine.ts';
import type { EngineSources } from '../../../sql/clickhouse/outside-sources.ts';
import { analyseFiles, type Analyses } from '../analysis/analyse.ts';
import type { AnalysisCache } from '../analysis/cache.ts';
import { keepCompiled, type SoundFile } from '../analysis/sound-files.ts';
import { CommandError } from '../../kit/command-error.ts';
import type { OpenTestRuntime } from '../../kit/dependencies.ts';
import { expandPaths } from '../../kit/endpoint-files.ts';
import { countErrors, type PrintFindings } from '../../findings/findings.ts';
import { createTextOf } from '../../findings/source-text.ts';
import type { Terminal } from '../../kit/terminal.ts';
import type { ChangedFiles } from './changed-files.ts';
import { readFiles, type ReadFiles } from './read-files.ts';
import { shownFindings } from './shown.ts';

export interface ValidateOptions extends FileSettings, Pick<FolderInput, 'paths' | 'tokens' | 'endpoints'> {
  /** Chooses the files that a change concerns; undefined: all of them are checked. */
  readonly changed: ((listed: readonly string[]) => Promise<ChangedFiles>) | undefined;
  readonly print: PrintFindings;
  /** Treat warnings as errors. */
  readonly isStrict: boolean;
  /** Opens the analysis cache, and an engine for what is not in it. */
  readonly openAnalyses: () => Promise<Analyses>;
  /** True if an engine analyses queries. */
  readonly asksEngine: boolean;
  readonly openTestRuntime: OpenTestRuntime;
  readonly engineSources: EngineSources;
  /** The error for queries that read tables, if none are known. */
  readonly withoutTables: CommandError | undefined;
}

/**
 * Prints findings and resolves to the exit code: 0 if no file has an error, otherwise 1. Rejects with CommandError if
 * the engine could not be asked, after printing the other findings.
 */
export async function validate(options: ValidateOptions, terminal: Terminal): Promise<0 | 1> {
  const { print, isStrict } = options;
  const listed = await expandPaths(options.paths);
  const chosen = (await options.changed?.(listed)) ?? { concerned: new Set(listed), paths: listed };
  const opened = await options.openAnalyses().catch(commandError);
  const cache = opened instanceof CommandError ? undefined : opened.cache;
  const read = await readFiles(chosen, options, cache);
  const found = [
    ...(await ofFolder(options, { ...read, listed, concerned: chosen.concerned })),
    ...ownFindings(read.sound, cache, options),
  ];
  const { findings: ofEngine, failure } = options.asksEngine
    ? await engineOutcome(opened, { ...read, ...chosen }, { ...options, terminal })
    : NOTHING;
  await keepCompiled(read.files, chosen.concerned, cache);
  const textOf = createTextOf();
  const findings = shownFindings([...found, ...ofEngine], textOf, read.files);
  const files = [...read.files.keys()].filter((path) => chosen.concerned.has(path)).length;
  await print({ findings, files, textOf }, terminal);
  if (failure !== undefined) throw failure;
  // CI rarely has the key: it is a matter of the service's configuration, not of the files.
  const counted = isStrict ? findings.filter(({ code }) => code !== HASH_WITHOUT_KEY).length : 0;
  return countErrors(findings) > 0 || counted > 0 ? 1 : 0;
}

interface ListedFiles extends ReadFiles {
  readonly listed: readonly string[];
  readonly concerned: ReadonlySet<string>;
}

/** Reports what reading the files finds, and what they show together. */
async function ofFolder(
  options: ValidateOptions,
  { files, reported, sound, listed, concerned }: ListedFiles,
): Promise<readonly Finding[]> {
  const candidates = [...files.values()].flatMap((file) => file.candidate ?? []);
  const { catalog, diagnostics } = assembleCatalog(candidates);
  const together = await folderFindings({
    ...options,
    catalog,
    candidates,
    files,
    concerned,
    sound: sound.flatMap(({ loaded }) => loaded.candidate?.endpoint ?? []),
    isPart: options.changed !== undefined,
    count: listed.filter(declaresEndpoint).length,
  });
  const own = [...files.values()].filter(({ file }) => reported.has(file));
  return [...own.flatMap((file) => file.diagnostics), ...diagnostics, ...together];
}

/** Returns what needs neither other files nor an engine, as it is known or found now. */
function ownFindings(
  files: readonly SoundFile[],
  cache: AnalysisCache | undefined,
  options: ValidateOptions,
): readonly Finding[] {
  return files.flatMap(({ loaded, inspected }) => {
    if (inspected === undefined) return cache?.find(loaded)?.own ?? [];
    const found = fileFindings(inspected, options);
    const own = dependsOnTime(inspected.analysis.file) ? undefined : found;
    cache?.keep(loaded, { candidate: inspected.candidate, own });
    return found;
  });
}

interface EngineOutcome {
  readonly findings: readonly Finding[];
  /** The reason why the engine could not be asked, or not about tables: the findings are printed all the same. */
  readonly failure: CommandError | undefined;
}

const NOTHING: EngineOutcome = { findings: [], failure: undefined };

async function engineOutcome(
  opened: Analyses | CommandError,
  { sound, files, concerned }: Pick<ListedFiles, 'sound' | 'files' | 'concerned'>,
  options: ValidateOptions & { readonly terminal: Terminal },
): Promise<EngineOutcome> {
  const { withoutTables } = options;
  const declared = withoutTables === undefined ? declaredIn(files, concerned) : [];
  if (sound.length === 0 && declared.length === 0) return NOTHING;
  if (opened instanceof CommandError) return { findings: [], failure: opened };
  const ofRollups = await rollupFindings(declared, opened.withEngine).catch(commandError);
  if (ofRollups instanceof CommandError) return { findings: [], failure: ofRollups };
  const all = sound.length === 0 ? [] : await analyseFiles(opened, sound, options).catch(commandError);
  if (all instanceof CommandError) return { findings: [], failure: all };
  if (withoutTables === undefined) return { findings: [...all, ...ofRollups], failure: undefined };
  const findings = all.filter(({ code }) => code !== 'engine.unknown_table');
  return { findings, failure: findings.length < all.length ? withoutTables : undefined };
}

function commandError(cause: unknown): CommandError {
  if (cause instanceof CommandError) return cause;
  if (cause instanceof EngineError)
    return new CommandError(`The queries were not analysed: ${cause.message}`, { cause });
  throw cause;
}
