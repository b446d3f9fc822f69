// Compares the parts of a table at two moments, to find which rows of the later one were there before, by the ranges of blocks that parts
// have. An insert makes a part, and so do ATTACH, REPLACE and MOVE of partitions, which no view sees.
// Source: https://clickhouse.com/docs/operations/system-tables/parts

/** It has the number of rows by the name of the part. */
export type SeenParts = Readonly<Record<string, number>>;

export interface PartChanges {
  /** A part of these partitions is gone, or lost rows when it was merged. */
  readonly lost: ReadonlySet<string>;
  /** These parts have, or may have, rows which were not there before. */
  readonly unseen: readonly string[];
}

interface TablePart {
  readonly name: string;
  readonly first: number;
  readonly last: number;
  readonly rows: number;
}

/** The name is `partition_first_last_level`, and may end with the number of a mutation. */
const NAME = /^([^_]+)_(\d+)_(\d+)_\d+(?:_(\d+))?$/;

export function partitionOf(name: string): string {
  return NAME.exec(name)?.[1] ?? name;
}

/** The mutation that made a part of the one before, or the lightweight update that a merge applied; undefined: none. */
export function mutationOf(
  name: string,
): { readonly partition: string; readonly number: string } | undefined {
  const [, partition = '', , , number] = NAME.exec(name.replace(/^patch-[^-]+-/, '')) ?? [];
  return number === undefined ? undefined : { partition, number };
}

/** The parts of each partition that are not the same in others, in the order of their blocks. */
function partsBeside(seen: SeenParts, others: SeenParts): ReadonlyMap<string, readonly TablePart[]> {
  const found = new Map<string, TablePart[]>();
  for (const [name, rows] of Object.entries(seen)) {
    if (others[name] === rows) continue;
    const [, partition = name, first = 0, last = 0] = NAME.exec(name) ?? [];
    const part = { name, first: Number(first), last: Number(last), rows };
    const own = found.get(partition);
    if (own === undefined) found.set(partition, [part]);
    else own.push(part);
  }
  for (const own of found.values()) own.sort((a, b) => a.first - b.first);
  return found;
}

export function comparePartsOf(before: SeenParts, now: SeenParts): PartChanges {
  const [known, parts] = [partsBeside(before, now), partsBeside(now, before)];
  const lost = new Set([...known.keys()].filter((id) => !parts.has(id)));
  const unseen: string[] = [];
  for (const [id, own] of parts) {
    const left = known.get(id) ?? [];
    let next = 0;
    for (const part of own) {
      const first = next;
      while ((left[next]?.last ?? Infinity) <= part.last) next++;
      const merged = left.slice(first, next);
      const inside = merged.filter((each) => each.first >= part.first);
      if (inside.length < merged.length) lost.add(id);
      const rows = inside.reduce((sum, each) => sum + each.rows, 0);
      if (rows > part.rows) lost.add(id);
      if (part.rows > 0 && (rows !== part.rows || !isTiled(part, inside))) unseen.push(part.name);
    }
    if (next < left.length) lost.add(id);
  }
  return { lost, unseen };
}

/** Returns whether parts have each block of a merged one: a block between them may be of another part. */
function isTiled(merged: TablePart, parts: readonly TablePart[]): boolean {
  let next = merged.first;
  for (const { first, last } of parts) {
    if (first !== next) return false;
    next = last + 1;
  }
  return next === merged.last + 1;
}
