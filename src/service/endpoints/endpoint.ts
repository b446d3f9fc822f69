// A compiled endpoint: everything its file defines, resolved.
import type { Selection } from '../../sql/clickhouse/expand.ts';
import type { Budget } from '../config/budget.ts';
import type {
  EndpointFile,
  Example,
  Export as ExportFile,
  Sandbox as SandboxOptions,
} from '../config/generated/endpoint.ts';
import type { Rate } from '../config/rate.ts';
import type { Limits } from '../engine/engine.ts';
import type { Binder, Bindings } from '../params/binder.ts';
import type { DeclaredParameter } from '../params/declared.ts';
import type { RedactionPolicy } from '../../guard/redact/demand.ts';
import type { Outline } from '../../sql/clickhouse/outline.ts';
import type { SampleValues } from './samples.ts';
import type { WatchPolicy } from './watches.ts';

/** Compiled and frozen. Not verified: that the engine has the tables and columns that the query names. */
export interface Endpoint {
  readonly id: string;
  readonly name: string;
  /** Undefined: the name has one endpoint. */
  readonly version: number | undefined;
  /** It is true if the file makes it the default version; without one, that is the newest (`Catalog.find`). */
  readonly isDefault: boolean;
  /** Undefined: not deprecated. */
  readonly deprecated: Deprecation | undefined;
  /** Undefined: not tried beside the version before it. */
  readonly rollout: Rollout | undefined;
  readonly description: string;
  readonly file: string;
  /** Changes exactly when a result can change; 12 hexadecimal digits. */
  readonly revision: string;
  readonly parameters: Readonly<Record<string, DeclaredParameter>>;
  /** The parameter that separates tenants; undefined: none is declared. */
  readonly tenant: string | undefined;
  readonly binder: Binder;
  /** Values to describe the query with, computed on each call; the likeliest to be accepted first. */
  readonly samples: () => readonly SampleValues[];
  /** The name of the variant of the query; '' if there is only one. */
  readonly variant: string;
  /**
   * The endpoint with the variant of the query that these parameters choose. A query has variants if it has choices or optional
   * parts; the endpoint of the catalog is the one of a call without optional parameters. Throws Problem `endpoint.failed` if a
   * combination that was not analysed cannot be parsed.
   */
  readonly variantOf: (bindings: Pick<Bindings, 'values'>) => Endpoint;
  /** The endpoint with the variant of a selection. Throws as `variantOf` does. */
  readonly variantAt: (selection: Selection) => Endpoint;
  /** All variants that are analysed: each combination if they are few, otherwise all pairs; this endpoint is the first one. */
  readonly variants: () => readonly Endpoint[];
  /** It is true if `variants` has every combination that calls can choose, and not only pairs; of several choices at once, it has each alone, and all of them. */
  readonly hasEveryVariant: boolean;
  /** The saved query with typed placeholders; anything after its last token is removed. */
  readonly query: string;
  /** The query as sent, limited to one row more than the maximum so that truncation is detected. */
  readonly statement: string;
  /** The query as sent, without a limit. */
  readonly unlimited: string;
  readonly outline: Outline;
  /** Undefined: responses have no pages. */
  readonly page: PagePolicy | undefined;
  readonly maxRows: number;
  readonly int64: 'number' | 'string';
  /** Of responses whose key and request choose none. */
  readonly resultShape: ResultShape;
  readonly limits: Limits;
  /** Undefined: no caching. Seconds. */
  readonly cache: CachePolicy | undefined;
  /** Undefined: no live calls. */
  readonly live: LivePolicy | undefined;
  /** Undefined: no exports. */
  readonly export: ExportPolicy | undefined;
  /** Undefined: responses do not say how old their data is. */
  readonly fresh: FreshPolicy | undefined;
  readonly watches: readonly WatchPolicy[];
  readonly sandbox: SandboxPolicy;
  readonly redaction: RedactionPolicy;
  /** Undefined: no limit except the engine's. */
  readonly concurrency: { readonly places: number; readonly waiting: number } | undefined;
  /** Rate limit per key; undefined: none for this endpoint. */
  readonly rate: Rate | undefined;
  /** Allowances per key for this endpoint. */
  readonly budgets: readonly Budget[];
  readonly labels: readonly Label[];
  readonly reservation: ReservationPolicy;
  /** It is true if its queries read rollups in place of rows, where the response is the same. */
  readonly readsRollups: boolean;
  /** It is the share of calls over rollups that also run over the rows, from 0 to 1. */
  readonly verifiesRollups: number;
  /** Undefined: the endpoint is no tool for agents. */
  readonly mcp: McpPolicy | undefined;
  /** Tables that the explorer shows as logs; undefined: it infers them. */
  readonly logViews: readonly LogViewPolicy[] | undefined;
  /** Examples shown to consumers and kept warm; test-only examples are excluded. */
  readonly examples: readonly Example[];
}

/** Checks of a whole folder need to know this of each endpoint in it; a cache of these checks remembers no more. */
export interface EndpointHead extends Pick<
  Endpoint,
  'id' | 'name' | 'version' | 'isDefault' | 'deprecated' | 'rollout' | 'file' | 'tenant' | 'rate' | 'budgets'
> {
  /** In a cache, it is empty if no column is redacted by name. */
  readonly query: string;
  readonly redaction: Pick<RedactionPolicy, 'columns'>;
  /** By name. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly binder: Pick<Binder, 'takesLocks'>;
  readonly sandbox: Pick<SandboxPolicy, 'enabled' | 'languages'>;
  readonly mcp: Pick<McpPolicy, 'name'> | undefined;
  /** The tables of its WITH clause. */
  readonly outline: { readonly elements: readonly { readonly name: string }[] };
}

/** A table of log rows. Paths are written as in LQL, with `metadata.` in full. */
export interface LogViewPolicy {
  readonly table: string;
  readonly time: string;
  readonly message: string | undefined;
  readonly level: string | undefined;
  readonly columns: readonly string[];
  readonly facets: readonly string[];
  /** The parameters that bound the times of the rows. */
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** Since when not to use it, until when it is served, and what to use instead. Times are milliseconds since 1970. */
export interface Deprecation {
  readonly since: number;
  readonly sunset: number | undefined;
  /** A name, or a name and version; undefined: the default version, if it is another one. */
  readonly successor: string | undefined;
  readonly reason: string | undefined;
}

/** A version that is compared with the one before it. */
export interface Rollout {
  /** Of the calls of the version before, from 0 to 1. */
  readonly share: number;
  /** Relative difference up to which floating-point numbers are equal. */
  readonly tolerance: number;
}

/** Shapes of rows in JSON and NDJSON, as listed in the schema of endpoint files. */
export type ResultShape = NonNullable<EndpointFile['result_shape']>;

/** How rows are divided into pages. */
export interface PagePolicy {
  /** Columns of the result that order the rows. */
  readonly keys: readonly { readonly name: string; readonly descending: boolean }[];
  /** Rows per page by default and at most. */
  readonly size: number;
  readonly max: number;
  /** The key that cursors are encrypted with; the same in all processes with this file. */
  readonly secret: Buffer;
}

/** All in seconds. */
export interface CachePolicy {
  readonly ttl: number;
  /** A response is fresh while its data is unchanged, which is checked this often; undefined: for `ttl`. */
  readonly check: number | undefined;
  readonly minRefresh: number;
  readonly staleWhileRevalidate: number;
  readonly staleIfError: number;
  /** It is true if shared caches may store responses that are the same for every key. */
  readonly isPublic: boolean;
  /** Undefined: responses are not refreshed in the background. */
  readonly warmEvery: number | undefined;
  readonly warmExamples: boolean;
}

/** How live calls follow the result. */
export interface LivePolicy {
  /** Seconds between checks. */
  readonly every: number;
  /** Columns that identify a row, for events with new rows only; undefined: events have whole results. */
  readonly key: readonly string[] | undefined;
}

export type ExportFormat = NonNullable<ExportFile['formats']>[number];
export type ExportPlace = NonNullable<ExportFile['to']>[number];

/** Whole results as files. */
export interface ExportPolicy {
  readonly maxRows: number;
  readonly formats: readonly ExportFormat[];
  readonly places: readonly ExportPlace[];
  /** Seconds. */
  readonly keep: number;
  readonly perKey: number;
}

/** How old the data of a response may be. */
export interface FreshPolicy {
  /** A column of the result, whose newest time is that of the data. */
  readonly column: string;
  /** Seconds. */
  readonly within: number;
  /** A stale response is marked, or the call fails. */
  readonly otherwise: 'mark' | 'error';
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

export type Versioned = Pick<Endpoint, 'name' | 'version'>;

/** Returns the name that identifies an endpoint among all; a version has its number, as `name@2`. */
export function referenceOf({ name, version }: Versioned): string {
  return version === undefined ? name : `${name}@${version}`;
}
