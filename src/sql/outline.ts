// The outline of a saved query, read from its tokens: WITH elements, the main SELECT, a trailing SETTINGS clause.
import type { SqlFinding } from './finding.ts';
import type { Token } from './lexer.ts';
import { identifierName } from './literal.ts';
import { createCursor, type Cursor } from './cursor.ts';
import { readSettings } from './settings-clause.ts';
import type { SettingsClause } from './settings-clause.ts';
import { isTable, readWith } from './with-clause.ts';
import type { WithElement } from './with-clause.ts';

/** What the sandbox and the compiler need to know about a query; offsets are into the query that was read. */
export interface Outline {
  readonly recursive: boolean;
  /** The WITH clause from its keyword to the main SELECT, exclusive; an empty range if there is none. */
  readonly withStart: number;
  readonly withEnd: number;
  readonly elements: readonly WithElement[];
  /** Start of the main SELECT (or FROM-first query, or opening parenthesis). */
  readonly mainStart: number;
  /** Its end: before a trailing SETTINGS clause. */
  readonly mainEnd: number;
  readonly settings: SettingsClause | undefined;
  /** The name that the main SELECT reads from, if it reads from a single bare name. */
  readonly from: string | undefined;
  /** The same, unless consumers may not read that table. */
  readonly defaultTable: string | undefined;
  /** Every identifier and keyword of the query, unquoted, as written. */
  readonly identifiers: ReadonlySet<string>;
}

/** The outline of a query, or why there is none. */
export interface OutlineResult {
  /** Undefined exactly when there are findings. */
  readonly outline: Outline | undefined;
  readonly findings: readonly SqlFinding[];
}

/**
 * Reads the outline of one SELECT without `@name` placeholders (see `bindPlaceholders`). Fails closed: anything not
 * understood is a finding. `tokens` are the query's significant tokens, if they are known. Not guaranteed: that the engine accepts the query.
 */
export function outlineQuery(sql: string, tokens?: readonly Token[]): OutlineResult {
  const cursor = createCursor(sql, tokens);
  const brackets = cursor.brackets();
  if ('code' in brackets) return { outline: undefined, findings: [brackets] };
  const findings: SqlFinding[] = [];
  const clause = readWith(cursor, findings);
  const main = clause.next;
  checkMain(cursor, main, findings);
  const settings = readSettings(cursor, main, findings);
  const identifiers = readIdentifiers(cursor, findings);
  if (findings.length > 0) return { outline: undefined, findings };
  const mainStart = cursor.start(main);
  const from = singleSource(cursor, main);
  const outline: Outline = {
    recursive: clause.recursive,
    withStart: clause.elements.length > 0 ? cursor.start(0) : mainStart,
    withEnd: clause.elements.length > 0 ? cursor.end(main - 1) : mainStart,
    elements: clause.elements,
    mainStart,
    mainEnd: cursor.end((settings?.firstToken ?? cursor.length) - 1),
    settings: settings?.clause,
    from,
    defaultTable: from,
    identifiers,
  };
  return { outline, findings };
}

/** The outline if consumers may read only these tables of the WITH clause; undefined: all of them. */
export function withReadable(outline: Outline, readable: readonly string[] | undefined): Outline {
  if (readable === undefined) return outline;
  const names = new Set(readable);
  const elements = outline.elements.map((element) =>
    isTable(element) && !names.has(element.name) ? { ...element, kind: 'hidden' as const } : element,
  );
  const isHidden = elements.some(({ kind, name }) => kind === 'hidden' && name === outline.from);
  return { ...outline, elements, defaultTable: isHidden ? undefined : outline.from };
}

/** The tokens of the WITH clause; `query` is a cursor over the query that the outline was read from. */
export function withClauseOf({ sql, tokens }: Cursor, { withStart, withEnd }: Outline): Cursor {
  return createCursor(
    sql,
    tokens.filter(({ start, end }) => start >= withStart && end <= withEnd),
  );
}

function checkMain(cursor: Cursor, main: number, findings: SqlFinding[]): void {
  const word = cursor.word(main);
  if (word === 'SELECT' || word === 'FROM' || cursor.kind(main) === '(') return;
  findings.push(
    cursor.finding('not_select', 'a saved query is a SELECT, with or without a WITH clause', main),
  );
}

function readIdentifiers(cursor: Cursor, findings: SqlFinding[]): ReadonlySet<string> {
  const identifiers = new Set<string>();
  for (let i = 0; i < cursor.length; i++) {
    const kind = cursor.kind(i);
    if (kind !== 'word' && kind !== 'quoted') continue;
    const name = identifierName(cursor.text(i));
    if (name !== undefined) identifiers.add(name);
    else
      findings.push(
        cursor.finding('identifier_escaped', 'a quoted name must not contain a backslash here', i),
      );
  }
  return identifiers;
}

const SEVERAL: ReadonlySet<string | undefined> = new Set(['JOIN', 'UNION', 'INTERSECT']);
const AFTER_FROM: ReadonlySet<string | undefined> = new Set(
  'SELECT PREWHERE WHERE GROUP HAVING WINDOW QUALIFY ORDER LIMIT OFFSET FETCH SETTINGS'.split(' '),
);

/** The single name after a single FROM; undefined for joins, unions, functions, subqueries and qualified names. */
function singleSource(cursor: Cursor, main: number): string | undefined {
  const selects: number[] = [];
  const froms: number[] = [];
  for (let at = main; at < cursor.length; at = cursor.after(at)) {
    const word = cursor.word(at);
    if (SEVERAL.has(word)) return undefined;
    if (word === 'SELECT') selects.push(at);
    if (word === 'FROM') froms.push(at);
  }
  const [from] = froms;
  if (from === undefined || froms.length > 1 || selects.length !== 1) return undefined;
  return isListed(cursor, from + 1) ? undefined : nameOfTable(cursor, from + 1);
}

function nameOfTable(cursor: Cursor, at: number): string | undefined {
  const kind = cursor.kind(at);
  const next = cursor.kind(at + 1);
  if ((kind !== 'word' && kind !== 'quoted') || next === '.' || next === '(') return undefined;
  return identifierName(cursor.text(at));
}

/** Whether a comma occurs before the next clause: a list of sources. */
function isListed(cursor: Cursor, from: number): boolean {
  for (let at = from; at < cursor.length && !AFTER_FROM.has(cursor.word(at)); at = cursor.after(at)) {
    if (cursor.kind(at) === ',') return true;
  }
  return false;
}
