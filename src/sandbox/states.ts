// States of aggregate functions are the engine's own bytes: read from text that a consumer wrote they corrupt its memory, and
// the engine converts text to the type of a state where nobody asked for it (IN, CASE, transform, INTERPOLATE, comparisons of
// arrays, …). So states go by an allow-list: they are named, handed on by name, and given to functions that take states.
import { Problem } from '../core/problem.ts';
import type { Complaint } from './consumer-text.ts';
import type { Scan } from './scan.ts';

/** Tokens from `start` up to, and without, `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** What a scan has learned for the check of states. */
export interface StateFindings {
  /** Calls that give states. */
  readonly made: Span[];
  /** Where a state may stand: whole arguments of functions that take states, and columns that are left out. */
  readonly permitted: Span[];
  /** Elements behind SELECT and WITH, with their aliases. */
  readonly items: Span[];
  /** `*` with what changes its columns. */
  readonly stars: (Span & { readonly isPlain: boolean })[];
  /** Forms that have no place in a query with states, by the token they begin with. */
  readonly barred: { readonly at: number; readonly form: string }[];
}

export function createStateFindings(): StateFindings {
  return { made: [], permitted: [], items: [], stars: [], barred: [] };
}

/** Whether a function of that name gives states: the combinators State and those around it, and bitmaps. */
export function makesStates(functionName: string): boolean {
  return /state|^bitmapbuild$/i.test(functionName);
}

/** Whether a function takes states, and does nothing with other values: the combinator Merge, and bitmaps. */
export function takesStates(functionName: string): boolean {
  return (
    /merge|^finalizeaggregation$|bitmap/i.test(functionName) && !/jsonmerge|^bitmapbuild$/i.test(functionName)
  );
}

const HINT =
  'Name a state with AS, and give that name to a function with the combinator Merge, to finalizeAggregation, or to a bitmap function.';

function complaint(message: string): Complaint {
  return { code: 'sandbox.type_denied', message, hint: HINT };
}

/** About a form that has no place in a query with states. */
export function barredForm(form: string): Complaint {
  return complaint(`${form} cannot stand in a query with states of aggregate functions`);
}

/** About a state that no later part of the query could be checked for. */
export function unnamedState(): Complaint {
  return complaint('The state of an aggregate function stands here without a name of its own');
}

/** About a column of a result: a state is no value that can be written, in any format. */
export function stateInResult(column: string): Complaint {
  const name = column.slice(0, 60);
  return complaint(`The column ${name} is the state of an aggregate function, which cannot be returned`);
}

/** Names of the columns with states of the tables that are read. */
export function stateColumns({ findings, surface }: Scan): readonly string[] {
  if (findings.tables.size === 0) return [];
  const known = surface.stateColumns;
  if (known !== 'unknown') return [...findings.tables].flatMap((table) => known.get(table) ?? []);
  const detail = 'The engine cannot tell now what columns the tables of this endpoint have';
  throw new Problem('engine.unavailable', { detail, retryAfter: 1 });
}

/** Names of states in one query; each costs a pass over its tokens. */
export const MAX_STATE_NAMES = 32;

/** What is known while names are followed. Spans by where they begin or end; both are unique. */
interface Check {
  readonly scan: Scan;
  readonly itemsByStart: ReadonlyMap<number, Span>;
  readonly itemsByEnd: ReadonlyMap<number, Span>;
  readonly permitted: ReadonlySet<string>;
  readonly made: ReadonlySet<string>;
  readonly tainted: Set<string>;
}

/** Refuses states wherever they may not stand. */
export function checkStates(scan: Scan): void {
  const columns = stateColumns(scan);
  const { made, barred, stars, items, permitted } = scan.findings.states;
  if (made.length === 0 && columns.length === 0) return;
  const [form] = barred;
  if (form !== undefined) refuseAt(scan, form.at, barredForm(form.form));
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

function refuseAt(scan: Scan, at: number, about: Complaint): never {
  return scan.refuse(about, at - scan.at());
}

/** A star stands alone, `*` or `table.*`, so that columns keep their names. */
function checkStar(
  { scan, itemsByStart, permitted }: Check,
  star: Span & { readonly isPlain: boolean },
): void {
  const whole = { start: startOfPath(scan, star.start), end: star.end };
  const isAlone = itemsByStart.get(whole.start)?.end === whole.end || permitted.has(keyOf(whole));
  if (star.isPlain && isAlone) return;
  refuseAt(scan, star.start, barredForm('A * that is changed or stands inside another value'));
}

/** The alias of a state, which stands alone behind SELECT or WITH. */
function nameOfState(check: Check, span: Span): string {
  const name = aliasBehind(check, span);
  if (name !== undefined) return name;
  return refuseAt(check.scan, span.start, unnamedState());
}

/** The alias of an element that is the span and no more than `AS name` or `name` behind it. */
function aliasBehind({ scan, itemsByStart }: Check, { start, end }: Span): string | undefined {
  const item = itemsByStart.get(start);
  const ahead = end - scan.at();
  const at = scan.word(ahead) === 'AS' ? ahead + 1 : ahead;
  return item !== undefined && item.end - scan.at() === at + 1 ? scan.name(at) : undefined;
}

/** Names of states stand where states may; an alias of one is one more. */
function checkNames(check: Check): void {
  const { scan, tainted } = check;
  const names = namesIn(scan);
  for (let size = 0; size < tainted.size;) {
    size = tainted.size;
    if (size > MAX_STATE_NAMES) {
      const message = `At most ${MAX_STATE_NAMES} names may stand for states of aggregate functions`;
      scan.refuse({ code: 'sandbox.too_large', message }, -scan.at());
    }
    for (const { at, parts } of names) if (parts.some((part) => tainted.has(part))) checkName(check, at);
  }
}

/** Names that are not called, by token. A join may give `table.name` as one name, of two parts. */
function namesIn(scan: Scan): readonly { readonly at: number; readonly parts: readonly string[] }[] {
  return Array.from({ length: scan.at() }, (_, at) => at).flatMap((at) => {
    const ahead = at - scan.at();
    const name = scan.kind(ahead + 1) === '(' ? undefined : scan.name(ahead);
    return name === undefined ? [] : [{ at, parts: name.split('.') }];
  });
}

function checkName(check: Check, at: number): void {
  const { scan, itemsByStart, permitted, tainted } = check;
  const span = { start: startOfPath(scan, at), end: endOfPath(scan, at) };
  if (permitted.has(keyOf(span)) || isAlias(check, at)) return;
  if (itemsByStart.get(span.start)?.end === span.end) return;
  const alias = aliasBehind(check, span);
  if (alias === undefined) {
    const name = scan.source(at - scan.at());
    refuseAt(scan, at, complaint(`${name} is the state of an aggregate function, which cannot stand here`));
  }
  tainted.add(alias);
}

/** Whether the name is that of an element itself: behind AS, or behind a call that gives a state or another name. */
function isAlias({ scan, itemsByEnd, made }: Check, at: number): boolean {
  const item = itemsByEnd.get(at + 1);
  if (item === undefined || item.start === at) return false;
  if (scan.word(at - 1 - scan.at()) === 'AS') return true;
  return made.has(keyOf({ start: item.start, end: at })) || endOfPath(scan, item.start) === at;
}

function startOfPath(scan: Scan, at: number): number {
  let start = at;
  while (scan.kind(start - 1 - scan.at()) === '.' && scan.name(start - 2 - scan.at()) !== undefined)
    start -= 2;
  return start;
}

function endOfPath(scan: Scan, at: number): number {
  let end = at + 1;
  while (scan.kind(end - scan.at()) === '.' && scan.name(end + 1 - scan.at()) !== undefined) end += 2;
  return end;
}
