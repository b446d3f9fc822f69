// Rereads the endpoint files under test: reports their findings, and which files have changed since the last time.
import { relative } from 'node:path';
import { assembleCatalog } from '../../../service/endpoints/catalog.ts';
import { createInspect, type InspectedFile } from '../../../service/endpoints/compile.ts';
import { loadFiles, type LoadedFiles } from '../../../service/endpoints/load.ts';
import { collectRollups } from '../../../service/endpoints/rollups/collect-rollups.ts';
import type { RollupDeclaration } from '../../../service/endpoints/rollups/read-rollups.ts';
import type { EngineSources } from '../../../sql/clickhouse/outside-sources.ts';
import { compareDiagnostics, uniqueFindings, type Finding } from '../../../sql/base/finding.ts';
import { listEndpointFiles } from '../../kit/endpoint-files.ts';
import type { CompileFile } from '../../../service/endpoints/compile.ts';
import { LOADING } from '../../kit/real-time.ts';

export interface FilesReading {
  /** Files without errors, sorted by name. */
  readonly files: readonly InspectedFile[];
  readonly findings: readonly Finding[];
  /** The files of the folder declare these. */
  readonly rollups: readonly RollupDeclaration[];
  /** Paths of files that are new or have changed since the last time. */
  readonly changed: ReadonlySet<string>;
}

/** Constant, so that hashed columns are the same on every machine. */
const HASH_KEY = 'a key for tests alone';

/** Creates the function that reads the folder; it rejects with CommandError if it cannot. */
export function createReadFiles(folder: string, engineSources: EngineSources): () => Promise<FilesReading> {
  const inspect = createInspect({ piiHashKey: HASH_KEY, engineSources });
  const inspected = new Map<string, InspectedFile | undefined>();
  let known: LoadedFiles = new Map();
  return async () => {
    const changed = new Set<string>();
    const paths = await listEndpointFiles(folder);
    const compile: CompileFile = (path, text, sources) => {
      const { inspected: file, ...rest } = inspect(path, text, sources);
      inspected.set(path, file);
      changed.add(path);
      return { candidate: file?.candidate, ...rest };
    };
    const { files } = await loadFiles(paths, known, { compile, ...LOADING });
    known = files;
    const present = paths.flatMap((path) => (files.has(path) ? (inspected.get(path) ?? []) : []));
    const { all: rollups } = collectRollups(files);
    return { files: present, findings: findingsOf(files), rollups, changed };
  };
}

function findingsOf(files: LoadedFiles): readonly Finding[] {
  const candidates = [...files.values()].flatMap(({ candidate }) => candidate ?? []);
  const own = [...files.values()].flatMap(({ diagnostics }) => diagnostics);
  return uniqueFindings([...own, ...assembleCatalog(candidates).diagnostics]).toSorted(compareDiagnostics);
}

/** For display: relative to the working directory, with forward slashes. */
export function shortPath(path: string): string {
  return (relative(process.cwd(), path) || path).replaceAll('\\', '/');
}
