// The options that a service is opened with are declared here.
import type { Token } from '../config/generated/tokens.ts';
import type { Settings } from '../config/settings.ts';
import type { Relay } from '../observe/log.ts';
import type { Observe } from '../../sql/base/observation.ts';
import type { Engine } from '../engine/engine.ts';
import type { openObserving } from './observing.ts';

export interface ServiceOptions {
  readonly settings: Settings;
  readonly engine: Engine;
  /** Keys in addition to those of the tokens file. */
  readonly extraTokens: readonly Token[];
  readonly observe: Observe;
  /** Lines of the log that could not be written; default: none. */
  readonly droppedLines?: () => number;
  /** Development mode, see Parts; default: false. */
  readonly isDevelopment?: boolean;
  /** Relay for the engine's observations, so that metrics can count them once they exist. */
  readonly engineEvents?: Relay;
  /** Observers in addition to `observe`; default: metrics, traces and usage. */
  readonly openObserving?: typeof openObserving;
}
