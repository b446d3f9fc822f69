// Redacts the rows of a result. For a query over redacted tables it is the second layer, which is expected to find nothing.
import type { Observe } from '../../sql/base/observation.ts';
import { isRedacting } from '../../guard/redact/demand.ts';
import type { Task } from './result.ts';
import type { TransformContext, Transformer } from './transform/transformer.ts';
import type { Redaction, Transformed } from './transform/transforms.ts';

export interface RedactionDeps {
  readonly observe: Observe;
  readonly transformer: Pick<Transformer, 'rows'>;
}

type RedactedTask = Pick<Task, 'endpoint' | 'plan' | 'redactor'>;

/** The rows without personal data. What only the second layer finds is observed, by detector. */
export async function redactRows(
  { observe, transformer }: RedactionDeps,
  task: RedactedTask,
  lines: Uint8Array,
  context: TransformContext,
): Promise<Uint8Array> {
  if (!isRedacting(task.redactor)) return lines;
  const redacted = await transformer.rows(redactionOf(task), lines, context);
  observeFound(observe, task, redacted);
  return redacted.bytes;
}

/** How the rows of a task are redacted. */
export function redactionOf({ plan, redactor }: Pick<Task, 'plan' | 'redactor'>): Redaction {
  return { kind: 'redact', redactor, isAfterSource: plan.overRedacted !== undefined };
}

/** Observes what was found although the source was redacted. */
export function observeFound(
  observe: Observe,
  { endpoint, plan: { overRedacted }, redactor }: RedactedTask,
  { found }: Pick<Transformed, 'found'>,
): void {
  if (overRedacted === undefined || Object.keys(found).length === 0) return;
  // Constants of the query itself are among its values and in names of columns.
  const isOwn = redactor.redactText(overRedacted) !== overRedacted;
  if (!isOwn) observe({ kind: 'redaction.found_in_rows', endpoint: endpoint.name, detectors: found });
}
