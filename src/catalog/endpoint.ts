// A compiled endpoint: everything its file defines, resolved.
import type {
  EndpointFile,
  Example,
  Parameter,
  Sandbox as SandboxOptions,
} from '../config/generated/endpoint.ts';
import type { Rate } from '../config/rate.ts';
import type { Limits } from '../engine/engine.ts';
import type { Binder } from '../params/binder.ts';
import type { RedactionPolicy } from '../redact/demand.ts';
import type { Outline } from '../sql/outline.ts';
import type { SampleValues } from './samples.ts';

/** Compiled and frozen. Not verified: that the engine has the tables and columns that the query names. */
export interface Endpoint {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly file: string;
  /** Changes exactly when a result can change; 12 hexadecimal digits. */
  readonly revision: string;
  readonly parameters: Readonly<Record<string, Parameter>>;
  /** The parameter that separates tenants; undefined: none is declared. */
  readonly tenant: string | undefined;
  readonly binder: Binder;
  /** Values to describe the query with, computed on each call; the likeliest to be accepted first. */
  readonly samples: () => readonly SampleValues[];
  /** The saved query with typed placeholders; anything after its last token is removed. */
  readonly query: string;
  /** The query as sent, limited to one row more than the maximum so that truncation is detected. */
  readonly statement: string;
  readonly outline: Outline;
  readonly maxRows: number;
  readonly int64: 'number' | 'string';
  /** Of responses whose key and request choose none. */
  readonly resultShape: ResultShape;
  readonly limits: Limits;
  /** Undefined: no caching. Seconds. */
  readonly cache: CachePolicy | undefined;
  readonly sandbox: SandboxPolicy;
  readonly redaction: RedactionPolicy;
  /** Undefined: no limit except the engine's. */
  readonly concurrency: { readonly places: number; readonly waiting: number } | undefined;
  /** Rate limit per key; undefined: none for this endpoint. */
  readonly rate: Rate | undefined;
  readonly labels: readonly Label[];
  readonly reservation: ReservationPolicy;
  /** Undefined: the endpoint is no tool for agents. */
  readonly mcp: McpPolicy | undefined;
  /** Examples shown to consumers and kept warm; test-only examples are excluded. */
  readonly examples: readonly Example[];
}

/** Shapes of rows in JSON and NDJSON, as listed in the schema of endpoint files. */
export type ResultShape = NonNullable<EndpointFile['result_shape']>;

/** All in seconds. */
export interface CachePolicy {
  readonly ttl: number;
  /** A response is fresh while its data is unchanged, which is checked this often; undefined: for `ttl`. */
  readonly check: number | undefined;
  readonly minRefresh: number;
  readonly staleWhileRevalidate: number;
  readonly staleIfError: number;
  /** Undefined: responses are not refreshed in the background. */
  readonly warmEvery: number | undefined;
  readonly warmExamples: boolean;
}

/** A label that calls may carry, and the source of its value. */
export interface Label {
  readonly name: string;
  readonly from:
    | { readonly kind: 'text'; readonly text: string }
    | { readonly kind: 'parameter'; readonly name: string }
    | { readonly kind: 'header' };
}

/** Which ClickHouse workloads the endpoint's queries may use. */
export interface ReservationPolicy {
  readonly enabled: boolean;
  /** ClickHouse workloads that a caller may request. */
  readonly workloads: readonly string[];
  /** The workload that cache warming runs in. */
  readonly warming: string | undefined;
}

/** The endpoint as a tool for agents. */
export interface McpPolicy {
  /** As the file sets it; undefined: derived from the name of the endpoint (`tool-names.ts`). */
  readonly name: string | undefined;
  readonly description: string;
  /** Follows the description; undefined: none. */
  readonly hint: string | undefined;
  /** Of an answer; not more than those of the endpoint. */
  readonly maxRows: number;
}

/** Dialects of consumer SQL, as listed in the schema of endpoint files. */
export type Dialect = NonNullable<SandboxOptions['dialects']>[number];

/** Which consumer queries the endpoint accepts. */
export interface SandboxPolicy {
  readonly enabled: boolean;
  readonly languages: ReadonlySet<'sql' | 'lql'>;
  /** Dialects that SQL may be written in, in the order they are tried. */
  readonly dialects: readonly Dialect[];
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}
