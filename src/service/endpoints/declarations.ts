// Collects what the files of a folder declare beside endpoints: rollups and shared views.
import type { Finding } from '../../sql/base/finding.ts';
import { assembleCatalog, type Catalog } from './catalog.ts';
import type { LoadedFiles } from './load.ts';
import { collectRollups } from './rollups/collect-rollups.ts';
import type { RollupDeclaration } from './rollups/read-rollups.ts';
import { collectViews, type CollectedViews } from './shared-views/collect-views.ts';

export interface Declarations {
  /** The rollups that the files declare. */
  rollups(): readonly RollupDeclaration[];
  /** The shared views that the files declare, by the id of their endpoint. */
  views(): CollectedViews['byEndpoint'];
}

/** A file with errors keeps what it declared before. `update` returns the findings of all files together. */
export function createDeclarations(): Declarations & {
  readonly update: (files: LoadedFiles, catalog: Catalog) => readonly Finding[];
} {
  let rollups = collectRollups(new Map());
  let views = collectViews({ files: new Map(), catalog: assembleCatalog([]).catalog });
  return {
    rollups: () => rollups.all,
    views: () => views.byEndpoint,
    update: (files, catalog) => {
      rollups = collectRollups(files, rollups.byFile);
      views = collectViews({ files, catalog }, views.byFile);
      return [...rollups.findings, ...views.findings];
    },
  };
}
