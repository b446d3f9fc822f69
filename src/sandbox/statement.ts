// The statement that is sent: the consumer's tokens over tables that each have a scope of their own.
import { tokenize, isSignificant } from '../sql/lexer.ts';
import { quoteIdentifier } from '../sql/literal.ts';
import type { Outline } from '../sql/outline.ts';

/** How a table of the endpoint is written into a statement. */
export interface TableText {
  readonly name: string;
  /** A WITH element: name, AS, and a view that holds the endpoint's whole WITH clause. */
  readonly element: string;
  /** Tokens that a reference to it stands for, what it refers to itself included. */
  readonly size: number;
}

/**
 * The tables of a saved query's WITH clause. `view()` resolves what is inside it by itself: neither names nor lambdas of
 * the consumer reach the endpoint's own tables. `boundSql` is the text that `outline` was read from.
 */
export function tableTexts(boundSql: string, outline: Outline): readonly TableText[] {
  const clause = boundSql.slice(outline.withStart, outline.withEnd);
  const size = tokenize(clause).filter(isSignificant).length;
  return outline.elements
    .filter((element) => element.kind === 'table')
    .map(({ name }) => {
      const quoted = quoteIdentifier(name);
      return { name, element: `${quoted} AS (SELECT * FROM view(${clause}\nSELECT * FROM ${quoted}))`, size };
    });
}

/** A statement, and where the consumer's tokens begin in it. */
export interface AssembledStatement {
  readonly sql: string;
  readonly consumerStart: number;
}

/**
 * Puts the consumer's joined tokens below the tables that they read. The brackets make clauses that would end a statement
 * a syntax error; `rows` is the most that is asked for, whatever LIMIT the consumer wrote.
 */
export function assembleStatement(
  tables: readonly TableText[],
  joined: string,
  rows: number,
): AssembledStatement {
  const elements = tables.map((table) => table.element).join(',\n');
  const head = `${elements === '' ? '' : `WITH ${elements}\n`}SELECT * FROM (\n`;
  return { sql: `${head}${joined}\n) LIMIT ${rows}`, consumerStart: head.length };
}
