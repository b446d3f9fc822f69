// Text that others wrote, in Markdown.
import { printable } from './caret.ts';

/** Escaped for Markdown, on one line. A name after @ becomes code, so that it mentions no user. */
export function escapeMarkdown(plain: string): string {
  return printable(plain)
    .replace(/\s+/g, ' ')
    .split(/(@\w+)/)
    .map((part, index) =>
      index % 2 === 1 ? `\`${part}\`` : part.replace(/[\\`*_[\]<>#|~$&!@]/g, String.raw`\$&`),
    )
    .join('');
}
