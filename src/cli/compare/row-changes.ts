// Compares which rows two versions of a query return: as sets, each read of a source by what restricts it in both directions.
import { confinedColumns, type ConfinedColumns } from '../../guard/query/comparison/confined-columns.ts';
import {
  columnsIn,
  haveSameOrder,
  isCutWithin,
  isLenientlyWithin,
  isOnceWithin,
} from '../../guard/query/comparison/cuts.ts';
import { isEvaluated } from '../../guard/query/comparison/evaluation.ts';
import { areImplying, areImplyingOne, widerWindow } from '../../guard/query/comparison/implication.ts';
import {
  readingsOf,
  type SourceReading,
  type Restriction,
} from '../../guard/query/comparison/restrictions.ts';
import type { Facts } from '../../guard/query/comparison/term-facts.ts';
import type { Assumptions } from './assumptions.ts';
import type { QueryModel, SourceModel } from '../../guard/query/model.ts';
import { childrenOf, type Expression } from '../../guard/query/tree/nodes.ts';
import type { ModelChange } from './model-change.ts';
import { show } from './shown-text.ts';

/** Both versions, and what is known of the calls that get them. */
export interface RowPair extends Assumptions {
  readonly before: QueryModel;
  readonly after: QueryModel;
  /** Consumer queries read the whole result. */
  readonly isTable: boolean;
}

/** Rows that only one version returns. */
export function* compareRows(pair: RowPair): Generator<ModelChange> {
  const [old, now] = [readingsOf(pair.before.root), readingsOf(pair.after.root)];
  yield* addedRows(pair, old, now);
  yield* removedRows(pair, old, now);
  yield* exchangedSources(pair, old, now);
}

/** Each read of the new query must find one of the same source in the old query whose restrictions it has. */
function* addedRows(pair: RowPair, old: readonly SourceReading[], now: readonly SourceReading[]): Generator<ModelChange> {
  const { before, after } = pair;
  const used = new Set(now.flatMap((each) => each.restrictions.flatMap(({ parameters }) => [...parameters])));
  const confining = new Set(before.sources.flatMap(({ confinedBy }) => confinedBy));
  const wereRead = new Set(before.sources.map(nameOf));
  const [wasShown, isShown] = [shownSources(before), shownSources(after)];
  const [confined, stillConfined] = [confinedColumns(before), confinedColumns(after)];
  for (const reading of now) {
    const same = old.filter(({ name }) => name === reading.name);
    const source = after.sources.find(({ id }) => id === reading.source);
    if (same.length === 0) {
      // Another call of a table function or of a view that was read; other new sources are reported as such.
      if (source !== undefined && wereRead.has(nameOf(source))) yield sourceAdded(source, []);
      continue;
    }
    const shownBefore = same.filter((each) => wasShown.has(each.source));
    const former = isShown.has(reading.source) && shownBefore.length > 0 ? shownBefore : same;
    const isKept = keptParameters(reading.name, confined, stillConfined);
    const losses = former.map((each) => ({ each, lost: lossesOf(each, reading, { ...pair, isKept, confining }) }));
    const [least] = losses.toSorted((a, b) => a.lost.length - b.lost.length);
    if (least === undefined || (least.lost.length > 0 && areCovered(reading, former, pair.assumed))) continue;
    for (const lost of least.lost) {
      const isUndecided = !isDecided(lost, least.each, reading);
      yield lost.parameters.size > 0 ? lostCondition(lost, source, used) : addedBy(lost, { ...pair, reading, source, isUndecided });
    }
    yield* longerPeriods(least.each, reading, source);
  }
} // prettier-ignore

/** Each read of the old query must find one of the same source in the new query that has no further restrictions. */
function* removedRows(
  { after, isTable, assumedBefore }: RowPair,
  old: readonly SourceReading[],
  now: readonly SourceReading[],
): Generator<ModelChange> {
  for (const reading of old) {
    const same = now.filter(({ name, isMain }) => name === reading.name && isMain);
    if (!reading.isMain || same.length === 0) continue;
    const gains = same.map((each) => ({
      each,
      gained: each.restrictions.filter(
        (restriction) =>
          restriction.kind !== 'join' &&
          restriction.kind !== 'key' &&
          !isHeld(restriction, reading.restrictions, { isTable, assumed: assumedBefore, isReverse: true }),
      ),
    }));
    const [least] = gains.toSorted((a, b) => a.gained.length - b.gained.length);
    if (least === undefined || least.gained.length === 0) continue;
    if (areCovered(reading, same, assumedBefore)) continue;
    const source = after.sources.find(({ id }) => id === least.each.source);
    for (const gained of least.gained)
      yield { code: 'query.rows_removed', message: messageOf(gained, 'must now'), source };
  }
}

/** Returns whether each row of a source is in some branch of a union that has several reads of it. */
function areCovered(one: SourceReading, others: readonly SourceReading[], assumed: Facts): boolean {
  const branches = others.filter(({ isMain, isBranch }) => isMain && isBranch);
  if (branches.length < 2 || !one.isMain) return false;
  return areImplyingOne(
    one.restrictions.filter(({ stage }) => stage === 0),
    branches.map(({ restrictions }) => restrictions),
    assumed,
  );
}

/** The sources that decide which rows there are, and are not among the others. */
function readOnly(
  list: readonly SourceReading[],
  others: readonly SourceReading[],
): readonly SourceReading[] {
  const names = new Set(others.flatMap(({ name, isMain }) => (isMain ? name : [])));
  return list.filter(({ name, isMain, isOptional }) => isMain && !isOptional && !names.has(name));
}

/** Tables in the place of others, and whole branches of unions. */
function* exchangedSources(
  { after }: RowPair,
  old: readonly SourceReading[],
  now: readonly SourceReading[],
): Generator<ModelChange> {
  const [gone, come] = [readOnly(old, now), readOnly(now, old)];
  const isExchanged = gone.length > 0 && come.length > 0;
  for (const { name, source, isBranch } of come) {
    if (!isExchanged && !isBranch) continue;
    const found = after.sources.find(({ id }) => id === source);
    const message = `rows are now those of ${found === undefined ? name : labelOf(found)}, which were not read before`;
    yield { code: 'query.rows_added', message, source: found };
  }
  for (const { name, isBranch } of gone)
    if (isExchanged || isBranch)
      yield { code: 'query.rows_removed', message: `rows of ${name} are no longer read`, source: undefined };
}

/** The sources whose columns the result shows, rather than only uses in conditions. */
function shownSources({ columns }: QueryModel): ReadonlySet<number> {
  const flows = columns.flatMap(({ flow }) => flow).filter(({ kind }) => kind !== 'condition');
  return new Set(flows.map(({ source }) => source));
}

/** The parameters that confine all reads of a source as before. */
function keptParameters(name: string, before: ConfinedColumns, after: ConfinedColumns): ReadonlySet<string> {
  const [old, now] = [before.get(name), after.get(name)];
  const kept = [...(old ?? [])].filter(([parameter, columns]) => {
    const still = now?.get(parameter);
    return still !== undefined && (columns.size === 0 || [...columns].some((column) => still.has(column)));
  });
  return new Set(kept.map(([parameter]) => parameter));
}

function* longerPeriods(
  old: SourceReading,
  now: SourceReading,
  source: SourceModel | undefined,
): Generator<ModelChange> {
  for (const restriction of old.restrictions) {
    const wider = areImplying(now.restrictions, restriction) ? undefined : widerWindow(now.restrictions, restriction);
    if (wider === undefined) continue;
    const message = `reads a longer period${whereOf(source)}: ${show(wider.text)}, was ${show(restriction.text)}`;
    yield { code: 'query.window_widened', message, source };
  }
} // prettier-ignore

interface HoldOptions extends Pick<RowPair, 'isTable' | 'assumed'> {
  /** It is true if rows that are missing are looked for. */
  readonly isReverse?: boolean;
}

interface LossOptions extends HoldOptions, Pick<RowPair, 'isNew'> {
  /** The parameters that confined some source. */
  readonly confining: ReadonlySet<string>;
  readonly isKept: ReadonlySet<string>;
}

function lossesOf(old: SourceReading, now: SourceReading, options: LossOptions): readonly Restriction[] {
  const { isTable, isKept, confining, isNew } = options;
  return old.restrictions.filter((restriction) => {
    const { parameters, kind, cut } = restriction;
    // Conditions are compared as a whole, and so are values: of tables, consumers may count on their rows, too.
    const isOfRows = now.isMain && kind !== 'join' && kind !== 'key';
    const isCounted = isOfRows || (isTable && kind === 'filter' && !now.isCondition);
    if (parameters.size === 0 && !isCounted) return false;
    if (isNew && cut?.isResult === true) return false;
    if (isHeld(restriction, now.restrictions, options)) return false;
    const isOfTenant = [...parameters].some((name) => confining.has(name));
    if (!isOfTenant && widerWindow(now.restrictions, restriction) !== undefined) return false;
    return isTable || !isOfOthers(restriction, old, isKept);
  });
}

/** Returns whether all rows that pass the others pass one restriction. */
function isHeld(
  one: Restriction,
  others: readonly Restriction[],
  { isTable, assumed, isReverse = false }: HoldOptions,
): boolean {
  const alike = others.filter(({ kind }) => kind === one.kind);
  const { cut, once } = one;
  if (cut !== undefined)
    return alike.some(
      (each) => each.cut !== undefined && (isReverse ? isLenientlyWithin : isCutWithin)(each.cut, cut),
    );
  if (once !== undefined)
    return alike.some((each) => each.once !== undefined && isOnceWithin(each.once, once, isTable));
  if (one.kind === 'match') return alike.length > 0;
  if (one.kind === 'read')
    return alike.some(({ text }) => text === one.text || isSmallerSample(text, one.text));
  if (one.kind === 'elements' && one.parameters.size === 0)
    return alike.some((each) => hasElementsOf(one, each));
  // A row that is missing is missing, whatever was computed over it.
  return areImplying(isReverse ? others.map((each) => ({ ...each, stage: 0 })) : others, one, assumed);
}

/** Returns whether a sample without an offset is a part of another one. */
function isSmallerSample(now: string, old: string): boolean {
  const [share, other] = [now, old].map((text) => {
    const [, above, below] = /^SAMPLE (\d+) \/ (\d+)$/.exec(text) ?? [];
    return Number(above) / Number(below);
  });
  return share !== undefined && other !== undefined && share <= other;
}

/** Returns whether an array has all elements of another one, or is of other columns: what is shown of these is compared as values. */
function hasElementsOf(one: Restriction, other: Restriction): boolean {
  const [own, others] = [arraysWithin(one), arraysWithin(other)];
  const [whole] = own;
  if (whole === undefined || others.some(({ text }) => text === whole.text)) return true;
  return !whole.columns.some((column) => others.some(({ columns }) => columns.includes(column)));
}

interface ElementsOf {
  readonly text: string;
  readonly columns: readonly string[];
}

/** The arrays whose elements the array of a restriction has, perhaps not all of them: first the one of which it has all. */
function arraysWithin({ condition, texts }: Restriction): readonly ElementsOf[] {
  const found: ElementsOf[] = [];
  let isWhole = true;
  for (let array = condition; array !== undefined;) {
    const plain = array.kind === 'column' ? texts.plain(array) : undefined;
    const inner = plain ?? innerArray(array, isWhole ? SAME_SIZE : FEWER_OR_SAME);
    if (inner === undefined) {
      found.push({ text: texts.expression(array), columns: columnsIn(array, texts) });
      if (!isWhole) return found;
      isWhole = false;
      array = innerArray(array, FEWER_OR_SAME);
    } else array = inner;
  }
  return found;
}

function innerArray(expression: Expression, functions: RegExp): Expression | undefined {
  if (expression.kind !== 'function' || !functions.test(expression.name)) return undefined;
  return expression.arguments.find(({ kind }) => kind !== 'lambda');
}

const SAME_SIZE = /^(?:array(?:Map|\w*Sort|Reverse|ReverseSort|Enumerate\w*|CumSum\w*|Difference|Fill|ReverseFill)|map(?:Keys|Values)|_?CAST|tupleElement|getSubcolumn|nested|reverse)$/; // prettier-ignore

const FEWER_OR_SAME = new RegExp(
  `${SAME_SIZE.source}|^array(?:Filter|Slice|Distinct|Compact|Intersect|PopBack|PopFront)$`,
);

/** An equality of another source with a parameter that confines this one as before: that source is compared itself. */
function isOfOthers(
  { condition, texts }: Restriction,
  { name }: SourceReading,
  isKept: ReadonlySet<string>,
): boolean {
  if (condition?.kind !== 'function' || condition.name !== 'equals') return false;
  const [left, right] = condition.arguments;
  const parameter = [left, right].find((each) => each?.kind === 'parameter');
  const column = [left, right].find((each) => each?.kind === 'column');
  if (parameter?.kind !== 'parameter' || column === undefined || !isKept.has(parameter.name)) return false;
  return !texts.expression(column).startsWith(`${name}.`);
}

/** Returns whether it is certain that a condition is lost: not if another one on its columns has a form that is not evaluated. */
function isDecided(lost: Restriction, old: SourceReading, now: SourceReading): boolean {
  if (lost.kind === 'relation') return !now.restrictions.some(({ kind }) => kind === 'relation');
  const { condition, texts } = lost;
  if (condition === undefined || lost.kind !== 'filter') return true;
  const columns = new Set(columnsIn(condition, texts));
  const known = new Set(old.restrictions.map(({ text }) => text));
  return now.restrictions.every((each) => {
    if (each.condition === undefined || each.kind !== 'filter' || known.has(each.text)) return true;
    if (isEvaluated(condition) && isEvaluated(each.condition)) return true;
    if (!isEvaluated(condition) && hasSubquery(condition) && hasSubquery(each.condition)) return false;
    return !columnsIn(each.condition, each.texts).some((column) => columns.has(column));
  });
}

function hasSubquery(expression: Expression): boolean {
  return expression.kind === 'subquery' || childrenOf(expression).some(hasSubquery);
}

interface AddedOptions {
  readonly isTable: boolean;
  readonly reading: SourceReading;
  readonly source: SourceModel | undefined;
  readonly isUndecided: boolean;
}

/** Rows that a restriction without parameters excluded. */
function addedBy(lost: Restriction, { isTable, reading, source, isUndecided }: AddedOptions): ModelChange {
  const { cut } = lost;
  const others = reading.restrictions.flatMap((each) => (each.cut?.by === cut?.by ? (each.cut ?? []) : []));
  const isRaised =
    cut?.isResult === true &&
    cut.by === '' &&
    others.every((each) => haveSameOrder(each, cut) && each.offset === cut.offset);
  if (isRaised && !isTable)
    return { code: 'query.limit_raised', message: `${show(lost.text)} was raised or removed`, source };
  if (isUndecided)
    return {
      code: 'query.not_compared',
      message: `it could not be decided whether rows still have to satisfy ${show(lost.text)}`,
      source,
    };
  return { code: 'query.rows_added', message: messageOf(lost, 'no longer'), source };
}

function messageOf({ kind, text }: Restriction, verb: 'no longer' | 'must now'): string {
  const [have, are] = verb === 'no longer' ? ['no longer have to', 'no longer'] : ['must now', 'now only'];
  switch (kind) {
    case 'filter':
    case 'join':
    case 'key':
      return `rows ${have} satisfy ${show(text)}`;
    case 'relation':
      return `rows ${have} be ${show(text)}`;
    case 'cut':
      return `rows are ${are} those of ${show(text)}`;
    case 'once':
      return `rows ${have} be one of each group (${text.replace(/^(DISTINCT|GROUP BY)$/, '$1')})`;
    case 'elements':
      return `rows ${have} have elements of ${show(text)}`;
    case 'match':
      return `rows ${have} be ${text}`;
    case 'read':
      return `rows are ${verb === 'no longer' ? verb : 'now'} those that are read with ${text}`;
  }
}

function lostCondition(
  { text, parameters }: Restriction,
  source: SourceModel | undefined,
  used: ReadonlySet<string>,
): ModelChange {
  const names = [...parameters].toSorted();
  const list = names.map((name) => `@${name}`).join(', ');
  const message = `the condition with ${list} no longer restricts rows${whereOf(source)}: ${show(text)}`;
  const isUsed = names.some((name) => used.has(name));
  return {
    code: isUsed ? 'tenant.filter_changed' : 'tenant.filter_removed',
    message,
    source,
    parameters: names,
  };
}

export function nameOf({ name, kind }: SourceModel): string {
  return `${kind === 'table_function' ? 'function ' : ''}${name}`;
}

export function sourceAdded(source: SourceModel, missing: readonly string[]): ModelChange {
  const by =
    missing.length === 0 ? '' : `, not restricted by ${missing.map((name) => `@${name}`).join(', ')}`;
  return {
    code: 'query.source_added',
    message: `reads ${labelOf(source)}, which was not read before${by}${placeOf(source)}`,
    source,
  };
}

export function labelOf({ name }: SourceModel): string {
  return name === '' ? 'a computed source' : name;
}

export function placeOf({ path }: SourceModel): string {
  return path.length === 0 ? '' : `, in ${path.join(', in ')}`;
}

function whereOf(source: SourceModel | undefined): string {
  return source === undefined ? '' : ` of ${labelOf(source)}${placeOf(source)}`;
}
