// The statement that is sent: the consumer's tokens over tables that each have a scope of their own.
import { tokenize, isSignificant } from '../sql/lexer.ts';
import { quoteIdentifier, quoteString } from '../sql/literal.ts';
import type { Outline } from '../sql/outline.ts';
import { joins } from './joins.ts';

/** How a table of the endpoint is written into a statement. */
export interface TableText {
  readonly name: string;
  /** A WITH element: name, AS, and a view that holds the endpoint's whole WITH clause. */
  readonly element: string;
  /** The same with a barrier: no condition of the consumer is evaluated inside the view. */
  readonly barredElement: string;
  /** The barred one with its JSON columns read anew from their text; undefined where it has none. */
  readonly rereadElement: string | undefined;
  /** Tokens that a reference to it stands for, what it refers to itself included. */
  readonly size: number;
}

/**
 * The tables of a saved query's WITH clause. `view()` resolves what is inside it by itself: neither names nor lambdas of
 * the consumer reach the endpoint's own tables. `boundSql` is the text that `outline` was read from.
 */
export function tableTexts(
  boundSql: string,
  outline: Outline,
  { columns = new Map(), isBarred = false }: TableOptions = {},
): readonly TableText[] {
  const clause = boundSql.slice(outline.withStart, outline.withEnd);
  const tokens = tokenize(clause).filter(isSignificant);
  const isClosed = isBarred || joins(clause, tokens);
  return outline.elements
    .filter((element) => element.kind === 'table')
    .map(({ name }) => {
      const quoted = quoteIdentifier(name);
      const view = `SELECT * FROM view(${clause}\nSELECT * FROM ${quoted})`;
      const barredElement = `${quoted} AS (${view} LIMIT ${BARRIER_ROWS})`;
      // Behind a join a condition may reach a table that its own tenant's condition never does.
      const element = isClosed ? barredElement : `${quoted} AS (${view})`;
      const reread = rereadColumns(columns.get(name) ?? []);
      const rereadElement = reread && `${quoted} AS (${view.replace('*', reread)} LIMIT ${BARRIER_ROWS})`;
      return { name, element, barredElement, rereadElement, size: tokens.length };
    });
}

/**
 * More rows than there are. Which rows a LIMIT gives depends on all of them, so no engine may move a condition below it:
 * neither into the reading of a table (PREWHERE) nor into the analysis of its indexes.
 */
const BARRIER_ROWS = 10n ** 18n;

export interface TableOptions {
  /** Columns by table, where the engine has described them. */
  readonly columns?: ReadonlyMap<string, readonly TableColumn[]> | undefined;
  /** Every query needs a barrier, also one that cannot fail on a row. */
  readonly isBarred?: boolean;
}

/** A column as the engine describes it. */
export interface TableColumn {
  readonly name: string;
  readonly type: string;
}

/**
 * A JSON column holds the types that any row of its block has, of whatever tenant, and a cast of a path fails on a type that
 * it cannot cast, used or not. What is read anew from text has the types of its own rows. Undefined where there is none.
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

/** What is known of the consumer's tokens. */
export interface CheckedText {
  readonly joined: string;
  /** It cannot fail on any row, so the engine may evaluate it wherever it likes. */
  readonly isLeakproof: boolean;
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
  { joined, isLeakproof }: CheckedText,
  rows: number,
): AssembledStatement {
  return statementOver(
    tables.map(({ element, barredElement }) => (isLeakproof ? element : barredElement)),
    joined,
    rows,
  );
}

/** The same for where it has failed: over JSON read anew. Undefined where no table has any. */
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
