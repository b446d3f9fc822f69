// Aggregates of a query, derived from the measures of a rollup.
import { quoteIdentifier } from '../../sql/clickhouse/literal.ts';
import type { Node, Tree } from '../../sql/clickhouse/tree/nodes.ts';
import {
  isCountOfRows,
  isDistinct,
  nameOf,
  partOf,
  someNode,
  textOf,
} from '../../sql/clickhouse/tree/visit.ts';
import { holdsNull, integerOf, isFloat, plainType } from '../../sql/types/traits.ts';
import { parseType } from '../../sql/types/type.ts';
import { storedAggregate } from './aggregates.ts';
import type { Level } from './levels.ts';
import type { RollupMeasure } from './model.ts';
import { rowTerm, unfitNode, type Term } from './term.ts';
import type { ReadTerm } from './terms.ts';

/** A measure, and its arguments as texts over the source. */
export interface CompiledMeasure {
  readonly measure: RollupMeasure;
  readonly arguments: readonly string[];
}

/** A call to write in place of an aggregate. */
export interface MeasureUse {
  /** The measures that it reads. */
  readonly measures: readonly CompiledMeasure[];
  /** The condition of -If or FILTER. */
  readonly condition: Node | undefined;
  /** The call that reads the measures, of the rows that satisfy the condition. */
  readonly write: (condition: string | undefined) => string;
}

/** Aggregates whose results do not depend on how often a value occurs: over dimensions they stay as they are. */
const OF_VALUES: ReadonlySet<string> = new Set([
  'min',
  'max',
  'uniq',
  'uniqExact',
  'groupBitAnd',
  'groupBitOr',
]);

/** Aggregates that the engine knows in any case. */
const ANY_CASE: ReadonlySet<string> = new Set(['count', 'sum', 'min', 'max', 'avg']);

interface Aggregate {
  /** Its canonical name, without -If. */
  readonly name: string;
  readonly parameters: readonly string[];
  readonly list: readonly Node[];
  readonly condition: Node | undefined;
  readonly isDistinct: boolean;
}

/** Returns what is read in place of a column of a rollup. */
export function columnOf({ measure }: CompiledMeasure): string {
  return quoteIdentifier(`#${measure.name}`);
}

/** Returns a function that decides whether a call is an aggregate that may be derived from measures. */
export function createIsAggregate(tree: Tree, measures: readonly CompiledMeasure[]): (call: Node) => boolean {
  const names = new Set([...OF_VALUES, ...ANY_CASE, ...measures.map(({ measure }) => measure.aggregate)]);
  return (call) => names.has(canonicalName(nameOf(tree, call)).name);
}

function canonicalName(written: string): { readonly name: string; readonly isConditional: boolean } {
  const isConditional = written.length > 2 && written.endsWith('If');
  const own = isConditional ? written.slice(0, -2) : written;
  return { name: ANY_CASE.has(own.toLowerCase()) ? own.toLowerCase() : own, isConditional };
}

export interface MeasureSource {
  readonly tree: Tree;
  readonly measures: readonly CompiledMeasure[];
  readonly read: ReadTerm;
  /** Called with what is written in place of an aggregate. */
  readonly onUse: (call: Node, use: MeasureUse) => void;
}

/** Returns the term of an aggregate: of kind `row` if no measure has it. Undefined for other calls. */
export function readAggregate(from: MeasureSource, call: Node, level: Level): Term | undefined {
  const { tree, read, onUse } = from;
  const aggregate = aggregateOf(tree, call);
  const unknown = rowTerm(textOf(tree, call), unfitNode(tree, call, 'is not a measure'));
  if (aggregate === undefined) return unknown;
  // The text in place of an aggregate has none of the names of its parts.
  if (someNode(call, ({ kind }) => kind === 'alias')) return unknown;
  const terms = aggregate.list.map((part) => read(part, level));
  const condition = aggregate.condition && read(aggregate.condition, level);
  const whole = condition && wholeUse(from, aggregate, [...terms, condition]);
  if (whole !== undefined) {
    onUse(call, whole);
    return { ...unknown, kind: 'group', isAtomic: true };
  }
  if (condition?.kind === 'row' || condition?.kind === 'time') return rowTerm('', condition.cause);
  const all = [...terms, ...(condition === undefined ? [] : [condition])];
  const collected: Term = {
    ...unknown,
    kind: 'group',
    isAtomic: true,
    comparisons: all.flatMap(({ comparisons }) => comparisons),
    roundings: all.flatMap(({ roundings }) => roundings),
  };
  const isOfGroups = terms.every(({ kind }) => kind === 'group' || kind === 'constant');
  const isKept = aggregate.isDistinct ? aggregate.name === 'count' : OF_VALUES.has(aggregate.name);
  if (isKept && isOfGroups && terms.length > 0) return collected;
  const use = useOf(from.measures, aggregate, terms);
  if (use === undefined) return unknown;
  onUse(call, use);
  const used = condition ?? { comparisons: [], roundings: [] };
  return { ...collected, comparisons: used.comparisons, roundings: used.roundings };
}

function aggregateOf(tree: Tree, call: Node): Aggregate | undefined {
  const { name, isConditional } = canonicalName(nameOf(tree, call));
  const [list, parameters, filter] = [
    call.parts.findLast(({ kind }) => kind === 'arguments'),
    partOf(call, 'parameters'),
    partOf(call, 'filter'),
  ];
  if (list === undefined || partOf(call, 'over') !== undefined || (isConditional && filter !== undefined))
    return undefined;
  // Other parts, and words such as IGNORE NULLS or ALL, may change what it returns.
  const isWhole =
    call.to === (filter ?? list).to && call.parts.every((part) => [list, parameters, filter].includes(part));
  if (!isWhole || (list.at !== list.from && !isDistinct(tree, list))) return undefined;
  const [parts, last] = isConditional
    ? [list.parts.slice(0, -1), list.parts.at(-1)]
    : [list.parts, filter?.parts[0]];
  if ((isConditional || filter !== undefined) && last === undefined) return undefined;
  return {
    name,
    parameters: (parameters?.parts ?? []).map((part) => textOf(tree, part)),
    list: isCountOfRows(tree, call) ? [] : parts,
    condition: last,
    isDistinct: isDistinct(tree, list),
  };
}

/** A measure that has the condition itself, as `countIf(status >= 500)`. */
function wholeUse(
  { measures }: MeasureSource,
  { name, parameters, isDistinct: isOfDistinct }: Aggregate,
  terms: readonly Term[],
): MeasureUse | undefined {
  const found = measures.find((each) =>
    isOf(
      each,
      `${name}If`,
      parameters,
      terms.map(({ source }) => source),
    ),
  );
  if (found === undefined || isOfDistinct) return undefined;
  return { measures: [found], condition: undefined, write: () => readCall(found, undefined) };
}

function isOf(
  { measure, arguments: own }: CompiledMeasure,
  aggregate: string,
  parameters: readonly string[],
  list: readonly string[],
): boolean {
  return (
    measure.aggregate === aggregate &&
    measure.parameters.join() === parameters.join() &&
    own.length === list.length &&
    own.every((text, index) => text === list[index])
  );
}

function useOf(
  measures: readonly CompiledMeasure[],
  { name, parameters, list, condition, isDistinct: isOfDistinct }: Aggregate,
  terms: readonly Term[],
): MeasureUse | undefined {
  const texts = terms.map(({ source }) => source);
  const find = (aggregate: string, of: readonly string[]): CompiledMeasure | undefined =>
    measures.find((each) => isOf(each, aggregate, parameters, of));
  const use = (...found: readonly (CompiledMeasure | undefined)[]): MeasureUse | undefined => {
    const all = found.filter((each) => each !== undefined);
    if (all.length < found.length) return undefined;
    const write = (text: string | undefined): string => {
      const calls = all.map((each) => readCall(each, text));
      return calls.length === 1 ? calls.join('') : `(${calls.join(' / ')})`;
    };
    return { measures: all, condition, write };
  };
  if (isOfDistinct) return name === 'count' ? use(find('uniqExact', texts)) : undefined;
  const [first, second] = list;
  if (name === 'count') {
    if (second !== undefined) return undefined;
    const isOfRows = first === undefined || first.kind === 'number';
    return isOfRows
      ? use(find('count', []))
      : use(find('count', texts) ?? countOf(measures, texts, find('count', [])));
  }
  if (name !== 'avg') return use(find(name, texts));
  const sum = find('sum', texts);
  if (sum === undefined) return undefined;
  const type = parseType(sum.measure.types[0] ?? '');
  const isExact = integerOf(plainType(type)) !== undefined;
  if (!isExact && !(isFloat(plainType(type)) && sum.measure.approximate)) return undefined;
  return use(sum, holdsNull(type) ? find('count', texts) : find('count', []));
}

/** The count of rows, if a measure shows that a value is never NULL. */
function countOf(
  measures: readonly CompiledMeasure[],
  texts: readonly string[],
  rows: CompiledMeasure | undefined,
): CompiledMeasure | undefined {
  const isPresent = measures.some(({ measure, arguments: own }) => {
    const [type] = measure.types;
    return own.length === 1 && own[0] === texts[0] && type !== undefined && !holdsNull(parseType(type));
  });
  return isPresent ? rows : undefined;
}

function readCall(measure: CompiledMeasure, condition: string | undefined): string {
  const { aggregate, parameters } = measure.measure;
  const stored = storedAggregate(aggregate);
  const isState = stored?.stored !== 'value';
  const brackets = !isState || parameters.length === 0 ? '' : `(${parameters.join(', ')})`;
  const name = `${isState ? `${aggregate}Merge` : stored.merge}${condition === undefined ? '' : 'If'}${brackets}`;
  return `${name}(${columnOf(measure)}${condition === undefined ? '' : `, ${condition}`})`;
}
