// What the runs of one call cost, counted against the budgets of its key and its endpoint.
import type { Observe, ReadSummary } from '../../../sql/base/observation.ts';
import { Problem } from '../../../sql/base/problem.ts';
import type { Analysis, RunHooks } from '../../engine/engine.ts';
import { exceededText, type BudgetLimit, type Budgets, type Cost } from '../../limits/budgets.ts';
import { retryAfter, type LimitState } from '../../limits/rate-limits.ts';
import type { CallRecord } from '../call.ts';

/** The costs of a call; a call without budgets has one too, which only records them. */
export interface Spending {
  /** Throws Problem `budget.exceeded` or `rate.unavailable` if a run must not start. */
  readonly check: () => Promise<void>;
  /** For one statement: hooks for its start and for what it reads. `end` counts its cost, also if it failed. */
  readonly begin: () => RunHooks & { readonly end: () => Promise<void> };
  /**
   * Runs a statement beside the query of the call, such as one that writes its rows in a format, with hooks that count its cost. It needs
   * no budget, unless `isChecked`.
   */
  readonly beside: <T>(run: (hooks: RunHooks) => Promise<T>, isChecked?: boolean) => Promise<T>;
}

export interface SpendingDeps {
  readonly budgets: Budgets;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  readonly observe: Observe;
}

interface SpendingOptions extends SpendingDeps {
  readonly endpoint: string;
  readonly isReadShown: boolean;
}

/** With `isReadShown`, the engine reports what it reads even if no budget needs it. */
export function createSpending(
  { budgets, now, observe, endpoint, isReadShown }: SpendingOptions,
  limits: readonly BudgetLimit[],
  record: CallRecord,
): Spending {
  const note = (states: readonly LimitState[]): void => {
    const rates = (record.limits ?? []).filter(({ unit }) => unit === undefined);
    record.limits = [...rates, ...states];
  };
  // Only then: an engine reports it at a cost.
  const isReadCounted = isReadShown || limits.some(({ budget }) => budget.resource === 'read');
  const check = async (): Promise<void> => {
    if (limits.length === 0) return;
    const checked = await budgets.check(limits);
    if (checked === 'unavailable') throw new Problem('rate.unavailable', { retryAfter: 1 });
    note(checked.states);
    if (checked.exceeded === undefined) return;
    observe({ kind: 'budget.exceeded', endpoint, policy: checked.exceeded.policy });
    throw exceededProblem(checked.exceeded, checked.states);
  };
  const charge = (cost: Cost): Promise<readonly LimitState[]> => {
    observe({ kind: 'budget.spent', endpoint, policies: limits.map(({ policy }) => policy), ...cost });
    return budgets.charge(limits, cost);
  };
  const begin = ({ isRun, isChecked }: Counted = RUN): ReturnType<Spending['begin']> => {
    let started: number | undefined;
    return {
      // Checked again after the wait for a connection: of calls that wait together, only those start that still may.
      onStart: async () => {
        if (isChecked) await check();
        started ??= now();
      },
      ...(isReadCounted && {
        // At once, before the next call that waits is checked.
        onRead: (read: ReadSummary) => {
          if (isRun) addRead(record, read);
          if (limits.length > 0) void charge({ read: read.bytes, time: 0 });
        },
      }),
      end: async () => {
        if (started === undefined) return;
        const time = now() - started;
        if (isRun) record.engineMs = (record.engineMs ?? 0) + time;
        if (limits.length > 0) note(await charge({ read: 0, time }));
      },
    };
  };
  return {
    check,
    begin,
    beside: async (run, isChecked = false) => {
      if (isChecked) await check();
      const { end, ...hooks } = begin({ isRun: false, isChecked });
      try {
        return await run(hooks);
      } finally {
        await end();
      }
    },
  };
}

interface Counted {
  /** It is true if it is the query of the call, which the call's record mentions. */
  readonly isRun: boolean;
  /** It is true if it needs a budget that is not used up. */
  readonly isChecked: boolean;
}

const RUN: Counted = { isRun: true, isChecked: true };

function exceededProblem(exceeded: BudgetLimit, states: readonly LimitState[]): Problem {
  const detail = exceededText(exceeded);
  return new Problem('budget.exceeded', { retryAfter: retryAfter({ states }), detail });
}

/** What counts the analyses of a consumer query; undefined: there are no budgets. */
export function analysisOf(
  deps: SpendingDeps & { readonly endpoint: string },
  limits: readonly BudgetLimit[],
  record: CallRecord,
): Analysis | undefined {
  if (limits.length === 0) return undefined;
  const { beside } = createSpending({ ...deps, isReadShown: false }, limits, record);
  return { count: (run, isChecked = true) => beside(run, isChecked) };
}

/** Statements of one call are counted together. */
function addRead(record: CallRecord, { rows, bytes }: ReadSummary): void {
  const { read = { rows: 0, bytes: 0 } } = record;
  record.read = { rows: read.rows + rows, bytes: read.bytes + bytes };
}
