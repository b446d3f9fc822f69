// Result columns that are made of redacted ones without a rule of their own, which the base revision did not return so.
import { ruleFor } from '../../service/endpoints/column-rules.ts';
import { findUnredacted, type UnredactedColumn } from '../../service/endpoints/pii-flow.ts';
import type { AnalysedEndpoint, ModelledQuery } from '../../service/endpoints/query-models.ts';
import { FLOW_KINDS } from '../../guard/query/flow/flow-functions.ts';
import type { Contract, ContractChange } from './contract.ts';
import type { EndpointModels, ModelPair } from './query-changes.ts';
import { security, type ChangeKinds } from './change-kinds.ts';

export const UNREDACTED_CHANGES = {
  'redaction.not_applied': security(
    'A column is made of one that is redacted under another name',
    'pii.columns has no rule for it, so that it shows what the rule hides.',
  ),
} as const satisfies ChangeKinds;

export type UnredactedCode = keyof typeof UNREDACTED_CHANGES;

/** Nothing if the engine did not describe the new queries: they are reported as not compared. */
export function* compareUnredacted(
  base: Contract,
  head: Contract,
  { before, after }: ModelPair,
): Generator<ContractChange<UnredactedCode>> {
  if (after === undefined) return;
  const earlier = { inspected: inspectedOf(base), models: modelledIn(before ?? new Map()) };
  for (const each of findUnredacted(inspectedOf(head), modelledIn(after), earlier)) {
    if (wasReturned(base, before, each)) continue;
    const { message, offset = 0 } = each.finding;
    yield { code: 'redaction.not_applied', message, path: ['query'], offset };
  }
}

function inspectedOf({ analysis, endpoint }: Contract): AnalysedEndpoint {
  return { analysis, candidate: { endpoint } };
}

function modelledIn(models: EndpointModels): readonly ModelledQuery[] {
  return [...models].map(([table, result]) => ({ query: { table, sql: '' }, result }));
}

/** Returns whether the old query returned as much of the stored column under the same name, without a rule. */
function wasReturned(
  { analysis }: Contract,
  before: EndpointModels | undefined,
  { query, column, source }: UnredactedColumn,
): boolean {
  const result = before?.get(query.table);
  if (result === undefined || 'fault' in result) return false;
  const old = result.model.columns.find(({ name }) => name === column);
  if (old === undefined || ruleFor(analysis.file.pii, column) !== undefined) return false;
  const rank = FLOW_KINDS.indexOf(source.kind);
  return old.flow.some(
    (each) =>
      each.table === source.table && each.column === source.column && FLOW_KINDS.indexOf(each.kind) <= rank,
  );
}
