// `millrace validate`: reports every finding in endpoint files, with its location.
import { relative, sep } from 'node:path';
import { assembleCatalog } from '../../catalog/catalog.ts';
import { HASH_WITHOUT_KEY } from '../../catalog/checks/confinement.ts';
import { createInspect, type CompileFile, type InspectedFile } from '../../catalog/compile.ts';
import { isSharedFile } from '../../catalog/include/sources.ts';
import { loadFiles, type LoadedFiles } from '../../catalog/load.ts';
import { fileFindings, type FileSettings } from '../../checks/file.ts';
import { folderFindings, type FolderInput } from '../../checks/folder.ts';
import { compareDiagnostics, uniqueFindings, type Finding } from '../../core/finding.ts';
import { EngineError } from '../../engine/engine.ts';
import type { EngineSources } from '../../sql/outside-sources.ts';
import { analyseFiles, type Analyses } from '../analysis/analyse.ts';
import { CommandError } from '../command-error.ts';
import type { OpenTestRuntime } from '../dependencies.ts';
import { ANY_KEY, expandPaths } from '../endpoint-files.ts';
import { countErrors, type Findings, type PrintFindings } from '../findings/findings.ts';
import { createTextOf } from '../findings/source-text.ts';
import type { Terminal } from '../terminal.ts';
import type { ChangedFiles } from './changed-files.ts';
import { LOADING } from '../real-time.ts';

export interface ValidateOptions extends FileSettings, Pick<FolderInput, 'paths' | 'tokens' | 'endpoints'> {
  /** Chooses the files that a change concerns; undefined: all of them are checked. */
  readonly changed: ((listed: readonly string[]) => Promise<ChangedFiles>) | undefined;
  readonly print: PrintFindings;
  /** Treat warnings as errors. */
  readonly isStrict: boolean;
  /** Opens the cache of what the engine found; undefined: queries are not analysed by an engine. */
  readonly openAnalyses: (() => Promise<Analyses>) | undefined;
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
  const { print, isStrict, openAnalyses, withoutTables } = options;
  const listed = await expandPaths(options.paths);
  const chosen = (await options.changed?.(listed)) ?? { concerned: new Set(listed), paths: listed };
  const { concerned } = chosen;
  const inspect = createInspect({
    piiHashKey: ANY_KEY,
    tenancy: options.tenancy,
    engineSources: options.engineSources,
  });
  const inspected: InspectedFile[] = [];
  const compile: CompileFile = (path, text, sources) => {
    const { inspected: file, ...rest } = inspect(path, text, sources);
    if (file !== undefined && concerned.has(path)) inspected.push(file);
    return { candidate: file?.candidate, ...rest };
  };
  const { files, reported } = await loadWithParts(chosen, compile);
  const count = listed.filter((path) => !isSharedFile(path)).length;
  const isPart = options.changed !== undefined;
  const candidates = [...files.values()].flatMap((file) => file.candidate ?? []);
  const { catalog, diagnostics } = assembleCatalog(candidates);
  const own = [...files.values()].filter(({ file }) => reported.has(file));
  const found = [
    ...own.flatMap((file) => file.diagnostics),
    ...diagnostics,
    ...(await folderFindings({ ...options, catalog, candidates, files, inspected, isPart, count })),
    ...inspected.flatMap((file) => fileFindings(file, options)),
  ];
  let failure: CommandError | undefined;
  if (openAnalyses !== undefined && inspected.length > 0) {
    const ofEngine = await openAnalyses()
      .then((analyses) => analyseFiles(analyses, inspected, { ...options, terminal, loaded: files }))
      .catch(commandError);
    if (ofEngine instanceof CommandError) failure = ofEngine;
    else {
      const known = ofEngine.filter(
        ({ code }) => withoutTables === undefined || code !== 'engine.unknown_table',
      );
      if (known.length < ofEngine.length) failure = withoutTables;
      found.push(...known);
    }
  }
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

/** Loads the files, and what the concerned ones include, whose findings are reported where it is. */
async function loadWithParts(
  { concerned, paths }: ChangedFiles,
  compile: CompileFile,
): Promise<{ readonly files: LoadedFiles; readonly reported: ReadonlySet<string> }> {
  const { files } = await loadFiles(paths, new Map(), { compile, ...LOADING });
  const parts = [...concerned].flatMap((path) => files.get(path)?.dependencies ?? []);
  const read = parts.filter(({ text }) => text !== undefined).map(({ path }) => path);
  const all = [...new Set([...files.keys(), ...read])];
  const reported = new Set([...concerned, ...read]);
  if (all.length === files.size) return { files, reported };
  return { files: (await loadFiles(all, files, { compile, ...LOADING })).files, reported };
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
