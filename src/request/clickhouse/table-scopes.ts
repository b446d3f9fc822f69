// Where a query names tables: after FROM and JOIN, in lists of tables, and after IN. Decides nothing about access: the
// sandbox checks the text that results.
import type { Cursor } from '../../sql/cursor.ts';

export interface TableScopes {
  /** Whether a table, or a column of ARRAY JOIN, is expected at this token. */
  readonly isTable: (index: number) => boolean;
  /** Names of the WITH elements of the query, at any depth. */
  readonly elements: ReadonlySet<string>;
}

interface Scope {
  readonly isQuery: boolean;
  inFrom: boolean;
  inArrayJoin: boolean;
}

const AFTER_FROM: ReadonlySet<string | undefined> = new Set(
  `SELECT WHERE PREWHERE GROUP HAVING WINDOW QUALIFY ORDER LIMIT OFFSET FETCH UNION INTERSECT EXCEPT SETTINGS ON USING`.split(
    /\s+/,
  ),
);

/** Reads all scopes of a query. Linear. */
export function readScopes(cursor: Cursor): TableScopes {
  const tables = new Set<number>();
  const elements = new Set<string>();
  const scopes: Scope[] = [];
  let scope: Scope = { isQuery: true, inFrom: false, inArrayJoin: false };
  for (let at = 0; at < cursor.length; at++) {
    const kind = cursor.kind(at);
    if (kind === '(') {
      const element = elementBefore(cursor, at);
      if (element !== undefined) elements.add(element);
      scopes.push(scope);
      scope = { isQuery: startsQuery(cursor, at + 1), inFrom: false, inArrayJoin: false };
    } else if (kind === ')') {
      scope = scopes.pop() ?? scope;
    } else if (kind === ',') {
      if (scope.inFrom && !scope.inArrayJoin) tables.add(at + 1);
    } else if (kind === 'word') {
      readWord(cursor, at, scope, tables);
    }
  }
  return { isTable: (index) => tables.has(index), elements };
}

function readWord(cursor: Cursor, at: number, scope: Scope, tables: Set<number>): void {
  if (cursor.kind(at - 1) === '.') return;
  const word = cursor.word(at);
  if (word === 'FROM' && scope.isQuery) {
    scope.inFrom = true;
    scope.inArrayJoin = false;
    tables.add(at + 1);
  } else if (word === 'JOIN') {
    scope.inArrayJoin = cursor.word(at - 1) === 'ARRAY';
    if (!scope.inArrayJoin) tables.add(at + 1);
    scope.inFrom = true;
  } else if (word === 'IN') {
    tables.add(at + 1);
  } else if (AFTER_FROM.has(word)) {
    scope.inFrom = false;
  }
}

function startsQuery(cursor: Cursor, from: number): boolean {
  let at = from;
  while (cursor.kind(at) === '(') at++;
  const word = cursor.word(at);
  return word === 'SELECT' || word === 'WITH' || word === 'FROM';
}

/** The name of `name AS (SELECT …` or `name (columns) AS (SELECT …`, if the parenthesis is the one of such an element. */
function elementBefore(cursor: Cursor, open: number): string | undefined {
  if (cursor.word(open - 1) !== 'AS' || !startsQuery(cursor, open + 1)) return undefined;
  return cursor.name(open - 2);
}
