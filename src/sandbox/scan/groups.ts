// Parenthesized groups: which hold a query and which hold expressions.
import type { AliasForm, Scan, Scope } from './scan.ts';
import { SET_OPERATORS } from '../keywords.ts';

/** Whether the parenthesis `ahead` encloses a query; `((SELECT 1) + 2)` does not. */
export function isQueryGroup(scan: Scan, ahead = 0): boolean {
  if (scan.kind(ahead) !== '(') return false;
  const word = scan.word(ahead + 1);
  if (word === 'SELECT' || word === 'WITH' || word === 'FROM') return true;
  if (!isQueryGroup(scan, ahead + 1)) return false;
  const after = scan.beyond(ahead + 1);
  return scan.kind(after) === ')' || SET_OPERATORS.has(scan.word(after) ?? '');
}

/** A query in parentheses. */
export function scanQueryGroup(scan: Scan, scope: Scope): void {
  if (!isQueryGroup(scan)) {
    scan.reject({ code: 'sandbox.syntax_unsupported', message: 'Expected a SELECT in parentheses' });
  }
  scan.skip();
  scan.nest(() => scan.grammar.query(scan, { withTables: scope.withTables, inLambda: false }));
  scan.expectKind(')', 'the end of the subquery');
}

/** Expressions in parentheses, possibly none; a trailing comma is allowed. */
export function scanExpressions(scan: Scan, scope: Scope, alias: AliasForm): void {
  scan.expectKind('(');
  scanUntil(scan, ')', () => scan.grammar.expression(scan, scope, alias));
}

/** Comma-separated items up to and including the closing bracket. */
export function scanUntil(scan: Scan, close: ')' | ']', item: () => void): void {
  scan.nest(() => {
    while (scan.kind() !== close) {
      item();
      if (!scan.takeKind(',')) break;
    }
  });
  scan.expectKind(close, `a comma or ${close}`);
}
