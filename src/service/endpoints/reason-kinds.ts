// The codes of findings about reasons for changes, with their meanings and fixes.
import type { FindingKind } from './finding-kind.ts';

/** By code; a part of the table in `finding-kinds.ts`. */
export const REASON_KINDS: Readonly<Record<string, FindingKind>> = {
  'reason.unknown_code': {
    title: 'A reason for a change that does not exist',
    help: 'Keys of allow and allow_security are the codes that millrace diff reports; docs/reference/contract-changes.md lists them.',
  },
  'reason.wrong_key': {
    title: 'A reason that cannot allow its change',
    help: 'allow holds reasons for breaking changes, allow_security those for security changes. Changes of the other classes need none.',
  },
  'reason.allow_breaking': {
    title: 'allow_breaking has no effect',
    help: 'Reasons are given by the code of the change: allow: { column.removed: the reason }, and allow_security for security changes. If the change was merged, remove the key.',
  },
};
