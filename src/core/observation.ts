// Everything worth telling about a run of the service, as one union. Nobody logs: rooms observe, `observe/` prints and counts.
import type { Diagnostic } from './diagnostic.ts';
import type { ProblemCode } from './problem.ts';

/** How long each stage of a request took, in milliseconds. */
export interface StageTimes {
  readonly auth: number;
  readonly plan: number;
  readonly queue: number;
  readonly engine: number;
  readonly redact: number;
  readonly encode: number;
}

/** What a statement had read of tables when its answer began, as a server tells. */
export interface ReadSummary {
  readonly rows: number;
  readonly bytes: number;
}

/**
 * A request's place in a trace (https://www.w3.org/TR/trace-context/). Ids are lower-case hexadecimal digits: 32 of the
 * trace, 16 of a span.
 */
export interface TraceContext {
  readonly traceId: string;
  /** What the engine is told to be caused by. */
  readonly spanId: string;
  /** The caller's span; undefined where the trace begins here, or spans are sent nowhere. */
  readonly parentId: string | undefined;
  readonly isSampled: boolean;
}

export type Observation =
  | {
      readonly kind: 'service.started';
      readonly address: string;
      readonly admin: string;
      readonly engine: 'embedded' | 'http';
    }
  /** `code` is -1 where a signal ended it. */
  | { readonly kind: 'service.worker_lost'; readonly pid: number; readonly code: number }
  | { readonly kind: 'service.stopping'; readonly reason: string }
  | { readonly kind: 'service.stopped'; readonly ms: number }
  | {
      readonly kind: 'catalog.loaded';
      readonly endpoints: number;
      readonly changed: number;
      /** Findings of files whose newest version is not in service, and warnings. */
      readonly findings: number;
      readonly ms: number;
    }
  | { readonly kind: 'catalog.rejected'; readonly diagnostics: readonly Diagnostic[] }
  | { readonly kind: 'catalog.failed'; readonly cause: unknown }
  | { readonly kind: 'sandbox.checked'; readonly attacks: number; readonly known: readonly string[] }
  | { readonly kind: 'sandbox.switched_off'; readonly open: readonly string[] }
  /** Other users of the machine may be able to read the rows. */
  | { readonly kind: 'data.folder_open'; readonly reason: string }
  | { readonly kind: 'tokens.loaded'; readonly tokens: number }
  | { readonly kind: 'tokens.rejected'; readonly diagnostics: readonly Diagnostic[] }
  | { readonly kind: 'tokens.jwks_failed'; readonly cause: unknown }
  | { readonly kind: 'tokens.use_not_kept'; readonly cause: unknown }
  | {
      readonly kind: 'request.finished';
      readonly requestId: string;
      readonly method: string;
      readonly route: string;
      /** Undefined, as what follows, where the request did not get so far. */
      readonly endpoint: string | undefined;
      readonly revision: string | undefined;
      readonly principal: string | undefined;
      readonly labels?: Readonly<Record<string, string>> | undefined;
      readonly status: number;
      readonly code?: ProblemCode | undefined;
      readonly rows?: number | undefined;
      /** How the answer came out of the cache. */
      readonly cache?: string | undefined;
      readonly bytes: number;
      readonly ms: number;
      /** Of an answer that was run for this request. */
      readonly timing?: StageTimes | undefined;
      readonly read?: ReadSummary | undefined;
      /** The caller's address. */
      readonly client?: string | undefined;
      readonly trace?: TraceContext | undefined;
      readonly cause?: unknown;
    }
  | {
      /** A caller took too long over an answer, or too many did at once. */
      readonly kind: 'reply.cut_off';
      readonly reason: 'slow' | 'full';
      readonly bytes: number;
    }
  | { readonly kind: 'cache.remote_lost'; readonly cause: unknown }
  | { readonly kind: 'cache.remote_restored'; readonly ms: number }
  | { readonly kind: 'cache.rubbish_found'; readonly key: string; readonly reason: string }
  /** A shared cache without a key of its own. */
  | { readonly kind: 'cache.key_derived'; readonly reason: string }
  | { readonly kind: 'cache.write_refused'; readonly cause: unknown }
  | { readonly kind: 'cache.entry_too_large'; readonly key: string; readonly bytes: number }
  | { readonly kind: 'cache.refresh_failed'; readonly key: string; readonly cause: unknown }
  | { readonly kind: 'warming.refreshed'; readonly endpoint: string; readonly ms: number }
  | { readonly kind: 'warming.adopted'; readonly endpoint: string }
  | { readonly kind: 'warming.saved'; readonly endpoint: string }
  | {
      readonly kind: 'warming.failed';
      readonly endpoint: string;
      /** How often in a row. */
      readonly failures: number;
      readonly cause: unknown;
    }
  | {
      readonly kind: 'warming.dropped';
      readonly endpoint: string;
      readonly reason: 'unasked' | 'full' | 'forgotten';
    }
  | { readonly kind: 'usage.written'; readonly rows: number; readonly dropped: number }
  | {
      /** They stay, to be written later, as far as there is room. */
      readonly kind: 'usage.not_written';
      readonly rows: number;
      readonly dropped: number;
      readonly cause: unknown;
    }
  | {
      /** `overdue`: killed, since a statement in it could not be ended. `unresponsive`: killed, since it did not answer. */
      readonly kind: 'engine.process_ended';
      readonly reason: 'overdue' | 'unresponsive' | 'exited';
      readonly code: number | null;
      readonly signal: string | null;
    }
  | { readonly kind: 'engine.process_restarted'; readonly ms: number }
  | { readonly kind: 'engine.process_not_started'; readonly cause: unknown }
  | {
      readonly kind: 'engine.statement_fatal';
      readonly origin: 'saved' | 'consumer';
      readonly fatality: 'overdue' | 'crash' | 'suspected';
      /** Request, endpoint and revision, as in a server's `log_comment`; undefined for statements of no request. */
      readonly comment?: string | undefined;
    }
  | {
      readonly kind: 'query.suspended';
      readonly endpoint: string;
      readonly principal: string;
      /** The query alone, or all consumer queries of the key. */
      readonly scope: 'query' | 'key';
    }
  | { readonly kind: 'engine.connection_dropped'; readonly reason: string }
  | { readonly kind: 'engine.host_lost'; readonly host: string; readonly cause: unknown }
  | { readonly kind: 'engine.host_restored'; readonly host: string; readonly ms: number }
  | { readonly kind: 'engine.kill_failed'; readonly cause: unknown };

export type Finished = Extract<Observation, { kind: 'request.finished' }>;

export type Observe = (observation: Observation) => void;

/** Observations passed on to a receiver that may change: the engine is open before all that observe it are. */
export interface Relay {
  readonly observe: Observe;
  to(receiver: Observe): void;
}

export function createRelay(first: Observe): Relay {
  let receiver = first;
  return {
    observe: (observation) => receiver(observation),
    to: (next) => {
      receiver = next;
    },
  };
}
