// Queries: set operations, WITH, and the clauses of a SELECT; every token is accounted for.
import { scanFrom } from './from.ts';
import { scanNewName } from './names.ts';
import { scanOrderBy, scanLimit, scanWindows } from './ordering.ts';
import { scanExpressions, scanQueryGroup } from './groups.ts';
import type { Scan, Scope, TableSize } from './scan.ts';
import { SET_OPERATORS } from '../keywords.ts';

/**
 * A query, or several joined by UNION, INTERSECT or EXCEPT. WITH is accepted only at the very beginning: a later member
 * with its own WITH would not see the tables around it.
 */
export function scanQuery(scan: Scan, scope: Scope): void {
  let memberScope: Scope = { withTables: scope.withTables, inLambda: false };
  for (let isFirst = true; ; isFirst = false) {
    const start = scan.at();
    const withAhead = withOfMember(scan);
    memberScope = scanMember(scan, memberScope);
    const goesOn = scanSetOperator(scan);
    const isBracketed = withAhead !== undefined && withAhead > 0;
    if (withAhead !== undefined && (!isFirst || (goesOn && isBracketed))) {
      const message = 'In a UNION, INTERSECT or EXCEPT, WITH is only allowed at the start of the whole query';
      scan.reject({ code: 'sandbox.syntax_unsupported', message }, start + withAhead - scan.at());
    }
    if (!goesOn) return;
  }
}

/** Distance to the member's own WITH, after its opening parentheses; undefined if it has none. */
function withOfMember(scan: Scan): number | undefined {
  let ahead = 0;
  while (scan.kind(ahead) === '(') ahead++;
  return scan.word(ahead) === 'WITH' ? ahead : undefined;
}

/** Returns the scope that later members of the same set operation see. */
function scanMember(scan: Scan, scope: Scope): Scope {
  if (scan.kind() !== '(') return scanSelect(scan, scope);
  scanQueryGroup(scan, scope);
  return scope;
}

function scanSetOperator(scan: Scan): boolean {
  if (!SET_OPERATORS.has(scan.word() ?? '')) return false;
  // Set operations match columns by position, not by name.
  scan.findings.states.barred.push({ at: scan.at(), form: scan.word() ?? '' });
  scan.skip();
  if (!scan.take('ALL')) scan.take('DISTINCT');
  return true;
}

function scanSelect(scan: Scan, outer: Scope): Scope {
  return scan.select(() => scanClauses(scan, outer));
}

function scanClauses(scan: Scan, outer: Scope): Scope {
  const scope = scan.take('WITH') ? scanWith(scan, outer) : outer;
  const fromFirst = scan.take('FROM');
  if (fromFirst) scanFrom(scan, scope);
  if (!scan.take('SELECT')) {
    const message = 'Expected SELECT: a query is a SELECT, optionally preceded by WITH or FROM';
    scan.reject({ code: 'sandbox.syntax_unsupported', message });
  }
  scanProjection(scan, scope);
  scan.current().definesLater = false;
  if (!fromFirst && scan.take('FROM')) scanFrom(scan, scope);
  while (scanClause(scan, scope));
  return scope;
}

/** The elements of WITH; each table sees those before it. */
function scanWith(scan: Scan, outer: Scope): Scope {
  if (scan.word() === 'RECURSIVE') {
    scan.reject({ code: 'sandbox.syntax_unsupported', message: 'WITH RECURSIVE is not supported' });
  }
  const defined = new Map(outer.withTables);
  const seen = new Set<string>();
  do {
    const scope: Scope = { withTables: new Map(defined), inLambda: false };
    const start = scan.at();
    const table = isTableElement(scan) ? scanTableElement(scan, scope) : undefined;
    const name = table?.name ?? scanNamedExpression(scan, scope);
    checkNewName(scan, name, seen, start);
    if (table !== undefined) defined.set(name, table.size);
  } while (scan.takeKind(','));
  return { withTables: defined, inLambda: false };
}

/** `name AS (SELECT …)`, with its optional parts. */
function isTableElement(scan: Scan): boolean {
  if (scan.name() === undefined || scan.word(1) !== 'AS') return false;
  let ahead = 2;
  if (scan.word(ahead) === 'NOT') ahead++;
  if (scan.word(ahead) === 'MATERIALIZED') ahead++;
  return scan.kind(ahead) === '(';
}

function scanTableElement(scan: Scan, scope: Scope): { readonly name: string; readonly size: TableSize } {
  const name = scanNewName(scan);
  scan.findings.withTables.push({ name, at: scan.at() });
  scan.expectWord('AS');
  scan.take('NOT');
  scan.take('MATERIALIZED');
  const size = scan.measure(() => scanQueryGroup(scan, scope));
  return { name, size };
}

/** `expression AS name`. */
function scanNamedExpression(scan: Scan, scope: Scope): string {
  const start = scan.at();
  scan.grammar.expression(scan, scope, 'none');
  scan.expectWord('AS');
  const name = scanNewName(scan);
  scan.findings.states.items.push({ start, end: scan.at() });
  return name;
}

/** A name that the endpoint's query uses, as a table or column, could change the meaning of its tables. */
function checkNewName(scan: Scan, name: string, seen: Set<string>, start: number): void {
  const folded = name.toLowerCase();
  const isTaken = scan.surface.reservedNames.has(folded);
  if (isTaken || seen.has(folded)) {
    const shown = name.slice(0, 100);
    const message = isTaken
      ? `${shown} is used in the endpoint's query: choose another name`
      : `${shown} is defined twice`;
    scan.reject({ code: 'sandbox.name_reserved', message }, start - scan.at());
  }
  seen.add(folded);
}

function scanProjection(scan: Scan, scope: Scope): void {
  if (!scan.take('ALL') && scan.take('DISTINCT') && scan.take('ON')) scanExpressions(scan, scope, 'none');
  scanTop(scan);
  do {
    // A trailing comma is allowed before FROM.
    if (scan.word() === 'FROM' && scan.kind(-1) === ',') return;
    const start = scan.at();
    scan.grammar.expression(scan, scope, 'bare');
    const item = { start, end: scan.at() };
    scan.findings.states.items.push(item);
    scan.current().items.push(item);
  } while (scan.takeKind(','));
}

/** `TOP 3` or `TOP (3)`; elsewhere `top` is a column. */
function scanTop(scan: Scan): void {
  if (scan.word() !== 'TOP') return;
  const isBracketed = scan.kind(1) === '(' && scan.kind(2) === 'number' && scan.kind(3) === ')';
  if (scan.kind(1) !== 'number' && !isBracketed) return;
  scan.skip(isBracketed ? 4 : 2);
  scan.take('WITH', 'TIES');
}

/** Reads one clause after FROM; false if there is none. The engine checks their order. */
function scanClause(scan: Scan, scope: Scope): boolean {
  if (scan.take('WHERE') || scan.take('PREWHERE') || scan.take('HAVING') || scan.take('QUALIFY')) {
    scan.grammar.expression(scan, scope, 'as');
    return true;
  }
  if (scan.take('GROUP', 'BY')) return scanGroupBy(scan, scope);
  if (scanTotals(scan)) return true;
  if (scan.take('WINDOW')) return scanWindows(scan, scope);
  if (scan.take('ORDER', 'BY')) return scanOrderBy(scan, scope);
  return scanLimit(scan, scope);
}

function scanGroupBy(scan: Scan, scope: Scope): true {
  if (scan.take('GROUPING', 'SETS')) {
    scan.nest(() => {
      scan.expectKind('(', '( and grouping sets');
      do {
        if (scan.kind() === '(') scanExpressions(scan, scope, 'none');
        else scan.grammar.expression(scan, scope, 'none');
      } while (scan.takeKind(','));
      scan.expectKind(')', ') after the grouping sets');
    });
  } else if ((scan.word() === 'ROLLUP' || scan.word() === 'CUBE') && scan.kind(1) === '(') {
    scan.skip();
    scanExpressions(scan, scope, 'as');
  } else if (scan.word() !== 'ALL' || !scan.take('ALL')) {
    do scan.grammar.expression(scan, scope, 'as');
    while (scan.takeKind(','));
  }
  return true;
}

function scanTotals(scan: Scan): boolean {
  return scan.take('WITH', 'ROLLUP') || scan.take('WITH', 'CUBE') || scan.take('WITH', 'TOTALS');
}
