// Maps error locations to editor offsets: the service counts lines and columns from 1, columns in UTF-16 code units.
import type { ProblemDetail } from '../../../src/sql/base/problem.ts';

export interface ErrorRange {
  readonly from: number;
  readonly to: number;
  readonly message: string;
}

/** The errors that have a location, each covering the token that begins there; offsets are clamped to the text. */
export function errorRanges(text: string, errors: readonly ProblemDetail[]): readonly ErrorRange[] {
  return errors.flatMap(({ line, column, message }) => {
    if (line === undefined) return [];
    const start = startOfLine(text, line) + (column ?? 1) - 1;
    const from = Math.max(0, Math.min(start, text.length));
    const length = /^(?:[\w.]+|"[^"\n]*"|'[^'\n]*'|\S)/.exec(text.slice(from))?.[0].length ?? 0;
    // At the end of the text there is nothing to mark, so mark the preceding token.
    return [
      length === 0
        ? { from: Math.max(0, from - 1), to: from, message }
        : { from, to: from + length, message },
    ];
  });
}

function startOfLine(text: string, line: number): number {
  let start = 0;
  for (let at = 1; at < line; at++) {
    const end = text.slice(start).search(/\r\n|\r|\n/);
    if (end === -1) return start;
    start += end + (text.startsWith('\r\n', start + end) ? 2 : 1);
  }
  return start;
}
