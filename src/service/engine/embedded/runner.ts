// Statements on the embedded engine run with these.
import type { Observe } from '../../../sql/base/observation.ts';
import type { Queue } from '../queue.ts';
import type { After } from '../../../sql/base/clock.ts';
import type { Access } from './access.ts';
import type { Streams } from './streams.ts';
import type { Supervisor } from './supervisor.ts';
import type { Work } from './work.ts';

export interface Runner {
  readonly queue: Queue;
  readonly supervisor: Supervisor;
  readonly observe: Observe;
  readonly after: After;
  readonly now: () => number;
  /** Statements past their time limit that have not ended yet. */
  readonly overdue: Set<Work>;
  readonly access: Access;
  /** Running statements that cannot be repeated. */
  readonly unrepeatable: Set<Work>;
  /** Streamed results that are being read. */
  readonly streams: Streams;
  /** Aborted to end all running statements. */
  readonly closing: AbortSignal;
}
