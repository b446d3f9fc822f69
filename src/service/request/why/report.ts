// The report about a call that is finished: where its time went, and reasons.
import type { RecentCall } from '../../observe/recent-calls.ts';
import { rounded } from '../../observe/request-fields.ts';
import type { ReadSummary } from '../../../sql/base/observation.ts';
import type { QueryLog } from '../../engine/query-log.ts';
import type { ExplainedPlan } from './plan-of.ts';
import { reasonsFor, type CallsBeside, type Reason } from './reasons.ts';

export interface CallReport {
  readonly request: string;
  readonly endpoint: string;
  readonly version?: number;
  readonly revision: string | null;
  /** When it ended. */
  readonly time: string;
  readonly status: number;
  readonly code?: string;
  /** Milliseconds. */
  readonly ms: number;
  /** Milliseconds of each stage; absent if no query ran, or it failed before. `rest`: the other stages, and sending. */
  readonly stages?: Readonly<Record<string, number>>;
  /** How the cache handled the call; null: the endpoint has none. */
  readonly cache: string | null;
  readonly returned: { readonly rows: number; readonly bytes: number };
  /** Rows and bytes that were read from tables, if it is known and may be shown. */
  readonly read?: ReadSummary;
  /** What the statement would read now, if the key sees statements. */
  readonly plan?: ExplainedPlan;
  /** Why there is no plan, if the key sees statements. */
  readonly unplanned?: string;
  readonly beside: readonly CallsBeside[];
  /** `own`: calls of other keys are not shown. */
  readonly scope: 'own' | 'all';
  /** What a ClickHouse server has logged, for operators. */
  readonly server?: QueryLog;
  readonly reasons: readonly Reason[];
}

/** It is known besides the call. */
export interface ReportParts {
  readonly scope: CallReport['scope'];
  readonly read: ReadSummary | undefined;
  readonly plan: ExplainedPlan | undefined;
  readonly unplanned: string | undefined;
  /** In no order, without the call itself. */
  readonly others: readonly RecentCall[];
  readonly server: QueryLog | undefined;
}

const MAX_BESIDE = 20;

export function reportOf(call: RecentCall, findings: ReportParts): CallReport {
  const { scope, read, plan, unplanned, others, server } = findings;
  const stages = stagesOf(call);
  const beside = besideOf(others, scope);
  const { requestId, endpoint, version, revision, status, code, cache, rows = 0, bytes, ms, ended } = call;
  return {
    request: requestId,
    endpoint,
    ...(version === undefined ? {} : { version }),
    revision: revision ?? null,
    time: new Date(ended).toISOString(),
    status,
    ...(code === undefined ? {} : { code }),
    ms: rounded(ms),
    ...(stages === undefined ? {} : { stages }),
    cache: cache ?? null,
    returned: { rows, bytes },
    ...(read === undefined ? {} : { read }),
    ...(plan === undefined ? {} : { plan }),
    ...(unplanned === undefined ? {} : { unplanned }),
    beside: beside.slice(0, MAX_BESIDE),
    scope,
    ...(server === undefined ? {} : { server }),
    reasons: reasonsFor({ call, stages, read, plan, beside, scope }),
  };
}

function stagesOf({ timing, ms }: RecentCall): Readonly<Record<string, number>> | undefined {
  if (timing === undefined) return undefined;
  const known = Object.entries(timing).map(([stage, took]) => [stage, rounded(took)] as const);
  const sum = Object.values(timing).reduce((a: number, b: number) => a + b, 0);
  return { ...Object.fromEntries(known), rest: rounded(Math.max(0, ms - sum)) };
}

function besideOf(others: readonly RecentCall[], scope: CallReport['scope']): readonly CallsBeside[] {
  const groups = new Map<string, CallsBeside>();
  for (const { endpoint, principal = '', timing } of others) {
    const key = scope === 'all' ? principal : undefined;
    const id = JSON.stringify([endpoint, key]);
    const { calls, engine } = groups.get(id) ?? { calls: 0, engine: 0 };
    const more = { calls: calls + 1, engine: rounded(engine + (timing?.engine ?? 0)) };
    groups.set(id, { endpoint, ...(key === undefined ? {} : { key }), ...more });
  }
  return [...groups.values()].toSorted((a, b) => b.engine - a.engine || b.calls - a.calls);
}
