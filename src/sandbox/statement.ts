// Assembles the statement to send: the consumer's tokens over tables that each have a scope of their own.
import type { Cursor } from '../sql/cursor.ts';
import { quoteIdentifier } from '../sql/literal.ts';
import type { Outline } from '../sql/outline.ts';
import { parseSaved } from '../sql/tree/parse.ts';
import type { BelowBarrier } from './leakproof/below-barrier.ts';
import { editedSource, readClause, withClause, type Clause, type Edit } from '../sql/clause.ts';
import { joins } from './joins.ts';
import { optionalConditions } from './optional-conditions.ts';
import { passThrough } from './pass-through.ts';
import type { PassThrough, Subcolumn } from './pass-through.ts';
import type { ReadColumns, RedactedTable, RedactTable } from './redaction/source-redaction.ts';
import { hasDocuments, isShared, selectBuiltAgain } from './shared-columns.ts';
import type { ReadSubcolumns } from './subcolumns.ts';

/** How a table of the endpoint is written into a statement. */
export interface TableText {
  readonly name: string;
  /** Tokens that a reference to it expands to, including what it refers to itself. */
  readonly size: number;
  /** The columns of a stored table that it passes on; undefined if it computes more than a selection. */
  readonly passes: PassThrough | undefined;
  /** Its redaction; undefined if it is not redacted. */
  readonly redaction: RedactedTable | undefined;
  /** Whether it has columns that are stored with something of all rows beside theirs, so that `reread` differs. */
  readonly hasShared: boolean;
  /** Whether every form has a barrier. */
  readonly isClosed: boolean;
  /**
   * A WITH element: name, AS, and the elements of the endpoint's WITH clause that the table needs, in a view unless the names of
   * the query are apart. Two forms have a barrier, so that no consumer condition is evaluated inside the table: `barred`, and
   * `reread`, in which all shared columns are built again. The former builds those again for which it costs little.
   */
  readonly write: (form: 'open' | 'barred' | 'reread', options: WriteOptions) => string;
}

export interface WriteOptions {
  readonly isNull: IsNull;
  /** Subcolumns to select as columns of their own. */
  readonly subcolumns?: readonly Subcolumn[] | undefined;
  /** Conditions of the consumer that are also evaluated inside the view. */
  readonly below?: BelowBarrier | undefined;
  /** Whether the order of the table's rows is of no consequence. */
  readonly isUnordered?: boolean | undefined;
  readonly columns?: ReadColumns | undefined;
  /** Whether no name of the consumer can have a meaning inside the table. */
  readonly isApart?: boolean | undefined;
}

/** Whether a parameter of the endpoint is NULL in this call. Undefined: not known, so optional conditions stay as written. */
export type IsNull = ((parameter: string) => boolean) | undefined;

/**
 * The tables of a saved query's WITH clause. `view()` resolves names in its own scope: neither names nor lambdas of the
 * consumer reach the endpoint's own tables. Its price is a second analysis of each table, saved where all names are apart: the
 * table is then as the endpoint has it. `tokens` holds the tokens of the WITH clause that `outline` was read from.
 */
export function tableTexts(
  tokens: Cursor,
  outline: Outline,
  { columns = new Map(), isBarred = false, redact }: TableOptions = {},
): readonly TableText[] {
  const clause = readClause({ cursor: tokens }, outline);
  // A condition above a join may be pushed down to a table that the tenant condition does not filter.
  const tree = parseSaved(tokens);
  const isClosed = isBarred || joins(tree);
  const optional = optionalConditions(tree);
  return outline.elements
    .filter((element) => element.kind === 'table')
    .map(({ name }) => {
      const quoted = quoteIdentifier(name);
      const passes = passThrough(clause, name);
      const redaction = redact?.(columns.get(name) ?? []);
      const { columns: readable } = redaction ?? { columns: columns.get(name) ?? [] };
      const needed = clause.needed(name);
      const own = onlyBody(clause, name);
      const write: TableText['write'] = (form, options) => {
        const { isNull, subcolumns = [], below, isUnordered, isApart = false } = options;
        const edits = [
          ...(isNull === undefined ? [] : optional(isNull)),
          ...(passes === undefined || form === 'reread' ? [] : passes.adding(subcolumns)),
          // Without a barrier the engine itself leaves out the sorting; below a LIMIT it must not.
          ...(isUnordered === true && form === 'barred' ? (passes?.unordered ?? []) : []),
          ...(isClosed || form === 'reread' ? [] : (passes?.filtering?.(below?.stored ?? []) ?? [])),
        ];
        const conditions = form === 'reread' || isClosed ? '' : filter(below);
        const barrier = form === 'open' && !isClosed ? '' : `${conditions} LIMIT ${BARRIER_ROWS}`;
        const rows = `${withClause(clause, needed, edits)}\nSELECT * FROM ${quoted}`;
        // Without redaction, all columns are there, and the engine leaves out those that are not needed.
        const wanted = redaction === undefined ? undefined : namesOf(readable, options.columns?.needed);
        const alone = (source: string): string => {
          if (barrier === '') return `SELECT * FROM ${source}`;
          const barred = `SELECT * FROM ${source}${barrier}`;
          const absent =
            form === 'reread' || redaction === undefined ? undefined : options.columns?.onlyParts;
          const again = readable.filter(
            (column) =>
              isShared(column) &&
              wanted?.has(column.name) !== false &&
              absent?.has(column.name) !== true &&
              (form === 'reread' || !hasDocuments(column)),
          );
          return again.length === 0 ? barred : `SELECT ${selectBuiltAgain(again)} FROM (${barred})`;
        };
        if (isApart && redaction === undefined) {
          const body = own === undefined ? `(${rows})` : editedSource(clause.cursor.sql, own, edits);
          return `${quoted} AS ${barrier === '' ? body : `(${alone(body)})`}`;
        }
        const given = form === 'reread' ? { columns: { needed: wanted } } : options;
        const read = redaction === undefined ? rows : redacted(redaction, rows, given);
        return `${quoted} AS (${alone(`view(${read})`)})`;
      };
      const size = needed.reduce((total, { start, end }) => total + clause.tokensBetween(start, end), 0);
      return { name, size, passes, redaction, hasShared: readable.some(isShared), isClosed, write };
    });
}

/** The subquery of a table that needs no other element; undefined if it does. */
function onlyBody({ isRecursive, needed }: Clause, name: string): Pick<Edit, 'start' | 'end'> | undefined {
  const [element, ...others] = needed(name);
  if (isRecursive || element === undefined || others.length > 0) return undefined;
  return { start: element.bodyStart, end: element.bodyEnd };
}

/**
 * The columns of a table, redacted, in the scope of its view. The endpoint's own elements are in a scope below: an expression among
 * them cannot have the name of a function or of a column here.
 */
function redacted(
  { select }: RedactedTable,
  rows: string,
  { columns = {}, subcolumns = [] }: Pick<WriteOptions, 'columns' | 'subcolumns'>,
): string {
  return select(rows, columns, subcolumns);
}

/** Of the columns, those that are needed; the name of a Nested is that of all of its parts. */
function namesOf(
  columns: readonly TableColumn[],
  needed: ReadonlySet<string> | undefined,
): ReadonlySet<string> | undefined {
  if (needed === undefined) return undefined;
  const names = columns.map(({ name }) => name);
  return new Set(names.filter((name) => needed.has(name) || needed.has(name.split('.', 1)[0] ?? '')));
}

/** The conditions have been checked as parts of the consumer's query: each is one expression. */
function filter(below: BelowBarrier | undefined): string {
  if (below === undefined || below.conditions.length === 0) return '';
  const conditions = below.conditions.map((condition) => `(${condition})`);
  return ` AS ${quoteIdentifier(below.alias)} WHERE ${conditions.join(' AND ')}`;
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
  /** Default: nothing is redacted. */
  readonly redact?: RedactTable | undefined;
}

/** A column as the engine describes it. */
export interface TableColumn {
  readonly name: string;
  readonly type: string;
}

/** A consumer query that has passed the checks. */
export interface CheckedText {
  readonly joined: string;
  /** Whether it cannot fail on any row, so that the engine may evaluate it anywhere. */
  readonly isLeakproof: boolean;
  /** Whether its names and those of the endpoint's tables are apart; default: not. */
  readonly isApart?: boolean;
  /** The same query over tables with columns for the subcolumns that it reads; undefined if it reads none. */
  readonly narrow?: NarrowText | undefined;
  /** By table. */
  readonly below?: ReadonlyMap<string, BelowBarrier>;
  /** Tables of which the order of rows is of no consequence. */
  readonly unordered?: ReadonlySet<string>;
  /** All names in the query, if it reads columns by name only. */
  readonly needed?: ReadonlySet<string> | undefined;
  /** Names of what it may compute before it sorts and limits its rows. */
  readonly early?: ReadonlySet<string> | undefined;
  /** The texts with which it compares columns of which it does nothing else. */
  readonly compared?: ReadonlyMap<string, readonly string[]> | undefined;
}

/** The text that the engine's tree was checked for: it is sent in every form, with and without the subcolumns. */
export interface NarrowText extends ReadSubcolumns {
  readonly joined: string;
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
  checked: CheckedText,
  rows: number,
  isNull?: IsNull,
): AssembledStatement {
  const { joined, isLeakproof, isApart, narrow, below, unordered } = checked;
  const elements = tables.map(({ name, write }) =>
    write(isLeakproof ? 'open' : 'barred', {
      isNull,
      subcolumns: narrow?.subcolumns.get(name),
      below: below?.get(name),
      isUnordered: unordered?.has(name),
      columns: readColumns(checked, name),
      isApart,
    }),
  );
  return statementOver(elements, narrow?.joined ?? joined, rows);
}

function readColumns({ narrow, needed, early, compared }: CheckedText, table: string): ReadColumns {
  return { needed, early, compared, onlyParts: narrow?.onlyParts.get(table) };
}

/**
 * The statement for a retry after a failure: over columns built again, and with none of the query's conditions inside a table. Undefined if
 * the statement that failed is of that kind.
 */
export function assembleReread(
  tables: readonly TableText[],
  { joined, isLeakproof, narrow, needed, below }: CheckedText,
  rows: number,
  isNull?: IsNull,
): AssembledStatement | undefined {
  const isAlone = ({ name, isClosed, hasShared }: TableText): boolean =>
    !hasShared && (isClosed || (!isLeakproof && below?.has(name) !== true));
  if (tables.every(isAlone)) return undefined;
  const columns = { needed };
  const elements = tables.map(({ write, hasShared }) =>
    write(hasShared ? 'reread' : 'barred', { isNull, columns }),
  );
  return statementOver(elements, narrow?.joined ?? joined, rows);
}

function statementOver(all: readonly string[], joined: string, rows: number): AssembledStatement {
  const elements = all.join(',\n');
  const head = `${elements === '' ? '' : `WITH ${elements}\n`}SELECT * FROM (\n`;
  return { sql: `${head}${joined}\n) LIMIT ${rows}`, consumerStart: head.length };
}
