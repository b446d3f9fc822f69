// Where a query names stored tables, read from its tokens. What is not understood is a fault, not a guess.
import type { Cursor } from './cursor.ts';

/** A stored table in a FROM clause: `db.t [AS a] [FINAL]`. Offsets in the query. */
export interface TableReference {
  /** The table as written. */
  readonly table: string;
  readonly start: number;
  /** After the alias and FINAL. */
  readonly end: number;
  /** The alias as written, by default the table's own name. */
  readonly alias: string;
  readonly isFinal: boolean;
  /** Whether it is the first table of its FROM clause. */
  readonly isFirst: boolean;
  /** Index of the token after the reference. */
  readonly next: number;
}

/** Something that reads stored rows without being a table of a FROM clause. */
export interface ReferenceFault {
  readonly start: number;
  readonly message: string;
  readonly hint: string;
}

export interface TableReferences {
  readonly references: readonly TableReference[];
  readonly faults: readonly ReferenceFault[];
}

/** Table functions that read nothing stored. */
export const GENERATORS: ReadonlySet<string> = new Set(
  'numbers numbers_mt zeros zeros_mt one generate_series generateSeries generateRandom values null format'.split(
    ' ',
  ),
);

/** Functions that read a dictionary or a table of engine Join, named by a string. */
export const LOOKUPS = /^(?:dict(?:Get|Has|IsIn|GetAll|GetKeys|GetHierarchy)\w*|joinGet\w*)$/i;

/** Which part of a query a token is in, for each level of parentheses. */
interface Level {
  isQuery: boolean;
  /** Whether a comma separates tables. */
  isInFrom: boolean;
}

/** The stored tables that a bound query names. A name that its WITH clauses define is not a stored table. */
export function tableReferences(query: Cursor): TableReferences {
  const references: TableReference[] = [];
  const faults: ReferenceFault[] = [];
  const defined = withNames(query);
  const outer: Level[] = [];
  let level: Level = { isQuery: false, isInFrom: false };
  for (let at = 0; at < query.length; at++) {
    const kind = query.kind(at);
    if (kind === '(' || kind === '[' || kind === '{') {
      outer.push(level);
      level = { isQuery: false, isInFrom: false };
    } else if (kind === ')' || kind === ']' || kind === '}') level = outer.pop() ?? level;
    else faults.push(...faultsAt(query, at, defined));
    if (!startsTable(query, at, level)) continue;
    const read = readTable(query, at + 1, defined);
    if (read === undefined) continue;
    if ('message' in read) faults.push(read);
    else references.push(read);
  }
  return { references, faults };
}

const CLAUSES: ReadonlySet<string | undefined> = new Set(
  'SELECT WHERE PREWHERE GROUP HAVING WINDOW QUALIFY ORDER LIMIT OFFSET FETCH SETTINGS UNION INTERSECT EXCEPT WITH'.split(
    ' ',
  ),
);

/** Whether a table follows the token; notes in which clause it is. */
function startsTable(query: Cursor, at: number, level: Level): boolean {
  if (query.kind(at - 1) === '.' || query.kind(at + 1) === '.') return false;
  const word = query.word(at);
  if (word === 'SELECT' || word === 'WITH') level.isQuery = true;
  if (word === 'FROM') {
    const before = query.word(at - 1);
    if (before === 'FILL' || (before === 'DISTINCT' && query.word(at - 2) !== 'SELECT')) return false;
    // Otherwise an argument, as in EXTRACT(YEAR FROM ts) and TRIM(BOTH '/' FROM path).
    if (!level.isQuery && at > 0 && query.kind(at - 1) !== '(') return false;
    level.isQuery = true;
    level.isInFrom = true;
    return true;
  }
  if (word === 'JOIN') {
    level.isInFrom = query.word(at - 1) !== 'ARRAY';
    return level.isInFrom;
  }
  if (CLAUSES.has(word)) level.isInFrom = false;
  return query.kind(at) === ',' && level.isInFrom;
}

/** Undefined for subqueries, tables of a WITH clause and generated rows. */
function readTable(
  query: Cursor,
  at: number,
  defined: ReadonlySet<string>,
): TableReference | ReferenceFault | undefined {
  const start = query.start(at);
  if (query.kind(at) === '(') {
    let inside = at + 1;
    while (query.kind(inside) === '(') inside++;
    if (/^(?:SELECT|WITH|FROM)$/.test(query.word(inside) ?? '')) return undefined;
    return {
      start,
      message: 'a join in parentheses cannot be redacted',
      hint: 'Write the join without parentheses',
    };
  }
  const first = query.name(at);
  if (first === undefined)
    return { start, message: 'this is not the name of a table', hint: 'Name a table of the database' };
  const isQualified = query.kind(at + 1) === '.';
  const last = isQualified ? at + 2 : at;
  if (query.kind(last + 1) === '(') {
    if (!isQualified && GENERATORS.has(first)) return undefined;
    return {
      start,
      message: `${query.slice(at, last + 1)}(…) cannot be redacted: only tables can`,
      hint: 'Read a table by its name, such as FROM app.events',
    };
  }
  if (!isQualified && defined.has(first)) return undefined;
  return readReference(query, at, last);
}

const NO_ALIAS: ReadonlySet<string | undefined> = new Set(
  `${[...CLAUSES].join(' ')} FINAL SAMPLE JOIN INNER LEFT RIGHT FULL CROSS ARRAY GLOBAL ANY ALL SEMI ANTI ASOF PASTE NATURAL ON USING`.split(
    ' ',
  ),
);

function readReference(query: Cursor, at: number, last: number): TableReference | ReferenceFault {
  let next = last + 1;
  let alias = query.text(last);
  if (query.word(next) === 'AS') {
    alias = query.text(next + 1);
    next += 2;
  } else if (
    query.kind(next) === 'quoted' ||
    (query.kind(next) === 'word' && !NO_ALIAS.has(query.word(next)))
  ) {
    alias = query.text(next);
    next++;
  }
  const isFinal = query.word(next) === 'FINAL';
  if (isFinal) next++;
  const start = query.start(at);
  if (query.word(next) === 'SAMPLE')
    return {
      start: query.start(next),
      message: 'SAMPLE cannot be applied to a redacted table',
      hint: 'Sample by a condition, such as cityHash64(id) % 10 = 0',
    };
  const isFirst = query.word(at - 1) === 'FROM';
  return { table: query.slice(at, last + 1), start, end: query.end(next - 1), alias, isFinal, isFirst, next };
}

function faultsAt(query: Cursor, at: number, defined: ReadonlySet<string>): readonly ReferenceFault[] {
  if (query.kind(at - 1) === '.') return [];
  const start = query.start(at);
  const name = query.name(at);
  if (query.word(at) === 'PREWHERE')
    return [{ start, message: 'PREWHERE cannot be applied to a redacted table', hint: 'Write WHERE' }];
  if (query.word(at) === 'WITH' && query.word(at + 1) === 'RECURSIVE' && query.word(at + 2) !== 'AS')
    return [
      { start, message: 'WITH RECURSIVE cannot be redacted', hint: 'Write the query without recursion' },
    ];
  if (name !== undefined && query.kind(at + 1) === '(' && LOOKUPS.test(name))
    return [
      {
        start,
        message: `${name} reads values that are not redacted`,
        hint: 'Join the table that they come from',
      },
    ];
  const set = query.name(at + 1);
  if (query.word(at) !== 'IN' || set === undefined || query.kind(at + 2) === '(' || defined.has(set))
    return [];
  return [
    {
      start: query.start(at + 1),
      message: `the values of IN ${query.text(at + 1)} cannot be redacted`,
      hint: 'Write IN (SELECT … FROM …)',
    },
  ];
}

/** Names of tables in WITH clauses, at any depth. One that is used out of its scope is a stored table, which the engine's tree shows. */
/** The names that the WITH clauses of a query define as tables. */
export function withNames(query: Cursor): ReadonlySet<string> {
  const names = new Set<string>();
  for (let at = 0; at < query.length; at++) {
    const name = query.name(at);
    const before = query.word(at - 1);
    if (name === undefined || !(before === 'WITH' || before === 'RECURSIVE' || query.kind(at - 1) === ','))
      continue;
    let body = query.kind(at + 1) === '(' ? query.after(at + 1) : at + 1;
    if (query.word(body) !== 'AS') continue;
    body += query.word(body + 1) === 'NOT' ? 2 : 1;
    if (query.word(body) === 'MATERIALIZED') body++;
    while (query.kind(body) === '(') {
      if (/^(?:SELECT|WITH|FROM)$/.test(query.word(body + 1) ?? '')) names.add(name);
      body++;
    }
  }
  return names;
}
