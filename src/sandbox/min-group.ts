// The smallest group that a consumer query may see: every SELECT over a table of the endpoint aggregates, and leaves out groups of
// fewer rows. What other SELECTs compute from such groups tells nothing more about fewer rows.
import { attribute, type TreeLine } from '../sql/query-tree.ts';
import type { FunctionPolicy } from './functions/policy.ts';
import type { LexedQuery, Violation } from './lexed-query.ts';
import type { ScanResult } from './scan/scanner.ts';
import type { SelectFinding } from './scan/selects.ts';

/**
 * Aggregate functions whose value does not show the value of one of the rows. Combinators such as -If, and expressions as arguments,
 * would select a single row among many.
 */
const AGGREGATES: ReadonlySet<string> = new Set(
  'count countdistinct uniq uniqexact uniqcombined uniqcombined64 uniqhll12 sum avg stddevpop stddevsamp varpop varsamp'.split(
    ' ',
  ),
);

const AFTER_HAVING: ReadonlySet<string | undefined> = new Set(
  'WINDOW QUALIFY ORDER LIMIT OFFSET FETCH'.split(' '),
);

/** The query with `HAVING count() >= minimum` in every SELECT over a table. `scanned` is the scan of `text`. */
export function withMinimum(
  { cursor }: LexedQuery,
  { selects }: Pick<ScanResult, 'selects'>,
  minimum: number,
): string {
  const condition = `count() >= ${minimum}`;
  const insertions = selects.flatMap((select) => {
    if (!select.sources.some(({ table }) => table !== undefined)) return [];
    const { having, end } = clausesOf(cursor, select);
    if (having === undefined) return [{ at: end, text: ` HAVING ${condition} ` }];
    return [
      { at: having + 1, text: ` ${condition} AND (` },
      { at: end, text: ') ' },
    ];
  });
  const { sql } = cursor;
  let text = '';
  let copied = 0;
  for (const insertion of insertions.toSorted((a, b) => a.at - b.at)) {
    const offset = cursor.end(insertion.at - 1);
    text += sql.slice(copied, offset) + insertion.text;
    copied = offset;
  }
  return text + sql.slice(copied);
}

/** Token index of HAVING, and of the clause after it. */
function clausesOf(
  cursor: LexedQuery['cursor'],
  { start, end }: SelectFinding,
): { readonly having: number | undefined; readonly end: number } {
  let having: number | undefined;
  let isRead = false;
  for (let at = start; at < end; at = cursor.after(at)) {
    const word = cursor.word(at);
    if (word === 'FROM') isRead = true;
    if (!isRead || cursor.kind(at - 1) === '.') continue;
    if (word === 'HAVING') having = at;
    if (AFTER_HAVING.has(word)) return { having, end: at };
  }
  return { having, end };
}

export interface MinGroupContext {
  readonly minimum: number;
  readonly scanned: Pick<ScanResult, 'tables' | 'names' | 'sets'>;
  readonly functions: FunctionPolicy;
  /** Whether the query cannot fail on a row: a failure would tell something about that row. */
  readonly isLeakproof: boolean;
}

/** Why a query, with the conditions that `withMinimum` added, may show fewer rows; `tree` is the engine's. */
export function minGroupViolation(tree: TreeLine, context: MinGroupContext): Violation | undefined {
  if (context.scanned.sets.size > 0) return denied('a table after IN', 'Write IN (SELECT … GROUP BY …)');
  const found = visitQueries(tree, context);
  if (found !== undefined || context.isLeakproof) return found;
  return denied(
    'a function that can fail on a row',
    'Use functions that return a value for any argument, such as toInt64OrNull in place of toInt64',
  );
}

function denied(what: string, hint: string): Violation {
  return {
    code: 'sandbox.min_group',
    message: `${what[0]?.toUpperCase() ?? ''}${what.slice(1)} is not allowed: the endpoint returns groups of rows only`,
    hint,
  };
}

function visitQueries(line: TreeLine, context: MinGroupContext): Violation | undefined {
  const own = line.kind === 'QUERY' && readsTable(line, context) ? checkSelect(line, context) : undefined;
  if (own !== undefined) return own;
  for (const child of line.children) {
    const violation = visitQueries(child, context);
    if (violation !== undefined) return violation;
  }
  return undefined;
}

/** Whether a table of the endpoint is in its FROM clause, at any depth of joins. */
function readsTable(query: TreeLine, { scanned }: MinGroupContext): boolean {
  const inFrom = (line: TreeLine): boolean => {
    if (line.kind === 'IDENTIFIER') return scanned.tables.has(attributeOf(line, 'identifier'));
    return line.kind !== 'QUERY' && line.kind !== 'UNION' && line.children.some(inFrom);
  };
  return query.children.some((part) => part.kind === 'JOIN TREE' && part.children.some(inFrom));
}

/** The value of an attribute up to the next one; endpoint tables have plain names. */
function attributeOf(line: TreeLine, name: string): string {
  return new RegExp(`, ${name}: ([^,]*)`).exec(line.attributes)?.[1] ?? '';
}

function checkSelect(query: TreeLine, context: MinGroupContext): Violation | undefined {
  const from = query.children.find(({ kind }) => kind === 'JOIN TREE')?.children[0];
  if (from?.kind !== 'IDENTIFIER')
    return denied('a join or ARRAY JOIN of rows', 'Aggregate each table in a subquery, and join the groups');
  if (/, (?:group_by_type: |is_group_by_with_)/.test(query.attributes))
    return denied('WITH TOTALS, ROLLUP, CUBE or GROUPING SETS', 'Send one query for each grouping');
  if (!hasMinimum(query, context.minimum))
    return denied('this form of HAVING', 'Write the condition in a query around this one');
  const walk: FunctionWalk = { ...context, hasAggregate: false };
  const [having, others] = [true, false].map((is) =>
    query.children.filter(({ kind }) => (kind === 'HAVING') === is && kind !== 'JOIN TREE'),
  );
  const violation = firstViolation(others ?? [], walk);
  if (violation !== undefined) return violation;
  const isGrouped =
    query.children.some(({ kind }) => kind === 'GROUP BY') || query.attributes.includes('is_group_by_all');
  if (!isGrouped && !walk.hasAggregate)
    return denied('a query of single rows', 'Aggregate: SELECT …, count() FROM … GROUP BY …');
  return firstViolation(having ?? [], walk);
}

function firstViolation(parts: readonly TreeLine[], walk: FunctionWalk): Violation | undefined {
  for (const part of parts) {
    const violation = visitFunctions(part, walk);
    if (violation !== undefined) return violation;
  }
  return undefined;
}

/** Whether HAVING is `count() >= minimum`, alone or with AND. */
function hasMinimum(query: TreeLine, minimum: number): boolean {
  const [condition] = query.children.find(({ kind }) => kind === 'HAVING')?.children ?? [];
  if (condition === undefined) return false;
  const isMinimum = (line: TreeLine | undefined): boolean => {
    const [left, right] = line === undefined ? [] : argumentsOf(line);
    return (
      line !== undefined &&
      nameOf(line) === 'greaterOrEquals' &&
      left !== undefined &&
      nameOf(left) === 'count' &&
      argumentsOf(left).length === 0 &&
      right?.attributes.includes(`constant_value: UInt64_${minimum},`) === true
    );
  };
  return isMinimum(condition) || (nameOf(condition) === 'and' && isMinimum(argumentsOf(condition)[0]));
}

interface FunctionWalk extends MinGroupContext {
  hasAggregate: boolean;
}

/** Functions of one SELECT; subqueries are visited by themselves. */
function visitFunctions(line: TreeLine, walk: FunctionWalk): Violation | undefined {
  if (line.kind === 'QUERY' || line.kind === 'UNION') return undefined;
  const own = line.kind === 'FUNCTION' ? checkFunction(line, walk) : undefined;
  return own ?? firstViolation(line.children, walk);
}

function checkFunction(line: TreeLine, walk: FunctionWalk): Violation | undefined {
  const name = nameOf(line) ?? '';
  if (/^arrayjoin$|^unnest$/i.test(name)) return denied(name, 'Aggregate first, in a subquery');
  if (line.children.some(({ kind }) => kind === 'WINDOW'))
    return denied('a window function over rows', 'Aggregate first, in a subquery');
  if (!walk.functions.allowsAggregate(name)) return undefined;
  walk.hasAggregate = true;
  const isKnown =
    AGGREGATES.has(name.toLowerCase()) && !line.children.some(({ kind }) => kind === 'PARAMETERS');
  const isPlain = argumentsOf(line).every((argument) => isColumn(argument, walk));
  if (isKnown && isPlain) return undefined;
  const what = isKnown ? `an expression in ${name}` : `the aggregate function ${name}`;
  return denied(
    what,
    `Use count, uniq, sum, avg, stddev or var of a column, and write conditions in WHERE or GROUP BY`,
  );
}

/** A column of the table, a constant, or `*`; a name that the query defines may be an expression. */
function isColumn(line: TreeLine, { scanned }: MinGroupContext): boolean {
  if (line.kind === 'CONSTANT' || line.kind === 'MATCHER') return true;
  const name = attributeOf(line, 'identifier');
  return (
    line.kind === 'IDENTIFIER' && name !== '' && !name.split('.').some((part) => scanned.names.has(part))
  );
}

function nameOf(line: TreeLine): string | undefined {
  return line.kind === 'FUNCTION' ? attribute(line, 'function_name', 'function_type') : undefined;
}

function argumentsOf(line: TreeLine): readonly TreeLine[] {
  return line.children.find((part) => part.kind === 'ARGUMENTS')?.children[0]?.children ?? [];
}
