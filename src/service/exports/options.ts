// What exports are opened with.
import type { After } from '../../sql/base/clock.ts';
import type { Observe } from '../../sql/base/observation.ts';
import type { RequestPath } from '../request/answer.ts';
import type { ExportLimits } from './plan-export.ts';
import type { ObjectStore } from './object-store.ts';
import type { ExportStore } from './store.ts';

export interface ExportsOptions extends ExportLimits {
  readonly path: RequestPath;
  readonly store: ExportStore;
  /** Undefined: exports are kept in the data folder only. */
  readonly objects: ObjectStore | undefined;
  /** Exports that run at once. */
  readonly places: number;
  /** Bytes of all results, whole or not. */
  readonly disk: number;
  readonly after: After;
  readonly observe: Observe;
}
