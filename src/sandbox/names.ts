// Names by position: tables, functions, aliases.
import { nearest } from '../core/nearest.ts';
import type { Scan, Scope } from './scan.ts';
import { KEYWORDS, NO_BARE_ALIAS } from './keywords.ts';

/** Reads the name at the scan as a table: unqualified, case-sensitive, and in scope. */
export function scanTableName(scan: Scan, scope: Scope): void {
  const name = scan.name();
  if (name === undefined || isKeyword(scan)) {
    scan.refuse({
      code: 'sandbox.table_denied',
      message: `Expected the name of a table: ${tableList(scan, scope)}`,
    });
  }
  if (scan.kind(1) === '.') {
    const message = `Tables are named without a database: ${tableList(scan, scope)}`;
    scan.refuse({ code: 'sandbox.table_denied', message });
  }
  if (scan.kind(1) === '(') {
    scan.refuse({
      code: 'sandbox.table_denied',
      message: `${scan.source()}(…) is a table function, and none is taken here`,
    });
  }
  const own = scope.own.get(name);
  const size = own ?? scan.surface.tables.get(name);
  if (size === undefined) denyTable(scan, scope, name);
  if (own === undefined) scan.findings.tables.add(name);
  scan.skip();
  scan.grow(size);
}

function denyTable(scan: Scan, scope: Scope, name: string): never {
  const guess = nearest(name, visible(scan, scope));
  const hint = guess === undefined ? {} : { hint: `Did you mean ${guess}?` };
  const message = `${scan.source()} is not a table here: ${tableList(scan, scope)}`;
  return scan.refuse({ code: 'sandbox.table_denied', message, ...hint });
}

function visible(scan: Scan, scope: Scope): string[] {
  return [...scan.surface.tables.keys(), ...scope.own.keys()];
}

function tableList(scan: Scan, scope: Scope): string {
  const names = visible(scan, scope);
  return names.length === 0 ? 'there is none' : `there are ${names.join(', ')}`;
}

/** Checks the name at the scan as a function; `combinator` is the suffix that the engine appends for the call's syntax. */
export function checkFunction(scan: Scan, combinator = ''): void {
  const name = `${scan.name() ?? ''}${combinator}`;
  const { functions } = scan.surface;
  if (functions.allows(name)) return;
  const guess = functions.refuses(name) ? undefined : functions.nearest(name);
  const hint = guess === undefined ? {} : { hint: `Did you mean ${guess}?` };
  const message = `${scan.source()} is not among the allowed functions${combinator === '' ? '' : ' that aggregate'}`;
  scan.refuse({ code: 'sandbox.function_denied', message, ...hint });
}

/** Reads a new name: an alias, a lambda's argument, a window. */
export function scanNewName(scan: Scan): string {
  const name = scan.name();
  if (name === undefined || isKeyword(scan)) {
    const message = `Expected a name; ${scan.source() || 'the end'} has to be quoted to be one`;
    scan.refuse({ code: 'sandbox.syntax_unsupported', message });
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
