// Exports: whole results as files, made beside the calls, and kept for a while for the key that asked for them.
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { Problem } from '../../sql/base/problem.ts';
import { createQueue } from '../engine/queue.ts';
import { createExport } from './create-export.ts';
import type { ExportIdentity } from './identity.ts';
import type { ByteRange } from './object-store.ts';
import type { ExportsOptions } from './options.ts';
import type { ExportCall } from './plan-export.ts';
import { isActive, problemOf, type ExportRecord } from './record.ts';
import { createRecords } from './records.ts';
import { createRunExport, type ExportJob } from './run-export.ts';

/** A result that is being read; to be closed if nothing of it is read. */
export interface OpenedResult {
  readonly record: ExportRecord;
  /** Reads it once, and closes it then. Throws Problem. */
  readonly read: (range: ByteRange) => Promise<Readable>;
  readonly close: () => Promise<void>;
}

export interface Exports {
  /** Asks for an export, or finds the one that was asked for with the same Idempotency-Key. Throws Problem. */
  readonly create: (call: ExportCall) => Promise<ExportRecord>;
  /** Those of a key of an endpoint, the newest first. */
  readonly list: (identity: ExportIdentity) => readonly ExportRecord[];
  /** Throws Problem `export.unknown`. */
  readonly find: (identity: ExportIdentity, id: string) => ExportRecord;
  /** Cancels an export, or removes one that has ended. Throws Problem `export.unknown`. */
  readonly cancel: (identity: ExportIdentity, id: string) => Promise<void>;
  /** Throws Problem `export.unknown`, `export.not_finished`, and why an export has no result. */
  readonly open: (identity: ExportIdentity, id: string) => Promise<OpenedResult>;
  readonly size: () => { readonly waiting: number; readonly running: number; readonly bytes: number };
  /** Ends what waits and runs: it has failed then. */
  readonly close: () => Promise<void>;
}

const MOST_WAITING = 1000;
const LONGEST_WAIT_MS = 86_400_000;
const SWEEP_MS = 30_000;

export function createExports(options: ExportsOptions): Exports {
  const { store, places, after } = options;
  const queue = createQueue({ places, waiting: MOST_WAITING, timeoutMs: LONGEST_WAIT_MS, after });
  const records = createRecords(options);
  const jobs = createJobs(createRunExport({ ...options, queue, records }));
  let isClosed = false;
  const begin = async (job: Omit<ExportJob, 'signal'>): Promise<void> => {
    const { record } = job;
    records.set(record); // at once, so that it is counted
    await store.save(record).catch((cause: unknown) => {
      records.forget(record);
      throw new Problem('export.disk_full', { detail: 'The export cannot be noted on the disk', cause });
    });
    jobs.begin(job);
  };
  records.sweep();
  let cancelSweep = after(SWEEP_MS, function sweep() {
    records.sweep();
    cancelSweep = after(SWEEP_MS, sweep);
  });
  return {
    create: (call) => createExport({ ...options, records, begin, isClosed: () => isClosed }, call),
    find: records.find,
    list: (identity) => records.ofKey(identity.owner).filter((each) => records.mayShow(identity, each)),
    cancel: async (identity, id) => {
      const record = records.find(identity, id);
      await (isActive(record) ? jobs.end(id, 'export.canceled') : jobs.settled(id));
      const left = records.get(id) ?? record;
      // One that ended before is removed, and so is one that has a result in spite of all.
      if (!isActive(record) || left.state === 'finished') await records.remove(left);
    },
    open: async (identity, id) => {
      const record = records.find(identity, id);
      if (record.failure !== undefined) throw problemOf(record.failure);
      if (record.state !== 'finished')
        throw new Problem('export.not_finished', { detail: `The state of the export is ${record.state}` });
      if (!records.isCurrent(record))
        throw new Problem('export.unknown', { detail: 'The endpoint has changed since the export' });
      return openResult(options, record);
    },
    size: () => ({ ...queue.size(), bytes: records.bytes() }),
    close: async () => {
      isClosed = true;
      cancelSweep();
      await jobs.endAll();
      options.objects?.close();
    },
  };
}

/** Bytes read at a time. */
const READ_BYTES = 2 ** 18;

async function openResult(
  { store, objects }: Pick<ExportsOptions, 'store' | 'objects'>,
  record: ExportRecord,
): Promise<OpenedResult> {
  if (record.place === 's3') {
    if (objects === undefined) throw new Problem('export.not_stored');
    return { record, read: (range) => objects.read(record, range), close: async () => undefined };
  }
  const file = await open(store.resultOf(record), 'r').catch((cause: unknown) => {
    throw new Problem('export.unknown', { cause });
  });
  return {
    record,
    read: async (range) => file.createReadStream({ ...range, highWaterMark: READ_BYTES }),
    close: () => file.close(),
  };
}

interface Jobs {
  readonly begin: (job: Omit<ExportJob, 'signal'>) => void;
  /** Ends a job; resolves when it has ended. */
  readonly end: (id: string, code: 'export.canceled' | 'export.interrupted') => Promise<void>;
  /** Resolves when a job has ended by itself. */
  readonly settled: (id: string) => Promise<void>;
  readonly endAll: () => Promise<void>;
}

/** Those that wait or run. */
function createJobs(run: (job: ExportJob) => Promise<void>): Jobs {
  const all = new Map<string, { readonly control: AbortController; readonly ended: Promise<void> }>();
  const end: Jobs['end'] = async (id, code) => {
    const job = all.get(id);
    job?.control.abort(new Problem(code));
    await job?.ended;
  };
  return {
    begin: (job) => {
      const control = new AbortController();
      const { id } = job.record;
      const ended = run({ ...job, signal: control.signal }).finally(() => all.delete(id));
      all.set(id, { control, ended });
    },
    end,
    settled: async (id) => all.get(id)?.ended,
    endAll: async () => {
      await Promise.all([...all.keys()].map((id) => end(id, 'export.interrupted')));
    },
  };
}
