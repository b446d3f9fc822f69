// Aggregate function states are internal binary data of the engine: parsed from text that a consumer wrote they corrupt its
// memory, and the engine implicitly converts text to the type of a state (IN, CASE, transform, INTERPOLATE, comparisons of
// arrays, …). States are therefore subject to an allow-list: they may be named, passed on by name, and passed to functions that
// accept states.
import { Problem } from '../../../sql/base/problem.ts';
import type { Violation } from '../lexed-query.ts';
import type { Node } from '../../../sql/clickhouse/tree/nodes.ts';
import { nameTokens, pathAround } from '../../../sql/clickhouse/tree/tokens.ts';
import { nameOf, wordOf } from '../../../sql/clickhouse/tree/visit.ts';
import type { Span } from './findings.ts';
import { reject, shown, type Scan } from './scan.ts';

/** Returns whether a function of that name returns states: the combinator State and those around it, and bitmaps. */
export function returnsStates(functionName: string): boolean {
  return /state|^bitmapbuild$/i.test(functionName);
}

/** Returns whether a function accepts only states: the combinator Merge, and bitmaps. */
export function acceptsStates(functionName: string): boolean {
  return (
    /merge|^finalizeaggregation$|bitmap/i.test(functionName) && !/jsonmerge|^bitmapbuild$/i.test(functionName)
  );
}

const HINT =
  'Name a state with AS, and pass that name to a function with the combinator Merge, to finalizeAggregation, or to a bitmap function.';

function violation(message: string): Violation {
  return { code: 'sandbox.type_denied', message, hint: HINT };
}

/** The violation for a form that is not allowed in a query with states. */
export function formDenied(form: string): Violation {
  return violation(`${form} is not allowed in a query with aggregate function states`);
}

/** The violation for a state without a name, for which later parts of the query could not be checked. */
export function unnamedState(): Violation {
  return violation('An aggregate function state must have an alias here');
}

/** The violation for a result column: a state has no representation in any result format. */
export function stateInResult(column: string): Violation {
  const name = column.slice(0, 60);
  return violation(`The column ${name} is an aggregate function state, which cannot be returned`);
}

/** Names of the state columns of the tables that are read. */
export function stateColumns({ findings, surface }: Scan): readonly string[] {
  if (findings.tables.size === 0) return [];
  const known = surface.stateColumns;
  if (known !== 'unknown') return [...findings.tables].flatMap((table) => known.get(table) ?? []);
  const detail = 'The engine cannot describe the tables of this endpoint at the moment';
  throw new Problem('engine.unavailable', { detail, retryAfter: 1 });
}

/** Maximum number of names of states in one query; each costs a pass over its tokens. */
export const MAX_STATE_NAMES = 32;

/** Working state while names are followed. Spans are indexed by their start or end; both are unique. */
interface Check {
  readonly scan: Scan;
  readonly itemsByStart: ReadonlyMap<number, Span>;
  readonly itemsByEnd: ReadonlyMap<number, Span>;
  readonly permitted: ReadonlySet<string>;
  readonly made: ReadonlySet<string>;
  readonly tainted: Set<string>;
}

/** Rejects states wherever they are not allowed. */
export function checkStates(scan: Scan): void {
  const columns = stateColumns(scan);
  const { made, barred, stars, items, permitted } = scan.findings.states;
  if (made.length === 0 && columns.length === 0) return;
  const [form] = barred;
  if (form !== undefined) reject(scan, form.at, formDenied(form.form));
  const check: Check = {
    scan,
    itemsByStart: new Map(items.map((item) => [item.start, item])),
    itemsByEnd: new Map(items.map((item) => [item.end, item])),
    permitted: new Set(permitted.map(keyOf)),
    made: new Set(made.map(keyOf)),
    tainted: new Set(columns),
  };
  for (const star of stars) checkStar(check, star);
  for (const span of made) if (!check.permitted.has(keyOf(span))) check.tainted.add(nameOfState(check, span));
  checkNames(check);
}

function keyOf({ start, end }: Span): string {
  return `${start} ${end}`;
}

/** A star must be plain, `*` or `table.*`, so that columns keep their names. */
function checkStar(
  { scan, itemsByStart, permitted }: Check,
  { node, isPlain }: { readonly node: Node; readonly isPlain: boolean },
): void {
  const { from, to, at, parts } = node;
  const isNamed = from === at || parts[0]?.kind === 'column';
  const isAlone = itemsByStart.get(from)?.end === to || permitted.has(keyOf({ start: from, end: to }));
  if (isPlain && isNamed && isAlone) return;
  reject(scan, at, formDenied('A * with modifiers or inside an expression'));
}

/** The alias of a state, which must be a whole element of SELECT or WITH. */
function nameOfState(check: Check, span: Span): string {
  const name = aliasAfter(check, span);
  if (name !== undefined) return name;
  return reject(check.scan, span.start, unnamedState());
}

/** The alias of an element that consists of the span followed by `AS name` or `name`. */
function aliasAfter({ scan, itemsByStart }: Check, { start, end }: Span): string | undefined {
  const item = itemsByStart.get(start);
  const at = wordOf(scan.tree, { at: end }) === 'AS' ? end + 1 : end;
  return item?.end === at + 1 ? nameOf(scan.tree, { at }) : undefined;
}

/** Names of states may occur only where states may; an alias of such a name is tracked as well. */
function checkNames(check: Check): void {
  const { scan, tainted } = check;
  const names = namesIn(scan);
  for (let size = 0; size < tainted.size;) {
    size = tainted.size;
    if (size > MAX_STATE_NAMES) {
      const message = `At most ${MAX_STATE_NAMES} names may refer to aggregate function states`;
      reject(scan, 0, { code: 'sandbox.too_large', message });
    }
    for (const { at, parts } of names) if (parts.some((part) => tainted.has(part))) checkName(check, at);
  }
}

/** Names that are not called, by token. A join may produce `table.name` as a single name of two parts. */
function namesIn({ tree }: Scan): readonly { readonly at: number; readonly parts: readonly string[] }[] {
  return nameTokens(tree).flatMap(({ name, at }) =>
    wordOf(tree, { at: at + 1 }) === '(' ? [] : [{ at, parts: name.split('.') }],
  );
}

function checkName(check: Check, at: number): void {
  const { scan, itemsByStart, permitted, tainted } = check;
  const { from, to } = pathAround(scan.tree, at);
  const span = { start: from, end: to };
  if (permitted.has(keyOf(span)) || isAlias(check, at)) return;
  if (itemsByStart.get(span.start)?.end === span.end) return;
  const alias = aliasAfter(check, span);
  if (alias === undefined) {
    reject(
      scan,
      at,
      violation(`${shown(scan, at)} is an aggregate function state, which is not allowed here`),
    );
  }
  tainted.add(alias);
}

/** Returns whether the name is an element's own alias: after AS, or after a call or name that yields a state. */
function isAlias({ scan, itemsByEnd, made }: Check, at: number): boolean {
  const item = itemsByEnd.get(at + 1);
  if (item === undefined || item.start === at) return false;
  if (wordOf(scan.tree, { at: at - 1 }) === 'AS') return true;
  return made.has(keyOf({ start: item.start, end: at })) || pathAround(scan.tree, item.start).to === at;
}
