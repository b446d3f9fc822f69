// One endpoint as it is served: everything that its file decides, decided.
import type { Example, Parameter } from '../config/generated/endpoint.ts';
import type { Rate } from '../config/rate.ts';
import type { Limits } from '../engine/engine.ts';
import type { Binder } from '../params/binder.ts';
import type { RedactionPolicy } from '../redact/demand.ts';
import type { Outline } from '../sql/outline.ts';

/** Compiled and frozen. Not guaranteed: that the engine knows the tables and columns that the query names. */
export interface Endpoint {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly file: string;
  /** Changes with everything that can change an answer, and with nothing else; 12 hexadecimal digits. */
  readonly revision: string;
  readonly parameters: Readonly<Record<string, Parameter>>;
  readonly binder: Binder;
  /** Values that the query can be described with; they mean nothing. */
  readonly sampleValues: Readonly<Record<string, string | null>>;
  /** The saved query with typed placeholders; what follows its last token is gone. */
  readonly query: string;
  /** The query as it is sent: cut at one row more than the maximum, so that cutting is known. */
  readonly statement: string;
  readonly outline: Outline;
  readonly maxRows: number;
  readonly int64: 'number' | 'string';
  readonly limits: Limits;
  /** Undefined: answers are not kept. Seconds. */
  readonly cache: CachePolicy | undefined;
  readonly sandbox: SandboxPolicy;
  readonly redaction: RedactionPolicy;
  /** Undefined: as many runs at once as the engine takes. */
  readonly concurrency: { readonly places: number; readonly waiting: number } | undefined;
  /** What one key may ask; undefined: not limited here. */
  readonly rate: Rate | undefined;
  readonly labels: readonly Label[];
  readonly reservation: ReservationPolicy;
  /** Those that consumers are shown and that are kept warm; what is for tests alone is left out. */
  readonly examples: readonly Example[];
}

/** All in seconds. */
export interface CachePolicy {
  readonly ttl: number;
  readonly minRefresh: number;
  readonly staleWhileRevalidate: number;
  readonly staleIfError: number;
  /** Undefined: answers are not refreshed before they are asked for. */
  readonly warmEvery: number | undefined;
  readonly warmExamples: boolean;
}

/** A label that a call may carry, and where its value comes from. */
export interface Label {
  readonly name: string;
  readonly from:
    | { readonly kind: 'text'; readonly text: string }
    | { readonly kind: 'parameter'; readonly name: string }
    | { readonly kind: 'header' };
}

export interface ReservationPolicy {
  readonly enabled: boolean;
  /** ClickHouse workloads that a caller may name. */
  readonly workloads: readonly string[];
  /** The one that warming runs in. */
  readonly warming: string | undefined;
}

/** Of consumers' SQL. */
export type Dialect = 'clickhouse' | 'bigquery';

export interface SandboxPolicy {
  readonly enabled: boolean;
  readonly languages: ReadonlySet<'sql' | 'lql'>;
  /** What SQL may be written in, in the order in which a text is tried. */
  readonly dialects: readonly Dialect[];
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}
