// Lines and indentation of the written SQL. String literals never contain line breaks, so indenting does not change them.
import type { Sql } from '../../dialects/sql.ts';

/** A query inside parentheses, on lines of its own if it has several. */
export function indented(own: Sql): string {
  const sql = String(own);
  if (!sql.includes('\n') && sql.length <= 80) return sql;
  return `\n${indent(sql)}\n`;
}

export function indent(sql: Sql): string {
  return String(sql)
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
}

/** Items after a keyword: on one line if they are short. */
export function listed(keyword: string, items: readonly Sql[]): string {
  const line = `${keyword} ${items.join(', ')}`;
  if (line.length <= 100 && !line.includes('\n')) return line;
  return `${keyword}\n${items.map((item) => indent(item)).join(',\n')}`;
}

/** LIMIT and OFFSET, as lines. */
export function limits({
  limit,
  offset,
  hasTies,
}: {
  readonly limit?: string | undefined;
  readonly offset?: string | undefined;
  readonly hasTies: boolean;
}): readonly string[] {
  if (limit === undefined) return offset === undefined ? [] : [`OFFSET ${offset}`];
  return [`LIMIT ${limit}${offset === undefined ? '' : ` OFFSET ${offset}`}${hasTies ? ' WITH TIES' : ''}`];
}
