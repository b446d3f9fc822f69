// Which version of each file serves: the newest that compiles and takes no name or id from another, else the one before.
import type { Diagnostic } from '../core/diagnostic.ts';
import { assembleCatalog, type Candidate, type Catalog } from './catalog.ts';
import type { LoadedFiles } from './load.ts';

/** What serves, by path of its file. */
export type InService = ReadonlyMap<string, Candidate>;

export interface Choice {
  readonly inService: InService;
  readonly catalog: Catalog;
  /** Of the newest versions that would take the name or the id of another file's. */
  readonly doubles: readonly Diagnostic[];
}

/** A file that is gone goes; whatever else is in a file, what served before it serves on. */
export function chooseVersions(files: LoadedFiles, before: InService): Choice {
  const chosen = new Map<string, Candidate>();
  for (const [path, file] of files) {
    const candidate = file.candidate ?? before.get(path);
    if (candidate !== undefined) chosen.set(path, candidate);
  }
  const held: Diagnostic[] = [];
  // Each round holds back one file more at least: what served before has no doubles.
  for (;;) {
    const { catalog, diagnostics } = assembleCatalog(holdersFirst(chosen, before));
    const doubled = new Set(diagnostics.map(({ file }) => file));
    const returning = [...doubled].filter((path) => isReplaceable(path, chosen, before));
    if (returning.length === 0) {
      for (const path of doubled) chosen.delete(path);
      return { inService: chosen, catalog, doubles: [...held, ...diagnostics] };
    }
    held.push(...diagnostics.filter(({ file }) => returning.includes(file)));
    for (const path of returning) chosen.set(path, before.get(path) ?? never());
  }
}

function isReplaceable(path: string, chosen: InService, before: InService): boolean {
  const previous = before.get(path);
  return previous !== undefined && previous !== chosen.get(path);
}

/** Who has a name and an id keeps them before anybody else may take them. */
function holdersFirst(chosen: InService, before: InService): readonly Candidate[] {
  const isHolder = ([path, { endpoint }]: readonly [string, Candidate]): boolean => {
    const previous = before.get(path)?.endpoint;
    return previous?.name === endpoint.name && previous.id === endpoint.id;
  };
  const [holders, others]: [Candidate[], Candidate[]] = [[], []];
  for (const entry of chosen) (isHolder(entry) ? holders : others).push(entry[1]);
  return [...holders, ...others];
}

function never(): never {
  throw new Error('only files with a version in service can be reverted');
}
