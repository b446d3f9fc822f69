// The columns of responses, with redaction: what types for callers are made from.
import { redactedType } from './column-rules.ts';
import type { Endpoint } from './endpoint.ts';
import type { MergedColumn } from './row-shapes.ts';

/**
 * The columns after redaction, which every response has if `isRedacted`; otherwise callers choose, and a column may be either: with
 * other types, and not there if it is dropped.
 */
export function sentColumns(
  columns: readonly MergedColumn[],
  redaction: Endpoint['redaction'],
  isRedacted: boolean,
): readonly MergedColumn[] {
  const { treats } = redaction.redactor;
  return columns.flatMap((column) => {
    const { name, types, isAlways } = column;
    if (!isRedacted && !treats(name)) return [column];
    const redacted = types.flatMap((type) => redactedType(redaction, name, type) ?? []);
    const isKept = redacted.length === types.length;
    if (!isRedacted)
      return [{ name, types: [...new Set([...types, ...redacted])], isAlways: isAlways && isKept }];
    return redacted.length === 0
      ? []
      : [{ name, types: [...new Set(redacted)], isAlways: isAlways && isKept }];
  });
}
