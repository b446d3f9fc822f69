// Every event the service reports, as one union. Modules emit observations; only `service/observe/` logs and counts them.
import type { Finding } from './finding.ts';
import type { LoggedError, ProblemCode } from './problem.ts';

/** Duration of each stage of a request, in milliseconds. */
export interface StageTimes {
  readonly auth: number;
  readonly plan: number;
  readonly queue: number;
  readonly engine: number;
  readonly redact: number;
  readonly encode: number;
}

/** Rows and bytes that a statement had read when its response began, as reported by the server. */
export interface ReadSummary {
  readonly rows: number;
  readonly bytes: number;
}

/** The age of the data of a response when it is sent. */
export interface DataAge {
  /** The newest time, in milliseconds since 1970; undefined: no row has one. */
  readonly newest: number | undefined;
  readonly seconds: number | undefined;
  readonly isStale: boolean;
}

/**
 * A request's position in a trace (https://www.w3.org/TR/trace-context/). Ids are lowercase hexadecimal: 32 digits for
 * the trace, 16 for a span.
 */
export interface TraceContext {
  readonly traceId: string;
  /** The span sent to the engine as the parent of its work. */
  readonly spanId: string;
  /** The caller's span; undefined if the trace starts here or no spans are exported. */
  readonly parentId: string | undefined;
  readonly isSampled: boolean;
}

/** What differs in a column: `missing` from the new version, `added` by it, `moved` among the columns, or its type, NULLs or values. */
export type ColumnDifference = 'missing' | 'added' | 'moved' | 'type' | 'null' | 'value';

/** A difference of results; never has values. */
export interface Difference {
  /** A column; undefined for the result as a whole. */
  readonly column: string | undefined;
  /** `rows`: another number of rows; `order`: the same rows in another order; `failed`: no rows. */
  readonly difference: ColumnDifference | 'rows' | 'order' | 'failed';
  /** Number of rows that differ so. */
  readonly rows: number;
}

/** A call of a version after which the next version ran too, or would have. */
export interface ShadowCompared {
  readonly kind: 'shadow.compared';
  readonly requestId: string;
  readonly endpoint: string;
  /** The version that is tried. */
  readonly version: number;
  readonly revision: string;
  /**
   * `unstable`: the version before differs from itself. `failed`: only the version that is tried fails. `dropped`: the
   * service was busy, or the result is too large to compare.
   */
  readonly outcome: 'equal' | 'different' | 'unstable' | 'failed' | 'dropped';
  /** Empty unless different. */
  readonly differences: readonly Difference[];
  readonly ms: number;
}

/** A call that read a rollup was repeated over the rows. */
export interface RollupVerified {
  readonly kind: 'rollup.verified';
  readonly requestId: string;
  readonly endpoint: string;
  readonly rollup: string;
  /** `unstable`: rows arrived meanwhile, or a LIMIT may return any of several rows. `dropped`: the engine was not idle. */
  readonly outcome: 'equal' | 'different' | 'unstable' | 'failed' | 'dropped';
  readonly ms: number;
}

export type Observation =
  | RollupVerified
  | {
      readonly kind: 'service.started';
      readonly address: string;
      readonly admin: string;
      /** The ClickHouse interface's own listener, if it has one. */
      readonly clickhouse?: string | undefined;
      /** The own listener of Tinybird's API, if it has one. */
      readonly tinybird?: string | undefined;
      readonly engine: 'embedded' | 'http';
    }
  /** `code` is -1 if the worker was ended by a signal. */
  | {
      readonly kind: 'service.worker_lost';
      readonly pid: number;
      readonly code: number;
      /** The signal that ended it, if one did. */
      readonly signal?: string;
    }
  /** A warning of Node.js or of a library. */
  | { readonly kind: 'process.warning'; readonly cause: unknown }
  /** An error that nothing caught; the process ends. */
  | { readonly kind: 'process.failed'; readonly cause: unknown }
  | { readonly kind: 'service.stopping'; readonly reason: string }
  | { readonly kind: 'service.stopped'; readonly ms: number }
  | {
      readonly kind: 'catalog.loaded';
      readonly endpoints: number;
      readonly changed: number;
      /** Warnings, and findings in files whose latest version is not being served. */
      readonly findings: number;
      readonly ms: number;
    }
  | { readonly kind: 'catalog.rejected'; readonly diagnostics: readonly Finding[] }
  | { readonly kind: 'catalog.failed'; readonly cause: unknown }
  /** Days of a rollup were filled again from the rows of its source. */
  | { readonly kind: 'rollup.filled'; readonly rollup: string; readonly days: number; readonly rows: number }
  /** Days of a rollup differ from their rows, which are read instead. */
  | { readonly kind: 'rollup.unequal'; readonly rollup: string; readonly days: readonly string[] }
  | { readonly kind: 'rollup.rejected'; readonly diagnostics: readonly Finding[] }
  | { readonly kind: 'rollup.failed'; readonly rollup: string; readonly cause: unknown }
  /** A rollup that is known to be wrong is not used in this process, and in others if the state could be written. */
  | { readonly kind: 'rollup.distrusted'; readonly rollup: string; readonly isWritten: boolean }
  /** A query could not be routed, by a fault of the service: it reads rows. */
  | { readonly kind: 'rollup.not_routed'; readonly cause: unknown }
  | { readonly kind: 'sandbox.checked'; readonly attacks: number; readonly known: readonly string[] }
  | { readonly kind: 'sandbox.switched_off'; readonly open: readonly string[] }
  /** The self-test has not run yet, since the engine is unavailable: consumer queries are disabled until it has. */
  | { readonly kind: 'sandbox.not_checked'; readonly cause: unknown }
  /** The data directory may be readable by other users of the machine. */
  | { readonly kind: 'data.folder_open'; readonly reason: string }
  /** The embedded engine has set parts aside, whose rows no query returns. */
  | {
      readonly kind: 'data.parts_broken';
      readonly parts: number;
      readonly tables: readonly {
        readonly table: string;
        readonly parts: number;
        /** Of the first parts. */
        readonly names: readonly string[];
        readonly reasons: readonly string[];
      }[];
    }
  /** There are data of these tables, but no definitions. */
  | { readonly kind: 'data.tables_missing'; readonly tables: readonly string[] }
  | { readonly kind: 'data.not_checked'; readonly cause: unknown }
  | { readonly kind: 'tokens.loaded'; readonly tokens: number }
  | { readonly kind: 'tokens.rejected'; readonly diagnostics: readonly Finding[] }
  /** Keys that are not locked to a tenant, each reported once. */
  | { readonly kind: 'tokens.not_locked'; readonly diagnostics: readonly Finding[] }
  | { readonly kind: 'tokens.jwks_failed'; readonly cause: unknown }
  | { readonly kind: 'tokens.use_not_stored'; readonly cause: unknown }
  | {
      readonly kind: 'request.finished';
      readonly requestId: string;
      readonly method: string;
      readonly route: string;
      /** This and the next fields are undefined if the request ended before they were known. */
      readonly endpoint: string | undefined;
      readonly revision: string | undefined;
      /** The number of the version, if the endpoint has versions. */
      readonly version?: number | undefined;
      /** The endpoint, or this version, is deprecated. */
      readonly deprecated?: true | undefined;
      readonly principal: string | undefined;
      /** The usage of the key counts the request by this; in no output. */
      readonly usageId?: string | undefined;
      readonly labels?: Readonly<Record<string, string>> | undefined;
      readonly status: number;
      readonly code?: ProblemCode | undefined;
      /** Line and column of the first error in the caller's query, as `3:14`. */
      readonly position?: string | undefined;
      readonly rows?: number | undefined;
      /** How the cache handled the request. */
      readonly cache?: string | undefined;
      /** What was known about the data of the cached response, with `until: data`. */
      readonly data?: string | undefined;
      /** How old the data of the response is, if the endpoint declares it. */
      readonly dataAge?: DataAge | undefined;
      readonly bytes: number;
      readonly ms: number;
      /** Set only if a query was executed for this request. */
      readonly timing?: StageTimes | undefined;
      readonly read?: ReadSummary | undefined;
      /** It is true if the caller may know what was read; in no output. */
      readonly isReadShown?: boolean | undefined;
      /** The client program of a ClickHouse interface request: one of a closed list. */
      readonly clientName?: string | undefined;
      /** The caller's IP address. */
      readonly client?: string | undefined;
      readonly trace?: TraceContext | undefined;
      readonly cause?: unknown;
      /** In rows of the table of calls only: differences between versions, which are not those of a request. */
      readonly shadow?: readonly Difference[] | undefined;
    }
  | {
      /** A response was cut off because its client read too slowly, or too many clients did at once. */
      readonly kind: 'response.cut_off';
      readonly reason: 'slow' | 'full';
      readonly bytes: number;
    }
  | { readonly kind: 'cache.remote_lost'; readonly cause: unknown }
  | { readonly kind: 'cache.remote_restored'; readonly ms: number }
  | { readonly kind: 'cache.corrupt_entry'; readonly key: string; readonly reason: string }
  /** The shared cache has no key configured, so one was derived from the other secrets. */
  | { readonly kind: 'cache.key_derived'; readonly reason: string }
  | { readonly kind: 'cache.write_rejected'; readonly cause: unknown }
  | { readonly kind: 'cache.entry_too_large'; readonly key: string; readonly bytes: number }
  | { readonly kind: 'cache.refresh_failed'; readonly key: string; readonly cause: unknown }
  /** The fingerprint of tables was read, for a cache policy with `until: data`. */
  | { readonly kind: 'cache.checked'; readonly endpoint: string; readonly ms: number }
  | {
      readonly kind: 'cache.check_failed';
      readonly endpoint: string;
      readonly cause: unknown;
      /** The SQL that gives the service the privilege it lacks. */
      readonly fix?: string | undefined;
    }
  /** Responses of the endpoint are cached for `check` only: its data cannot be watched. */
  | { readonly kind: 'cache.unwatched'; readonly endpoint: string; readonly reasons: readonly string[] }
  | { readonly kind: 'warming.refreshed'; readonly endpoint: string; readonly ms: number }
  | { readonly kind: 'warming.adopted'; readonly endpoint: string }
  /** Not recomputed: its data is unchanged. */
  | { readonly kind: 'warming.unchanged'; readonly endpoint: string }
  | { readonly kind: 'warming.saved'; readonly endpoint: string }
  | {
      readonly kind: 'warming.failed';
      readonly endpoint: string;
      /** Consecutive failures. */
      readonly failures: number;
      readonly cause: unknown;
    }
  | {
      readonly kind: 'warming.dropped';
      readonly endpoint: string;
      readonly reason: 'unasked' | 'full' | 'forgotten';
    }
  | ShadowCompared
  /** A stream of a live call has ended. */
  | {
      readonly kind: 'live.ended';
      readonly requestId: string;
      readonly endpoint: string;
      readonly principal: string;
      /**
       * `client`: it closed the connection. `key`: it may not call the endpoint any more. `endpoint`: the endpoint was removed.
       * `slow`, `full`: it read too slowly, or too many did.
       */
      readonly reason: 'client' | 'key' | 'endpoint' | 'error' | 'slow' | 'full' | 'shutdown';
      readonly events: number;
      /** States that were left out because a newer one came before they were sent. */
      readonly coalesced: number;
      readonly bytes: number;
      readonly ms: number;
    }
  /** A question that is followed was asked again, because its data had changed, or since that cannot be known. */
  | {
      readonly kind: 'live.ran';
      readonly endpoint: string;
      readonly outcome: 'changed' | 'unchanged';
      readonly ms: number;
    }
  | {
      readonly kind: 'live.failed';
      readonly endpoint: string;
      readonly code: ProblemCode;
      readonly cause: unknown;
    }
  /** A question runs at every check: changes of its data cannot be seen. */
  | { readonly kind: 'live.unwatched'; readonly endpoint: string; readonly reasons: readonly string[] }
  /** A watch was due. `reason`: why the look failed, a code of a problem or of the condition. */
  | ({ readonly kind: 'watch.looked'; readonly ms: number; readonly reason?: string } & WatchLook)
  | { readonly kind: 'watch.changed'; readonly watch: string; readonly event: string }
  | ({ readonly kind: 'watch.notified'; readonly ms: number } & WatchAttempt)
  | ({
      readonly kind: 'watch.not_notified';
      readonly isDead: boolean;
      readonly cause: unknown;
    } & WatchAttempt)
  | { readonly kind: 'watch.not_stored'; readonly cause: unknown }
  | { readonly kind: 'usage.written'; readonly rows: number; readonly dropped: number }
  | {
      /** The rows stay buffered, as far as the buffer allows, and are retried later. */
      readonly kind: 'usage.not_written';
      readonly rows: number;
      readonly dropped: number;
      readonly cause: unknown;
    }
  | {
      /**
       * `overdue`: killed because a statement in it could not be cancelled. `unresponsive`: killed because it stopped
       * responding. `rules`: killed because a statement did not end in time for new access rules; it runs again.
       */
      readonly kind: 'engine.process_ended';
      readonly reason: 'overdue' | 'unresponsive' | 'rules' | 'exited';
      readonly code: number | null;
      readonly signal: string | null;
    }
  | {
      /** A process of the embedded engine was started. */
      readonly kind: 'engine.confined';
      readonly mode: 'required' | 'preferred' | 'off';
      /** It is true if its statements may open connections. */
      readonly network: boolean;
      /** Each with the reason if it is not in force; none if `mode` is `off`. */
      readonly layers: readonly { readonly name: string; readonly missing?: string | undefined }[];
    }
  /** The engine's process has written to standard error; `text` only before it ran statements, which it may quote. */
  | { readonly kind: 'engine.output'; readonly bytes: number; readonly text?: string }
  /** What a command says while it starts to serve. */
  | { readonly kind: 'service.note'; readonly text: string }
  | { readonly kind: 'engine.process_restarted'; readonly ms: number }
  | { readonly kind: 'engine.process_not_started'; readonly cause: unknown }
  | {
      /** The embedded engine opened its data again because consumer statements may read something else. */
      readonly kind: 'engine.access_changed';
      readonly tables: number;
      /** Tables with a row filter. */
      readonly filtered: number;
      /** Milliseconds for which statements waited. */
      readonly ms: number;
    }
  | {
      readonly kind: 'engine.statement_fatal';
      readonly origin: 'saved' | 'consumer';
      readonly fatality: 'overdue' | 'crash' | 'suspected';
      /**
       * Request, endpoint and revision, as sent to a server in `log_comment`; undefined for statements outside a
       * request.
       */
      readonly comment?: string | undefined;
    }
  | {
      /** Rows of a consumer query over redacted tables still had what detectors find. */
      readonly kind: 'redaction.found_in_rows';
      readonly endpoint: string;
      /** Matches by detector. */
      readonly detectors: Readonly<Record<string, number>>;
    }
  | {
      /** What a run has cost so far was counted against budgets. */
      readonly kind: 'budget.spent';
      readonly endpoint: string;
      /** Names of the budgets, such as `key-read`. */
      readonly policies: readonly string[];
      /** Bytes. */
      readonly read: number;
      /** Milliseconds of the engine. */
      readonly time: number;
    }
  /** A run was not started. */
  | { readonly kind: 'budget.exceeded'; readonly endpoint: string; readonly policy: string }
  /** An export ended, this long after it was asked for; `code` says why it failed. */
  | ({ readonly kind: 'export.ended'; readonly code: string | undefined; readonly cause: unknown } & Readonly<
      Record<'id' | 'endpoint' | 'principal' | 'format' | 'place' | 'state', string> &
        Record<'rows' | 'bytes' | 'ms', number>
    >)
  /** The state of an export cannot be written to the disk. */
  | { readonly kind: 'export.not_kept'; readonly cause: unknown }
  | {
      readonly kind: 'query.suspended';
      readonly endpoint: string;
      readonly principal: string;
      /** Only this query, or all consumer queries of the key. */
      readonly scope: 'query' | 'key';
    }
  | { readonly kind: 'engine.connection_dropped'; readonly reason: string }
  | { readonly kind: 'engine.host_lost'; readonly host: string; readonly cause: unknown }
  | { readonly kind: 'engine.host_restored'; readonly host: string; readonly ms: number }
  | { readonly kind: 'engine.kill_failed'; readonly cause: unknown };

type WatchLook = { readonly watch: string; readonly outcome: 'ran' | 'unchanged' | 'failed' };
type WatchAttempt = Record<'watch' | 'channel' | 'event' | 'id', string> & Record<'attempts', number>;

export type Finished = Extract<Observation, { kind: 'request.finished' }>;

/** A request that was a call of an endpoint. */
export type FinishedCall = Finished & { readonly endpoint: string };

export type Observe = (observation: Observation) => void;

/** Receives the observations of a run that has no log. */
export const unobserved: Observe = () => undefined;

/** An error whose message has only constants, and names that the operator has chosen. */
export class KnownError extends Error implements LoggedError {
  get logged(): string {
    return this.message;
  }
}

/** A package that is an optional dependency, and is needed, is not installed. The message says what for. */
export class MissingPackageError extends KnownError {}
