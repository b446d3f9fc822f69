// Assembles the statement to send: the consumer's tokens over tables that each have a scope of their own.
import { quoteIdentifier } from '../../sql/clickhouse/literal.ts';
import type { Outline } from '../../sql/clickhouse/outline.ts';
import type { Tree } from '../../sql/clickhouse/tree/nodes.ts';
import { withOf } from '../../sql/clickhouse/tree/visit.ts';
import { editedSource, readClause, withClause, type Clause, type Edit } from '../../sql/clickhouse/clause.ts';
import type { TableColumn } from './columns.ts';
import { joins } from './joins.ts';
import { optionalConditions } from './optional-conditions.ts';
import { passThroughs } from './pass-through.ts';
import type { IsNull, ReadTable, TableForm } from './read-table.ts';
import { createTypeOf } from './known-types.ts';
import type { RedactTable } from './redaction/source-redaction.ts';
import { hasDocuments, isShared, selectBuiltAgain } from './shared-columns.ts';
import type { BelowBarrier, Verdict } from './verdict.ts';

/** An endpoint's tables, and what is known about them. */
export interface TableOptions {
  /** The stored columns by table, if the engine has described them. */
  readonly columns?: ReadonlyMap<string, readonly TableColumn[]> | undefined;
  readonly dotted?: ReadonlyMap<string, readonly string[]> | undefined;
  readonly mapKeys?: ReadonlySet<string> | undefined;
  /** It is true if every query needs a barrier, even one that cannot fail on a row. */
  readonly isBarred?: boolean;
  /** Default: nothing is redacted. */
  readonly redact?: RedactTable | undefined;
}

/** The tables of a saved query's WITH clause that consumers may read. `outline` was read from the tree. */
export function readTables(saved: Tree, outline: Outline, options: TableOptions = {}): readonly ReadTable[] {
  const { columns: known, dotted, mapKeys, isBarred = false, redact } = options;
  const clause = readClause(saved, outline);
  const node = withOf(saved);
  // A condition above a join may be pushed down to a table that the tenant condition does not filter.
  const isClosed = isBarred || node === undefined || joins(node);
  const optional = node === undefined ? () => [] : optionalConditions(saved, node);
  const passThrough = passThroughs(saved, clause);
  return outline.elements
    .filter((element) => element.kind === 'table')
    .map(({ name }) => {
      const stored = known?.get(name) ?? [];
      const redaction = redact?.(stored);
      const columns = redaction?.columns ?? stored;
      const passes = passThrough(name);
      const needed = clause.needed(name);
      const size = needed.reduce((total, { start, end }) => total + clause.tokensBetween(start, end), 0);
      const source = { name, columns, passes, redaction, isClosed, clause, optional };
      return {
        ...source,
        size,
        typeOf: createTypeOf(columns),
        dotted: dotted?.get(name),
        hasMapKeys: mapKeys?.has(name) === true,
        hasShared: columns.some(isShared),
        write: (form, verdict, isNull) => writeTable(source, form, verdict, isNull),
      };
    });
}

/** A table is written from these. */
interface TableSource extends Pick<ReadTable, 'name' | 'columns' | 'passes' | 'redaction' | 'isClosed'> {
  readonly clause: Clause;
  readonly optional: ReturnType<typeof optionalConditions>;
}

/**
 * `view()` resolves names in its own scope: neither names nor lambdas of the consumer reach the endpoint's own tables. Its price is a
 * second analysis of each table, saved where all names are apart: the table is then as the endpoint has it.
 */
function writeTable(source: TableSource, form: TableForm, verdict: Verdict, isNull: IsNull): string {
  const { name, clause, columns, redaction, isClosed } = source;
  const quoted = quoteIdentifier(name);
  const edits = editsOf(source, form, verdict, isNull);
  const rows = `${withClause(clause, clause.needed(name), edits)}\nSELECT * FROM ${quoted}`;
  const conditions = isClosed ? '' : filter(verdict.below?.get(name));
  const barrier = form === 'open' && !isClosed ? '' : `${conditions} LIMIT ${BARRIER_ROWS}`;
  // Without redaction, all columns are there, and the engine leaves out those that are not needed.
  const needed = redaction === undefined ? undefined : namesOf(columns, verdict.needed);
  const onlyParts = redaction === undefined ? undefined : verdict.narrow?.onlyParts.get(name);
  const alone = (table: string): string => {
    const again = columns.filter(
      (column) =>
        isShared(column) &&
        needed?.has(column.name) !== false &&
        onlyParts?.has(column.name) !== true &&
        (form === 'reread' || !hasDocuments(column)),
    );
    const read = `SELECT * FROM ${table}${barrier}`;
    return barrier === '' || again.length === 0 ? read : `SELECT ${selectBuiltAgain(again)} FROM (${read})`;
  };
  if (verdict.isApart && redaction === undefined) {
    const own = onlyBody(clause, name);
    const body = own === undefined ? `(${rows})` : editedSource(clause.cursor.sql, own, edits);
    return `${quoted} AS ${barrier === '' ? body : `(${alone(body)})`}`;
  }
  const { early, compared, narrow } = verdict;
  const read =
    redaction?.select(rows, { needed, early, compared, onlyParts }, narrow?.subcolumns.get(name) ?? []) ??
    rows;
  return `${quoted} AS (${alone(`view(${read})`)})`;
}

function editsOf(
  { name, optional, passes, isClosed }: TableSource,
  form: TableForm,
  { narrow, below, unordered }: Verdict,
  isNull: IsNull,
): readonly Edit[] {
  return [
    ...(isNull === undefined ? [] : optional(isNull)),
    ...(passes?.adding(narrow?.subcolumns.get(name) ?? []) ?? []),
    // Without a barrier the engine itself leaves out the sorting; below a LIMIT it must not.
    ...(form === 'barred' && unordered?.has(name) === true ? (passes?.unordered ?? []) : []),
    ...(isClosed ? [] : (passes?.filtering?.(below?.get(name)?.stored ?? []) ?? [])),
  ];
}

/** The subquery of a table that needs no other element; undefined if it does. */
function onlyBody({ isRecursive, needed }: Clause, name: string): Pick<Edit, 'start' | 'end'> | undefined {
  const [element, ...others] = needed(name);
  if (isRecursive || element === undefined || others.length > 0) return undefined;
  return { start: element.bodyStart, end: element.bodyEnd };
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

/** A statement, and the offset of the consumer's tokens in it. */
export interface ConsumerStatement {
  readonly sql: string;
  readonly consumerStart: number;
}

/**
 * Puts the consumer's joined tokens after the tables that they read. The parentheses turn clauses that would end a statement
 * into syntax errors; `rows` caps the result, whatever LIMIT the consumer wrote.
 */
export function assembleStatement(
  tables: readonly ReadTable[],
  verdict: Verdict,
  rows: number,
  isNull?: IsNull,
): ConsumerStatement {
  const form = verdict.isLeakproof ? 'open' : 'barred';
  return statementOver(
    tables.map(({ write }) => write(form, verdict, isNull)),
    verdict,
    rows,
  );
}

/**
 * The statement for a retry after a failure: over columns built again, and with none of the query's conditions inside a table. Undefined if
 * the statement that failed is of that kind.
 */
export function assembleReread(
  tables: readonly ReadTable[],
  verdict: Verdict,
  rows: number,
  isNull?: IsNull,
): ConsumerStatement | undefined {
  const { isLeakproof, below } = verdict;
  const isAlone = ({ name, isClosed, hasShared }: ReadTable): boolean =>
    !hasShared && (isClosed || (!isLeakproof && below?.has(name) !== true));
  if (tables.every(isAlone)) return undefined;
  const plain = {
    ...verdict,
    isApart: false,
    narrow: undefined,
    below: undefined,
    unordered: undefined,
    early: undefined,
    compared: undefined,
  };
  const elements = tables.map(({ write, hasShared }) =>
    write(hasShared ? 'reread' : 'barred', plain, isNull),
  );
  return statementOver(elements, verdict, rows);
}

function statementOver(all: readonly string[], { narrow, joined }: Verdict, rows: number): ConsumerStatement {
  const elements = all.join(',\n');
  const head = `${elements === '' ? '' : `WITH ${elements}\n`}SELECT * FROM (\n`;
  return { sql: `${head}${narrow?.joined ?? joined}\n) LIMIT ${rows}`, consumerStart: head.length };
}
