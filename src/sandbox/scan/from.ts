// The FROM clause: tables in scope, subqueries and joins. Table functions and database names are rejected.
import { isQueryGroup, scanExpressions, scanQueryGroup } from './groups.ts';
import { isBareAlias, scanNewName, scanTableName } from './names.ts';
import type { Scan, Scope } from './scan.ts';
import { JOIN_WORDS } from '../keywords.ts';

/** Everything after FROM up to the next clause. */
export function scanFrom(scan: Scan, scope: Scope): void {
  scanTable(scan, scope);
  while (scanNext(scan, scope));
}

function scanNext(scan: Scan, scope: Scope): boolean {
  if (scan.takeKind(',')) {
    scanTable(scan, scope);
    return true;
  }
  let ahead = 0;
  while (JOIN_WORDS.has(scan.word(ahead) ?? '')) ahead++;
  if (scan.word(ahead) === 'ARRAY' && scan.word(ahead + 1) === 'JOIN') {
    scan.skip(ahead + 2);
    scan.current().isMultiplied = true;
    do scan.grammar.expression(scan, scope, 'as');
    while (scan.takeKind(','));
    return true;
  }
  if (scan.word(ahead) !== 'JOIN') return false;
  scan.skip(ahead + 1);
  scanTable(scan, scope);
  scanJoinCondition(scan, scope);
  return true;
}

function scanTable(scan: Scan, scope: Scope): void {
  const at = scan.at();
  const name = scanSource(scan, scope);
  const alias = scan.take('AS') || isBareAlias(scan) ? scanNewName(scan) : name;
  const table = name === undefined || scope.withTables.has(name) ? undefined : name;
  scan.current().sources.push({ table, alias, at });
  const word = scan.word();
  if (word === 'FINAL' || word === 'SAMPLE') {
    scan.reject({
      code: 'sandbox.syntax_unsupported',
      message: `${word} is not allowed: the tables are query results`,
    });
  }
}

/** Returns the name of a table; undefined for a subquery. */
function scanSource(scan: Scan, scope: Scope): string | undefined {
  const name = isQueryGroup(scan) ? undefined : scan.name();
  if (isQueryGroup(scan)) scanQueryGroup(scan, scope);
  else scanTableName(scan, scope);
  return name;
}

function scanJoinCondition(scan: Scan, scope: Scope): void {
  if (scan.take('ON')) {
    scan.grammar.expression(scan, scope, 'none');
    return;
  }
  if (!scan.take('USING')) return;
  if (scan.kind() === '(') {
    scanExpressions(scan, scope, 'none');
    return;
  }
  scan.grammar.expression(scan, scope, 'none');
  // Without parentheses the engine continues the column list where one would expect a further table.
  if (scan.kind() === ',') {
    scan.reject({
      code: 'sandbox.syntax_unsupported',
      message: 'Several columns of USING must be in parentheses',
    });
  }
}
