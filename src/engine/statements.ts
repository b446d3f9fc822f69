// A text of several statements, taken apart.
import { tokenize } from '../sql/lexer.ts';

/** The statements of a text, without the semicolons between; what holds only comments is none. */
export function splitStatements(sql: string): readonly string[] {
  const ends = tokenize(sql)
    .filter((token) => token.kind === ';')
    .map((token) => token.start);
  const starts = [0, ...ends.map((end) => end + 1)];
  return starts
    .map((start, index) => sql.slice(start, ends[index]))
    .filter((text) => tokenize(text).some((token) => token.kind !== 'blank' && token.kind !== 'comment'));
}
