// The watches of a service: looks at each when it is due, stores what changed with the messages about it, and has them sent.
import type { After, Clock } from '../../sql/base/clock.ts';
import type { Observe } from '../../sql/base/observation.ts';
import type { Channel } from '../channels/message.ts';
import type { Catalog } from '../endpoints/catalog.ts';
import { dueAfter } from '../request/limits/due.ts';
import { createTurns } from '../request/limits/turns.ts';
import { advance, resolveAll, watchId, type WatchEvent } from './advance.ts';
import { createDelivery, withWaiting } from './delivery.ts';
import { look, type LookDeps, type Looked, type WatchTarget } from './look.ts';
import type { Outgoing, WatchRecord } from './record.ts';
import { createRecords } from './records.ts';
import { RENEW_MS, type WatchStore } from './store.ts';

export interface WatcherDeps extends LookDeps {
  readonly catalog: () => Catalog;
  readonly channels: () => ReadonlyMap<string, Channel>;
  readonly store: WatchStore;
  readonly clock: Clock;
  readonly after: After;
  readonly observe: Observe;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Looks at the same time. */
  readonly looks: number;
}

export interface Watcher {
  /** Runs until `close`. */
  start(): void;
  /** Does what is due now; resolves once it has begun. */
  tick(): Promise<void>;
  /** Resolves once nothing runs. */
  idle(): Promise<void>;
  readonly isLeading: () => boolean;
  /** The watches of the files. */
  readonly targets: () => readonly WatchTarget[];
  /** The stored states, also those of another process. */
  records(): Promise<readonly WatchRecord[]>;
  close(): Promise<void>;
}

const TICK_MS = 1000;
/** After the end of the service is asked for, what is being sent may go on for so long. */
const CLOSE_MS = 3000;
const ORPHANED_MS = 86_400_000;

interface Running {
  readonly deps: WatcherDeps;
  readonly records: ReturnType<typeof createRecords>;
  readonly delivery: ReturnType<typeof createDelivery>;
  readonly turns: ReturnType<typeof createTurns>;
  readonly known: Map<string, Looked>;
  readonly running: Map<string, Promise<void>>;
  readonly abort: AbortController;
}

export function createWatcher(deps: WatcherDeps): Watcher {
  const { clock, store, after } = deps;
  const records = createRecords(store, clock);
  const delivery = createDelivery({ ...deps, records });
  const state: Running = {
    deps,
    records,
    delivery,
    turns: createTurns({ total: deps.looks, perLane: deps.looks }),
    known: new Map(),
    running: new Map(),
    abort: new AbortController(),
  };
  const dues = createDues(clock);
  const targets = createTargets(deps.catalog);
  let [renewed, wasLeading] = [-Infinity, false];
  let cancel: (() => void) | undefined;

  const lead = async (): Promise<boolean> => {
    if (records.isLeading() && clock.monotonic() - renewed < RENEW_MS) return true;
    renewed = clock.monotonic();
    return records.lead();
  };
  const tick = async (): Promise<void> => {
    const all = targets();
    if (all.size === 0 && !wasLeading) return;
    const isLeading = await lead();
    if (isLeading && !wasLeading) state.known.clear();
    wasLeading = isLeading;
    if (!isLeading) return;
    for (const [id, target] of all) if (dues.isDue(id, target)) begin(state, id, target);
    for (const { id } of records.all()) if (!all.has(id)) begin(state, id, undefined);
    delivery.start();
  };
  const idle = async (): Promise<void> => {
    while (state.running.size > 0) await Promise.all(state.running.values());
    await delivery.idle();
  };
  return {
    start: () => void (cancel = repeat(deps, tick)),
    tick,
    idle,
    isLeading: records.isLeading,
    targets: () => [...targets().values()],
    records: async () => (records.isLeading() ? records.all() : ((await store.read()) ?? [])),
    close: async () => {
      cancel?.();
      state.abort.abort();
      await Promise.race([idle(), new Promise<void>((resolve) => void after(CLOSE_MS, resolve))]);
      await records.release();
    },
  };
}

/** Runs `tick` again and again until the returned function is called. */
function repeat({ after, observe }: WatcherDeps, tick: () => Promise<void>): () => void {
  let isStopped = false;
  let cancel: (() => void) | undefined;
  const next = (): void => {
    cancel = after(TICK_MS, () => {
      void tick()
        .catch((cause: unknown) => observe({ kind: 'watch.not_stored', cause }))
        .then(() => {
          if (!isStopped) next();
        });
    });
  };
  next();
  return () => {
    isStopped = true;
    cancel?.();
  };
}

/** The watches of a catalog by id, found once. */
function createTargets(catalog: () => Catalog): () => ReadonlyMap<string, WatchTarget> {
  let [from, targets]: [Catalog | undefined, ReadonlyMap<string, WatchTarget>] = [undefined, new Map()];
  return () => {
    const now = catalog();
    if (now === from) return targets;
    from = now;
    targets = new Map(
      now.endpoints.flatMap((endpoint) =>
        endpoint.watches.map((watch) => [watchId(endpoint.name, watch), { endpoint, watch }] as const),
      ),
    );
    return targets;
  };
}

/** When watches are looked at: each at its own moments, the same in all processes and after a restart. */
function createDues(clock: Clock) {
  const dues = new Map<string, number>();
  return {
    /** True once for each time that the watch is due. */
    isDue: (id: string, { watch }: WatchTarget): boolean => {
      const now = clock.epoch();
      const next = (): number => now + dueAfter(now, { everyMs: watch.every, of: id });
      const due = dues.get(id);
      // A clock that was set back, or another `every`, does not put a look off.
      if (due === undefined || due > now + 1.2 * watch.every) {
        dues.set(id, next());
        return false;
      }
      if (due > now) return false;
      dues.set(id, next());
      return true;
    },
  };
}

/** Looks at a watch, or removes what is stored of one that is in no file, unless that goes on already. */
function begin(state: Running, id: string, target: WatchTarget | undefined): void {
  if (state.running.has(id)) return;
  const work = target === undefined ? removeUnknown(state, id) : state.turns.take(target.endpoint.name, () => lookAt(state, id, target)); // prettier-ignore
  const own = work
    .catch((cause: unknown) => state.deps.observe({ kind: 'watch.not_stored', cause }))
    .finally(() => state.running.delete(id));
  state.running.set(id, own);
}

async function lookAt(state: Running, id: string, target: WatchTarget): Promise<void> {
  const { deps, records, known } = state;
  if (!records.isLeading() || state.abort.signal.aborted) return;
  const started = deps.clock.monotonic();
  const looked = await look(deps, target, { before: known.get(id), signal: state.abort.signal });
  if (state.abort.signal.aborted) return;
  known.set(id, looked);
  const { evaluation } = looked;
  deps.observe({
    kind: 'watch.looked',
    watch: id,
    outcome: evaluation.kind === 'failed' ? 'failed' : looked.ran ? 'ran' : 'unchanged',
    ms: deps.clock.monotonic() - started,
    ...(evaluation.kind === 'failed' ? { reason: evaluation.code } : {}),
  });
  await commit(state, id, { target, looked });
}

async function commit(
  { deps, records, delivery }: Running,
  id: string,
  { target, looked }: { readonly target: WatchTarget; readonly looked: Looked },
): Promise<void> {
  const now = deps.clock.epoch();
  const { endpoint, watch } = target;
  let events: readonly WatchEvent[] = [];
  const isStored = await records.update(id, (record) => {
    const next = advance(record, { endpoint: endpoint.name, watch, evaluation: looked.evaluation, now });
    ({ events } = next);
    if (next.isChanged) return withMessages(next.record, next.events, { channels: watch.notify, newId: deps.newId, now }); // prettier-ignore
    records.note(next.record);
    return undefined;
  });
  if (!isStored) return;
  for (const event of events) deps.observe({ kind: 'watch.changed', watch: id, event: event.kind });
  delivery.start();
}

interface Addressed {
  readonly channels: readonly string[];
  readonly newId: () => string;
  readonly now: number;
}

function withMessages(record: WatchRecord, events: readonly WatchEvent[], addressed: Addressed): WatchRecord {
  const { channels, newId, now } = addressed;
  const added = events.flatMap((event) =>
    channels.map((channel): Outgoing => {
      const message = { ...event, id: `msg_${newId().replaceAll('-', '')}` };
      return { message, channel, attempts: 0, due: now };
    }),
  );
  return withWaiting({ ...record, notify: channels }, added, now);
}

/**
 * What is stored of a watch that is in no file is removed after a day: a file with an error may be missing for a time. Its groups that
 * fire are resolved before.
 */
async function removeUnknown({ records, deps }: Running, id: string): Promise<void> {
  const record = records.get(id);
  if (record === undefined) return;
  const now = deps.clock.epoch();
  if (record.orphaned === undefined) {
    await records.update(id, (current) => ({ ...current, orphaned: now }));
    return;
  }
  if (now - record.orphaned < ORPHANED_MS || record.outbox.length > 0) return;
  const firing = Object.values(record.groups).some(({ phase }) => phase === 'firing');
  if (firing) {
    await records.update(id, (current) => {
      const { events } = resolveAll(current, now);
      return withMessages({ ...current, groups: {} }, events, {
        channels: current.notify,
        newId: deps.newId,
        now,
      });
    });
    return;
  }
  if (await records.remove(id)) deps.observe({ kind: 'watch.changed', watch: id, event: 'removed' });
}
