// The findings of `millrace validate` about a file as it is in the editor, with the other files as they are there or on the disk.
import { assembleCatalog, type Candidate } from '../../../service/endpoints/catalog.ts';
import { catalogFindings } from '../../../service/endpoints/checks/catalog-checks.ts';
import { createCompile, createInspect, type InspectedFile } from '../../../service/endpoints/compile.ts';
import type { SourceFile } from '../../../service/endpoints/include/sources.ts';
import { listFiles, loadFiles, type LoadedFiles } from '../../../service/endpoints/load.ts';
import { fileFindings, type FileSettings } from '../../checks/file.ts';
import type { Finding } from '../../../sql/base/finding.ts';
import type { EngineSources } from '../../../sql/clickhouse/outside-sources.ts';
import { ANY_KEY } from '../../kit/endpoint-files.ts';
import { LOADING } from '../../kit/real-time.ts';
import { isIgnored } from '../validate/shown.ts';
import { type OpenTexts, compose } from './compose.ts';

/** A file with what was found without an engine. */
export interface Inspected {
  /** Undefined if the file has errors, or is a shared file. */
  readonly file: InspectedFile | undefined;
  readonly findings: readonly Finding[];
  /** The files that it includes. */
  readonly parts: readonly SourceFile[];
}

export interface Diagnose {
  readonly inspect: (path: string, open: OpenTexts) => Promise<Inspected>;
  /** Reads the other files of the folder again, which may have the same names. */
  readonly refresh: (folder: string) => Promise<void>;
}

interface DiagnoseOptions extends FileSettings {
  readonly engineSources: EngineSources;
}

export function createDiagnose(options: DiagnoseOptions): Diagnose {
  const inspect = createInspect({ ...options, piiHashKey: ANY_KEY });
  const compile = createCompile({ ...options, piiHashKey: ANY_KEY });
  let others: LoadedFiles = new Map();
  return {
    inspect: async (path, open) => {
      const { checkable: file, diagnostics, dependencies } = await compose(inspect, path, open);
      const candidates = [...others.values()].flatMap((each) =>
        each.file === path ? [] : (each.candidate ?? []),
      );
      const own =
        file === undefined ? [] : [...fileFindings(file, options), ...across(candidates, file.candidate)];
      const textOf = (name: string): string | undefined =>
        open.get(name) ?? dependencies.find((each) => each.path === name)?.text;
      const findings = [...diagnostics, ...own].filter((each) => !isIgnored(each, textOf));
      return { file, findings, parts: dependencies };
    },
    refresh: async (folder) => {
      const listed = await listFiles(folder).catch(() => []); // it may not exist yet
      others = (await loadFiles(listed, others, { compile, ...LOADING })).files;
    },
  };
}

/** Findings of a file that depend on the others of its folder. */
function across(others: readonly Candidate[], own: Candidate): readonly Finding[] {
  const all = [...others, own];
  const { catalog, diagnostics } = assembleCatalog(all);
  const findings = [...diagnostics, ...catalogFindings({ catalog, candidates: all })];
  return findings.filter(({ file }) => file === own.endpoint.file);
}
