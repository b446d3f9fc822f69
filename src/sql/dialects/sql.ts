// Builds ClickHouse SQL from pieces that keep the offset of their source.

/** SQL text, or pieces of it in order. */
export type Sql = string | Pieces;

/** Pieces may be shared, so that the text can be exponentially longer than their number. */
const MAX_TEXT = 4_194_304;

/** Thrown where the text of pieces would be longer than 4 MiB. */
export class SqlTooLongError extends RangeError {}

/** Pieces in order; `origin` is the source offset in the original query for everything inside. */
class Pieces {
  readonly parts: readonly Sql[];
  readonly origin: number | undefined;
  #text: string | undefined;

  constructor(parts: readonly Sql[], origin?: number) {
    this.parts = parts;
    this.origin = origin;
  }

  /**
   * The text, without the offsets of its source.
   * @throws SqlTooLongError
   */
  toString(): string {
    this.#text ??= this.parts.map(String).join('');
    if (this.#text.length > MAX_TEXT) throw new SqlTooLongError('The SQL is too long');
    return this.#text;
  }
}

/** Template tag that builds SQL from pieces. */
export function sql(strings: TemplateStringsArray, ...values: readonly Sql[]): Sql {
  const parts: Sql[] = [];
  for (const [index, text] of strings.entries()) {
    if (text !== '') parts.push(text);
    const value = values[index];
    if (value !== undefined && value !== '') parts.push(value);
  }
  return new Pieces(parts);
}

/** SQL whose source is at an offset of the original query. */
export function located(origin: number, own: Sql): Sql {
  return new Pieces([own], origin);
}

/** The pieces with a separator between them; empty if there are none. */
export function joinSql(pieces: readonly Sql[], separator = ', '): Sql {
  const parts: Sql[] = [];
  for (const piece of pieces) {
    if (parts.length > 0) parts.push(separator);
    parts.push(piece);
  }
  return new Pieces(parts);
}

/** One line of SQL, and where its pieces start, in ascending order. */
export interface Flat {
  readonly text: string;
  readonly marks: readonly { readonly start: number; readonly at: number }[];
}

/** A number beside a condition that must be true; otherwise, a division by zero is an error of the query. */
export const onlyIf = (own: Sql, condition: Sql): Sql => sql`${own} + 0 % (${condition})`;

/**
 * The text with the offsets of its source.
 * @param tooLong called with the offset of the source where the text becomes longer than `limit` characters
 */
export function flatten(root: Sql, limit: number, tooLong: (at: number) => never): Flat {
  const parts: string[] = [];
  const marks: { start: number; at: number }[] = [];
  let length = 0;
  const visit = (piece: Sql, at: number): void => {
    if (typeof piece === 'string') {
      parts.push(piece);
      length += piece.length;
      if (length > limit) tooLong(at);
      return;
    }
    const { origin = at } = piece;
    if (piece.origin !== undefined) marks.push({ start: length, at: origin });
    for (const each of piece.parts) visit(each, origin);
    // What follows belongs to the enclosing piece again.
    if (piece.origin !== undefined) marks.push({ start: length, at });
  };
  visit(root, 0);
  return { text: parts.join(''), marks };
}

/** Maps an offset in the SQL to the offset in the original query. */
export function sourceOffset({ marks }: Flat, offset: number): number {
  return marks.findLast(({ start }) => start <= offset)?.at ?? 0;
}
