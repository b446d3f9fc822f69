// Which variants of a query are analysed: all combinations of choices and optional parts if they are few, otherwise all pairs.
import { isGiven, namesIn, type CompiledParameter } from '../params/parameter.ts';
import type { Selection } from '../../sql/clickhouse/expand.ts';
import { holdsFor, type PartCondition } from '../../sql/clickhouse/part-condition.ts';
import type { Piece, Template } from '../../sql/clickhouse/template.ts';
import { decisionsOf, variantName } from './variant-query.ts';

/** A parameter that decides the text of the query, and the values that make a difference. */
export interface Dimension {
  readonly name: string;
  /** The names of a choice, and the values that conditions name; otherwise only whether the parameter is given. */
  readonly values: readonly DimensionValue[];
}

export interface DimensionValue {
  readonly isGiven: boolean;
  readonly names: readonly string[];
}

/** The selections to analyse; the first one is that of a call without optional parameters. */
export interface Selections {
  readonly selections: readonly Selection[];
  /** It is true if only pairs are covered. */
  readonly arePairs: boolean;
  /** It is true if there are too many, so that some pairs are missing. */
  readonly areTooMany: boolean;
}

/** Combinations analysed completely, and selections analysed at most if there are more. */
const MAX_COMPLETE = 64;
export const MAX_SELECTIONS = 128;
const MAX_DIMENSIONS = 40;
const MAX_PRODUCT = 512;

/** The dimensions of a query. Parameters that are not declared are left out. */
export function dimensionsOf(
  { pieces }: Template,
  parameters: ReadonlyMap<string, CompiledParameter>,
): readonly Dimension[] {
  const named = new Map<string, Set<string>>();
  const add = (name: string, value?: string): void => {
    const values = named.get(name) ?? new Set();
    named.set(name, value === undefined ? values : values.add(value));
  };
  const collect = (list: readonly Piece[]): void => {
    for (const piece of list) {
      if (piece.kind === 'choice') add(piece.name);
      if (piece.kind !== 'part') continue;
      for (const { name, value } of piece.conditions) add(name, value);
      collect(piece.pieces);
    }
  };
  collect(pieces);
  return [...named].flatMap(([name, compared]) => {
    const parameter = parameters.get(name);
    return parameter === undefined ? [] : [{ name, values: valuesOf(parameter, compared) }];
  });
}

const GIVEN: DimensionValue = { isGiven: true, names: [] };
const ABSENT: DimensionValue = { isGiven: false, names: [] };

/** The first one is that of a call that does not send the parameter. */
function valuesOf(parameter: CompiledParameter, compared: ReadonlySet<string>): readonly DimensionValue[] {
  const { type, absent, required, isChoice, names } = parameter;
  const standard = required ? undefined : valueOf(parameter, absent, compared);
  if (!isChoice && compared.size > 0) return comparedValues(parameter, compared, standard);
  if (isChoice) {
    const lists = names.map((each) => [each]);
    if (type.kind === 'array' && names.length > 1) lists.push([...names]);
    const all = lists.map((each) => ({ isGiven: true, names: each }));
    if (standard === undefined) return all;
    const isStandard = (each: DimensionValue): boolean => each.names.join() === standard.names.join();
    return [standard, ...all.filter((each) => !isStandard(each))];
  }
  if (
    type.kind === 'scalar' &&
    type.scalar.name !== 'Bool' &&
    !type.isNullable &&
    (required || absent !== null)
  )
    return [GIVEN];
  const other = standard?.isGiven === true ? ABSENT : GIVEN;
  return [standard ?? ABSENT, other];
}

/** Returns the values that conditions name, another one if there are more, and none if calls can leave the parameter out. */
function comparedValues(
  parameter: CompiledParameter,
  compared: ReadonlySet<string>,
  standard: DimensionValue | undefined,
): readonly DimensionValue[] {
  const { listed, type, absent, required } = parameter;
  const named = [...compared].filter((value) => listed?.includes(value) !== false);
  const values = named.map((value): DimensionValue => valueOf(parameter, value, compared));
  if (named.length < (listed?.length ?? Infinity)) values.push(GIVEN);
  if (type.isNullable || !(required || absent !== null)) values.push(ABSENT);
  return distinctValues(standard === undefined ? values : [standard, ...values]);
}

function distinctValues(values: readonly DimensionValue[]): readonly DimensionValue[] {
  return values.filter((each, index) => values.findIndex((other) => isSameValue(each, other)) === index);
}

function valueOf(
  parameter: CompiledParameter,
  text: string | null,
  compared: ReadonlySet<string>,
): DimensionValue {
  const isNamed = text !== null && compared.has(text);
  if (!isGiven(parameter, text)) return isNamed ? { isGiven: false, names: [text] } : ABSENT;
  const names = parameter.isChoice && text !== null ? namesIn(text) : isNamed ? [text] : [];
  return { isGiven: true, names };
}

/** The names of a choice; empty for other parameters. */
export function valuesOfDimension({ values }: Dimension): ReadonlySet<string> {
  return new Set(values.flatMap(({ names }) => names));
}

/** The selection of bound values, by the parameters that decide the text of the query. */
export function selectionOf(
  dimensions: readonly Dimension[],
  parameters: ReadonlyMap<string, CompiledParameter>,
  values: Readonly<Record<string, string | null>>,
): Selection {
  return toSelection(
    dimensions.map((dimension) => {
      const { name } = dimension;
      const parameter = parameters.get(name);
      if (parameter === undefined) return [name, ABSENT] as const;
      return [name, valueOf(parameter, values[name] ?? null, valuesOfDimension(dimension))] as const;
    }),
  );
}

export function toSelection(row: readonly (readonly [name: string, value: DimensionValue])[]): Selection {
  return {
    choices: new Map(
      row.filter(([, { names }]) => names.length > 0).map(([name, { names }]) => [name, names]),
    ),
    given: new Set(row.filter(([, value]) => value.isGiven).map(([name]) => name)),
  };
}

/** The dimensions of two revisions of a query, with the values of both. */
export function unionOf(first: readonly Dimension[], second: readonly Dimension[]): readonly Dimension[] {
  const byName = new Map(first.map((each) => [each.name, each]));
  for (const { name, values } of second) {
    const own = byName.get(name)?.values ?? [];
    const added = values.filter((value) => !own.some((each) => isSameValue(each, value)));
    byName.set(name, { name, values: [...own, ...added] });
  }
  return [...byName.values()];
}

export function isSameValue(a: DimensionValue, b: DimensionValue): boolean {
  return a.isGiven === b.isGiven && a.names.join() === b.names.join();
}

/** The value that a selection has in a dimension. */
export function valueIn({ choices, given }: Selection, name: string): DimensionValue {
  return { isGiven: given.has(name), names: choices.get(name) ?? [] };
}

/** The selections of a template to analyse. Deterministic. */
export function selectionsOf(
  template: Pick<Template, 'pieces'>,
  dimensions: readonly Dimension[],
): Selections {
  const product = dimensions.reduce(
    (count, { values }) => Math.min(count * values.length, MAX_PRODUCT + 1),
    1,
  );
  if (product <= MAX_PRODUCT) {
    const selections = distinct(
      template,
      combinations(dimensions).map((row) => selectionAt(dimensions, row)),
    );
    if (selections.length <= MAX_COMPLETE) return { selections, arePairs: false, areTooMany: false };
  }
  if (dimensions.length > MAX_DIMENSIONS) {
    const first = selectionAt(
      dimensions,
      dimensions.map(() => 0),
    );
    return { selections: [first], arePairs: true, areTooMany: true };
  }
  return { ...pairwise(template, dimensions), arePairs: true };
}

/** Indexes of values, one for each dimension; undefined: not chosen yet. */
type Row = readonly (number | undefined)[];

function combinations(dimensions: readonly Dimension[]): readonly Row[] {
  let rows: readonly Row[] = [[]];
  // The last dimension varies fastest.
  for (const { values } of dimensions)
    rows = rows.flatMap((row) => values.map((_, index) => [...row, index]));
  return rows;
}

function selectionAt(dimensions: readonly Dimension[], row: Row): Selection {
  return toSelection(
    dimensions.map(({ name, values }, index) => [name, values[row[index] ?? 0] ?? ABSENT] as const),
  );
}

/** Those whose text differs. */
function distinct(
  template: Pick<Template, 'pieces'>,
  selections: readonly Selection[],
): readonly Selection[] {
  const byName = new Map<string, Selection>();
  for (const selection of selections) {
    const name = variantName(template, selection);
    if (!byName.has(name)) byName.set(name, selection);
  }
  return [...byName.values()];
}

/**
 * A greedy covering array: for each pair of values that no selection has yet, one that has it, and as many other new pairs as
 * possible. A pair counts only if the text depends on both values.
 */
function pairwise(
  template: Pick<Template, 'pieces'>,
  dimensions: readonly Dimension[],
): Pick<Selections, 'selections' | 'areTooMany'> {
  const missing = new Set(allPairs(dimensions));
  const around = surroundings(template, dimensions);
  const selections: Selection[] = [];
  const take = (row: Row): void => {
    const selection = selectionAt(dimensions, row);
    selections.push(selection);
    const decided = decisionsOf(template.pieces, selection);
    const visible = dimensions.flatMap(({ name }, index) => (decided.has(name) ? [index] : []));
    for (const a of visible)
      for (const b of visible) if (b > a) missing.delete(pairKey(a, row[a] ?? 0, b, row[b] ?? 0));
  };
  take(dimensions.map(() => 0));
  for (const pair of missing) {
    if (selections.length === MAX_SELECTIONS) break;
    const [a = 0, i = 0, b = 0, j = 0] = pair.split(' ').map(Number);
    const row: (number | undefined)[] = dimensions.map(() => undefined);
    row[a] = i;
    row[b] = j;
    for (const condition of [...(around[a] ?? []), ...(around[b] ?? [])]) {
      const index = dimensions.findIndex(({ name }) => name === condition.name);
      row[index] ??= dimensions[index]?.values.findIndex((value) =>
        holdsFor(condition, toSelection([[condition.name, value]])),
      );
    }
    take(completed(dimensions, row, missing));
    missing.delete(pair); // of parts that exclude each other
  }
  return { selections: distinct(template, selections), areTooMany: missing.size > 0 };
}

function* allPairs(dimensions: readonly Dimension[]): Generator<string> {
  const values = dimensions.flatMap((each, index) =>
    [...each.values.keys()].map((value) => ({ index, value })),
  );
  for (const one of values)
    for (const other of values)
      if (other.index > one.index) yield pairKey(one.index, one.value, other.index, other.value);
}

function pairKey(a: number, i: number, b: number, j: number): string {
  return `${a} ${i} ${b} ${j}`;
}

/** Fills in the value of each other dimension that makes the most missing pairs with those chosen already. */
function completed(dimensions: readonly Dimension[], row: Row, missing: ReadonlySet<string>): Row {
  const filled = [...row];
  for (const [index, { values }] of dimensions.entries()) {
    if (filled[index] !== undefined) continue;
    const countOf = (value: number): number =>
      filled.filter((chosen, other) => {
        if (chosen === undefined) return false;
        const isBefore = other < index;
        return missing.has(
          isBefore ? pairKey(other, chosen, index, value) : pairKey(index, value, other, chosen),
        );
      }).length;
    let best = { value: 0, count: -1 };
    for (const value of values.keys()) {
      const count = countOf(value);
      // Between equals a given one: the parts inside it are there.
      if (count > best.count || (count === best.count && values[value]?.isGiven === true))
        best = { value, count };
    }
    filled[index] = best.value;
  }
  return filled;
}

/** Returns, for each dimension, the conditions under which the text depends on it at its first use. */
function surroundings(
  template: Pick<Template, 'pieces'>,
  dimensions: readonly Dimension[],
): readonly (readonly PartCondition[])[] {
  const indexOf = new Map(dimensions.map(({ name }, index) => [name, index]));
  const found: (readonly PartCondition[] | undefined)[] = dimensions.map(() => undefined);
  const note = (name: string, outer: readonly PartCondition[]): void => {
    const index = indexOf.get(name);
    if (index !== undefined) found[index] ??= outer;
  };
  const visit = (pieces: readonly Piece[], outer: readonly PartCondition[]): void => {
    for (const piece of pieces) {
      if (piece.kind === 'choice') note(piece.name, outer);
      if (piece.kind !== 'part') continue;
      for (const { name } of piece.conditions) note(name, outer);
      visit(piece.pieces, [...outer, ...piece.conditions]);
    }
  };
  visit(template.pieces, []);
  return found.map((each) => each ?? []);
}
