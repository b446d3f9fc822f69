// The setting tenancy of a revision: from its settings file, unless a flag or variable sets it for both revisions.
import { createValueCheck } from '../../../service/config/schema.ts';
import type { SettingsFile } from '../../../service/config/generated/settings.ts';
import type { Settings } from '../../../service/config/settings.ts';
import { MAX_DOCUMENT_BYTES, parseYaml } from '../../../service/config/yaml-document.ts';
import type { RevisionTenancy } from '../../compare/contract.ts';
import { fromTop, readFolder } from './folders.ts';
import type { Repository } from './git.ts';
import type { Revision } from './revisions.ts';

const FILE = 'millrace.yaml';

/** A file that is missing or invalid has no setting, so that the change is reported. */
export async function readTenancy(
  repository: Repository,
  revision: Revision,
  { tenancy, shown }: Settings,
): Promise<RevisionTenancy> {
  const file = fromTop(repository, process.cwd(), FILE);
  const source = shown['tenancy']?.source;
  if (source === 'flag' || source === 'environment') return { setting: tenancy, file, line: 1 };
  const path = fromTop(repository, process.cwd(), '.');
  const folder = { path, isWanted: (name: string) => name === FILE, maxBytes: MAX_DOCUMENT_BYTES };
  const [found] = (await readFolder(repository, revision, folder)) ?? [];
  if (found === undefined || !('text' in found.content)) return { setting: undefined, file, line: 1 };
  const parsed = parseYaml(file, found.content.text);
  if ('diagnostics' in parsed) return { setting: undefined, file, line: 1 };
  const { document } = parsed;
  const { line } = document.locateKey(['tenancy']);
  return { setting: tenancyIn(document.value), file, line };
}

function tenancyIn(value: unknown): SettingsFile['tenancy'] {
  if (typeof value !== 'object' || value === null || !('tenancy' in value)) return undefined;
  const { tenancy } = value;
  const isValid = createValueCheck('settings')({ tenancy }).length === 0;
  return isValid ? (tenancy as SettingsFile['tenancy']) : undefined; // it passed the schema that the type is generated from
}
