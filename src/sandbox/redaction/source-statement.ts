// A saved query over redacted tables: each stored table that it names is replaced by a view of itself with redacted columns.
import { createCursor, type Cursor } from '../../sql/cursor.ts';
import { GENERATORS, LOOKUPS, tableReferences, type TableReference } from '../../sql/table-references.ts';
import { attribute, parseTreeLines, type TreeLine } from '../../sql/query-tree.ts';
import { mentionedIn } from '../../sql/tree/visit.ts';
import { quoteIdentifier } from '../../sql/literal.ts';
import type { TableColumn } from '../read-table.ts';
import type { RedactTable } from './source-redaction.ts';

export interface SourceStatementOptions {
  readonly redact: RedactTable;
  /** The columns of each table, as the query names it. */
  readonly columns: ReadonlyMap<string, readonly TableColumn[]>;
  /** Names of columns with a rule, or with one for a part of them. */
  readonly isRuled: (column: string) => boolean;
  /** Whether a constant of a condition may be compared with stored values: one without personal data and replacements. */
  readonly canCompare: (constant: string) => boolean;
}

/** The tables that a statement names, each once. */
export function tablesOfStatement(sql: string): readonly string[] {
  return [...new Set(tableReferences(createCursor(sql)).references.map(({ table }) => table))];
}

/** The statement over redacted tables; `sql` is a saved query in parentheses after `SELECT * FROM`. */
export function sourceStatement(
  sql: string,
  { redact, columns, isRuled, canCompare }: SourceStatementOptions,
): string {
  const query = createCursor(sql);
  const names = mentionedIn({ cursor: query });
  const isReadWhole = wholeReads(query);
  let text = '';
  let copied = 0;
  for (const reference of tableReferences(query).references) {
    const { table, start, end, alias, isFinal } = reference;
    const known = columns.get(table) ?? [];
    const isText = (name: string): boolean =>
      !isRuled(name) && known.some((each) => each.name === name && TEXT.test(each.type));
    const conditions = rawConditions(query, reference, isText).filter(canCompare);
    const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
    const rows = `SELECT * FROM ${table}${isFinal ? ' FINAL' : ''}${where}`;
    // A column that the query does not name is only returned.
    const read = isReadWhole(reference) ? { needed: undefined, early: names } : { needed: names };
    const view = `view(${redact(known).select(rows, read, [])}) AS ${alias}`;
    text += sql.slice(copied, start) + view;
    copied = end;
  }
  return text + sql.slice(copied);
}

const TEXT = /^(?:(?:LowCardinality|Nullable)\()*String\)*$/;

/**
 * Creates the function that says whether columns of a table are read that the query does not name: whether the SELECT that reads it has a
 * star, or a subquery of that SELECT a qualified one.
 */
function wholeReads(query: Cursor): (reference: TableReference) => boolean {
  /** Indexes of opening brackets around the token, the innermost last. */
  const open: number[] = [];
  /** The innermost of them by the index of a token. */
  const around: number[] = [];
  const stars: number[] = [];
  for (let at = 0; at < query.length; at++) {
    const inner = open.at(-1) ?? -1;
    around[at] = inner;
    if (/^(?:NATURAL|COLUMNS|APPLY)$/.test(query.word(at) ?? '')) return () => true;
    if (query.closing(at) > at) open.push(at);
    else if (query.closing(inner) === at) open.pop();
    else if (at > OUTER_STAR && isStar(query, at)) {
      // As an argument it may have an alias, which other SELECTs can use.
      if (!/^(?:SELECT|WITH|FROM)$/.test(query.word(inner + 1) ?? '')) return () => true;
      stars.push(at);
    }
  }
  return ({ next }) => {
    const from = around[next - 1] ?? -1;
    const isInside = (star: number): boolean => from < star && star < query.closing(from);
    return stars.some((star) => around[star] === from || (query.kind(star - 1) === '.' && isInside(star)));
  };
}

/** The saved query is in parentheses after `SELECT * FROM`. */
const OUTER_STAR = 1;

/** Whether the token selects columns: a star before or after which there is no operand, other than that of count(*). */
function isStar(query: Cursor, at: number): boolean {
  if (query.kind(at) !== '*') return false;
  if (query.kind(at - 1) === '(' && query.name(at - 2)?.toLowerCase() === 'count') return false;
  return (
    ['(', ',', '.'].includes(query.kind(at - 1) ?? '') ||
    /^(?:SELECT|DISTINCT)$/.test(query.word(at - 1) ?? '') ||
    [',', ')'].includes(query.kind(at + 1) ?? '') ||
    /^(?:FROM|REPLACE|WHERE)$/.test(query.word(at + 1) ?? '') ||
    ENDS.has(query.word(at + 1))
  );
}

/**
 * The conditions `column = value` of the SELECT that reads the table alone, to be applied to the stored values as well, so that the sort
 * key is used. A stored value that is equal to a text without personal data has none. That does not hold for lists of values and for
 * patterns.
 */
function rawConditions(
  query: Cursor,
  { alias, isFirst, next }: TableReference,
  isText: (name: string) => boolean,
): readonly string[] {
  if (!isFirst || query.word(next) !== 'WHERE') return [];
  const conditions: string[] = [];
  let from = next + 1;
  let isBetween = false;
  for (let at = from; ; at = query.after(at)) {
    const word = query.word(at);
    const isEnd = at >= query.length || query.kind(at) === ')' || ENDS.has(word);
    if (/^(?:OR|XOR|CASE)$/.test(word ?? '') || query.kind(at) === '?') return [];
    if (word === 'BETWEEN') isBetween = true;
    else if (isEnd || (word === 'AND' && !isBetween)) {
      const comparison = readComparison(query, from, at, alias);
      if (comparison !== undefined && isText(comparison.column) && !isAliased(query, comparison.column))
        conditions.push(comparison.sql);
      from = at + 1;
    } else if (word === 'AND') isBetween = false;
    if (isEnd) return conditions;
  }
}

const ENDS: ReadonlySet<string | undefined> = new Set(
  'GROUP HAVING WINDOW QUALIFY ORDER LIMIT OFFSET FETCH SETTINGS UNION INTERSECT EXCEPT'.split(' '),
);

interface Comparison {
  readonly column: string;
  readonly sql: string;
}

/** `column = value`, or `({parameter} IS NULL OR column = value)`. */
function readComparison(query: Cursor, start: number, end: number, alias: string): Comparison | undefined {
  if (query.kind(start) !== '(' || query.after(start) !== end) return readEquality(query, start, end, alias);
  const is = query.after(start + 1);
  const isOptional =
    query.kind(start + 1) === '{' &&
    [0, 1, 2].map((more) => query.word(is + more)).join(' ') === 'IS NULL OR';
  const inner = isOptional ? readEquality(query, is + 3, end - 1, alias) : undefined;
  return (
    inner && {
      column: inner.column,
      sql: `(${query.slice(start + 1, is + 3)} ${inner.sql})`,
    }
  );
}

function readEquality(query: Cursor, start: number, end: number, alias: string): Comparison | undefined {
  const isQualified = query.text(start) === alias && query.kind(start + 1) === '.';
  const at = isQualified ? start + 2 : start;
  const column = query.name(at);
  const value = at + 2;
  const isValue = query.kind(value) === '{' || query.kind(value) === 'string';
  if (column === undefined || query.text(at + 1) !== '=' || !isValue || query.after(value) !== end)
    return undefined;
  return {
    column,
    sql: `${quoteIdentifier(column)} = ${query.slice(value, end)}`,
  };
}

/** Whether the name may be an alias somewhere, which is preferred to a column. */
function isAliased(query: Cursor, name: string): boolean {
  return query.tokens.some((_, at) => {
    if (query.name(at) !== name || query.kind(at - 1) === '.') return false;
    const before = query.word(at - 1);
    if (before !== undefined) return !BEFORE_COLUMN.has(before);
    return [')', ']', '}', 'quoted', 'number', 'string'].includes(query.kind(at - 1) ?? '');
  });
}

const BEFORE_COLUMN: ReadonlySet<string> = new Set(
  'SELECT DISTINCT WHERE AND OR NOT BY ON HAVING WHEN THEN ELSE CASE IN LIKE ILIKE BETWEEN IS'.split(' '),
);

/** Why a statement must not run: something that the engine reads outside of the views; undefined if there is nothing. */
export function unredactedRead(tree: string): string | undefined {
  const lines = parseTreeLines(tree);
  if ('fault' in lines) return 'the query is too large';
  const waiting: TreeLine[] = [lines.root];
  for (let line = waiting.pop(); line !== undefined; line = waiting.pop()) {
    if (line.kind === 'TABLE') {
      const name = attribute(line, 'table_name') ?? 'a table';
      if (name !== 'system.one') return name;
    }
    if (line.kind === 'TABLE_FUNCTION') {
      const name = attribute(line, 'table_function_name') ?? '';
      if (name === 'view') continue;
      if (!GENERATORS.has(name)) return name;
    }
    const called = line.kind === 'FUNCTION' ? attribute(line, 'function_name', 'function_type') : undefined;
    if (called !== undefined && LOOKUPS.test(called)) return called;
    waiting.push(...line.children);
  }
  return undefined;
}
