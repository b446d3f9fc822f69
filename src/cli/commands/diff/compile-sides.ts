// Compiles the endpoint files of two revisions as far as they differ.
import { createInspect } from '../../../service/endpoints/compile.ts';
import type { Settings } from '../../../service/config/settings.ts';
import { readContracts, type RevisionTenancy, type SourceFile } from '../../compare/contract.ts';
import type { FolderFile } from './folders.ts';
import type { FilesOfRevision } from './revision-files.ts';
import { withoutUnchanged } from './unchanged.ts';
import { haveSameTables, type Described } from './wanted.ts';

/** Replaces the hash key: whether the service has one is not a property of the file. */
const ANY_KEY = 'any';

export interface RevisionFiles extends FilesOfRevision {
  readonly tenancy: RevisionTenancy;
}

/** Compiles the contracts of both revisions: of all files if their tables or the tenancy of all differ, otherwise of those that differ. */
export function compileSides(
  base: RevisionFiles,
  head: RevisionFiles,
  { engineSources }: Settings,
): readonly [Described, Described] {
  const inspect = createInspect({ piiHashKey: ANY_KEY, engineSources });
  const haveSameTenancy = JSON.stringify(base.tenancy.setting) === JSON.stringify(head.tenancy.setting);
  const [before, after] =
    haveSameTables(base, head) && haveSameTenancy
      ? withoutUnchanged(base.files, head.files)
      : [base.files, head.files];
  const described = (side: RevisionFiles, files: readonly FolderFile[]): Described => ({
    ...side,
    contracts: readContracts(files.map(toSource), inspect, side.tenancy, side.files.map(toSource)),
  });
  return [described(base, before), described(head, after)];
}

function toSource({ path, content }: FolderFile): SourceFile {
  if ('text' in content) return { path, text: content.text };
  const finding = { file: path, line: 1, column: 1, severity: 'error', code: 'file.unreadable' } as const;
  return { path, text: { ...finding, message: content.unreadable } };
}
