// Assembles the statement to send: the consumer's tokens over tables that each have a scope of their own.
import type { Cursor } from '../sql/cursor.ts';
import { quoteIdentifier, quoteString } from '../sql/literal.ts';
import type { Outline } from '../sql/outline.ts';
import { joins } from './joins.ts';

/** How a table of the endpoint is written into a statement. */
export interface TableText {
  readonly name: string;
  /** A WITH element: name, AS, and a view that contains the endpoint's whole WITH clause. */
  readonly element: string;
  /** The same with a barrier: no consumer condition is evaluated inside the view. */
  readonly barredElement: string;
  /** The barred element with its JSON columns parsed again from text; undefined if it has none. */
  readonly rereadElement: string | undefined;
  /** Tokens that a reference to it expands to, including what it refers to itself. */
  readonly size: number;
}

/**
 * The tables of a saved query's WITH clause. `view()` resolves names in its own scope: neither names nor lambdas of the
 * consumer reach the endpoint's own tables. `clause` holds the tokens of the WITH clause that `outline` was read from.
 */
export function tableTexts(
  clause: Cursor,
  outline: Outline,
  { columns = new Map(), isBarred = false }: TableOptions = {},
): readonly TableText[] {
  const text = clause.slice(0, clause.length);
  const isClosed = isBarred || joins(clause);
  return outline.elements
    .filter((element) => element.kind === 'table')
    .map(({ name }) => {
      const quoted = quoteIdentifier(name);
      const view = `SELECT * FROM view(${text}\nSELECT * FROM ${quoted})`;
      const barredElement = `${quoted} AS (${view} LIMIT ${BARRIER_ROWS})`;
      // A condition above a join may be pushed down to a table that the tenant condition does not filter.
      const element = isClosed ? barredElement : `${quoted} AS (${view})`;
      const reread = rereadColumns(columns.get(name) ?? []);
      const rereadElement = reread && `${quoted} AS (${view.replace('*', reread)} LIMIT ${BARRIER_ROWS})`;
      return { name, element, barredElement, rereadElement, size: clause.length };
    });
}

/**
 * A LIMIT above any possible row count. The rows that a LIMIT returns depend on all rows, so no engine may push a condition
 * below it: neither into the table read (PREWHERE) nor into index analysis.
 */
const BARRIER_ROWS = 10n ** 18n;

/** What is known about the tables of a saved query. */
export interface TableOptions {
  /** Columns by table, if the engine has described them. */
  readonly columns?: ReadonlyMap<string, readonly TableColumn[]> | undefined;
  /** Whether every query needs a barrier, even one that cannot fail on a row. */
  readonly isBarred?: boolean;
}

/** A column as the engine describes it. */
export interface TableColumn {
  readonly name: string;
  readonly type: string;
}

/**
 * A projection that parses JSON columns again from text. A JSON column holds the types of every row in its block, whatever
 * the tenant, and casting a path fails for any type that cannot be cast, used or not. Parsed again, it has only the types
 * of its own rows. Undefined if there is no JSON column.
 */
function rereadColumns(columns: readonly TableColumn[]): string | undefined {
  const replaced = columns
    .filter(({ type }) => /^JSON\b/.test(type))
    .map(({ name, type }) => {
      const quoted = quoteIdentifier(name);
      return `CAST(toString(${quoted}), ${quoteString(type)}) AS ${quoted}`;
    });
  return replaced.length === 0 ? undefined : `* REPLACE (${replaced.join(', ')})`;
}

/** A consumer query that has passed the checks. */
export interface CheckedText {
  readonly joined: string;
  /** Whether it cannot fail on any row, so that the engine may evaluate it anywhere. */
  readonly isLeakproof: boolean;
}

/** A statement, and the offset of the consumer's tokens in it. */
export interface AssembledStatement {
  readonly sql: string;
  readonly consumerStart: number;
}

/**
 * Puts the consumer's joined tokens after the tables that they read. The parentheses turn clauses that would end a statement
 * into syntax errors; `rows` caps the result, whatever LIMIT the consumer wrote.
 */
export function assembleStatement(
  tables: readonly TableText[],
  { joined, isLeakproof }: CheckedText,
  rows: number,
): AssembledStatement {
  return statementOver(
    tables.map(({ element, barredElement }) => (isLeakproof ? element : barredElement)),
    joined,
    rows,
  );
}

/** The statement with a barrier around every table; undefined if it has them already. */
export function assembleBarred(
  tables: readonly TableText[],
  { joined, isLeakproof }: CheckedText,
  rows: number,
): AssembledStatement | undefined {
  const isOpen = isLeakproof && tables.some(({ element, barredElement }) => element !== barredElement);
  if (!isOpen) return undefined;
  return statementOver(
    tables.map(({ barredElement }) => barredElement),
    joined,
    rows,
  );
}

/** The statement for a retry after a failure: over JSON parsed again. Undefined if no table has JSON columns. */
export function assembleReread(
  tables: readonly TableText[],
  { joined }: CheckedText,
  rows: number,
): AssembledStatement | undefined {
  if (tables.every(({ rereadElement }) => rereadElement === undefined)) return undefined;
  const elements = tables.map(({ rereadElement, barredElement }) => rereadElement ?? barredElement);
  return statementOver(elements, joined, rows);
}

function statementOver(all: readonly string[], joined: string, rows: number): AssembledStatement {
  const elements = all.join(',\n');
  const head = `${elements === '' ? '' : `WITH ${elements}\n`}SELECT * FROM (\n`;
  return { sql: `${head}${joined}\n) LIMIT ${rows}`, consumerStart: head.length };
}
