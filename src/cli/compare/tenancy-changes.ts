// Changes of what separates tenants: `tenancy` in the file, or the setting that applies to it.
import { tenancyOf } from '../../service/endpoints/tenancy.ts';
import type { Contract, ContractChange } from './contract.ts';
import { compatible, security, type ChangeKinds } from './change-kinds.ts';

export const TENANCY_CHANGES = {
  'tenancy.removed': security(
    'Tenants are no longer separated',
    'millrace validate no longer proves that queries depend only on the rows of one tenant.',
  ),
  'tenancy.parameter_changed': security(
    'Another parameter separates tenants',
    'Keys that lock the old parameter may no longer be restricted to their rows.',
  ),
  'tenancy.columns_added': security(
    'More columns hold the tenant',
    'A condition on one of them now counts as one on the tenant. A reviewer must know that the column holds the tenant.',
  ),
  'tenancy.shared_added': security(
    'A table is declared to be shared',
    'Queries may read all of its rows for every tenant.',
  ),
  'tenancy.added': compatible('A parameter separates tenants', 'millrace validate checks more than before.'),
  'tenancy.columns_removed': compatible(
    'Fewer columns hold the tenant',
    'millrace validate accepts fewer queries.',
  ),
  'tenancy.shared_removed': compatible(
    'A table is no longer shared',
    'millrace validate accepts fewer queries.',
  ),
} as const satisfies ChangeKinds;

export type TenancyCode = keyof typeof TENANCY_CHANGES;

/** The changes that the file makes; those of the setting alone are in `compareTenancySettings`. */
export function* compareTenancies(base: Contract, head: Contract): Generator<ContractChange<TenancyCode>> {
  if (!isOfSetting(base, head)) yield* changesOf(base, head);
}

/** A change of the setting, with the names of the endpoints whose tenancy it changes. */
export interface SettingChange extends Pick<ContractChange<TenancyCode>, 'code' | 'message'> {
  readonly endpoints: readonly string[];
}

/** The changes of the setting, each once, by the endpoints to which it applies in both revisions. */
export function compareTenancySettings(
  pairs: readonly (readonly [base: Contract, head: Contract])[],
): readonly SettingChange[] {
  const found = new Map<string, SettingChange>();
  for (const [base, head] of pairs) {
    if (!isOfSetting(base, head)) continue;
    for (const { code, message } of changesOf(base, head)) {
      const key = `${code} ${message}`;
      const endpoints = [...(found.get(key)?.endpoints ?? []), head.endpoint.name];
      found.set(key, { code, message, endpoints });
    }
  }
  return [...found.values()];
}

/** Returns whether only the setting may have changed the tenancy of an endpoint. */
function isOfSetting(base: Contract, head: Contract): boolean {
  const [old, now] = [base, head].map(({ analysis: { file } }) =>
    JSON.stringify([file.tenancy, Object.keys(file.parameters ?? {}).toSorted()]),
  );
  return old === now;
}

function* changesOf(base: Contract, head: Contract): Generator<ContractChange<TenancyCode>> {
  const [before, after] = [base, head].map(({ analysis, tenancy }) =>
    tenancyOf(analysis.file, tenancy?.setting),
  );
  const path = ['tenancy'];
  if (before === undefined) {
    if (after === undefined) return;
    yield { code: 'tenancy.added', message: `${after.parameter} separates tenants`, path };
    return;
  }
  if (after === undefined) {
    const message = `${before.parameter} no longer separates tenants: millrace validate accepts queries that depend on rows of others`;
    yield { code: 'tenancy.removed', message, path };
    return;
  }
  if (before.parameter !== after.parameter) {
    const message = `${after.parameter} separates tenants, was ${before.parameter}: callers restricted to one ${before.parameter} may receive rows of others`;
    yield { code: 'tenancy.parameter_changed', message, path: ['tenancy', 'parameter'] };
  }
  yield* compareColumns(before.columns, after.columns);
  yield* compareShared(before.shared, after.shared);
}

type ColumnNames = ReadonlySet<string>;

/** Undefined: any column. */
function* compareColumns(
  before: ColumnNames | undefined,
  after: ColumnNames | undefined,
): Generator<ContractChange<TenancyCode>> {
  const path = ['tenancy', 'columns'];
  const added = after === undefined ? [] : [...after].filter((name) => before?.has(name) === false);
  if (before !== undefined && after === undefined) {
    const message = `any column compared with the parameter holds the tenant, was only ${[...before].join(', ')}`;
    yield { code: 'tenancy.columns_added', message, path };
  }
  if (added.length > 0) {
    const message = `${added.join(', ')} also ${added.length === 1 ? 'holds' : 'hold'} the tenant: rows selected by it alone count as the tenant's own`;
    yield { code: 'tenancy.columns_added', message, path };
  }
  const isFewer = [...(before ?? [])].some((name) => after?.has(name) === false);
  if (isFewer || (before === undefined && after !== undefined)) {
    const message = `only ${[...(after ?? [])].join(', ')} ${after?.size === 1 ? 'holds' : 'hold'} the tenant`;
    yield { code: 'tenancy.columns_removed', message, path };
  }
}

function* compareShared(before: ColumnNames, after: ColumnNames): Generator<ContractChange<TenancyCode>> {
  for (const name of after) {
    if (before.has(name)) continue;
    const message = `${name} is shared: every tenant may receive all its rows`;
    yield { code: 'tenancy.shared_added', message, path: ['tenancy', 'shared', name] };
  }
  for (const name of before) {
    if (after.has(name)) continue;
    yield {
      code: 'tenancy.shared_removed',
      message: `${name} is no longer shared`,
      path: ['tenancy', 'shared'],
    };
  }
}
