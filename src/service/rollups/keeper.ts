// Keeps the rollups of the files equal to their sources, again and again. In development it also creates them.
import type { After, Clock } from '../../sql/base/clock.ts';
import type { Finding } from '../../sql/base/finding.ts';
import type { Observe } from '../../sql/base/observation.ts';
import type { RollupDeclaration } from '../endpoints/rollups/read-rollups.ts';
import type { Engine } from '../engine/engine.ts';
import { dropRollup, keepRollup, type RollupEvent } from './keep.ts';
import { resolveRollup } from './resolve.ts';
import { readStates, stateOf } from './state.ts';

export interface KeeperOptions {
  readonly engine: Engine;
  readonly declared: () => readonly RollupDeclaration[];
  /** Create the rollups that do not exist, and drop other versions of those that are covered. */
  readonly creates: boolean;
  /** Called after each round in which there were rollups, and before days of one are emptied. Never rejects. */
  readonly onKept: () => Promise<void>;
  readonly observe: Observe;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly after: After;
}

export interface Keeper {
  /** Keeps them now, or joins the round that is running. Never rejects. */
  keep(): Promise<void>;
  /** No round begins after this; one that runs ends at its next step. */
  close(): void;
}

const EVERY_MS = 5000;
/** Comparing takes at most 1/20 of the time. */
const SHARE = 20;

export function createKeeper(options: KeeperOptions): Keeper {
  const { clock, after, declared, onKept, observe } = options;
  const state = { isClosed: false };
  const reported = createReport(observe);
  let cancel: (() => void) | undefined;
  let running: Promise<void> | undefined;
  const round = async (): Promise<void> => {
    const started = clock.monotonic();
    const all = declared();
    for (const each of all) if (!state.isClosed) await keepOne(each, { ...options, state, reported });
    if (all.length > 0 && !state.isClosed) await onKept();
    if (!state.isClosed)
      cancel = after(Math.max(EVERY_MS, (clock.monotonic() - started) * SHARE), () => void keep());
  };
  const keep = (): Promise<void> => {
    cancel?.();
    running ??= round().finally(() => {
      running = undefined;
    });
    return running;
  };
  return {
    keep,
    close: () => {
      state.isClosed = true;
      cancel?.();
    },
  };
}

/** Reports findings once until they change. */
function createReport(observe: Observe): (rollup: string, diagnostics: readonly Finding[]) => void {
  const last = new Map<string, string>();
  return (rollup, diagnostics) => {
    const text = JSON.stringify(diagnostics);
    if (diagnostics.length > 0 && last.get(rollup) !== text)
      observe({ kind: 'rollup.rejected', diagnostics });
    last.set(rollup, text);
  };
}

interface KeepOptions extends KeeperOptions {
  readonly state: { readonly isClosed: boolean };
  readonly reported: ReturnType<typeof createReport>;
}

async function keepOne(declaration: RollupDeclaration, options: KeepOptions): Promise<void> {
  const { engine, after, creates, onKept, observe, state, reported } = options;
  const { name } = declaration.rollup;
  try {
    const known = await readStates(engine);
    if (!creates && stateOf(known, declaration.rollup) === undefined) return;
    const resolved = await resolveRollup(engine, declaration);
    reported(name, resolved.findings);
    if (resolved.plan === undefined) return;
    let isCovered = false;
    for await (const event of keepRollup({ engine, after, onUncovered: onKept }, resolved)) {
      if (state.isClosed) return;
      if (event.kind === 'covered') isCovered = event.until > event.from;
      else observeStep(name, event, observe);
    }
    const { version } = declaration.rollup;
    const others = known.filter(({ rollup }) => rollup.name === name && rollup.version !== version);
    if (creates && isCovered) for (const { rollup } of others) await dropRollup(engine, rollup, undefined);
  } catch (cause) {
    if (!state.isClosed) observe({ kind: 'rollup.failed', rollup: name, cause });
  }
}

function observeStep(
  rollup: string,
  event: Exclude<RollupEvent, { kind: 'covered' }>,
  observe: Observe,
): void {
  if (event.kind === 'filled')
    observe({ kind: 'rollup.filled', rollup, days: event.days.length, rows: event.rows });
  else observe({ kind: 'rollup.unequal', rollup, days: event.days });
}
