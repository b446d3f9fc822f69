// Watches a set of tables: what they are made of is resolved once, and their fingerprint is read through the cache.
import { createWatch, type Fingerprint, type Watch } from '../../cache/watch.ts';
import type { Endpoint } from '../../endpoints/endpoint.ts';
import { OUTDATED, type TableSet } from '../../endpoints/fingerprint.ts';
import type { ResolvedSet } from '../../endpoints/table-set.ts';
import { readingStatements } from '../../endpoints/reading-statements.ts';
import { commonEvery } from '../../../sql/clickhouse/clock-reads.ts';
import { ON_ENGINE, type WatchesDeps, checkFailed, readShared } from './shared-fingerprint.ts';

export interface Subject {
  /** A consumer query names these WITH tables; they are undefined for the saved query. */
  readonly tables: readonly string[] | undefined;
  /** It is how the consumer query itself reads the clock, as in TableSet. */
  readonly every: number | undefined;
  /** It is true if the consumer query reads the clock in another way, or is random. */
  readonly isMoving: boolean;
  /** It says why the tables cannot be watched. */
  readonly reason: string | undefined;
}

export type Purpose = 'cache' | 'live';

/** A set that cannot be watched is resolved again after this time. */
const UNWATCHED_MS = 60_000;
const MAX_ATTEMPTS = 3;

export function watchTables(
  deps: WatchesDeps,
  endpoint: Endpoint,
  subject: Subject & { readonly purpose: Purpose },
): Watch {
  const { engine, clock, observe, hosts, tables = ON_ENGINE } = deps;
  let resolved: { readonly set: Promise<ResolvedSet>; readonly at: number } | undefined;
  let reported = '';

  const resolve = (): Promise<ResolvedSet> => {
    if (resolved !== undefined) return resolved.set;
    const set = tables.resolve(engine, readingStatements(endpoint, subject.tables));
    const own = { set, at: clock.monotonic() };
    resolved = own;
    set.catch((cause: unknown) => {
      if (resolved === own) resolved = undefined;
      observe(checkFailed(endpoint, cause));
    });
    return set;
  };

  const reasonsOf = ({ unwatched, clock }: ResolvedSet): readonly string[] => {
    if (hosts > 1) return ['the engine has several hosts, whose data may differ for a time'];
    const own = subject.reason === undefined ? [] : [subject.reason];
    const isMoving = subject.isMoving || clock.some(({ every }) => every === undefined);
    const moving = isMoving && subject.purpose === 'live' ? ['the query reads the clock, or is random'] : [];
    return [...new Set([...own, ...moving, ...unwatched.map(({ reason }) => reason)])];
  };

  const readOnce = async (maxAgeMs: number): Promise<Fingerprint | typeof OUTDATED | undefined> => {
    const found = await resolve();
    const reasons = reasonsOf(found);
    const set = { ...found.set, every: everyOf(found.set, subject) };
    if (reasons.length === 0) return readShared(deps, endpoint, { set, maxAgeMs });
    if (resolved !== undefined && clock.monotonic() - resolved.at > UNWATCHED_MS) resolved = undefined;
    const kind = subject.purpose === 'live' ? 'live.unwatched' : 'cache.unwatched';
    if (reported !== reasons.join()) observe({ kind, endpoint: endpoint.name, reasons });
    reported = reasons.join();
    return undefined;
  };

  const ask = async (maxAgeMs: number): Promise<Fingerprint | undefined> => {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      // Another process may have found the same set outdated, before it became what it is now.
      const found = await readOnce(attempt === 1 ? maxAgeMs : 0);
      if (found !== OUTDATED) return found;
      resolved = undefined;
    }
    return undefined; // definitions change faster than they are read
  };
  return createWatch({ ask, clock });
}

function everyOf({ every }: TableSet, subject: Subject): number | undefined {
  if (every === undefined || subject.every === undefined) return every ?? subject.every;
  return commonEvery([{ every }, subject]);
}
