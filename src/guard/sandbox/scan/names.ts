// Names by position: tables and functions.
import { didYouMean, nearest } from '../../../sql/base/nearest.ts';
import { KEYWORDS } from '../../../sql/clickhouse/tree/keywords.ts';
import type { Node } from '../../../sql/clickhouse/tree/nodes.ts';
import { nameOf, wordOf } from '../../../sql/clickhouse/tree/visit.ts';
import { REPLACEMENTS } from '../functions/replacements.ts';
import { grow, reject, shown, type Scan, type Scope } from './scan.ts';

/** Checks the name of a table: unqualified, case-sensitive, and in scope. */
export function checkTable(scan: Scan, { from, to }: Node, scope: Scope): void {
  const { tree, surface, findings } = scan;
  const name = nameOf(tree, { at: from });
  const deny = (message: string): never =>
    reject(scan, from, { code: 'sandbox.table_denied', message: `${message}: ${tableList(scan, scope)}` });
  if (name === '' || KEYWORDS.has(wordOf(tree, { at: from }))) return deny('Expected a table name');
  const next = wordOf(tree, { at: from + 1 });
  if (next === '.') return deny('Table names must not include a database');
  if (next === '(') {
    const message = `${shown(scan, from)}(…) is a table function, and table functions are not allowed`;
    reject(scan, from, { code: 'sandbox.table_denied', message });
  }
  const own = scope.get(name);
  const tokens = surface.tables.get(name);
  const size = own ?? (tokens === undefined ? undefined : { tokens, reads: 1 });
  if (size === undefined) return denyTable(scan, scope, { name, at: from });
  if (own === undefined) findings.tables.add(name);
  grow(scan, size, to);
}

function denyTable(
  scan: Scan,
  scope: Scope,
  { name, at }: { readonly name: string; readonly at: number },
): never {
  const hint = didYouMean(nearest(name, visible(scan, scope)));
  const message = `There is no table ${shown(scan, at)}: ${tableList(scan, scope)}`;
  return reject(scan, at, { code: 'sandbox.table_denied', message, ...(hint && { hint }) });
}

function visible({ surface }: Scan, scope: Scope): string[] {
  return [...surface.tables.keys(), ...scope.keys()];
}

function tableList(scan: Scan, scope: Scope): string {
  const names = visible(scan, scope);
  return names.length === 0 ? 'there are no tables' : `the tables are ${names.join(', ')}`;
}

/** Checks the name at a token as a function; `combinator` is the suffix that the engine appends for the call's syntax. */
export function checkFunction(scan: Scan, at: number, combinator = ''): void {
  const name = `${nameOf(scan.tree, { at })}${combinator}`;
  const { functions } = scan.surface;
  if (functions.allows(name)) return;
  const replacement = REPLACEMENTS.get(name.toLowerCase());
  const guess = functions.denies(name) ? undefined : didYouMean(functions.nearest(name));
  const hint = replacement === undefined ? guess : `${replacement}.`;
  const message = `${shown(scan, at)} is not an allowed ${combinator === '' ? '' : 'aggregate '}function`;
  reject(scan, at, { code: 'sandbox.function_denied', message, ...(hint && { hint }) });
}
