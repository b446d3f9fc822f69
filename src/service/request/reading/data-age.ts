// The age of the data of a response: the time since the newest one in a column of its rows, when it is sent.
import type { CachedAnswer } from '../../cache/read-through.ts';
import { Problem } from '../../../sql/base/problem.ts';
import type { Clock } from '../../../sql/base/clock.ts';
import { quoteIdentifier } from '../../../sql/clickhouse/literal.ts';
import type { Replay } from '../call.ts';
import type { Plan } from '../plan.ts';
import { runInFormat, type RunContext, type RunDeps } from '../run-statement.ts';
import type { Transformer } from '../transform/transformer.ts';
import { whileValid } from './validity.ts';
import type { DataAge } from '../../../sql/base/observation.ts';

type AgedPlan = Pick<Plan, 'endpoint' | 'query' | 'opened'>;

/**
 * The policy that holds for the rows of a plan. Rows of consumer queries have other columns, and those of later pages are older than the first
 * one, whose time counts.
 */
function policyOf({ endpoint, query, opened }: AgedPlan) {
  const isFirst = opened?.after === undefined;
  return query.consumerQuery === undefined && isFirst ? endpoint.fresh : undefined;
}

export interface AgeDeps {
  readonly clock: Clock;
}

interface NewestDeps extends AgeDeps {
  readonly transformer: Pick<Transformer, 'rows'>;
}

/** The newest time in rows in JSONEachRow: see `Payload`. */
export async function newestOfLines(
  { clock, transformer }: NewestDeps,
  plan: AgedPlan,
  lines: Uint8Array,
  context: RunContext,
): Promise<number | null | undefined> {
  const policy = policyOf(plan);
  if (policy === undefined) return undefined;
  const transform = { kind: 'newest', name: policy.column, until: clock.epoch() } as const;
  const { bytes } = await transformer.rows(transform, lines, context);
  const times = Buffer.from(bytes).toString().split('\n').filter(Boolean).map(Number);
  return times.length === 0 ? null : times.reduce((a, b) => Math.max(a, b));
}

/** The same for a result that the engine writes in a format of its own: the statement runs again for it. Throws Problem. */
export async function newestOfStatement(
  { engine, bulkhead, clock }: Omit<RunDeps, 'now'> & AgeDeps,
  plan: Plan,
  context: RunContext,
): Promise<number | null | undefined> {
  const policy = policyOf(plan);
  if (policy === undefined) return undefined;
  const column = quoteIdentifier(policy.column);
  const rewrite = (sql: string): string =>
    `SELECT maxOrNull(${column}) FROM (\n${sql}\n) WHERE ${column} <= fromUnixTimestamp64Milli(${clock.epoch()})`;
  const deps = { engine, bulkhead, now: clock.monotonic };
  const { bytes } = await runInFormat(deps, plan, context, { format: 'JSONCompactEachRow', rewrite });
  const [newest] = JSON.parse(Buffer.from(bytes).toString()) as [string | null]; // one row of one column
  return newest === null ? null : Date.parse(newest);
}

/** The age at a time; undefined if the endpoint does not declare one for these rows. */
export function dataAgeOf(
  plan: AgedPlan,
  newest: number | null | undefined,
  now: number,
): DataAge | undefined {
  const policy = policyOf(plan);
  if (policy === undefined || newest === undefined) return undefined;
  if (newest === null) return { newest: undefined, seconds: undefined, isStale: true };
  const ms = Math.max(0, now - newest);
  return { newest, seconds: Math.floor(ms / 1000), isStale: ms > policy.within * 1000 };
}

/** Throws Problem `data.stale` if the endpoint serves no data of this age. */
export function rejectStale(plan: AgedPlan, age: DataAge | undefined): void {
  if (!isRejected(plan, age)) return;
  const { column = '', within = 0 } = plan.endpoint.fresh ?? {};
  const found =
    age?.seconds === undefined
      ? `no row of the result has a time in ${column}`
      : `the newest ${column} is ${age.seconds} s old`;
  throw new Problem('data.stale', {
    detail: `The data may be ${within} s old, and ${found}`,
    retryAfter: Math.max(1, plan.endpoint.cache?.minRefresh ?? 1),
  });
}

/** Returns whether a response with data of this age is not served. */
export function isRejected({ endpoint }: Pick<Plan, 'endpoint'>, age: DataAge | undefined): boolean {
  return age?.isStale === true && endpoint.fresh?.otherwise === 'error';
}

/** The time at which the data becomes stale; infinite if it is, or never does. */
export function freshUntil({ endpoint }: Pick<Plan, 'endpoint'>, age: DataAge | undefined): number {
  if (endpoint.fresh === undefined || age?.newest === undefined || age.isStale) return Infinity;
  return age.newest + endpoint.fresh.within * 1000;
}

/** Repeats an answer with the age that its data has then, if it may still be served. */
export function replayWithAge({ clock }: AgeDeps, plan: AgedPlan, replay: Replay): Replay {
  if (policyOf(plan) === undefined) return replay;
  const withAge = (found: CachedAnswer | undefined): CachedAnswer | undefined => {
    if (found === undefined) return undefined;
    const now = clock.epoch();
    const dataAge = dataAgeOf(plan, found.entry.newest, now);
    if (isRejected(plan, dataAge)) return undefined;
    const outcome = whileValid(found.outcome, { until: freshUntil(plan, dataAge) }, now);
    return { ...found, outcome, dataAge };
  };
  return () => {
    const found = replay();
    return found instanceof Promise ? found.then(withAge) : withAge(found);
  };
}
