// Records endpoint calls as table rows: buffered, written in batches, and dropped rather than delaying requests.
import type { After } from '../../sql/base/clock.ts';
import {
  KnownError,
  type Finished,
  type Observation,
  type Observe,
  type ShadowCompared,
} from '../../sql/base/observation.ts';
import { CALL_COLUMNS } from './request-fields.ts';

/** How rows are written, and limits that tests can lower. */
export interface UsageOptions {
  /** Writes rows in JSONEachRow. */
  readonly write: (lines: string) => Promise<void>;
  /** Returns whether a write failed because a row cannot be read. */
  readonly isUnreadable: (cause: unknown) => boolean;
  /** Returns whether a request is recorded. */
  readonly isCounted: (request: Finished) => boolean;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly after: After;
  readonly observe: Observe;
}

/** The recorder of one process. */
export interface Usage {
  readonly observe: Observe;
  /** Writes the rows that wait now. */
  flush(): Promise<void>;
  /** Writes the remaining rows, without retrying; those that cannot be written are counted as dropped. */
  close(): Promise<void>;
}

const WRITE_MS = 5000;
/** Triggers a write before the interval has passed. */
const MANY_ROWS = 1000;
/** Maximum bytes per write: servers accept statements up to 256 KiB. */
const WRITE_BYTES = 128 * 1024;
/** Buffer limit in rows; new rows are dropped beyond it. */
const MAX_WAITING = 20_000;

/** Starts the writing timer; the caller must close it. Dropped and failed rows are observed. */
export function createUsage(options: UsageOptions): Usage {
  const { isCounted, now, after } = options;
  const buffer = createBuffer(options);
  let writing: Promise<void> | undefined;
  let cancel: (() => void) | undefined;

  const writeNow = (): void => {
    writing ??= Promise.resolve()
      .then(buffer.writeWaiting)
      .finally(() => {
        writing = undefined;
      });
  };
  const tick = (): void => {
    cancel = after(WRITE_MS, () => {
      writeNow();
      tick();
    });
  };
  tick();
  const flush = async (): Promise<void> => {
    await writing;
    writeNow();
    await writing;
  };

  return {
    observe: (observation) => {
      const row = rowFor(observation, isCounted);
      if (row !== undefined && buffer.add(rowOf(row, now()))) writeNow();
    },
    flush,
    close: async () => {
      cancel?.();
      await flush();
      buffer.dropWaiting();
    },
  };
}

/** Rows that have not been written. */
interface RowBuffer {
  /** Returns whether so many rows wait that they should be written. Drops the row if they are too many. */
  add(row: string): boolean;
  /** Writes the rows that wait; ends at a failed write. */
  writeWaiting(): Promise<void>;
  /** Counts the rows that still wait as dropped. */
  dropWaiting(): void;
}

function createBuffer({
  write,
  isUnreadable,
  observe,
}: Pick<UsageOptions, 'write' | 'isUnreadable' | 'observe'>): RowBuffer {
  let waiting: string[] = [];
  /** How many rows have left `waiting`. */
  let left = 0;
  let dropped = 0;
  /** Rows of the next write: after one that cannot be read, half as many, until that row is found. */
  let most = Infinity;

  const remove = (rows: number): void => {
    waiting = waiting.slice(rows);
    left += rows;
  };
  /** Writes one batch; false if that failed. Rows stay buffered until they are written; one that cannot be read is dropped. */
  const writeSome = async (): Promise<boolean> => {
    const rows = firstRows(waiting).slice(0, most);
    const lost = dropped;
    dropped = 0;
    try {
      await write(rows.join(''));
      remove(rows.length);
      most *= 2;
      observe({ kind: 'usage.written', rows: rows.length, dropped: lost });
      return true;
    } catch (cause) {
      observe({ kind: 'usage.not_written', rows: rows.length, dropped: lost, cause });
      if (!isUnreadable(cause)) return false;
      if (rows.length === 1) {
        remove(1);
        dropped++;
      }
      most = Math.max(1, Math.floor(rows.length / 2));
      return true;
    }
  };
  return {
    add: (row) => {
      if (waiting.length < MAX_WAITING) return waiting.push(row) % MANY_ROWS === 0;
      dropped++;
      return false;
    },
    // Not the rows that arrive meanwhile, unless they are many: each write makes a part of the table.
    writeWaiting: async () => {
      const end = left + waiting.length;
      const isDone = (): boolean => left >= end && waiting.length < MANY_ROWS;
      while (!isDone() && (await writeSome())) continue;
    },
    dropWaiting: () => {
      const lost = waiting.length + dropped;
      remove(waiting.length);
      dropped = 0;
      if (lost > 0)
        observe({
          kind: 'usage.not_written',
          rows: 0,
          dropped: lost,
          cause: new KnownError('the service ends'),
        });
    },
  };
}

/** As many rows as fit into one write. */
function firstRows(rows: readonly string[]): readonly string[] {
  let bytes = 0;
  const end = rows.findIndex((row) => (bytes += Buffer.byteLength(row)) > WRITE_BYTES);
  return end === -1 ? rows : rows.slice(0, Math.max(1, end));
}

/** Undefined for what is not recorded. */
function rowFor(observation: Observation, isCounted: UsageOptions['isCounted']): Finished | undefined {
  if (observation.kind === 'request.finished') return isCounted(observation) ? observation : undefined;
  if (observation.kind !== 'shadow.compared') return undefined;
  return WRITTEN.has(observation.outcome) ? shadowRow(observation) : undefined;
}

/** Outcomes of comparisons that are rows of their own. */
const WRITTEN: ReadonlySet<ShadowCompared['outcome']> = new Set(['different', 'failed']);

/** A comparison of versions as a row: it is no call, so it has no key and no status. */
function shadowRow({
  requestId,
  endpoint,
  version,
  revision,
  outcome,
  differences,
  ms,
}: ShadowCompared): Finished {
  const failed = [{ column: undefined, difference: 'failed', rows: 0 }] as const;
  return {
    kind: 'request.finished',
    requestId,
    method: 'SHADOW',
    route: 'shadow',
    endpoint,
    version,
    revision,
    principal: undefined,
    status: 0,
    bytes: 0,
    ms,
    shadow: outcome === 'failed' ? failed : differences,
  };
}

function rowOf(request: Finished, epoch: number): string {
  const row: Record<string, unknown> = {};
  for (const { name, value } of CALL_COLUMNS) row[name] = value(request, epoch);
  // JSON.stringify escapes unpaired surrogates, which the engine does not read.
  return `${JSON.stringify(row).replaceAll(/\\ud[89a-f][0-9a-f]{2}/g, '\\ufffd')}\n`;
}
