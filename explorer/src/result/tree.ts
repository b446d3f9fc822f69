// Which parts of a nested value are rendered: open nodes only, in slices, so that large values stay responsive.
import { isNested, type Json } from '../service/json.ts';

type Nested = readonly Json[] | { readonly [key: string]: Json };

/** Children of one node that are rendered at once. */
export const SLICE = 100;
/** Characters of one string that are shown at first. */
export const TEXT_SLICE = 4000;
const DEPTH = 3;
const MAX_NODES = 150;

/** The number of children of a nested value. */
export function sizeOf(value: Nested): number {
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}

/** The first `limit` children with their names. */
export function childrenOf(value: Nested, limit: number): readonly (readonly [string, Json])[] {
  if (isList(value)) return value.slice(0, limit).map((item, i) => [String(i), item]);
  return Object.keys(value)
    .slice(0, limit)
    .map((key) => [key, value[key] ?? null]);
}

function isList(value: Nested): value is readonly Json[] {
  return Array.isArray(value);
}

/** The nodes that are open at first: level by level from the root, as long as few nodes are rendered. */
export function openAtFirst(root: Nested): ReadonlySet<Json> {
  const open = new Set<Json>();
  let level: readonly Json[] = [root];
  let nodes = 0;
  for (let depth = 0; depth <= DEPTH; depth++) {
    const next: Json[] = [];
    for (const value of level) {
      if (!isNested(value)) continue;
      const size = Math.min(SLICE, sizeOf(value));
      if (depth > 0 && nodes + size > MAX_NODES) continue;
      nodes += size;
      open.add(value);
      next.push(...childrenOf(value, SLICE).map(([, child]) => child));
    }
    level = next;
  }
  return open;
}
