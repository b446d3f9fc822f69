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
  readonly partition: string;
  readonly first: number;
  readonly last: number;
  readonly rows: number;
}

/** The name is `partition_first_last_level`, and may end with the number of a mutation. */
const NAME = /^([^_]+)_(\d+)_(\d+)_\d+(?:_\d+)?$/;

export function partitionOf(name: string): string {
  return NAME.exec(name)?.[1] ?? name;
}

function partsOf(seen: SeenParts): readonly TablePart[] {
  return Object.entries(seen).map(([name, rows]) => {
    const [, partition = name, first = 0, last = 0] = NAME.exec(name) ?? [];
    return { name, partition, first: Number(first), last: Number(last), rows };
  });
}

function byPartition(seen: SeenParts): ReadonlyMap<string, readonly TablePart[]> {
  const found = new Map<string, TablePart[]>();
  for (const part of partsOf(seen).toSorted((a, b) => a.first - b.first)) {
    const own = found.get(part.partition);
    if (own === undefined) found.set(part.partition, [part]);
    else own.push(part);
  }
  return found;
}

export function comparePartsOf(before: SeenParts, now: SeenParts): PartChanges {
  const [known, parts] = [byPartition(before), byPartition(now)];
  const lost = new Set([...known.keys()].filter((id) => !parts.has(id)));
  const unseen: string[] = [];
  for (const [id, own] of parts) {
    let left = known.get(id) ?? [];
    for (const part of own) {
      const at = left.findIndex(({ last }) => last > part.last);
      const merged = at === -1 ? left : left.slice(0, at);
      left = at === -1 ? [] : left.slice(at);
      const inside = merged.filter(({ first }) => first >= part.first);
      if (inside.length < merged.length) lost.add(id);
      const rows = inside.reduce((sum, each) => sum + each.rows, 0);
      if (rows > part.rows) lost.add(id);
      if (part.rows > 0 && (rows !== part.rows || !isTiled(part, inside))) unseen.push(part.name);
    }
    if (left.length > 0) lost.add(id);
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
