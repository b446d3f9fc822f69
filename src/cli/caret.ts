// Renders findings for a terminal: location, message, the line of the file with a caret, and the fix.
import type { Finding } from '../core/finding.ts';
import type { Terminal } from './terminal.ts';

const WIDTH = 110;

/** The lines of one finding; `text` is the file's content, if known. */
export function renderFinding(diagnostic: Finding, text: string | undefined, { paint }: Terminal): string[] {
  const { file, line, column, severity, code, message, hint } = diagnostic;
  const location = line === 0 ? file : `${file}:${line}:${column}`;
  const style = severity === 'error' ? 'red' : 'yellow';
  const lines = [`${paint('bold', location)} ${paint(style, severity)} ${message} ${paint('dim', code)}`];
  const source = text?.split(/\r\n|\r|\n/)[line - 1];
  if (source !== undefined && source.trim() !== '')
    lines.push(...excerpt(source, column, (caret) => paint(style, caret)));
  if (hint !== undefined) lines.push(`    ${hint}`);
  return lines;
}

/** An excerpt of the line around the column, with a caret below. Control characters and tabs become one space each. */
export function excerpt(source: string, column: number, paint: (caret: string) => string): string[] {
  const start = source.length <= WIDTH ? 0 : Math.max(0, column - 1 - WIDTH / 2);
  const shown = printable(source.slice(start, start + WIDTH));
  return [`    ${shown}`, `    ${' '.repeat(Math.max(0, column - 1 - start))}${paint('^')}`];
}

/** Replaces control characters with spaces, so that a hostile file cannot send escape sequences to the terminal. */
export function printable(text: string): string {
  // oxlint-disable-next-line no-control-regex -- they are what this looks for
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ');
}
