// A saved query over redacted tables: each stored table that it names is replaced by a view of itself with redacted columns.
import {
  GENERATORS,
  LOOKUPS,
  tableReferences,
  type TableReference,
} from '../../../sql/clickhouse/table-references.ts';
import { parseSavedText } from '../../../sql/clickhouse/tree/parse.ts';
import { attribute, parseTreeLines, type TreeLine } from '../../../sql/clickhouse/query-tree.ts';
import {
  definitionsIn,
  isCountOfRows,
  mentionedIn,
  namesOf,
  sourceOf,
  testOf,
  wordOf,
} from '../../../sql/clickhouse/tree/visit.ts';
import type { Node, Tree } from '../../../sql/clickhouse/tree/nodes.ts';
import { quoteIdentifier } from '../../../sql/clickhouse/literal.ts';
import type { TableColumn } from '../columns.ts';
import type { RedactTable } from './source-redaction.ts';
import { plainTypeOf } from '../../../sql/types/traits.ts';

export interface SourceStatementOptions {
  readonly redact: RedactTable;
  /** The columns of each table, as the query names it. */
  readonly columns: ReadonlyMap<string, readonly TableColumn[]>;
  /** Names of columns with a rule, or with one for a part of them. */
  readonly isRuled: (column: string) => boolean;
  /** Returns whether a constant of a condition may be compared with stored values: one without personal data and replacements. */
  readonly canCompare: (constant: string) => boolean;
}

/** The tables that a statement names, each once. */
export function tablesOfStatement(sql: string): readonly string[] {
  return [...new Set(tableReferences(parseSavedText(sql)).references.map(({ table }) => table))];
}

/** The statement over redacted tables; `sql` is a saved query in parentheses after `SELECT * FROM`. */
export function sourceStatement(
  sql: string,
  { redact, columns, isRuled, canCompare }: SourceStatementOptions,
): string {
  const tree = parseSavedText(sql);
  const names = mentionedIn(tree);
  const isReadWhole = wholeReads(tree);
  let text = '';
  let copied = 0;
  for (const reference of tableReferences(tree).references) {
    const { table, start, end, alias, isFinal } = reference;
    const known = columns.get(table) ?? [];
    const isText = (name: string): boolean =>
      !isRuled(name) && known.some((each) => each.name === name && plainTypeOf(each.type).name === 'String');
    const conditions = rawConditions(tree, reference, isText).filter(canCompare);
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

/**
 * Creates the function that says whether columns of a table are read that the query does not name: whether the query in parentheses that
 * reads it has a star, or a query inside of that one a qualified one.
 */
function wholeReads(tree: Tree): (reference: TableReference) => boolean {
  if (tree.fault !== undefined) return () => true;
  /** The innermost query in parentheses around a source, by the token after the source. */
  const around = new Map<number, Node>();
  const stars: { readonly star: Node; readonly within: Node }[] = [];
  let isAll = false;
  const visit = (node: Node, parent: Node, within: Node): void => {
    const isNatural = node.kind === 'join' && wordOf(tree, { at: node.from }) === 'NATURAL';
    // As a part of a value, a star may have an alias, which other queries can use.
    const isPart = node.kind === 'star' && parent.kind !== 'list';
    if (isNatural || isPart || node.kind === 'columns' || node.kind === 'apply') isAll = true;
    if (node.kind === 'source') around.set(node.to, within);
    if (node.kind === 'star') stars.push({ star: node, within });
    if (isCountOfRows(tree, node)) return;
    const inner = node.kind === 'subquery' ? node : within;
    for (const part of node.parts) visit(part, node, inner);
  };
  visit(tree.root, tree.root, tree.root);
  if (isAll) return () => true;
  return ({ next }) => {
    const query = around.get(next);
    return (
      query === undefined ||
      stars.some(({ star, within }) => {
        const isInside = query.from <= star.from && star.to <= query.to;
        return within === query || (star.from < star.at && isInside);
      })
    );
  };
}

/**
 * The conditions `column = value` of the SELECT that reads the table alone, to be applied to the stored values as well, so that the sort
 * key is used. A stored value that is equal to a text without personal data has none. That does not hold for lists of values and for
 * patterns.
 */
function rawConditions(
  tree: Tree,
  { alias, isFirst, next }: TableReference,
  isText: (name: string) => boolean,
): readonly string[] {
  const condition = isFirst && tree.fault === undefined ? whereAt(tree.root, next)?.parts[0] : undefined;
  if (condition === undefined) return [];
  const defined = definitionsIn(tree);
  return (condition.kind === 'and' ? condition.parts : [condition]).flatMap((each) => {
    const comparison = readComparison(tree, each, alias);
    // An alias is preferred to a column.
    const isColumn = comparison !== undefined && isText(comparison.column) && !defined.has(comparison.column);
    return isColumn ? [comparison.sql] : [];
  });
}

/** The WHERE that begins at a token. */
function whereAt(node: Node, from: number): Node | undefined {
  if (node.kind === 'where' && node.from === from) return node;
  for (const part of node.parts) {
    const found = part.from <= from && from < part.to ? whereAt(part, from) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

interface Comparison {
  readonly column: string;
  readonly sql: string;
}

/** `column = value`, or `({parameter} IS NULL OR column = value)`. */
function readComparison(tree: Tree, node: Node, alias: string): Comparison | undefined {
  if (node.kind !== 'group') return readEquality(tree, node, alias);
  const [choice] = node.parts;
  const [test, condition, ...others] = choice?.kind === 'or' ? choice.parts : [];
  const isOptional =
    test?.kind === 'test' &&
    test.parts[0]?.kind === 'placeholder' &&
    testOf(tree, test) === 'IS NULL' &&
    others.length === 0;
  const inner = isOptional && condition !== undefined ? readEquality(tree, condition, alias) : undefined;
  return inner && test && { column: inner.column, sql: `(${sourceOf(tree, test)} OR ${inner.sql})` };
}

function readEquality(tree: Tree, node: Node, alias: string): Comparison | undefined {
  const [column, value] = node.parts;
  if (node.kind !== 'binary' || wordOf(tree, node) !== '=' || column?.kind !== 'column') return undefined;
  if (value?.kind !== 'placeholder' && value?.kind !== 'string') return undefined;
  const names = namesOf(tree, column);
  const isOwn = sourceOf(tree, { from: column.from, to: column.from + 1 }) === alias;
  const [name, ...others] = isOwn && names.length > 1 ? names.slice(1) : names;
  if (name === undefined || others.length > 0) return undefined;
  return { column: name, sql: `${quoteIdentifier(name)} = ${sourceOf(tree, value)}` };
}

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
