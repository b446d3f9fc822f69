// Which columns of an endpoint's table are columns of a stored table that it merely passes on. Of those, subcolumns (JSON paths,
// elements of tuples) can be selected where the stored table is read, so that the engine reads them alone.
import type { Cursor } from '../sql/cursor.ts';
import { quoteIdentifier } from '../sql/literal.ts';
import { tokenAt } from '../sql/clause.ts';
import type { Clause, ClauseElement, Edit } from '../sql/clause.ts';

/** A subcolumn, by the column that consumers know and the path below it: `metadata` and `request.path`. */
export interface Subcolumn {
  readonly column: string;
  readonly path: string;
}

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
  /** Whether it reads the stored table itself. */
  readonly isLast: boolean;
  /** Its ORDER BY, if no LIMIT follows. */
  readonly order: Edit | undefined;
  /** Whether it passes on every row of its source, and nothing but columns of it. */
  readonly isPlain: boolean;
  /** Its condition; empty if it has none. */
  readonly where: Pick<Edit, 'start' | 'end'>;
  /** Whether what it makes of a row depends on that row alone, if its functions are leakproof. */
  readonly isByRow: boolean;
}

/** The levels from the consumer's to that of the stored table. */
interface Levels {
  readonly levels: readonly Level[];
  readonly stored: string;
}

/** Undefined if the table is more than a selection of rows and columns of one stored table. */
export function passThrough(clause: Clause, name: string): PassThrough | undefined {
  const read = levelsOf(clause, name);
  if (read === undefined) return undefined;
  const { levels, stored } = read;
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

function levelsOf(clause: Clause, name: string): Levels | undefined {
  if (clause.isRecursive) return undefined;
  const needed = clause.needed(name);
  const levels: Level[] = [];
  for (let element = clause.table(name); ;) {
    if (element === undefined || !isOnlyRead(needed, element, levels.length === 0)) return undefined;
    const from = tokenAt(clause.cursor, element.bodyStart);
    const end = readLevels(clause.cursor, { from: from + 1, to: clause.cursor.closing(from) }, levels);
    if (end === undefined) return undefined;
    if ('stored' in end) return { levels, stored: end.stored };
    element = clause.table(end.table);
  }
}

/** Whether an element is read once, so that nothing else sees the columns that are added to it; `isFirst`: by consumers. */
function isOnlyRead(needed: readonly ClauseElement[], element: ClauseElement, isFirst: boolean): boolean {
  const name = element.name.toLowerCase();
  const others = needed.filter((each) => each !== element).flatMap(({ mentions }) => mentions);
  return others.filter((mention) => mention === name).length === (isFirst ? 0 : 1);
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** The source of a level: a stored table, another element, or a query in parentheses. */
type Source = End | Range;

/** Where a chain of nested queries ends: a stored table, as it is written, or another element. */
type End = { readonly stored: string } | { readonly table: string };

/** Reads a query and those nested in its FROM; undefined if one of them does more than to select rows and columns. */
function readLevels(cursor: Cursor, query: Range, levels: Level[]): End | undefined {
  for (let range = query; ;) {
    const from = listEndOf(cursor, range);
    const source = from === undefined ? undefined : readSource(cursor, from + 1, range.to);
    if (from === undefined || source === undefined) return undefined;
    const aliases = aliasesIn(cursor, range);
    const list = { from: range.from + 1, to: from };
    const columns = readList(cursor, list, { aliases, alias: source.alias });
    if (columns === undefined) return undefined;
    const order = orderOf(cursor, { from, to: range.to });
    const isEnd = source.next >= range.to || cursor.start(source.next) === order?.start;
    levels.push({
      columns: columns === '*' ? undefined : columns,
      listEnd: cursor.end(from - 1),
      separator: cursor.kind(from - 1) === ',' ? ' ' : ', ',
      isLast: 'stored' in source.source,
      order,
      isPlain: isEnd && (columns === '*' || columns.size === itemsOf(cursor, list).length),
      where: whereOf(cursor, { from, to: range.to }),
      isByRow: !dependsOnOtherRows(cursor, range),
    });
    if (!('from' in source.source)) return source.source;
    range = source.source;
  }
}

function orderOf(cursor: Cursor, { from, to }: Range): Edit | undefined {
  let order: number | undefined;
  for (let at = from; at < to; at = cursor.after(at)) {
    if (['LIMIT', 'OFFSET', 'FETCH'].includes(cursor.word(at) ?? '')) return undefined;
    if (cursor.word(at) === 'ORDER' && cursor.word(at + 1) === 'BY') order ??= at;
  }
  return order === undefined ? undefined : { start: cursor.start(order), end: cursor.end(to - 1), text: '' };
}

function whereOf(cursor: Cursor, { from, to }: Range): Level['where'] {
  let where: number | undefined;
  let end = from;
  for (; end < to && !endsWhere(cursor, end); end = cursor.after(end)) {
    if (cursor.word(end) === 'WHERE') where = end;
  }
  const last = cursor.end(end - 1);
  return { start: where === undefined ? last : cursor.end(where), end: last };
}

/** A column may have the name `order`; with the others, conditions are not added. */
function endsWhere(cursor: Cursor, at: number): boolean {
  const word = cursor.word(at);
  if (word === 'ORDER') return cursor.word(at + 1) === 'BY' && cursor.kind(at - 1) !== '.';
  return word === 'LIMIT' || word === 'OFFSET' || word === 'FETCH';
}

function dependsOnOtherRows(cursor: Cursor, { from, to }: Range): boolean {
  for (let at = from; at < to; at++) if (OF_ALL_ROWS.has(cursor.word(at))) return true;
  return false;
}

const OF_ALL_ROWS: ReadonlySet<string | undefined> = new Set(['LIMIT', 'OFFSET', 'FETCH', 'OVER']);

/** Index of FROM, after a plain SELECT; undefined if there is none. */
function listEndOf(cursor: Cursor, { from, to }: Range): number | undefined {
  if (cursor.word(from) !== 'SELECT') return undefined;
  if (['DISTINCT', 'ALL', 'TOP'].includes(cursor.word(from + 1) ?? '')) return undefined;
  for (let at = from + 1; at < to; at = cursor.after(at)) if (cursor.word(at) === 'FROM') return at;
  return undefined;
}

/** What may follow the source; and what, anywhere after it, makes the query more than a selection. */
const AFTER_SOURCE: ReadonlySet<string | undefined> = new Set('FINAL PREWHERE WHERE ORDER LIMIT'.split(' '));
const MORE: ReadonlySet<string | undefined> = new Set(
  'GROUP HAVING WINDOW QUALIFY UNION INTERSECT EXCEPT JOIN ARRAY SAMPLE FILL INTERPOLATE SELECT FROM SETTINGS'.split(
    ' ',
  ),
);

function readSource(
  cursor: Cursor,
  at: number,
  to: number,
): { readonly source: Source; readonly alias: string | undefined; readonly next: number } | undefined {
  const read = readSourceName(cursor, at);
  if (read === undefined) return undefined;
  let { next, alias } = read;
  if (cursor.word(next) === 'AS') next++;
  const isNamed = next < to && !AFTER_SOURCE.has(cursor.word(next)) && cursor.name(next) !== undefined;
  if (isNamed) alias = cursor.name(next++);
  if (next < to && !AFTER_SOURCE.has(cursor.word(next))) return undefined;
  for (let i = next; i < to; i = cursor.after(i)) if (MORE.has(cursor.word(i))) return undefined;
  return { source: read.source, alias, next };
}

function readSourceName(
  cursor: Cursor,
  at: number,
): { readonly source: Source; readonly alias: string | undefined; readonly next: number } | undefined {
  if (cursor.kind(at) === '(') {
    const to = cursor.closing(at);
    return { source: { from: at + 1, to }, alias: undefined, next: to + 1 };
  }
  const name = cursor.name(at);
  if (name === undefined || cursor.kind(at + 1) === '(') return undefined; // a table function
  if (cursor.kind(at + 1) !== '.') return { source: { table: name }, alias: name, next: at + 1 };
  const table = cursor.name(at + 2);
  if (table === undefined || cursor.kind(at + 3) === '.' || cursor.kind(at + 3) === '(') return undefined;
  return { source: { stored: cursor.slice(at, at + 3) }, alias: table, next: at + 3 };
}

/** Every name after AS, and every name with a dot in it. Types in CAST count as aliases, which does no harm. */
function aliasesIn(cursor: Cursor, { from, to }: Range): readonly string[] {
  const aliases: string[] = [];
  for (let at = from; at < to; at++) {
    const name = cursor.name(at);
    if (name !== undefined && (cursor.word(at - 1) === 'AS' || name.includes('.'))) aliases.push(name);
  }
  return aliases;
}

interface ListContext {
  readonly aliases: readonly string[];
  /** The name that qualifies columns of the source. */
  readonly alias: string | undefined;
}

/** The columns that a list of SELECT passes on. Undefined if what it holds is not known. */
function readList(
  cursor: Cursor,
  { from, to }: Range,
  { aliases, alias }: ListContext,
): ReadonlyMap<string, string> | '*' | undefined {
  const items = itemsOf(cursor, { from, to });
  const [only] = items;
  if (items.length === 1 && only !== undefined && isStar(cursor, only))
    return aliases.length > 0 ? undefined : '*';
  const columns = new Map<string, string>();
  const bare = new Set<string>();
  for (const item of items) {
    if (matchesColumns(cursor, item)) return undefined;
    const passed = passedColumn(cursor, item, alias);
    if (passed !== undefined) columns.set(passed.name, passed.source);
    else bare.add(cursor.name(item.to - 1) ?? ''); // it may be an alias without AS
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

function itemsOf(cursor: Cursor, { from, to }: Range): readonly Range[] {
  const items: Range[] = [];
  let start = from;
  for (let at = from; at <= to; at = cursor.after(at)) {
    if (at < to && cursor.kind(at) !== ',') continue;
    if (at > start) items.push({ from: start, to: at });
    start = at + 1;
  }
  return items;
}

function isStar(cursor: Cursor, { from, to }: Range): boolean {
  return to === from + 1 && cursor.kind(from) === '*';
}

function matchesColumns(cursor: Cursor, { from, to }: Range): boolean {
  for (let at = from; at < to; at++) {
    const word = cursor.word(at);
    if (word === 'COLUMNS' || word === 'APPLY') return true;
    const before = cursor.kind(at - 1);
    if (cursor.kind(at) === '*' && (at === from || before === '.' || before === '(' || before === ','))
      return true;
  }
  return false;
}

/** `column`, `source.column`, and either with `AS name`. */
function passedColumn(
  cursor: Cursor,
  { from, to }: Range,
  alias: string | undefined,
): { readonly name: string; readonly source: string } | undefined {
  const isQualified = cursor.kind(from + 1) === '.' && alias !== undefined && cursor.name(from) === alias;
  const at = isQualified ? from + 2 : from;
  const source = cursor.name(at);
  if (source === undefined || source.includes('.')) return undefined;
  if (to === at + 1) return { name: source, source };
  if (to !== at + 3 || cursor.word(at + 1) !== 'AS') return undefined;
  const name = cursor.name(at + 2);
  return name === undefined ? undefined : { name, source };
}
