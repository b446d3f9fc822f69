// A text with parts replaced, and the way back from its positions to those of the caller's text.
import { createPositions, positionAt } from '../../../sql/base/position.ts';
import { Problem, type ProblemOptions } from '../../../sql/base/problem.ts';

/** Replaces `start` to `end` (exclusive), in UTF-16 code units. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export interface EditedText {
  readonly text: string;
  /** The offset in the original that an offset of `text` comes from. */
  readonly sourceOffset: (offset: number) => number;
}

/** Spaces instead of characters: everything after them keeps its place. */
export function blank(start: number, end: number): Edit {
  return { start, end, text: ' '.repeat(end - start) };
}

/** Applies edits that do not overlap, in any order. */
export function applyEdits(source: string, edits: readonly Edit[]): EditedText {
  const ordered = edits.toSorted((a, b) => a.start - b.start);
  const parts: string[] = [];
  const pieces: { readonly at: number; readonly from: number; readonly isReplaced: boolean }[] = [];
  let [at, from] = [0, 0];
  const add = (text: string, isReplaced: boolean): void => {
    pieces.push({ at, from, isReplaced });
    parts.push(text);
    at += text.length;
  };
  for (const { start, end, text } of ordered) {
    add(source.slice(from, start), false);
    from = start;
    add(text, text.length !== end - start);
    from = end;
  }
  add(source.slice(from), false);
  const sourceOffset: EditedText['sourceOffset'] = (offset) => {
    const piece = pieces.findLast((each) => each.at <= offset);
    if (piece === undefined) return offset;
    return piece.isReplaced ? piece.from : piece.from + offset - piece.at;
  };
  return { text: parts.join(''), sourceOffset };
}

/** Maps a problem with the edited text to the original: its positions, in `errors` and in the message. */
export function inOriginal(problem: Problem, source: string, { text, sourceOffset }: EditedText): Problem {
  if (text === source || !problem.errors.some(({ line }) => line !== undefined)) return problem;
  const lineStarts = lineStartsOf(text);
  const position = createPositions(source);
  let detail = problem.message;
  const errors = problem.errors.map((error) => {
    const { line, column = 1 } = error;
    if (line === undefined) return error;
    const place = position(sourceOffset((lineStarts[line - 1] ?? 0) + column - 1));
    detail = detail.replace(
      `(line ${line}, column ${column})`,
      `(line ${place.line}, column ${place.column})`,
    );
    return { ...error, ...place };
  });
  const { code, hint, retryAfter, cause } = problem;
  const again = retryAfter === undefined ? {} : { retryAfter };
  return new Problem(code, { detail, hint, errors, ...again, cause });
}

/** The offsets at which the lines of a text start. */
export function lineStartsOf(text: string): readonly number[] {
  const starts = [0];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 10 || (unit === 13 && text.charCodeAt(at + 1) !== 10)) starts.push(at + 1);
  }
  return starts;
}

/** Options of a problem at an offset of the caller's text. */
export function placed(source: string, offset: number, message: string): ProblemOptions {
  const place = positionAt(source, Math.min(offset, source.length));
  return {
    detail: `${message} (line ${place.line}, column ${place.column})`,
    errors: [{ ...place, message }],
  };
}
