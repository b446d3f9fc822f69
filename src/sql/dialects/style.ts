// How names and lines are written: for people, or in one line in which no name has a meaning of its own.
import { quoteIdentifier } from '../clickhouse/literal.ts';
import { joinSql, sql, type Sql, name } from './value.ts';

/** One of two ways to write names, lines and parentheses. */
export interface Style {
  /** An identifier. */
  readonly name: (own: string) => string;
  /** A query in parentheses, in WITH and FROM. */
  readonly block: (query: Sql) => Sql;
  /** A query in parentheses, in an expression. */
  readonly nested: (query: Sql) => Sql;
  readonly lines: (parts: readonly Sql[]) => Sql;
  /** Items after a keyword. */
  readonly list: (keyword: string, items: readonly Sql[]) => Sql;
  /** The second of two clauses, below the first one. */
  readonly below: string;
}

/** At run time: one line, and every name in quotes. */
export const ONE_LINE: Style = {
  name: quoteIdentifier,
  block: (query) => sql`(${query})`,
  nested: (query) => sql`(${query})`,
  lines: (parts) => joinSql(parts, ' '),
  list: (keyword, items) => sql`${keyword} ${joinSql(items)}`,
  below: ' ',
};

/** Offline. String literals never contain line breaks, so indenting does not change them. */
export const READABLE: Style = {
  name,
  block: (query) => `(\n${indent(query)}\n)`,
  nested: (query) => {
    const text = String(query);
    return !text.includes('\n') && text.length <= 80 ? `(${text})` : `(\n${indent(text)}\n)`;
  },
  lines: (parts) => joinSql(parts, '\n'),
  list: (keyword, items) => {
    const line = `${keyword} ${items.join(', ')}`;
    if (line.length <= 100 && !line.includes('\n')) return line;
    return `${keyword}\n${items.map(indent).join(',\n')}`;
  },
  below: '\n  ',
};

function indent(query: Sql): string {
  return String(query)
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
}
