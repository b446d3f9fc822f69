// `millrace validate`: reports every finding in endpoint files, with its location.
import { relative, resolve, sep } from 'node:path';
import { assembleCatalog } from '../../../service/endpoints/catalog.ts';
import {
  createInspect,
  toDiagnostics,
  type CompileFile,
  type InspectedFile,
} from '../../../service/endpoints/compile.ts';
import type { EndpointHead } from '../../../service/endpoints/endpoint.ts';
import { findIgnored } from '../../../service/endpoints/ignored-files.ts';
import { lint } from '../../../service/endpoints/lint.ts';
import { isSharedFile } from '../../../service/endpoints/include/sources.ts';
import { findUnusedShared } from '../../../service/endpoints/include/unused.ts';
import { listFiles, loadFiles, type LoadDeps, type LoadedFiles } from '../../../service/endpoints/load.ts';
import { HASH_WITHOUT_KEY, warnOfHashKey } from '../../../service/endpoints/rules.ts';
import { dependsOnTime } from '../../../service/endpoints/default-rules.ts';
import { findDeadKeys } from '../../../service/endpoints/dead-keys.ts';
import { findUnlockedKeys } from '../../../service/endpoints/tenancy-keys.ts';
import { leadsOutside, outsideFinding } from '../../../service/config/leads-outside.ts';
import { createReadTokens } from '../../../service/auth/tokens-file.ts';
import { tenancyFindings, type TenancySetting } from '../../../service/endpoints/tenancy.ts';
import { toolNameFindings } from '../../../service/endpoints/tool-names.ts';
import { versionFindings } from '../../../service/endpoints/versions.ts';
import { reasonFindings } from '../../compare/reasons.ts';
import { compareDiagnostics, uniqueFindings, type Finding } from '../../../sql/base/finding.ts';
import { EngineError } from '../../../service/engine/engine.ts';
import type { EngineSources } from '../../../sql/clickhouse/outside-sources.ts';
import { analyseFiles, type Analyses } from '../analysis/analyse.ts';
import type { AnalysisCache } from '../analysis/cache.ts';
import { keepCompiled, soundFiles, type SoundFile } from '../analysis/sound-files.ts';
import { CommandError } from '../../kit/command-error.ts';
import type { OpenTestRuntime } from '../../kit/dependencies.ts';
import { ANY_KEY, expandPaths } from '../../kit/endpoint-files.ts';
import { countErrors, type Findings, type PrintFindings } from '../../findings/findings.ts';
import { createTextOf } from '../../findings/source-text.ts';
import type { Terminal } from '../../kit/terminal.ts';
import type { ChangedFiles } from './changed-files.ts';
import { LOADING } from '../../kit/real-time.ts';

export interface ValidateOptions {
  /** Files and folders. */
  readonly paths: readonly string[];
  /** Chooses the files that a change concerns; undefined: all of them are checked. */
  readonly changed: ((listed: readonly string[]) => Promise<ChangedFiles>) | undefined;
  readonly print: PrintFindings;
  /** Treat warnings as errors. */
  readonly isStrict: boolean;
  /** Opens the analysis cache; undefined: queries are not analysed by an engine. */
  readonly openAnalyses: (() => Promise<Analyses>) | undefined;
  readonly openTestRuntime: OpenTestRuntime;
  readonly tenancy: TenancySetting;
  readonly engineSources: EngineSources;
  /** The tokens file, if one is set. */
  readonly tokens: string | undefined;
  /** The folder of endpoint files that a service would serve. */
  readonly endpoints: string;
  /** The error for queries that read tables, if none are known. */
  readonly withoutTables: CommandError | undefined;
  /** Whether the service's key to hash columns is configured here. */
  readonly hasHashKey: boolean;
}

/**
 * Prints findings and resolves to the exit code: 0 if no file has an error, otherwise 1. Rejects with CommandError if
 * the engine could not be asked, after printing the other findings.
 */
export async function validate(options: ValidateOptions, terminal: Terminal): Promise<0 | 1> {
  const { print, isStrict, openAnalyses, withoutTables } = options;
  const listed = await expandPaths(options.paths);
  const chosen = (await options.changed?.(listed)) ?? { concerned: new Set(listed), paths: listed };
  const { concerned } = chosen;
  const inspect = createInspect({
    piiHashKey: ANY_KEY,
    tenancy: options.tenancy,
    engineSources: options.engineSources,
  });
  const inspected = new Map<string, InspectedFile>();
  const compile: CompileFile = (path, text, sources) => {
    const { inspected: file, ...rest } = inspect(path, text, sources);
    if (file !== undefined) inspected.set(path, file);
    return { candidate: file?.candidate, ...rest };
  };
  const opened = await openAnalyses?.().catch(commandError);
  const analyses = opened instanceof CommandError ? undefined : opened;
  const { files, reported } = await loadWithParts(chosen, { compile, recall: analyses?.cache.recall });
  const sound = soundFiles(files, concerned, inspected);
  const ignored = options.changed === undefined ? await ignoredIn(options.paths) : [];
  const endpoints = listed.filter((path) => !isSharedFile(path)).length;
  const ofKeys = await keyFindings(options, sound, endpoints);
  const found = [
    ...ignored,
    ...ofKeys,
    ...staticFindings(files, reported),
    ...(await unusedIn(options.paths, files)).filter(({ file }) => concerned.has(file)),
    ...ownFindings(sound, analyses?.cache, options),
  ];
  let failure: CommandError | undefined;
  if (opened !== undefined && sound.length > 0) {
    const ofEngine =
      opened instanceof CommandError
        ? opened
        : await analyseFiles(opened, sound, { ...options, terminal }).catch(commandError);
    if (ofEngine instanceof CommandError) failure = ofEngine;
    else {
      const known = ofEngine.filter(
        ({ code }) => withoutTables === undefined || code !== 'engine.unknown_table',
      );
      if (known.length < ofEngine.length) failure = withoutTables;
      found.push(...known);
    }
  }
  await keepCompiled(files, concerned, analyses?.cache);
  const textOf = createTextOf();
  const findings = withoutFollowers(uniqueFindings(found))
    .map(withRelativePath)
    .filter((finding) => !isIgnored(finding, textOf))
    .toSorted(compareDiagnostics);
  const checked = [...files.keys()].filter((path) => concerned.has(path));
  await print({ findings, files: checked.length, textOf }, terminal);
  if (failure !== undefined) throw failure;
  // CI rarely has the key: it is a matter of the service's configuration, not of the files.
  const counted = isStrict ? findings.filter(({ code }) => code !== HASH_WITHOUT_KEY).length : 0;
  return countErrors(findings) > 0 || counted > 0 ? 1 : 0;
}

/** Findings about the tokens file, if it exists; about keys without effect only if all endpoints are known. */
async function keyFindings(
  { tokens: path, paths, endpoints: folder }: ValidateOptions,
  sound: readonly SoundFile[],
  count: number,
): Promise<readonly Finding[]> {
  if (path === undefined) return [];
  if (leadsOutside(path)) return [outsideFinding(path)];
  const read = await createReadTokens()(path);
  if (read.kind !== 'read') return read.kind === 'rejected' ? read.diagnostics : [];
  const endpoints = sound.flatMap(({ loaded }) => loaded.candidate?.endpoint ?? []);
  const isWhole = paths.some((each) => resolve(each) === resolve(folder)) && endpoints.length === count;
  const dead = isWhole ? findDeadKeys(read.tokens, endpoints) : [];
  return toDiagnostics(read.document, [...findUnlockedKeys(read.tokens, endpoints), ...dead]);
}

/** Warnings about shared files in the folders among the paths; files named alone may not be all that include one. */
async function unusedIn(
  paths: readonly string[],
  files: LoadedFiles<EndpointHead>,
): Promise<readonly Finding[]> {
  const folders = await Promise.all(paths.map((path) => listFiles(path).catch(() => []))); // a file is no folder
  const whole = new Set(folders.flat());
  return findUnusedShared(files).filter(({ file }) => whole.has(file));
}

/** Warnings about files in the folders among the paths. */
async function ignoredIn(paths: readonly string[]): Promise<readonly Finding[]> {
  const found = await Promise.all(paths.map((path) => findIgnored(path).catch(() => []))); // a file is no folder
  return found.flat();
}

/** Loads the files, and what the concerned ones include, whose findings are reported where it is. */
async function loadWithParts(
  { concerned, paths }: ChangedFiles,
  by: Pick<LoadDeps<EndpointHead>, 'compile' | 'recall'>,
): Promise<{ readonly files: LoadedFiles<EndpointHead>; readonly reported: ReadonlySet<string> }> {
  const { files } = await loadFiles(paths, new Map(), { ...by, ...LOADING });
  const parts = [...concerned].flatMap((path) => files.get(path)?.dependencies ?? []);
  const read = parts.filter(({ text }) => text !== undefined).map(({ path }) => path);
  const all = [...new Set([...files.keys(), ...read])];
  const reported = new Set([...concerned, ...read]);
  if (all.length === files.size) return { files, reported };
  return { files: (await loadFiles(all, files, { ...by, ...LOADING })).files, reported };
}

function staticFindings(files: LoadedFiles<EndpointHead>, reported: ReadonlySet<string>): readonly Finding[] {
  const candidates = [...files.values()].flatMap((file) => file.candidate ?? []);
  const own = [...files.values()]
    .filter(({ file }) => reported.has(file))
    .flatMap((file) => file.diagnostics);
  const { catalog, diagnostics } = assembleCatalog(candidates);
  return [...own, ...diagnostics, ...toolNameFindings(candidates), ...versionFindings(catalog, candidates)];
}

/** What needs neither other files nor an engine, as it is known or found now. */
function ownFindings(
  files: readonly SoundFile[],
  cache: AnalysisCache | undefined,
  options: ValidateOptions,
): readonly Finding[] {
  return files.flatMap(({ loaded, inspected }) => {
    if (inspected === undefined) return cache?.find(loaded)?.own ?? [];
    const found = staticFindingsOf(inspected, options);
    const own = dependsOnTime(inspected.analysis.file) ? undefined : found;
    cache?.keep(loaded, { candidate: inspected.candidate, own });
    return found;
  });
}

/** What needs neither other files nor an engine, besides the findings of the rules. */
export function staticFindingsOf(
  { document, analysis }: InspectedFile,
  { tenancy, hasHashKey }: Pick<ValidateOptions, 'tenancy' | 'hasHashKey'>,
): readonly Finding[] {
  const ofKey = hasHashKey ? [] : warnOfHashKey(analysis);
  return toDiagnostics(document, [
    ...lint(analysis),
    ...ofKey,
    ...tenancyFindings(analysis.file, tenancy),
    ...reasonFindings(analysis.file),
  ]);
}

/** Without what follows from the name of a table that does not exist: such as that the one which was meant is not read. */
function withoutFollowers(findings: readonly Finding[]): readonly Finding[] {
  const unknown = findings.filter(({ code }) => code === 'engine.unknown_table');
  const places = new Set(unknown.map(placeOf));
  const files = new Set(unknown.map(({ file }) => file));
  return findings.filter(
    (each) =>
      !(each.code === 'lint.unqualified_table' && places.has(placeOf(each))) &&
      !(each.code === 'lint.unused_table' && files.has(each.file)),
  );
}

function placeOf({ file, line, column }: Finding): string {
  return `${file}:${line}:${column}`;
}

/** The reason why the engine could not be asked: the other findings are printed all the same. */
function commandError(cause: unknown): CommandError {
  if (cause instanceof CommandError) return cause;
  if (cause instanceof EngineError)
    return new CommandError(`The queries were not analysed: ${cause.message}`, { cause });
  throw cause;
}

function withRelativePath(finding: Finding): Finding {
  const path = relative(process.cwd(), finding.file) || finding.file;
  return { ...finding, file: path.split(sep).join('/') };
}

/** A comment `# millrace-ignore: code` at the end of the line, or on the line above, suppresses a warning. */
export function isIgnored({ severity, code, line, file }: Finding, textOf: Findings['textOf']): boolean {
  if (severity !== 'warning') return false;
  const lines = textOf(file)?.split(/\r\n|\r|\n/) ?? [];
  return [lines[line - 2], lines[line - 1]].some((text) =>
    new RegExp(String.raw`(#|--) *millrace-ignore: *${code.replace('.', String.raw`\.`)}(?![\w.])`).test(
      text ?? '',
    ),
  );
}
