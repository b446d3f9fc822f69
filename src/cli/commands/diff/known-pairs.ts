// Endpoints of two revisions that were compared before: what the analysis cache knows of them needs no engine.
import { hash } from 'node:crypto';
import { dependsOnTime } from '../../../service/endpoints/checks/defaults.ts';
import type { Endpoint } from '../../../service/endpoints/endpoint.ts';
import { changesOfPair, type ChangesOfPair, type ColumnsByEndpoint } from '../../compare/compare-pair.ts';
import type { Contract, EndpointColumns } from '../../compare/contract.ts';
import { comparedVariants } from '../../compare/variants.ts';
import type { AnalysisCache } from '../analysis/cache.ts';
import { recordOfChange, recordOfColumns, type PairRecord, type VariantColumns } from '../analysis/pair.ts';

/** `diff` needs the changes of an endpoint, `impact` only the columns of both revisions. */
export type Needed = 'changes' | 'columns';

interface RevisionPair {
  readonly old: Contract;
  readonly now: Contract;
}

export interface KnownPairs {
  /** It returns true if nothing has to be asked about an endpoint of either revision. */
  readonly has: (contract: Contract) => boolean;
  /** The columns of the endpoints of which `has` is true. */
  readonly before: ColumnsByEndpoint;
  readonly after: ColumnsByEndpoint;
  /** The engine described the others, and another run finds the same: they are kept, with their changes when these are computed. */
  readonly described: (columns: readonly [before: ColumnsByEndpoint, after: ColumnsByEndpoint]) => void;
  /** Has the changes from the cache; others are computed. */
  readonly changesOf: ChangesOfPair;
}

/** `pairs` are those whose files or tables differ. */
export function createKnownPairs(
  pairs: readonly RevisionPair[],
  needed: Needed,
  cache: AnalysisCache,
): KnownPairs {
  const known = pairs.flatMap((pair) => {
    const record = cache.findPair(keyOf(pair));
    const isEnough = record !== undefined && (needed === 'columns' || record.changes !== undefined);
    return isEnough ? [{ ...pair, record, variants: comparedVariants(pair.old, pair.now) }] : [];
  });
  const all = new Set(known.flatMap(({ old, now }) => [old, now]));
  const records = new Map(known.map(({ now, record }) => [now, record]));
  const others = new Map(pairs.filter(({ now }) => !all.has(now)).map((pair) => [pair.now, pair]));
  let columns: Parameters<KnownPairs['described']>[0] | undefined;
  return {
    has: (contract) => all.has(contract),
    before: new Map(known.flatMap(({ variants, record }) => columnsOf(variants[0], record.before))),
    after: new Map(known.flatMap(({ variants, record }) => columnsOf(variants[1], record.after))),
    described: (found) => {
      if (needed === 'columns')
        for (const pair of others.values()) keepPair(cache, pair, { columns: found, changes: undefined });
      columns = found;
    },
    changesOf: (compared, base, head) => {
      const before = records.get(compared.now)?.changes;
      if (before !== undefined) return before;
      const changes = changesOfPair(compared, base, head);
      const pair = others.get(compared.now);
      if (pair !== undefined && columns !== undefined) keepPair(cache, pair, { columns, changes });
      return changes;
    },
  };
}

function columnsOf(
  variants: readonly Contract[],
  known: readonly VariantColumns[],
): readonly (readonly [Endpoint, EndpointColumns])[] {
  const byName = new Map(known.map(({ variant, ...columns }) => [variant, columns]));
  return variants.flatMap(({ analysis, endpoint }) => {
    const columns = byName.get(analysis.variant);
    return columns === undefined ? [] : [[endpoint, columns] as const];
  });
}

/** Keeps what was found now, unless it depends on the time of the run. */
function keepPair(
  cache: AnalysisCache,
  pair: RevisionPair,
  found: Pick<PairRecord, 'changes'> & { readonly columns: readonly [ColumnsByEndpoint, ColumnsByEndpoint] },
): void {
  const { old, now } = pair;
  if ([old, now].some(({ analysis }) => dependsOnTime(analysis.file))) return;
  const [before = [], after = []] = comparedVariants(old, now).map((variants, side) =>
    variants.flatMap(({ analysis, endpoint }) => {
      const columns = found.columns[side]?.get(endpoint);
      return columns === undefined ? [] : [recordOfColumns(analysis.variant, columns)];
    }),
  );
  cache.keepPair({ key: keyOf(pair), changes: found.changes?.map(recordOfChange), before, after });
}

/** Each file with its parts, and where it is: messages have names of files. */
function keyOf({ old, now }: RevisionPair): string {
  const content = [old, now].map(({ endpoint, analysis }) => [endpoint.file, analysis.document.wholeText]);
  return hash('sha256', JSON.stringify(content), 'hex');
}
