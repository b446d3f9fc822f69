// Splits a script into statements.
import { positionAt } from '../core/position.ts';
import { isSignificant, tokenize } from '../sql/lexer.ts';

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

/** A statement and the line on which it begins, 1-based. */
export interface LocatedStatement {
  readonly line: number;
  readonly sql: string;
}

/** The statements of a script with their lines. A script with data inline (INSERT … FORMAT) is one: data may contain semicolons. */
export function locateStatements(sql: string): readonly LocatedStatement[] {
  const tokens = tokenize(sql);
  const significant = tokens.filter(isSignificant);
  const words = new Set(
    significant.flatMap(({ kind, start, end }) =>
      kind === 'word' ? sql.slice(start, end).toUpperCase() : [],
    ),
  );
  const hasData = words.has('INSERT') && words.has('FORMAT');
  const parts: LocatedStatement[] = [];
  let start: number | undefined;
  let end = 0;
  const flush = (): void => {
    if (start !== undefined) parts.push({ line: positionAt(sql, start).line, sql: sql.slice(start, end) });
    start = undefined;
  };
  for (const token of significant) {
    if (token.kind === ';' && !hasData) flush();
    else {
      start ??= token.start;
      end = token.end;
    }
  }
  if (hasData) end = sql.length;
  flush();
  return parts;
}
