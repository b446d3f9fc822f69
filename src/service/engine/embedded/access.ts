// Changes of access rules while the engine runs. The engine reads its users file only while no connection is open, so
// statements wait until the running ones have ended and the data is open again.
import { serialise } from '../../config/serialise.ts';
import type { After } from '../../../sql/base/clock.ts';
import type { Observe } from '../../../sql/base/observation.ts';
import type { AccessRules } from '../access-rules.ts';
import type { RowPolicyContext } from '../engine.ts';
import type { Queue } from '../queue.ts';

export interface Access {
  /** The rules of the next opening; undefined until there are any. */
  readonly rules: () => AccessRules | undefined;
  /** Never rejects. */
  restrict(rules: AccessRules): Promise<void>;
  /** Returns whether the current rules were made for the revision of the endpoint that a statement was planned for. */
  accepts(context: RowPolicyContext | undefined): boolean;
}

export interface AccessOptions {
  readonly queue: Pick<Queue, 'pause' | 'resume'>;
  /** Opens the data under the rules; no statement is running. Never rejects. */
  readonly reopen: () => Promise<void>;
  /** Ends the running statements if all of them can be repeated; they run again under the new rules. */
  readonly endRunning: () => void;
  /** Ends the streamed results at once: they may take an hour. */
  readonly endStreams: () => void;
  readonly observe: Observe;
  readonly after: After;
  /** Monotonic clock, in milliseconds. */
  readonly now: () => number;
}

/** Running statements have this long to end; waiting ones wait for twice as long before they fail. */
const DRAIN_MS = 5000;

export function createAccess({
  queue,
  reopen,
  endRunning,
  endStreams,
  observe,
  after,
  now,
}: AccessOptions): Access {
  let rules: AccessRules | undefined;
  let wanted: AccessRules | undefined;
  const revisions = new Map<string, Set<string>>();

  const change = async (): Promise<void> => {
    if (wanted === undefined) return;
    const isSame = rules !== undefined && grantsOf(rules) === grantsOf(wanted);
    rules = wanted;
    if (!isSame) revisions.clear();
    note(revisions, rules);
    if (isSame) return;
    const started = now();
    let cancel = after(DRAIN_MS, function end() {
      endRunning();
      cancel = after(DRAIN_MS, end);
    });
    const paused = queue.pause();
    endStreams();
    await paused;
    cancel();
    await reopen();
    queue.resume();
    const filtered = rules.tables.filter(({ filter }) => filter !== undefined).length;
    observe({ kind: 'engine.access_changed', tables: rules.tables.length, filtered, ms: now() - started });
  };
  const changeNext = serialise(change);

  return {
    rules: () => rules,
    restrict: (next) => {
      wanted = next;
      return changeNext();
    },
    accepts: (context) => {
      if (context?.revision === undefined || rules === undefined) return true;
      return revisions.get(context.endpoint)?.has(context.revision) === true;
    },
  };
}

function grantsOf({ tables, dictionaries, hidden }: AccessRules): string {
  return JSON.stringify([tables, dictionaries, hidden]);
}

/** Of one endpoint; statements planned for an earlier one have long ended. */
const MAX_REVISIONS = 20;

function note(known: Map<string, Set<string>>, { revisions }: AccessRules): void {
  for (const [endpoint, revision] of revisions) {
    const all = known.get(endpoint) ?? new Set();
    all.add(revision);
    if (all.size > MAX_REVISIONS) all.delete([...all][0] ?? '');
    known.set(endpoint, all);
  }
  for (const endpoint of known.keys()) if (!revisions.has(endpoint)) known.delete(endpoint);
}
