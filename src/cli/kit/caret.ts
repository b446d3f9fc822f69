// Renders findings for a terminal: location, message, the line of the file with a caret, and the fix.
import type { Finding } from '../../sql/base/finding.ts';
import { visible } from '../../service/observe/visible-text.ts';
import { lineText } from '../../service/observe/visible-text.ts';
import type { Terminal } from './terminal.ts';

const WIDTH = 110;

/** The lines of one finding; `text` is the file's content, if known. */
export function renderFinding(diagnostic: Finding, text: string | undefined, { paint }: Terminal): string[] {
  const { file, line, column, severity, code, message, hint } = diagnostic;
  const location = visible(line === 0 ? file : `${file}:${line}:${column}`);
  const style = severity === 'error' ? 'red' : 'yellow';
  const lines = [
    `${paint('bold', location)} ${paint(style, severity)} ${visible(message)} ${paint('dim', code)}`,
  ];
  const source = text?.split(/\r\n|\r|\n/)[line - 1];
  if (source !== undefined && source.trim() !== '')
    lines.push(...excerpt(source, column, (caret) => paint(style, caret)));
  if (hint !== undefined) lines.push(`    ${visible(hint)}`);
  return lines;
}

/** An excerpt of the line around the column, with a caret below. Tabs become one space each, hidden characters escapes. */
export function excerpt(source: string, column: number, paint: (caret: string) => string): string[] {
  const start = source.length <= WIDTH ? 0 : Math.max(0, column - 1 - WIDTH / 2);
  const shown = source.slice(start, start + WIDTH).replaceAll('\t', ' ');
  const before = lineText(shown.slice(0, Math.max(0, column - 1 - start)));
  const whole = lineText(shown);
  const at = whole.startsWith(before) ? before.length : Math.max(0, column - 1 - start);
  return [`    ${whole}`, `    ${' '.repeat(at)}${paint('^')}`];
}
