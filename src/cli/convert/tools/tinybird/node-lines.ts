// Extracts the SQL of a node line by line, without the mark of templates and the indentation of its block.
import { isSignificant, tokenize } from '../../../../sql/clickhouse/lexer.ts';

/** The offset is where the part is in the file, or where it is reported. */
export interface NodePiece {
  readonly text: string;
  readonly start: number;
  readonly isCopied: boolean;
}

interface SourceNode {
  readonly sql: string;
  /** It is the offset of the SQL in the file. */
  readonly start: number;
}

/** A template begins with `%`. */
export const MARK = /^\s*%\s*/;

/** Removes white space around the SQL, and a semicolon at its end. */
export function trimmed({ sql, start }: SourceNode): NodePiece {
  const text = sql.trimStart();
  return {
    text: text.trimEnd().replace(/;\s*$/, ''),
    start: start + sql.length - text.length,
    isCopied: true,
  };
}

export function withoutMark(piece: NodePiece): NodePiece {
  return from(piece, MARK.exec(piece.text)?.[0].length ?? 0);
}

export function from({ text, start, isCopied }: NodePiece, length: number): NodePiece {
  return { text: text.slice(length), start: start + length, isCopied };
}

/** Removes the indentation that all lines have, unless a string has several lines. */
export function linesOf(node: SourceNode): readonly NodePiece[] {
  const whole = withoutMark(trimmed(node));
  const lines = whole.text.split(/(?<=\n)/);
  const hasLongToken = tokenize(whole.text).some(
    (token) => isSignificant(token) && whole.text.slice(token.start, token.end).includes('\n'),
  );
  const margin = hasLongToken ? '' : marginOf(node, whole, lines);
  let at = 0;
  return lines.map((line, index) => {
    const length = index > 0 && line.startsWith(margin) ? margin.length : 0;
    const piece = from({ text: line, start: whole.start + at, isCopied: true }, length);
    at += line.length;
    return piece;
  });
}

/** Returns the white space that begins all lines of a node; the first line counts if nothing is before it. */
function marginOf({ sql, start }: SourceNode, whole: NodePiece, lines: readonly string[]): string {
  const before =
    sql
      .slice(0, whole.start - start)
      .split('\n')
      .at(-1) ?? '';
  const indentations = [
    ...(before.trim() === '' ? [before] : []),
    ...lines.slice(1).flatMap((line) => (line.trim() === '' ? [] : [/^[ \t]*/.exec(line)?.[0] ?? ''])),
  ];
  let [margin = ''] = indentations;
  for (const each of indentations) while (!each.startsWith(margin)) margin = margin.slice(0, -1);
  return margin;
}
