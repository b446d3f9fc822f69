// The contract changes that comparing two revisions reports: the class of each code, and why it is in that class.
import { compatible, type ChangeClass, type ChangeKinds, type ChangeText } from './change-kinds.ts';
import { COLUMN_CHANGES } from './columns.ts';
import { COST_CHANGES } from './cost-changes.ts';
import { MODEL_CHANGES } from './model-change.ts';
import { PAIRING_CHANGES } from './pairing.ts';
import { PARAMETER_CHANGES } from './parameter-changes.ts';
import { POLICY_CHANGES } from './policy-changes.ts';
import { REDACTION_CHANGES } from './redaction.ts';
import { ROLLUP_CHANGES } from './rollup-changes.ts';
import { SANDBOX_CHANGES } from './sandbox.ts';
import { TENANCY_CHANGES } from './tenancy-changes.ts';
import { UNREDACTED_CHANGES } from './unredacted.ts';
import { VERSION_CHANGES } from './version-changes.ts';
import { VIEW_CHANGES } from './view-changes.ts';

/** All codes. `docs/reference/contract-changes.md` is generated from this table. */
export const CHANGES = {
  ...PAIRING_CHANGES,
  ...MODEL_CHANGES,
  ...PARAMETER_CHANGES,
  ...COLUMN_CHANGES,
  ...SANDBOX_CHANGES,
  ...REDACTION_CHANGES,
  ...UNREDACTED_CHANGES,
  ...TENANCY_CHANGES,
  ...POLICY_CHANGES,
  ...VERSION_CHANGES,
  ...ROLLUP_CHANGES,
  ...VIEW_CHANGES,
  ...COST_CHANGES,
  'reason.stale': compatible(
    'The reason for an earlier change is still in the file',
    'The base revision has it too, so it allows nothing. Remove it.',
  ),
  'reason.unused': compatible(
    'A reason for a change that was not made',
    'It allows nothing now, and will allow nothing later, when the base revision has it. Remove it, or correct its code.',
  ),
} as const satisfies ChangeKinds;

export type ChangeCode = keyof typeof CHANGES;

/** One change of an endpoint's contract, at a line (1-based) of the new file, or of the old one if it was removed. */
export interface Change extends ChangeText {
  /** The endpoint's name; the new one if it was renamed. */
  readonly endpoint: string;
  readonly class: ChangeClass;
  readonly code: ChangeCode;
  /** The reason in the file that allows the change; undefined if there is none, or none is required. */
  readonly allowed: string | undefined;
}

/** Returns whether a change requires a reason. */
export function needsReason({ class: kind }: Pick<Change, 'class'>): boolean {
  return kind === 'security' || kind === 'breaking';
}
