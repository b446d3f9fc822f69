// The columns of an endpoint's rows: a choice or an optional part can change them.
import type { Column } from '../engine/engine.ts';
import type { Describe } from './describe.ts';
import type { Endpoint } from './endpoint.ts';

/** The distinct lists of columns of an endpoint's results. */
export interface RowShapes {
  /** At least one; the first one is that of a call without optional parameters. */
  readonly shapes: readonly RowShape[];
  /** It is true if there are no others. */
  readonly isComplete: boolean;
}

interface RowShape {
  /** The name of the first variant that has them. */
  readonly variant: string;
  readonly columns: readonly Column[];
}

/** A column of some shapes. */
export interface MergedColumn {
  readonly name: string;
  /** Distinct. */
  readonly types: readonly string[];
  /** It is true if every shape has it. */
  readonly isAlways: boolean;
}

/** Shapes that are listed one by one at most. */
const MAX_LISTED = 16;

/** Has the engine describe each variant. Undefined if it cannot describe the first one. */
export async function rowShapes(
  describe: Pick<Describe, 'result'>,
  endpoint: Endpoint,
): Promise<RowShapes | undefined> {
  const described = await Promise.all(
    endpoint.variants().map(async (variant) => [variant.variant, await describe.result(variant)] as const),
  );
  if (described[0]?.[1] === undefined) return undefined;
  const byKey = new Map<string, RowShape>();
  for (const [variant, columns] of described) {
    const key = JSON.stringify(columns?.map(({ name, type }) => [name, type]));
    if (columns !== undefined && !byKey.has(key)) byKey.set(key, { variant, columns });
  }
  const isKnown = described.every(([, columns]) => columns !== undefined);
  const isComplete = isKnown && endpoint.hasEveryVariant && !dependsOnLists(endpoint, described);
  return { shapes: [...byKey.values()], isComplete };
}

/** Returns whether the columns depend on the fragments of a choice of several: calls can combine them in more ways than are described. */
function dependsOnLists(
  { parameters }: Endpoint,
  described: readonly (readonly [variant: string, columns: readonly Column[] | undefined])[],
): boolean {
  const lists = Object.keys(parameters).filter((name) => parameters[name]?.multiple === true);
  const byOthers = new Map<string, string>();
  return described.some(([variant, columns]) => {
    const decisions = variant.split(', ');
    const others = decisions.filter((each) => !lists.some((name) => each.startsWith(`${name}=`))).join();
    const names = JSON.stringify(columns?.map(({ name }) => name));
    const known = byOthers.get(others) ?? names;
    byOthers.set(others, known);
    return known !== names;
  });
}

/**
 * The rows as alternatives that differ in the names of their columns; undefined if they cannot be listed: columns of
 * `mergeShapes` may then be absent.
 */
export function alternatives({
  shapes,
  isComplete,
}: RowShapes): readonly (readonly MergedColumn[])[] | undefined {
  const byNames = new Map<string, RowShape[]>();
  for (const shape of shapes) {
    const key = JSON.stringify(shape.columns.map(({ name }) => name).toSorted());
    byNames.set(key, [...(byNames.get(key) ?? []), shape]);
  }
  if (byNames.size > 1 && (!isComplete || byNames.size > MAX_LISTED)) return undefined;
  return [...byNames.values()].map(mergeShapes);
}

/** All columns of these shapes, in order of appearance. */
export function mergeShapes(shapes: readonly Pick<RowShape, 'columns'>[]): readonly MergedColumn[] {
  const merged = new Map<string, { readonly types: Set<string>; count: number }>();
  for (const { columns } of shapes) {
    // A result may have two columns of one name.
    for (const [name, type] of new Map(columns.map((each) => [each.name, each.type]))) {
      const entry = merged.get(name) ?? { types: new Set(), count: 0 };
      entry.types.add(type);
      entry.count++;
      merged.set(name, entry);
    }
  }
  return [...merged].map(([name, { types, count }]) => ({
    name,
    types: [...types],
    isAlways: count === shapes.length,
  }));
}
