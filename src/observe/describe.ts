// Describes errors and findings in one line.
import type { Finding } from '../core/finding.ts';

/** Characters: a library's message can quote a value of any length. */
const MAX_MESSAGE = 2 ** 17;

/** The messages of an error and of its causes, without stacks. */
export function describeCause(cause: unknown): string {
  const messages: string[] = [];
  for (let each = cause; each instanceof Error && messages.length < 5; each = each.cause)
    messages.push(each.message.slice(0, MAX_MESSAGE));
  return messages.length > 0 ? messages.join(' < ') : String(cause);
}

/** `file:line:column: message (code)`, a form that editors and terminals turn into a link. */
export function describeFinding({ file, line, column, code, message, hint }: Finding): string {
  const location = line === 0 ? file : `${file}:${line}:${column}`;
  return `${location}: ${message} (${code})${hint === undefined ? '' : `. ${hint}`}`;
}
