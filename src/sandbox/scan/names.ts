// Names by position: tables, functions, aliases.
import { didYouMean, nearest } from '../../core/nearest.ts';
import type { Scan, Scope } from './scan.ts';
import { REPLACEMENTS } from '../functions/replacements.ts';
import { KEYWORDS, NO_BARE_ALIAS } from '../keywords.ts';

/** Reads the name at the scan as a table: unqualified, case-sensitive, and in scope. */
export function scanTableName(scan: Scan, scope: Scope): void {
  const name = scan.name();
  if (name === undefined || isKeyword(scan)) {
    scan.reject({
      code: 'sandbox.table_denied',
      message: `Expected a table name: ${tableList(scan, scope)}`,
    });
  }
  if (scan.kind(1) === '.') {
    const message = `Table names must not include a database: ${tableList(scan, scope)}`;
    scan.reject({ code: 'sandbox.table_denied', message });
  }
  if (scan.kind(1) === '(') {
    scan.reject({
      code: 'sandbox.table_denied',
      message: `${scan.shown()}(…) is a table function, and table functions are not allowed`,
    });
  }
  const own = scope.withTables.get(name);
  const tokens = scan.surface.tables.get(name);
  const size = own ?? (tokens === undefined ? undefined : { tokens, reads: 1 });
  if (size === undefined) denyTable(scan, scope, name);
  if (own === undefined) scan.findings.tables.add(name);
  scan.skip();
  scan.grow(size);
}

function denyTable(scan: Scan, scope: Scope, name: string): never {
  const hint = didYouMean(nearest(name, visible(scan, scope)));
  const message = `There is no table ${scan.shown()}: ${tableList(scan, scope)}`;
  return scan.reject({ code: 'sandbox.table_denied', message, ...(hint && { hint }) });
}

function visible(scan: Scan, scope: Scope): string[] {
  return [...scan.surface.tables.keys(), ...scope.withTables.keys()];
}

function tableList(scan: Scan, scope: Scope): string {
  const names = visible(scan, scope);
  return names.length === 0 ? 'there are no tables' : `the tables are ${names.join(', ')}`;
}

/** Checks the name at the scan as a function; `combinator` is the suffix that the engine appends for the call's syntax. */
export function checkFunction(scan: Scan, combinator = ''): void {
  const name = `${scan.name() ?? ''}${combinator}`;
  const { functions } = scan.surface;
  if (functions.allows(name)) return;
  const replacement = REPLACEMENTS.get(name.toLowerCase());
  const guess = functions.denies(name) ? undefined : didYouMean(functions.nearest(name));
  const hint = replacement === undefined ? guess : `${replacement}.`;
  const message = `${scan.shown()} is not an allowed ${combinator === '' ? '' : 'aggregate '}function`;
  scan.reject({ code: 'sandbox.function_denied', message, ...(hint && { hint }) });
}

/** Reads a new name: an alias, a lambda's argument, a window. */
export function scanNewName(scan: Scan): string {
  const name = scan.name();
  if (name === undefined || isKeyword(scan)) {
    const seen = scan.shown();
    const message =
      seen === ''
        ? 'Expected a name, but the query ends'
        : `Expected a name; to use ${seen} as a name, quote it`;
    scan.reject({ code: 'sandbox.syntax_unsupported', message });
  }
  scan.findings.names.add(name);
  scan.skip();
  return name;
}

/** Whether an alias without AS comes next. */
export function isBareAlias(scan: Scan): boolean {
  if (scan.kind() === 'quoted') return true;
  const word = scan.word();
  return word !== undefined && !KEYWORDS.has(word) && !NO_BARE_ALIAS.has(word);
}

/** Whether the token at the scan is a keyword, which can never be a name. */
export function isKeyword(scan: Scan): boolean {
  return KEYWORDS.has(scan.word() ?? '');
}
