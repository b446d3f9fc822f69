// What answers to statements are made with.
import type { Catalog } from '../../endpoints/catalog.ts';
import type { Describe } from '../../endpoints/describe.ts';
import type { After, Clock } from '../../../sql/base/clock.ts';
import type { Engine } from '../../engine/engine.ts';
import type { RequestPath } from '../../request/answer.ts';
import type { Sandboxes } from '../../request/consumer/sandboxes.ts';
import type { Suspensions } from '../../request/consumer/suspensions.ts';
import type { ColumnsOf } from './columns-of.ts';
import type { RunningQueries } from './running.ts';
import type { PlanVirtual } from './virtual/sandbox.ts';

export interface ClickHouseDeps {
  readonly path: RequestPath;
  readonly catalog: () => Catalog;
  readonly describe: Describe;
  readonly sandboxes: Pick<Sandboxes, 'of' | 'offBecause'>;
  readonly suspensions: Suspensions;
  readonly engine: Engine;
  readonly clock: Clock;
  readonly after: After;
  /** As `version()` returns it. */
  readonly version: string;
}

/** What answering needs besides the request. */
export interface Answering extends ClickHouseDeps {
  readonly running: RunningQueries;
  readonly planVirtual: PlanVirtual;
  readonly columnsOf: ColumnsOf;
  /** Milliseconds, monotonic. */
  readonly started: number;
}
