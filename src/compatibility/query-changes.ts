// Changes of a saved query: different rows, additional tables, removed conditions by parameters.
import type { Contract, Found } from './contract.ts';
import type { Filter } from './filters.ts';
import type { QueryPart } from './query.ts';
import type { Read } from './reads.ts';

/**
 * Each SELECT of the new query must match one of the old query with no additional table and no fewer conditions.
 * SELECTs are compared within the part of the same name; a new part of the WITH clause is compared with all SELECTs.
 * Anything undecidable is reported as a security change.
 */
export function* compareQueries(base: Contract, head: Contract): Generator<Found> {
  if (base.query.key !== head.query.key) {
    yield { code: 'query.changed', message: 'the query changed', path: ['query'] };
    if (base.query.isTooDeep || head.query.isTooDeep)
      yield {
        code: 'query.too_deep',
        message: 'the query is nested too deeply to be compared',
        path: ['query'],
      };
  }
  const before = base.query.parts;
  const isOpen = base.endpoint.sandbox.enabled && head.endpoint.sandbox.enabled;
  const isConfined = before.some(({ reads }) => reads.some(({ filters }) => filters.some(isByParameter)));
  const reported = new Set<string>();
  for (const part of head.query.parts) {
    const old = before.find(({ name }) => name === part.name);
    const isTable = isOpen && part.kind === 'table';
    if (old === undefined && isTable) continue; // a new table is reported as such
    const reads =
      old?.reads ?? before.flatMap((each) => each.reads).filter(({ filters }) => filters.some(isByParameter));
    const losses = lossesOf(reads, part.reads, { isTable, isConfined });
    yield* report(part, losses, { gone: old === undefined ? new Set() : missing(old, part), reported });
  }
}

function isByParameter({ parameters }: Filter): boolean {
  return parameters.size > 0;
}

/** Parameters used in the old part and not in the new one. */
function missing(old: QueryPart, part: QueryPart): ReadonlySet<string> {
  return new Set([...old.parameters].filter((name) => !part.parameters.has(name)));
}

interface Losses {
  readonly filters: ReadonlyMap<string, Filter>;
  readonly sources: ReadonlySet<string>;
}

interface Guard {
  /** Consumer queries can read the part, so every condition matters, not only those with parameters. */
  readonly isTable: boolean;
  /** The old query has a condition with a parameter. */
  readonly isConfined: boolean;
}

function lossesOf(before: readonly Read[], after: readonly Read[], { isTable, isConfined }: Guard): Losses {
  const filters = new Map<string, Filter>();
  const sources = new Set<string>();
  const kept = new Set(before.map(keyOfRead));
  for (const read of after) {
    if (kept.has(keyOfRead(read))) continue;
    const former = before.filter(({ givesRows }) => givesRows || !read.givesRows);
    const losses = former.map((old) => ({
      filters: old.filters.filter(
        (filter) => (isTable || isByParameter(filter)) && !read.filters.some(({ key }) => key === filter.key),
      ),
      sources: isTable || isConfined ? [...read.sources].filter((source) => !old.sources.has(source)) : [],
    }));
    const least = losses.toSorted(
      (a, b) => a.sources.length - b.sources.length || a.filters.length - b.filters.length,
    )[0] ?? { filters: [], sources: isTable || isConfined ? [...read.sources] : [] };
    for (const filter of least.filters) filters.set(filter.key, filter);
    for (const source of least.sources) sources.add(source);
  }
  return { filters, sources };
}

function keyOfRead({ sources, filters, givesRows }: Read): string {
  return JSON.stringify([[...sources].toSorted(), filters.map(({ key }) => key).toSorted(), givesRows]);
}

interface Reported {
  /** Parameters that the part no longer uses. */
  readonly gone: ReadonlySet<string>;
  /** Parameters reported so far, in all parts. */
  readonly reported: Set<string>;
}

function* report(
  part: QueryPart,
  { filters, sources }: Losses,
  { gone, reported }: Reported,
): Generator<Found> {
  const at = { path: ['query'], offset: part.offset } as const;
  const where = part.name;
  for (const source of sources) {
    yield {
      code: 'query.source_added',
      message: `${where} reads ${source}, which it did not read before`,
      ...at,
    };
  }
  const here = new Set<string>();
  for (const { text, parameters, isInherited } of filters.values()) {
    if (parameters.size === 0) {
      yield {
        code: 'sandbox.filter_removed',
        message: `${where} no longer has the condition ${text}`,
        ...at,
      };
    }
    for (const name of parameters) {
      if (isInherited === true && reported.has(name)) continue; // reported where it is written
      here.add(name);
      reported.add(name);
      yield gone.has(name)
        ? {
            code: 'tenant.filter_removed',
            message: `${where} no longer uses @${name}; the condition was: ${text}`,
            ...at,
          }
        : {
            code: 'tenant.filter_changed',
            message: `${where} no longer has the condition with @${name}: ${text}`,
            ...at,
          };
    }
  }
  for (const name of gone) {
    if (here.has(name)) continue;
    reported.add(name);
    yield { code: 'tenant.filter_removed', message: `${where} no longer uses @${name}`, ...at };
  }
}
