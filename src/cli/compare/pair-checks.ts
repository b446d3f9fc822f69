// The checks that need two revisions of an endpoint: each reports changes of one subject.
import type { CheckEntry } from '../../service/endpoints/checks/check.ts';
import type { ChangeKinds } from './change-kinds.ts';
import type { ChangeCode } from './changes.ts';
import type { Contract, ContractChange } from './contract.ts';
import { PARAMETER_CHANGES } from './parameter-changes.ts';
import { compareParameters } from './parameters.ts';
import { comparePolicies } from './policies.ts';
import { POLICY_CHANGES } from './policy-changes.ts';
import type { ModelPair } from './query-changes.ts';
import { compareRedaction, REDACTION_CHANGES } from './redaction.ts';
import { createRestrictions } from './restricting-parameters.ts';
import { compareTenancies, TENANCY_CHANGES } from './tenancy-changes.ts';
import { compareVersions, VERSION_CHANGES } from './version-changes.ts';

/** One endpoint in both revisions. */
export interface PairInput {
  readonly old: Contract;
  readonly now: Contract;
  readonly models: ModelPair;
}

export interface PairCheck<Input> extends CheckEntry<'pair', ContractChange<ChangeCode>, Input> {
  readonly codes: ChangeKinds;
  readonly check: (input: Input) => Iterable<ContractChange<ChangeCode>>;
}

export const PAIR_CHECKS: readonly PairCheck<PairInput>[] = [
  {
    needs: 'pair',
    codes: PARAMETER_CHANGES,
    check: ({ old, now, models }) => compareParameters(old, now, createRestrictions(old, now, models)),
  },
  { needs: 'pair', codes: TENANCY_CHANGES, check: ({ old, now }) => compareTenancies(old, now) },
  { needs: 'pair', codes: REDACTION_CHANGES, check: ({ old, now }) => compareRedaction(old, now) },
  { needs: 'pair', codes: POLICY_CHANGES, check: ({ old, now }) => comparePolicies(old, now) },
  { needs: 'pair', codes: VERSION_CHANGES, check: ({ old, now }) => compareVersions(old, now) },
];

/** The changes that these checks report, in their order. */
export function changesBy<Input>(
  checks: readonly PairCheck<Input>[],
  input: Input,
): readonly ContractChange<ChangeCode>[] {
  return checks.flatMap(({ check }) => [...check(input)]);
}
