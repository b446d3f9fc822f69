// The messages between the service and its engine process, sent over Node's IPC channel with structured cloning:
// https://nodejs.org/api/child_process.html#advanced-serialization. Results of calls take the result pipe.
import type { EngineFailure } from '../engine.ts';
import type { Layer } from './confinement/confinement.ts';
import type { CallResult } from './connection.ts';
import type { Profile } from './profile.ts';

export type EngineRequest =
  | { readonly kind: 'confinement' }
  | { readonly kind: 'open'; readonly profile: Profile }
  | { readonly kind: 'call'; readonly connection: number; readonly sql: string; readonly format: string }
  | { readonly kind: 'close'; readonly connection: number }
  | { readonly kind: 'memory' }
  | { readonly kind: 'processor' }
  | { readonly kind: 'end' };

/** The result of each kind of request. */
export interface EngineReplies {
  /** The layers of its confinement; none if it was not to be confined. */
  readonly confinement: readonly Layer[];
  /** The number that identifies the connection in later requests, and its `log_comment`. */
  readonly open: { readonly connection: number; readonly name: string };
  readonly call: CallResult;
  readonly close: undefined;
  /** Resident set size in bytes. */
  readonly memory: number;
  /** Processor time that the process has used, in seconds. */
  readonly processor: number;
  readonly end: undefined;
}

export interface EngineCall {
  readonly id: number;
  readonly request: EngineRequest;
}

/** An EngineError as plain data, because its class does not survive serialization. */
export interface SentError {
  readonly failure: EngineFailure;
  readonly message: string;
  readonly engineCode: number | undefined;
  readonly isForeign: boolean;
}

export type EngineReply =
  | { readonly id: number; readonly value: EngineReplies[keyof EngineReplies] }
  | { readonly id: number; readonly error: SentError };
