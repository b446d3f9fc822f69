// Conditions that a SELECT has through the tables of the WITH clause that it reads, and through nothing else.
import type { Filter } from './filters.ts';
import type { Read } from './reads.ts';

interface Part {
  readonly name: string;
  readonly reads: readonly Read[];
}

/**
 * The parts of a query, in their order, with one more filter on each read for each parameter that narrows all tables it
 * reads: so that reading another table shows where that one is not narrowed.
 */
export function inheritFilters<P extends Part>(parts: readonly P[]): readonly P[] {
  const narrowing = new Map<string, ReadonlySet<string>>();
  return parts.map((part) => {
    const reads = part.reads.map((read) => withInherited(read, part.name, narrowing));
    const sets = reads
      .filter(({ sources, tables }) => sources.size + tables.size > 0)
      .map(({ filters }) => new Set(filters.flatMap(({ parameters }) => [...parameters])));
    narrowing.set(part.name, common(sets));
    return { ...part, reads };
  });
}

function withInherited(read: Read, self: string, narrowing: ReadonlyMap<string, ReadonlySet<string>>): Read {
  if (read.sources.size > 0) return read;
  const tables = [...read.tables].filter((name) => name !== self); // a recursive table is as narrow as what it begins with
  const parameters = common(tables.map((name) => narrowing.get(name) ?? new Set()));
  const inherited = [...parameters].toSorted().map((name): Filter => {
    return {
      key: `@${name} by its tables`,
      text: `FROM ${tables.join(', ')}`,
      parameters: new Set([name]),
      isInherited: true,
    };
  });
  return { ...read, filters: [...read.filters, ...inherited] };
}

/** What is in all of them. */
function common(sets: readonly ReadonlySet<string>[]): ReadonlySet<string> {
  const [first, ...others] = sets;
  return new Set([...(first ?? [])].filter((each) => others.every((other) => other.has(each))));
}
