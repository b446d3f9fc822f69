// Builds ClickHouse SQL from pieces that keep the offset of their source.
import { tooLarge } from './translation-error.ts';

/** Pieces in order; `origin` is the source offset in the original query for everything inside. */
export type Sql = string | readonly Sql[] | { readonly origin: number; readonly sql: Sql };

/** Template tag that builds SQL from pieces. */
export function sql(strings: TemplateStringsArray, ...values: readonly Sql[]): Sql {
  return strings.flatMap((text, index) => [text, values[index] ?? '']);
}

/** The pieces with a separator between them; empty if there are none. */
export function joinSql(pieces: readonly Sql[], separator = ', '): Sql {
  return pieces.flatMap((piece, index) => (index === 0 ? [piece] : [separator, piece]));
}

/** One line of SQL, and where its pieces start, in ascending order. */
export interface Flat {
  readonly text: string;
  readonly marks: readonly { readonly start: number; readonly at: number }[];
}

/** Limit on the output, which can be much longer than the input: the sandbox's maximum query length. */
const MAX_CHARACTERS = 65_536;

/** @throws TranslationError if the result is too long: pieces may be repeated many times. */
export function flatten(root: Sql): Flat {
  const parts: string[] = [];
  const marks: { start: number; at: number }[] = [];
  let length = 0;
  const visit = (piece: Sql, at: number): void => {
    if (typeof piece === 'string') {
      parts.push(piece);
      length += piece.length;
      if (length > MAX_CHARACTERS) tooLarge(at, 'The translated query is too large');
      return;
    }
    if (!('origin' in piece)) {
      for (const each of piece) visit(each, at);
      return;
    }
    marks.push({ start: length, at: piece.origin });
    visit(piece.sql, piece.origin);
    // What follows belongs to the enclosing piece again.
    marks.push({ start: length, at });
  };
  visit(root, 0);
  return { text: parts.join(''), marks };
}

/** Maps an offset in the SQL to the offset in the original query. */
export function sourceOffset({ marks }: Flat, offset: number): number {
  return marks.findLast(({ start }) => start <= offset)?.at ?? 0;
}
