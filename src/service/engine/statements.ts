// Splits a script into statements, at its semicolons only: the scripts are the author's own. See schema/script.ts for those of others.
import { positionAt } from '../../sql/base/position.ts';
import { isSignificant, tokenize } from '../../sql/clickhouse/lexer.ts';

/** A statement and the line on which it begins, 1-based. */
export interface LocatedStatement {
  readonly line: number;
  readonly sql: string;
}

/**
 * The statements of a script with their lines, without comments around them. A script with data inline (INSERT … FORMAT name) is one:
 * data may contain semicolons.
 */
export function locateStatements(sql: string): readonly LocatedStatement[] {
  const tokens = tokenize(sql);
  const significant = tokens.filter(isSignificant);
  const isWord = (index: number, word?: string): boolean => {
    const token = significant[index];
    if (token?.kind !== 'word') return false;
    return word === undefined || sql.slice(token.start, token.end).toUpperCase() === word;
  };
  const hasData =
    significant.some((_, index) => isWord(index, 'INSERT')) &&
    significant.some((_, index) => isWord(index, 'FORMAT') && isWord(index + 1));
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

/** The same without their lines. */
export function splitStatements(sql: string): readonly string[] {
  return locateStatements(sql).map((statement) => statement.sql);
}
