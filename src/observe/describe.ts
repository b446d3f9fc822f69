// What went wrong, in one line of text.
import type { Diagnostic } from '../core/diagnostic.ts';

/** The messages of an error and of what caused it: what an operator needs, without stacks. */
export function describeCause(cause: unknown): string {
  const messages: string[] = [];
  for (let each = cause; each instanceof Error && messages.length < 5; each = each.cause)
    messages.push(each.message);
  return messages.length > 0 ? messages.join(' < ') : String(cause);
}

/** `file:line:column: message (code)`, the form that editors and terminals make clickable. */
export function describeDiagnostic({ file, line, column, code, message, hint }: Diagnostic): string {
  const place = line === 0 ? file : `${file}:${line}:${column}`;
  return `${place}: ${message} (${code})${hint === undefined ? '' : `. ${hint}`}`;
}
