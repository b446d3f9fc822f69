// Runs an export: waits for its turn, writes its result, and notes how it ended.
import { EngineError, isAway } from '../engine/engine.ts';
import type { Queue } from '../engine/queue.ts';
import { Problem } from '../../sql/base/problem.ts';
import { runProblem, withoutValues } from '../request/engine-problems.ts';
import type { Plan } from '../request/plan.ts';
import { alternativeOf } from '../request/planned-query.ts';
import type { ExportsOptions } from './options.ts';
import {
  admitExport,
  isRedactedPlan,
  planExport,
  type AdmittedExport,
  type ExportCall,
} from './plan-export.ts';
import { ownerOf, type ExportRecord } from './record.ts';
import type { ExportRecords } from './records.ts';
import type { ExportRun } from './transform-rows.ts';
import { writeExport } from './write-export.ts';

interface RunDeps extends ExportsOptions {
  readonly queue: Queue;
  readonly records: ExportRecords;
}

/** What is done for an export. */
export interface ExportJob {
  readonly record: ExportRecord;
  readonly call: ExportCall;
  readonly asked: AdmittedExport;
  readonly planned: Plan;
  readonly signal: AbortSignal;
}

/** Attempts in all, if the engine goes away while it runs. */
const ATTEMPTS = 3;
const PAUSE_MS = 1000;

/** Never rejects. */
export function createRunExport(deps: RunDeps): (job: ExportJob) => Promise<void> {
  const { queue, path, store, records, observe } = deps;
  const { set } = records;
  const now = path.clock.epoch;
  const current = (record: ExportRecord): ExportRecord => records.get(record.id) ?? record;

  const end = async (record: ExportRecord, cause: unknown): Promise<void> => {
    await store
      .save(record)
      .catch((failure: unknown) => observe({ kind: 'export.not_kept', cause: failure }));
    set(record); // shown once it is on the disk
    const { id, endpoint, principal, format, place, state, rows, bytes, failure } = record;
    const ms = now() - record.created;
    observe({
      kind: 'export.ended',
      id,
      endpoint,
      principal,
      format,
      place,
      state,
      rows,
      bytes,
      ms,
      code: failure?.code,
      cause,
    });
  };

  return async (job) => {
    const { record, signal } = job;
    const entry = { key: record.owner, lane: record.endpoint, signal };
    let release: (() => void) | undefined;
    try {
      release = await queue.enter(entry);
      set({ ...record, state: 'running', started: now() });
      await store.save(current(record));
      const rows = await attempt(deps, job, ATTEMPTS);
      signal.throwIfAborted();
      await keep(deps, current(record), signal);
      await end({ ...current(record), state: 'finished', finished: now(), rows }, undefined);
    } catch (cause) {
      await store
        .discard(record)
        .catch((failure: unknown) => observe({ kind: 'export.not_kept', cause: failure }));
      await end(ended(current(record), problemFrom(cause, job), now()), cause);
    } finally {
      release?.();
    }
  };
}

/** Puts a whole result into its place. */
async function keep({ store, objects }: RunDeps, record: ExportRecord, signal: AbortSignal): Promise<void> {
  if (record.place === 'download') return store.publish(record);
  if (objects === undefined) throw new Problem('export.not_stored');
  await objects.upload(record, store.partOf(record), signal);
  await store.discard(record);
}

/** A record without a result. */
function ended(record: ExportRecord, problem: Problem, finished: number): ExportRecord {
  const { code, message: detail, hint } = problem;
  const state = code === 'export.canceled' ? 'canceled' : 'failed';
  return { ...record, state, finished, bytes: 0, failure: { code, detail, hint } };
}

function problemFrom(cause: unknown, { planned, signal }: ExportJob): Problem {
  if (signal.aborted && signal.reason instanceof Problem) return signal.reason;
  const problem = withoutValues(runProblem(cause, planned.query, signal), planned.redactor);
  return problem instanceof Problem ? problem : new Problem('internal.error', { cause });
}

/** The plan is made again if keys or endpoints have changed since: the export may no longer be allowed. */
async function planNow({ path, records, ...limits }: RunDeps, job: ExportJob): Promise<Plan> {
  const { record, call, asked, planned } = job;
  if (planned.admitted.isCurrent()) return planned;
  const again = await admitExport(path, call, 'again');
  const { principal, endpoint } = again.admitted;
  if (again.request !== asked.request || ownerOf(principal) !== record.owner)
    throw new Problem('export.interrupted', { detail: 'What the key may read has changed meanwhile' });
  const plan = await planExport(path, again, limits);
  const { revision } = endpoint;
  records.set({ ...(records.get(record.id) ?? record), revision, isRedacted: isRedactedPlan(plan) });
  return plan;
}

async function attempt(deps: RunDeps, job: ExportJob, left: number): Promise<number> {
  const plan = await planNow(deps, job);
  const { query } = plan;
  try {
    return await write(deps, job, { plan, statement: query.statement }).catch((cause: unknown) => {
      const alternative = alternativeOf(query, cause);
      if (alternative === undefined) throw cause;
      return write(deps, job, { plan, statement: alternative });
    });
  } catch (cause) {
    if (job.signal.aborted || left <= 1 || !isEngineAway(cause)) throw cause;
    await new Promise<void>((resolve) => void deps.after(PAUSE_MS, resolve));
    return attempt(deps, job, left - 1);
  }
}

function isEngineAway(cause: unknown): boolean {
  return cause instanceof EngineError && isAway(cause);
}

/** Writes a result from its beginning. */
async function write(
  deps: RunDeps,
  { record, signal }: ExportJob,
  run: Pick<ExportRun, 'plan' | 'statement'>,
): Promise<number> {
  const { path, store, disk, records } = deps;
  const { get, set, bytes } = records;
  await store.discard(record);
  const change = (more: Partial<ExportRecord>): void => set({ ...(get(record.id) ?? record), ...more });
  change({ rows: 0, bytes: 0 });
  const output = {
    path: store.partOf(record),
    maxRows: run.plan.endpoint.maxRows,
    onBytes: (count: number) => {
      if (bytes() + count > disk) throw new Problem('export.disk_full', { detail: FULL });
      change({ bytes: (get(record.id)?.bytes ?? 0) + count });
    },
    onRows: (rows: number) => change({ rows }),
  };
  return writeExport(path, { ...run, context: { ...run.plan.requester, signal } }, output);
}

const FULL = 'Exports use all of the space that the setting export_disk gives them';
