// Splits a script into statements.
import { tokenize } from '../sql/lexer.ts';

/** The statements of a script, without the semicolons between them; parts with only comments are omitted. */
export function splitStatements(sql: string): readonly string[] {
  const ends = tokenize(sql)
    .filter((token) => token.kind === ';')
    .map((token) => token.start);
  const starts = [0, ...ends.map((end) => end + 1)];
  return starts
    .map((start, index) => sql.slice(start, ends[index]))
    .filter((text) =>
      tokenize(text).some((token) => token.kind !== 'whitespace' && token.kind !== 'comment'),
    );
}
