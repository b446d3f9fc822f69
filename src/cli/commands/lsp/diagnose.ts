// The findings of `millrace validate` about a file as it is in the editor, with the other files as they are there or on the disk.
import { basename, dirname, join } from 'node:path';
import { assembleCatalog, type Candidate } from '../../../service/endpoints/catalog.ts';
import {
  createCompile,
  createInspect,
  type InspectedFile,
  type InspectFile,
} from '../../../service/endpoints/compile.ts';
import type { SourceFile } from '../../../service/endpoints/include/sources.ts';
import { listFiles, loadFiles, type LoadedFiles } from '../../../service/endpoints/load.ts';
import type { TenancySetting } from '../../../service/endpoints/tenancy.ts';
import { toolNameFindings } from '../../../service/endpoints/tool-names.ts';
import { versionFindings } from '../../../service/endpoints/versions.ts';
import { leadsOutside, OUTSIDE } from '../../../service/config/leads-outside.ts';
import { readText } from '../../../service/config/read-text.ts';
import { MAX_DOCUMENT_BYTES } from '../../../service/config/yaml-document.ts';
import type { Finding } from '../../../sql/base/finding.ts';
import type { EngineSources } from '../../../sql/clickhouse/outside-sources.ts';
import { ANY_KEY } from '../../kit/endpoint-files.ts';
import { LOADING } from '../../kit/real-time.ts';
import { isIgnored, staticFindingsOf } from '../validate/validate.ts';

/** Texts of the files that are open in the editor, by path. */
export type OpenTexts = ReadonlyMap<string, string>;

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

interface DiagnoseOptions {
  readonly tenancy: TenancySetting;
  readonly engineSources: EngineSources;
  readonly hasHashKey: boolean;
}

export function createDiagnose(options: DiagnoseOptions): Diagnose {
  const inspect = createInspect({ ...options, piiHashKey: ANY_KEY });
  const compile = createCompile({ ...options, piiHashKey: ANY_KEY });
  let others: LoadedFiles = new Map();
  return {
    inspect: async (path, open) => {
      const { inspected: file, diagnostics, dependencies } = await compose(inspect, path, open);
      const candidates = [...others.values()].flatMap((each) =>
        each.file === path ? [] : (each.candidate ?? []),
      );
      const own =
        file === undefined ? [] : [...staticFindingsOf(file, options), ...across(candidates, file.candidate)];
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

/** Compiles the text, and again with each file that it turns out to include. */
async function compose(
  inspect: InspectFile,
  path: string,
  open: OpenTexts,
): Promise<ReturnType<InspectFile>> {
  const known = new Map<string, SourceFile>();
  for (;;) {
    const result = inspect(path, open.get(path) ?? '', (name) => known.get(name));
    if (result.unread.length === 0) return result;
    for (const name of result.unread)
      known.set(name, await readPart(join(dirname(path), basename(name)), name, open));
  }
}

async function readPart(path: string, name: string, open: OpenTexts): Promise<SourceFile> {
  const text = open.get(path);
  if (text !== undefined) return { name, path, text };
  if (leadsOutside(path)) return { name, path, text: undefined, problem: OUTSIDE };
  return readText(path, MAX_DOCUMENT_BYTES).then(
    (read) => ({ name, path, text: read }),
    (cause: NodeJS.ErrnoException) => ({
      name,
      path,
      text: undefined,
      problem: cause.code === 'ENOENT' ? undefined : cause.message,
    }),
  );
}

/** Findings of a file that depend on the others of its folder. */
function across(others: readonly Candidate[], own: Candidate): readonly Finding[] {
  const all = [...others, own];
  const { catalog, diagnostics } = assembleCatalog(all);
  const findings = [...diagnostics, ...toolNameFindings(all), ...versionFindings(catalog, all)];
  return findings.filter(({ file }) => file === own.endpoint.file);
}
