// ORDER BY, LIMIT and windows.
import { scanUntil } from './groups.ts';
import { scanNewName } from './names.ts';
import type { Scan, Scope } from './scan.ts';

/** The elements after ORDER BY, and INTERPOLATE. */
export function scanOrderBy(scan: Scan, scope: Scope): true {
  do scanOrderElement(scan, scope);
  while (scan.takeKind(','));
  if (scan.take('INTERPOLATE') && scan.takeKind('(')) {
    scanUntil(scan, ')', () => {
      scan.findings.bare.push(scan.at()); // the engine resolves it like a value
      scanNewName(scan);
      if (scan.word() === 'AS') {
        scan.findings.states.barred.push({ at: scan.at(), form: 'INTERPOLATE with an expression' });
        scan.skip();
        scan.grammar.expression(scan, scope, 'none');
      }
    });
  }
  return true;
}

function scanOrderElement(scan: Scan, scope: Scope): void {
  if (!scan.take('ALL')) scan.grammar.expression(scan, scope, 'as');
  for (const direction of ['ASC', 'DESC', 'ASCENDING', 'DESCENDING']) if (scan.take(direction)) break;
  if (!scan.take('NULLS', 'FIRST')) scan.take('NULLS', 'LAST');
  if (scan.take('COLLATE')) scan.expectKind('string', 'the name of a collation, as a string');
  if (!scan.take('WITH', 'FILL')) return;
  for (const bound of ['FROM', 'TO', 'STEP', 'STALENESS']) {
    if (scan.take(bound)) scan.grammar.expression(scan, scope, 'none');
  }
}

/** LIMIT, OFFSET and FETCH; false if there is none. */
export function scanLimit(scan: Scan, scope: Scope): boolean {
  if (scan.take('LIMIT')) {
    scan.grammar.expression(scan, scope, 'none');
    if (scan.takeKind(',') || scan.take('OFFSET')) scan.grammar.expression(scan, scope, 'none');
    scan.take('WITH', 'TIES');
    if (scan.take('BY')) scanLimitBy(scan, scope);
    return true;
  }
  if (scan.take('OFFSET')) {
    scan.grammar.expression(scan, scope, 'none');
    if (!scan.take('ROWS')) scan.take('ROW');
    return true;
  }
  return scanFetch(scan, scope);
}

function scanLimitBy(scan: Scan, scope: Scope): void {
  if (scan.take('ALL')) return;
  do scan.grammar.expression(scan, scope, 'none');
  while (scan.takeKind(','));
}

function scanFetch(scan: Scan, scope: Scope): boolean {
  if (!scan.take('FETCH')) return false;
  if (!scan.take('FIRST')) scan.expectWord('NEXT');
  scan.grammar.expression(scan, scope, 'none');
  if (!scan.take('ROWS')) scan.take('ROW');
  if (!scan.take('ONLY') && !scan.take('WITH', 'TIES')) scan.expectWord('ONLY');
  return true;
}

/** `name AS (…)`, comma-separated, after WINDOW. */
export function scanWindows(scan: Scan, scope: Scope): true {
  scan.current().definesLater = true;
  do {
    scanNewName(scan);
    scan.expectWord('AS');
    scanWindow(scan, scope);
  } while (scan.takeKind(','));
  return true;
}

/** `([name] [PARTITION BY …] [ORDER BY …] [frame])`. */
export function scanWindow(scan: Scan, scope: Scope): void {
  scan.expectKind('(', 'a window in parentheses');
  scan.nest(() => {
    if (scan.word(1) !== 'BY' && scan.name() !== undefined && !isFrame(scan)) scan.skip();
    if (scan.take('PARTITION', 'BY')) {
      do scan.grammar.expression(scan, scope, 'none');
      while (scan.takeKind(','));
    }
    if (scan.take('ORDER', 'BY')) {
      do scanOrderElement(scan, scope);
      while (scan.takeKind(','));
    }
    if (isFrame(scan)) scanFrame(scan, scope);
  });
  scan.expectKind(')', 'the end of the window');
}

function isFrame(scan: Scan): boolean {
  const word = scan.word();
  return word === 'ROWS' || word === 'RANGE' || word === 'GROUPS';
}

function scanFrame(scan: Scan, scope: Scope): void {
  scan.skip();
  const isRange = scan.take('BETWEEN');
  scanBound(scan, scope);
  if (!isRange) return;
  scan.expectWord('AND');
  scanBound(scan, scope);
}

function scanBound(scan: Scan, scope: Scope): void {
  if (scan.take('CURRENT', 'ROW')) return;
  if (!scan.take('UNBOUNDED')) {
    scan.takeKind('-');
    scan.grammar.operand(scan, scope);
  }
  if (!scan.take('PRECEDING')) scan.expectWord('FOLLOWING');
}
