// The rollups of a folder: a file with errors keeps those that it declared before, and each name belongs to one rollup.
import type { Finding } from '../../../sql/base/finding.ts';
import { locateFinding } from '../../config/locate-finding.ts';
import type { CheckEntry } from '../checks/check.ts';
import type { EndpointHead } from '../endpoint.ts';
import { isBroken, type LoadedFiles } from '../load.ts';
import { personalColumns } from './personal-columns.ts';
import type { RollupDeclaration } from './read-rollups.ts';
import { ROLLUP_CODES } from './rollup-codes.ts';

/** The key is the path of their file. */
export type RollupsByFile = ReadonlyMap<string, readonly RollupDeclaration[]>;

export interface CollectedRollups {
  readonly byFile: RollupsByFile;
  /** Their names differ; they are in the order of the files. */
  readonly all: readonly RollupDeclaration[];
  readonly findings: readonly Finding[];
}

/** Reading the files finds the others. */
export const ROLLUP_CHECK: CheckEntry<'catalog', Finding, { readonly files: LoadedFiles<EndpointHead> }> = {
  needs: 'catalog',
  codes: ROLLUP_CODES,
  check: ({ files }) => {
    const { all, findings } = collectRollups(files);
    const endpoints = [...files.values()].flatMap(({ candidate }) => candidate?.endpoint ?? []);
    return [...findings, ...personalColumns(all, endpoints)];
  },
};

/** `before` are those of the last good versions of the files. */
export function collectRollups(
  files: LoadedFiles<EndpointHead>,
  before: RollupsByFile = new Map(),
): CollectedRollups {
  const byFile = new Map<string, readonly RollupDeclaration[]>();
  const byName = new Map<string, RollupDeclaration>();
  const findings: Finding[] = [];
  for (const loaded of files.values()) {
    const { file, rollups } = loaded;
    const declared = isBroken(loaded) ? before.get(file) : rollups;
    if (declared === undefined || declared.length === 0) continue;
    byFile.set(file, declared);
    for (const each of declared) {
      const first = byName.get(each.rollup.name);
      if (first === undefined) byName.set(each.rollup.name, each);
      else findings.push(duplicate(each, first));
    }
  }
  return { byFile, all: [...byName.values()], findings };
}

function duplicate({ document, index, rollup }: RollupDeclaration, first: RollupDeclaration): Finding {
  return locateFinding(document, {
    code: 'rollup.duplicate_name',
    path: ['rollups', index, 'name'],
    message: `${first.document.file} already has a rollup named ${rollup.name}`,
    hint: 'Give one of them another name; until then, the first one is used',
  });
}
