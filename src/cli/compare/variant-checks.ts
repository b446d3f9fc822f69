// The checks that need two revisions of a variant of the query of an endpoint.
import type { Assumptions } from './assumptions.ts';
import { COLUMN_CHANGES, compareColumns, type ColumnPair } from './columns.ts';
import { MODEL_CHANGES } from './model-change.ts';
import type { PairCheck, PairInput } from './pair-checks.ts';
import { compareQueries } from './query-changes.ts';
import { compareSandboxes, SANDBOX_CHANGES } from './sandbox.ts';
import { compareUnredacted, UNREDACTED_CHANGES } from './unredacted.ts';

/** One variant of its query in both revisions. */
export interface VariantInput extends PairInput {
  readonly columns: ColumnPair;
  readonly calls: Assumptions;
}

export const VARIANT_CHECKS: readonly PairCheck<VariantInput>[] = [
  {
    needs: 'pair',
    codes: MODEL_CHANGES,
    check: ({ old, now, models, calls }) => compareQueries(old, now, { ...models, calls }),
  },
  {
    needs: 'pair',
    codes: COLUMN_CHANGES,
    check: ({ old, now, columns }) => compareColumns(old, now, columns),
  },
  { needs: 'pair', codes: SANDBOX_CHANGES, check: ({ old, now }) => compareSandboxes(old, now) },
  {
    needs: 'pair',
    codes: UNREDACTED_CHANGES,
    check: ({ old, now, models }) => compareUnredacted(old, now, models),
  },
];
