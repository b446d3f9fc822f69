// Which columns of an endpoint's table are columns of a stored table that it merely passes on. Of those, subcolumns (JSON paths,
// elements of tuples) can be selected where the stored table is read, so that the engine reads them alone.
import { quoteIdentifier } from '../../sql/clickhouse/literal.ts';
import type { Clause, ClauseElement, Edit } from '../../sql/clickhouse/clause.ts';
import type { Subcolumn } from './columns.ts';
import type { Node, NodeKind, TokenRange, Tree } from '../../sql/clickhouse/tree/nodes.ts';
import { nameTokens } from '../../sql/clickhouse/tree/tokens.ts';
import {
  hasAs,
  nameOf,
  namesOf,
  partOf,
  someNode,
  sourceOf,
  spanOf,
  withOf,
  wordOf,
} from '../../sql/clickhouse/tree/visit.ts';

export interface PassThrough {
  /** The stored column that is passed on under this name; undefined if there is none. */
  readonly sourceOf: (column: string) => string | undefined;
  /** Edits of the saved query that add subcolumns, each under its full name, to the columns of the table. */
  readonly adding: (subcolumns: readonly Subcolumn[]) => readonly Edit[];
  /**
   * Edits that add conditions on columns of the stored table to its WHERE; undefined if the other rows depend on those that the
   * conditions exclude.
   */
  readonly filtering: ((conditions: readonly string[]) => readonly Edit[]) | undefined;
  /** Edits that leave out each ORDER BY that only the order of the table's rows depends on. */
  readonly unordered: readonly Edit[];
  /** The stored table, as the saved query names it. */
  readonly stored: string;
}

/** One SELECT on the way from the stored table to the consumer. */
interface Level {
  /** Name of each column passed on, to its name in the source; undefined: `*`. */
  readonly columns: ReadonlyMap<string, string> | undefined;
  /** Where the list of columns ends, and what goes before further ones. */
  readonly listEnd: number;
  readonly separator: string;
  /** It is true if it reads the stored table itself. */
  readonly isLast: boolean;
  /** Its ORDER BY, if no LIMIT follows. */
  readonly order: Edit | undefined;
  /** It is true if it passes on every row of its source, and nothing but columns of it. */
  readonly isPlain: boolean;
  /** Its condition; empty if it has none. */
  readonly where: Pick<Edit, 'start' | 'end'>;
  /** It is true if what it makes of a row depends on that row alone, if its functions are leakproof. */
  readonly isByRow: boolean;
}

/** The levels from the consumer's to that of the stored table. */
interface Levels {
  readonly levels: readonly Level[];
  readonly stored: string;
}

/**
 * Creates the function that reads a table of the WITH clause; undefined for one that is more than a selection of rows and columns of one
 * stored table. `saved` is the tree of the query of the clause.
 */
export function passThroughs(saved: Tree, clause: Clause): (table: string) => PassThrough | undefined {
  const elements = new Map(withOf(saved)?.parts.map((part) => [spanOf(saved, part).start, part]));
  const bodyOf = ({ start }: ClauseElement): Node | undefined => {
    const element = elements.get(start);
    // It may give other names to its columns.
    if (element === undefined || wordOf(saved, { at: element.at + 1 }) !== 'AS') return undefined;
    const body = partOf(element, 'subquery');
    return body?.isWhole === true ? body : undefined;
  };
  return (table) => {
    const read = levelsOf({ saved, clause, bodyOf }, table);
    return read && passThrough(clause, read);
  };
}

function passThrough(clause: Clause, { levels, stored }: Levels): PassThrough {
  const isReserved = (column: string): boolean =>
    clause.elements.some((each) => each.name === column || each.name.startsWith(`${column}.`));
  const sourceOf = (column: string): string | undefined => {
    let source: string | undefined = column;
    for (const { columns } of levels) {
      if (source === undefined || isReserved(source)) return undefined;
      source = columns === undefined ? source : columns.get(source);
    }
    return source === undefined || isReserved(source) ? undefined : source;
  };
  return {
    sourceOf,
    stored,
    unordered: ordersOf(levels),
    filtering: filteringOf(clause, levels),
    adding: (subcolumns) => {
      const edits: Edit[] = [];
      let known = subcolumns;
      for (const { columns, listEnd, separator, isLast } of levels) {
        const items = known.map(({ column, path }) => {
          const source = columns?.get(column) ?? column;
          return { as: `${column}.${path}`, source, path };
        });
        known = items.map(({ source, path }) => ({ column: source, path }));
        if ((columns === undefined && !isLast) || items.length === 0) continue; // `*` passes them on
        const list = items.map(
          ({ source, path, as }) => `${quoteIdentifier(`${source}.${path}`)} AS ${quoteIdentifier(as)}`,
        );
        edits.push({ start: listEnd, end: listEnd, text: `${separator}${list.join(', ')}` });
      }
      return edits;
    },
  };
}

/** A LIMIT or a function of a level may depend on the order of the rows that it reads. */
function ordersOf(levels: readonly Level[]): readonly Edit[] {
  const first = levels.findIndex(({ isPlain }) => !isPlain);
  return levels.slice(0, first < 0 ? levels.length : first + 1).flatMap(({ order }) => order ?? []);
}

function filteringOf({ hasExpressions }: Clause, levels: readonly Level[]): PassThrough['filtering'] {
  const where = levels.at(-1)?.where;
  // An element that is an expression may be a lambda with the name of an operator's function.
  if (where === undefined || hasExpressions || !levels.every(({ isByRow }) => isByRow)) return undefined;
  const { start, end } = where;
  return (conditions) => {
    if (conditions.length === 0) return [];
    const added = conditions.map((condition) => `(${condition})`).join(' AND ');
    if (start === end) return [{ start, end, text: ` WHERE ${added}` }];
    return [
      { start, end: start, text: ` ${added} AND (` }, // the engine moves the last one to PREWHERE first
      { start: end, end, text: ')' },
    ];
  };
}

interface SavedClause {
  readonly saved: Tree;
  readonly clause: Clause;
  /** The subquery of an element; undefined if it is not read to its end. */
  readonly bodyOf: (element: ClauseElement) => Node | undefined;
}

function levelsOf({ saved, clause, bodyOf }: SavedClause, name: string): Levels | undefined {
  if (clause.isRecursive) return undefined;
  const needed = clause.needed(name);
  const levels: Level[] = [];
  const passed = new Set<ClauseElement>();
  for (let element = clause.table(name); ;) {
    // In itself, its name is that of a stored table.
    if (element === undefined || passed.has(element)) return undefined;
    passed.add(element);
    if (!isOnlyRead(needed, element, levels.length === 0)) return undefined;
    const body = bodyOf(element);
    const end = body && readLevels(saved, body, levels);
    if (end === undefined) return undefined;
    if ('stored' in end) return { levels, stored: end.stored };
    element = clause.table(end.table);
  }
}

/** Returns whether an element is read once, so that nothing else sees the columns that are added to it; `isFirst`: by consumers. */
function isOnlyRead(needed: readonly ClauseElement[], element: ClauseElement, isFirst: boolean): boolean {
  const name = element.name.toLowerCase();
  const others = needed.filter((each) => each !== element).flatMap(({ mentions }) => mentions);
  return others.filter((mention) => mention === name).length === (isFirst ? 0 : 1);
}

/** Where a chain of nested queries ends: a stored table, as it is written, or another element. */
type End = { readonly stored: string } | { readonly table: string };

/** What a level reads, and the name that qualifies its columns. */
interface Source {
  readonly source: End | Node;
  readonly alias: string | undefined;
}

/** Reads a query in parentheses and those nested in its FROM; undefined if one of them does more than to select rows and columns. */
function readLevels(tree: Tree, body: Node, levels: Level[]): End | undefined {
  for (let query = body; ;) {
    const [select] = query.parts;
    const parts = select && partsOf(tree, select);
    const read = parts && readSource(tree, parts.source);
    const columns =
      read && readList(tree, parts.list, { aliases: aliasesIn(tree, parts.select), alias: read.alias });
    if (parts === undefined || read === undefined || columns === undefined) return undefined;
    levels.push(levelOf(tree, parts, { columns, isLast: 'stored' in read.source }));
    if (!('parts' in read.source)) return read.source;
    query = read.source;
  }
}

interface SelectParts {
  readonly select: Node;
  readonly list: Node;
  readonly from: Node;
  readonly source: Node;
  /** The clauses after FROM. */
  readonly clauses: readonly Node[];
}

/** What may follow the source; and what may follow that. Any other clause makes the query more than a selection. */
const FIRST: ReadonlySet<NodeKind> = new Set<NodeKind>(['prewhere', 'where', 'order-by', 'limit']);
const LIMITS: ReadonlySet<NodeKind> = new Set<NodeKind>(['limit', 'offset', 'fetch']);

/** Undefined if the query is no plain SELECT of one source. */
function partsOf(tree: Tree, select: Node): SelectParts | undefined {
  const [list, from, ...clauses] = select.parts;
  if (select.kind !== 'select' || list?.kind !== 'list' || from?.kind !== 'from') return undefined;
  if (wordOf(tree, { at: list.from - 1 }) !== 'SELECT') return undefined; // SELECT ALL
  const [source, ...others] = from.parts;
  if (source === undefined || others.length > 0 || partOf(source, 'sample') !== undefined) return undefined;
  const isPlain = clauses.every(({ kind }, index) => FIRST.has(kind) || (index > 0 && LIMITS.has(kind)));
  const isFilled = clauses.some((clause) =>
    someNode(clause, ({ kind }) => kind === 'fill' || kind === 'interpolate'),
  );
  return isPlain && !isFilled ? { select, list, from, source, clauses } : undefined;
}

function levelOf(
  tree: Tree,
  { select, list, from, source, clauses }: SelectParts,
  { columns, isLast }: { readonly columns: ReadonlyMap<string, string> | '*'; readonly isLast: boolean },
): Level {
  const order = clauses.some(({ kind }) => LIMITS.has(kind)) ? undefined : partOf(select, 'order-by');
  const isEnd = partOf(source, 'final') === undefined && clauses.every((clause) => clause === order);
  return {
    columns: columns === '*' ? undefined : columns,
    listEnd: spanOf(tree, { from: list.from, to: from.from }).end,
    separator: wordOf(tree, { at: from.from - 1 }) === ',' ? ' ' : ', ',
    isLast,
    order: order && { ...spanOf(tree, { from: order.from, to: select.to }), text: '' },
    isPlain: isEnd && (columns === '*' || columns.size === list.parts.length),
    where: whereOf(tree, select, from),
    isByRow: !someNode(select, ({ kind }) => LIMITS.has(kind) || kind === 'over'),
  };
}

/** The condition, or where one can be added: before ORDER BY and LIMIT. */
function whereOf(tree: Tree, select: Node, from: Node): Level['where'] {
  const where = partOf(select, 'where');
  const { end } = spanOf(tree, where ?? partOf(select, 'prewhere') ?? from);
  return {
    start: where === undefined ? end : spanOf(tree, { from: where.from, to: where.from + 1 }).end,
    end,
  };
}

function readSource(tree: Tree, source: Node): Source | undefined {
  const [table] = source.parts;
  if (table === undefined) return undefined;
  const isNamed = source.at > table.at && source.at >= table.to;
  const end = isNamed ? source.at + 1 : table.to;
  if ((partOf(source, 'final')?.from ?? source.to) !== end) return undefined; // other names for its columns
  const own = isNamed ? nameOf(tree, source) : undefined;
  if (table.kind === 'subquery') return { source: table, alias: own };
  const name = table.kind === 'table' ? nameOf(tree, table) : '';
  if (name === '') return undefined; // a table function, a file, or a placeholder
  const read = table.at === table.from ? { table: name } : { stored: sourceOf(tree, table) };
  return { source: read, alias: own ?? name };
}

/** Every name after AS, and every name with a dot in it. Types in CAST count as aliases, which does no harm. */
function aliasesIn(tree: Tree, range: TokenRange): readonly string[] {
  return nameTokens(tree, range).flatMap(({ name, at }) =>
    name.includes('.') || hasAs(tree, { at }) ? [name] : [],
  );
}

interface ListContext {
  readonly aliases: readonly string[];
  /** The name that qualifies columns of the source. */
  readonly alias: string | undefined;
}

/** The columns that a list of SELECT passes on. Undefined if what it holds is not known. */
function readList(
  tree: Tree,
  { parts: items }: Node,
  { aliases, alias }: ListContext,
): ReadonlyMap<string, string> | '*' | undefined {
  const [only] = items;
  if (items.length === 1 && only?.kind === 'star' && only.to === only.from + 1)
    return aliases.length > 0 ? undefined : '*';
  const columns = new Map<string, string>();
  const bare = new Set<string>();
  for (const item of items) {
    if (someNode(item, ({ kind }) => kind === 'star' || kind === 'columns')) return undefined;
    const passed = passedColumn(tree, item, alias);
    if (passed !== undefined) columns.set(passed.name, passed.source);
    else bare.add(nameOf(tree, { at: item.to - 1 })); // it may be an alias without AS
  }
  for (const [name, source] of columns) {
    const isOnce = aliases.filter((each) => each === name).length === (name === source ? 0 : 1);
    const isClear = [name, source].every(
      (each) => !bare.has(each) && !aliases.some((other) => other.startsWith(`${each}.`)),
    );
    const isSource = name === source || !aliases.includes(source);
    if (!isOnce || !isClear || !isSource) columns.delete(name);
  }
  return columns;
}

/** `column`, `source.column`, and either with `AS name`. */
function passedColumn(
  tree: Tree,
  item: Node,
  alias: string | undefined,
): { readonly name: string; readonly source: string } | undefined {
  const isNamed = item.kind === 'alias' && hasAs(tree, item);
  const column = isNamed ? item.parts[0] : item;
  const names = column?.kind === 'column' ? namesOf(tree, column) : [];
  const [source, ...others] = names.length > 1 && names[0] === alias ? names.slice(1) : names;
  if (source === undefined || others.length > 0 || source.includes('.')) return undefined;
  return { name: isNamed ? nameOf(tree, item) : source, source };
}

/**
 * The stored column behind a column, whose subcolumns can be read by their full names; undefined if there is none: a stored
 * column of the subcolumn's name would be read in its place, although the endpoint may not select it.
 */
export function sourceOfSubcolumns(
  {
    passes,
    dotted,
  }: {
    readonly passes: PassThrough | undefined;
    readonly dotted: readonly string[] | undefined;
  },
  column: string,
): string | undefined {
  const source = passes?.sourceOf(column);
  if (source === undefined || dotted === undefined) return undefined;
  return dotted.some((other) => other.startsWith(`${source}.`)) ? undefined : source;
}
