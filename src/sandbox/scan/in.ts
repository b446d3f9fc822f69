// The right side of IN, where the engine resolves a name as a table.
import { isQueryGroup, scanExpressions, scanQueryGroup, scanUntil } from './groups.ts';
import { scanTableName } from './names.ts';
import type { Scan, Scope } from './scan.ts';
import { CONSTANTS } from '../keywords.ts';

/** `[GLOBAL] [NOT] IN …`; false if there is none. */
export function scanIn(scan: Scan, scope: Scope): boolean {
  let ahead = scan.word() === 'GLOBAL' ? 1 : 0;
  if (scan.word(ahead) === 'NOT') ahead++;
  if (scan.word(ahead) !== 'IN') return false;
  scan.skip(ahead + 1);
  scanSet(scan, scope);
  return true;
}

/** A subquery, a list, an array, a constant, a call, or the name of a table. */
function scanSet(scan: Scan, scope: Scope): void {
  if (isQueryGroup(scan) || isNameAlone(scan)) scanSetTable(scan, scope);
  else if (scan.kind() === '(') scanList(scan, scope);
  else {
    scan.takeKind('-');
    scan.grammar.operand(scan, scope);
  }
}

function scanSetTable(scan: Scan, scope: Scope): void {
  scan.findings.states.barred.push({ at: scan.at(), form: 'IN with a subquery or a table' });
  if (isQueryGroup(scan)) scanQueryGroup(scan, scope);
  else {
    scan.findings.sets.add(scan.name() ?? '');
    scanTableName(scan, scope);
  }
}

/** The engine ignores parentheses around a single element: `IN ((name))` reads a table. */
function scanList(scan: Scan, scope: Scope): void {
  if (isSingle(scan)) {
    scan.skip();
    scan.nest(() => scanSet(scan, scope));
    // A constant may be followed by an operator; a name or a query may not.
    scan.expectKind(')', 'a comma or )');
  } else scanExpressions(scan, scope, 'none');
}

/** Whether the list has a single element that is a name or another list. */
function isSingle(scan: Scan): boolean {
  const close = scan.beyond() - 1;
  for (let ahead = 1; ahead < close; ahead = scan.beyond(ahead)) {
    if (scan.kind(ahead) === ',' && ahead < close - 1) return false;
  }
  return scan.kind(1) === '(' ? scan.beyond(1) === close : isNameAlone(scan, 1);
}

/** A name that is not a constant, a call or the prefix of a literal. */
function isNameAlone(scan: Scan, ahead = 0): boolean {
  if (scan.kind(ahead) === 'quoted') return scan.kind(ahead + 1) !== '(';
  const word = scan.word(ahead);
  if (word === undefined || CONSTANTS.has(word)) return false;
  const next = scan.kind(ahead + 1);
  return next !== '(' && next !== 'string' && next !== 'number';
}

/** The arguments of `in(x, set)`, whose second is the right side of IN. */
export function scanInArguments(scan: Scan, scope: Scope): void {
  scan.expectKind('(');
  let index = 0;
  scanUntil(scan, ')', () => {
    if (index === 1) scanSet(scan, scope);
    else scan.grammar.expression(scan, scope, 'none');
    index++;
  });
}
