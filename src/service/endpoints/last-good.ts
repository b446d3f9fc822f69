// Chooses the version of each file to serve: the newest that compiles without duplicate name or id, otherwise the last
// good one.
import type { Finding } from '../../sql/base/finding.ts';
import { assembleCatalog, type Candidate, type Catalog } from './catalog.ts';
import type { Endpoint } from './endpoint.ts';
import type { LoadedFiles } from './load.ts';

/** The served versions, by file path. */
export type InService = ReadonlyMap<string, Candidate>;

/** The endpoints to serve after a load. */
export interface Choice {
  readonly inService: InService;
  readonly catalog: Catalog;
  /** Findings of the newest versions whose name or id belongs to another file. */
  readonly doubles: readonly Finding[];
}

/** Deleted files are removed; invalid files keep their last good version. */
export function chooseVersions(files: LoadedFiles, before: InService): Choice {
  const chosen = new Map<string, Candidate>();
  for (const [path, file] of files) {
    const candidate = file.candidate ?? before.get(path);
    if (candidate !== undefined) chosen.set(path, candidate);
  }
  const held: Finding[] = [];
  // Terminates: each round reverts at least one more file, and the served versions have no duplicates.
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

/**
 * Unchanged files come first, so that no changed one can take their place: two of them never conflict. Then current
 * holders of a name, version and id.
 */
function holdersFirst(chosen: InService, before: InService): readonly Candidate[] {
  const rank = ([path, candidate]: readonly [string, Candidate]): number => {
    const previous = before.get(path);
    if (previous === candidate) return 0;
    return previous !== undefined && isSame(previous.endpoint, candidate.endpoint) ? 1 : 2;
  };
  return [...chosen].toSorted((a, b) => rank(a) - rank(b)).map(([, candidate]) => candidate);
}

function isSame(one: Endpoint, other: Endpoint): boolean {
  return one.name === other.name && one.version === other.version && one.id === other.id;
}

function never(): never {
  throw new Error('only files with a version in service can be reverted');
}
