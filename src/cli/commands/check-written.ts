// Checks endpoint files that a command writes as `millrace validate` does, before they are in their folder.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { assembleCatalog } from '../../service/endpoints/catalog.ts';
import { createInspect, type CompileFile, type InspectedFile } from '../../service/endpoints/compile.ts';
import { loadFiles } from '../../service/endpoints/load.ts';
import type { Finding } from '../../sql/base/finding.ts';
import type { EngineSources } from '../../sql/clickhouse/outside-sources.ts';
import { ANY_KEY } from '../kit/endpoint-files.ts';
import { LOADING } from '../kit/real-time.ts';
import { engineFindings, type Analysing } from './validate/engine-findings.ts';

/** A file as it was written, or is to be. */
export interface NewFile {
  readonly path: string;
  readonly text: string;
}

/** `engineSources`: what queries may reach outside of the tables, as for `millrace validate`: the text may be of a stranger. */
export interface Checking extends Omit<Analysing, 'analysed' | 'isPatient'> {
  readonly engineSources: EngineSources;
}

export interface CheckedFile {
  /** Undefined if it is not valid by itself. */
  readonly inspected: InspectedFile | undefined;
  /** With the path of the file as it was given. */
  readonly errors: readonly Finding[];
}

/**
 * The errors of files of one folder, by their paths; files may include one another, and `others`. Rejects with EngineError if
 * the engine is lost.
 */
export async function checkWritten(
  files: readonly NewFile[],
  analysing: Checking,
  others: readonly NewFile[] = [],
): Promise<ReadonlyMap<string, CheckedFile>> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-written-'));
  try {
    const paths = new Map(files.map(({ path }) => [join(folder, basename(path)), path]));
    for (const { path, text } of [...files, ...others]) await writeFile(join(folder, basename(path)), text);
    const inspect = createInspect({
      piiHashKey: ANY_KEY,
      engineSources: analysing.engineSources,
      tenancy: analysing.tenancy,
    });
    const inspected = new Map<string, InspectedFile>();
    const compile: CompileFile = (path, text, sources) => {
      const { inspected: file, ...rest } = inspect(path, text, sources);
      if (file !== undefined) inspected.set(path, file);
      return { candidate: file?.candidate, ...rest };
    };
    const loaded = await loadFiles([...paths.keys()], new Map(), { compile, ...LOADING });
    const candidates = [...loaded.files.values()].flatMap(({ candidate }) => candidate ?? []);
    const findings = [
      ...[...loaded.files.values()].flatMap(({ diagnostics }) => diagnostics),
      ...assembleCatalog(candidates).diagnostics,
      ...(inspected.size === 0
        ? []
        : (await engineFindings({ ...analysing, isPatient: true }, [...inspected.values()])).flat()),
    ];
    const errors = findings.filter(({ severity }) => severity === 'error');
    return new Map(
      [...paths].map(([path, shown]) => [
        shown,
        {
          inspected: inspected.get(path),
          errors: errors.filter(({ file }) => file === path).map((each) => ({ ...each, file: shown })),
        },
      ]),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
