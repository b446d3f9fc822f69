// ClickHouse SQL as it is put together, each piece still knowing what it was written for.
import { tooLarge } from './refusal.ts';

/** Pieces in order; `origin` is the offset in the caller's text that all inside stands for. */
export type Sql = string | readonly Sql[] | { readonly origin: number; readonly sql: Sql };

/** A template of pieces. */
export function sql(strings: TemplateStringsArray, ...values: readonly Sql[]): Sql {
  return strings.flatMap((text, index) => [text, values[index] ?? '']);
}

export function joinSql(pieces: readonly Sql[], separator = ', '): Sql {
  return pieces.flatMap((piece, index) => (index === 0 ? [piece] : [separator, piece]));
}

/** One line of SQL, and where pieces of it begin, in ascending order. */
export interface Flat {
  readonly text: string;
  readonly marks: readonly { readonly start: number; readonly at: number }[];
}

/** What a short text may grow to: as much as the sandbox reads. */
const MAX_CHARACTERS = 65_536;

/** @throws Refusal when it is too long: pieces may be used many times. */
export function flatten(root: Sql): Flat {
  const parts: string[] = [];
  const marks: { start: number; at: number }[] = [];
  let length = 0;
  const visit = (piece: Sql, at: number): void => {
    if (typeof piece === 'string') {
      parts.push(piece);
      length += piece.length;
      if (length > MAX_CHARACTERS) tooLarge(at, 'The query becomes too large in ClickHouse');
      return;
    }
    if (!('origin' in piece)) {
      for (const each of piece) visit(each, at);
      return;
    }
    marks.push({ start: length, at: piece.origin });
    visit(piece.sql, piece.origin);
    // What follows belongs to what is around the piece again.
    marks.push({ start: length, at });
  };
  visit(root, 0);
  return { text: parts.join(''), marks };
}

/** The offset in the caller's text of what stands at `offset` of the SQL. */
export function sourceOffset({ marks }: Flat, offset: number): number {
  return marks.findLast(({ start }) => start <= offset)?.at ?? 0;
}
