// Findings as people read them: place, message, the line of the file, a caret under the place, and what to do.
import type { Diagnostic } from '../core/diagnostic.ts';
import type { Terminal } from './terminal.ts';

const WIDTH = 110;

/** The lines of one finding; `text` is the file's content where it is known. */
export function renderDiagnostic(
  diagnostic: Diagnostic,
  text: string | undefined,
  { paint }: Terminal,
): string[] {
  const { file, line, column, severity, code, message, hint } = diagnostic;
  const place = line === 0 ? file : `${file}:${line}:${column}`;
  const style = severity === 'error' ? 'red' : 'yellow';
  const lines = [`${paint('bold', place)} ${paint(style, severity)} ${message} ${paint('dim', code)}`];
  const source = text?.split(/\r\n|\r|\n/)[line - 1];
  if (source !== undefined && source.trim() !== '')
    lines.push(...excerpt(source, column, (caret) => paint(style, caret)));
  if (hint !== undefined) lines.push(`    ${hint}`);
  return lines;
}

/** A part of a long line around the column, and a caret below it. Control characters and tabs take one blank each. */
function excerpt(source: string, column: number, paint: (caret: string) => string): string[] {
  const start = source.length <= WIDTH ? 0 : Math.max(0, column - 1 - WIDTH / 2);
  const shown = printable(source.slice(start, start + WIDTH));
  return [`    ${shown}`, `    ${' '.repeat(Math.max(0, column - 1 - start))}${paint('^')}`];
}

/** A blank for each control character: a hostile file must not steer the terminal. */
export function printable(text: string): string {
  // oxlint-disable-next-line no-control-regex -- they are what this looks for
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ');
}
