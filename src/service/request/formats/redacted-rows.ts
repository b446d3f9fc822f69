// Redacts the rows of a result. For a query over redacted tables it is the second layer, which is expected to find nothing.
import type { Observe } from '../../../sql/base/observation.ts';
import { isRedacting } from '../../../guard/redact/demand.ts';
import type { TransformContext, Transformer } from '../transform/transformer.ts';
import type { Redaction, Transformed } from '../transform/transforms.ts';
import type { Plan } from '../plan.ts';

export interface RedactionDeps {
  readonly observe: Observe;
  readonly transformer: Pick<Transformer, 'rows'>;
}

type RedactedPlan = Pick<Plan, 'endpoint' | 'query' | 'redactor'>;

/** The rows without personal data. What only the second layer finds is observed, by detector. */
export async function redactRows(
  { observe, transformer }: RedactionDeps,
  plan: RedactedPlan,
  lines: Uint8Array,
  context: TransformContext,
): Promise<Uint8Array> {
  if (!isRedacting(plan.redactor)) return lines;
  const redacted = await transformer.rows(redactionOf(plan), lines, context);
  observeFound(observe, plan, redacted);
  return redacted.bytes;
}

/** How the rows of a plan are redacted. */
export function redactionOf({ query, redactor }: Pick<Plan, 'query' | 'redactor'>): Redaction {
  return { kind: 'redact', redactor, isAfterSource: query.overRedacted !== undefined };
}

/** Observes what was found although the source was redacted. */
export function observeFound(
  observe: Observe,
  { endpoint, query: { overRedacted }, redactor }: RedactedPlan,
  { found }: Pick<Transformed, 'found'>,
): void {
  if (overRedacted === undefined || Object.keys(found).length === 0) return;
  // Constants of the query itself are among its values and in names of columns.
  const isOwn = redactor.redactText(overRedacted) !== overRedacted;
  if (!isOwn) observe({ kind: 'redaction.found_in_rows', endpoint: endpoint.name, detectors: found });
}
