// Filters that a SELECT has only through the WITH tables that it reads.
import type { Filter } from './filters.ts';
import type { Read } from './reads.ts';

interface Part {
  readonly name: string;
  readonly reads: readonly Read[];
}

/**
 * The parts of a query, in order, where each read has one more filter for each parameter that restricts all tables it
 * reads. If it later reads another table without that restriction, the comparison reports it.
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
  const tables = [...read.tables].filter((name) => name !== self); // a recursive table is restricted like its initial SELECT
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

/** The intersection. */
function common(sets: readonly ReadonlySet<string>[]): ReadonlySet<string> {
  const [first, ...others] = sets;
  return new Set([...(first ?? [])].filter((each) => others.every((other) => other.has(each))));
}
