// Redacts the rows of a result. For a query over redacted tables it is the second layer, which is expected to find nothing.
import type { Observe } from '../core/observation.ts';
import type { Task } from './result.ts';

/** The rows without personal data. What only the second layer finds is observed, by detector. */
export function redactRows(
  { observe }: { readonly observe: Observe },
  { endpoint, plan, redactor }: Pick<Task, 'endpoint' | 'plan' | 'redactor'>,
  lines: Uint8Array,
): Uint8Array {
  const { overRedacted } = plan;
  if (overRedacted === undefined) return redactor.redactLines(lines);
  const detectors: Record<string, number> = {};
  const redacted = redactor.afterSource.redactLines(lines, (name) => {
    detectors[name] = (detectors[name] ?? 0) + 1;
  });
  // Constants of the query itself are among its values and in names of columns.
  const isOwn = redactor.redactText(overRedacted) !== overRedacted;
  if (Object.keys(detectors).length > 0 && !isOwn)
    observe({ kind: 'redaction.found_in_rows', endpoint: endpoint.name, detectors });
  return redacted;
}
