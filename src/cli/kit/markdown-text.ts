// Text that others wrote, in Markdown of GitHub and GitLab: shown, and without effect. Their references to users, issues, commits and
// URLs are found in what is rendered, which a backslash does not prevent, but not in code.
import { visible, withoutCommands } from '../../service/observe/visible-text.ts';

/**
 * What becomes a link, a mention or a notification: URLs, `www.` and addresses, `@user`, `#1`, `GH-1`, `!1`, `$1`, `&1`, `%1`, `~label`, and
 * hashes of commits. None has a character that would end a code span or a cell.
 */
const REFERENCES =
  /((?:\w[\w+.-]{0,30}:\/\/|www\.|mailto:|xmpp:)[^\s`|<>]+|[\w.+/-]{0,100}@[\w./-]+|[\w./-]{0,100}[#!$&%]\d[\w.]*|\bGH-\d+|~\w[\w-]*|\b(?=\d*[a-f])[0-9a-f]{7,64}\b)/i;

/** Escaped for Markdown, on one line. What would be a reference becomes code. */
export function escapeMarkdown(plain: string): string {
  return visible(plain.replace(/\s+/g, ' '))
    .split(REFERENCES)
    .map((part, index) =>
      index % 2 === 1 ? markdownCode(part) : part.replace(/[\\`*_[\]<>#|~$&!@^{}]/g, String.raw`\$&`),
    )
    .join('');
}

/**
 * A code span. Nothing in it has a meaning, except a pipe in a table, which becomes an escape: a backslash before it may be one of the
 * text.
 */
export function markdownCode(plain: string): string {
  const text = withoutCommands(visible(plain)).replaceAll('|', String.raw`\u007c`);
  const fence = '`'.repeat(longestRun([text]) + 1);
  const room = /^`|`$|^ .* $/.test(text) || text === '' ? ' ' : '';
  return `${fence}${room}${text}${room}${fence}`;
}

/** The lines of a code block. The log that a report is printed to may belong to a service of continuous integration. */
export function codeBlock(lines: readonly string[], language = ''): readonly string[] {
  const fence = '`'.repeat(Math.max(3, longestRun(lines) + 1));
  const shown = lines.map((line) => withoutCommands(visible(line.replaceAll('\t', '  '))));
  return [`${fence}${language}`, ...shown, fence];
}

function longestRun(lines: readonly string[]): number {
  let longest = 0;
  for (const line of lines) for (const [run] of line.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}
