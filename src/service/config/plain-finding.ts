// Findings that have no place in a file.
import type { Finding } from '../../sql/base/finding.ts';

/** A finding without a line: about a flag, a variable, or a whole file. */
export function plainFinding(file: string, code: string, message: string, hint?: string): Finding {
  return {
    file,
    line: 0,
    column: 0,
    severity: 'error',
    code,
    message,
    ...(hint === undefined ? {} : { hint }),
  };
}
