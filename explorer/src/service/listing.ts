// The response of GET /api/endpoints, as far as the explorer uses it.
import type { Dialect } from './dialects.ts';
import type { Json } from './json.ts';

export interface Parameter {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly description?: string;
  readonly default?: Json;
  readonly enum?: readonly (string | number | boolean)[];
  /** It is true if several values of the enum may be sent, each once. */
  readonly multiple?: boolean;
  readonly min?: number | string;
  readonly max?: number | string;
  /** Its value is fixed by the key. */
  readonly locked?: boolean;
}

export interface Column {
  readonly name: string;
  readonly type: string;
  /** For a JSON column: its typed paths. */
  readonly paths?: readonly Column[];
  /** In every response to this key: the value is replaced, hashed, left out, or parts of it are. */
  readonly redacted?: 'mask' | 'hash' | 'drop' | 'parts';
  /** Of a table: not with all parameters, or not with this type. */
  readonly conditional?: true;
}

/** A column of the result. */
export interface ResultColumn extends Column {
  /** The TypeScript type of its values in JSON. */
  /** Undefined: no response has it. */
  readonly typescript?: string;
}

export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  /** Not with all parameters. */
  readonly conditional?: true;
}

export type Language = 'sql' | 'lql';

export interface Sandbox {
  readonly languages: readonly Language[];
  readonly dialects: readonly Dialect[];
  readonly default_table: string | null;
  readonly tables: readonly Table[] | null;
  /** Names by family. */
  readonly functions: Readonly<Record<string, readonly string[]>>;
}

export interface Example {
  readonly name: string;
  readonly parameters?: { readonly [name: string]: Json };
  readonly sql?: string;
  readonly lql?: string;
}

/** A version of an endpoint; its name is the one that calls name, such as `usage.daily@2`. */
export interface Version {
  readonly version: number;
  readonly name: string;
}

export interface Deprecation {
  readonly since: string;
  readonly sunset: string | null;
  /** The name of the endpoint to call instead. */
  readonly successor: string | null;
  readonly reason: string | null;
}

/** A table of log rows, as the endpoint file declares it. Paths are written as in LQL. */
export interface DeclaredLogs {
  readonly table: string;
  readonly time: string;
  readonly message: string | null;
  readonly level: string | null;
  readonly columns: readonly string[];
  readonly facets: readonly string[];
  /** Names of the parameters that bound the times of the rows. */
  readonly from: string | null;
  readonly to: string | null;
}

/** A view that a file of the repository shares; without the parameters that the key locks. */
export interface SharedView {
  readonly name: string;
  readonly description?: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly logs?: {
    readonly table?: string;
    readonly filter?: string;
    readonly range?: string;
    readonly columns?: readonly string[];
    readonly facets?: readonly string[];
  };
  readonly lql?: string;
  readonly sql?: string;
  readonly show?: 'table' | 'chart' | 'json' | 'code';
}

/** The exports of an endpoint: files of all rows. */
export interface ExportPolicy {
  readonly max_rows: number;
  readonly formats: readonly string[];
}

export interface Endpoint {
  readonly id: string;
  readonly name: string;
  readonly version: number | null;
  /** All that the key may call, the newest first; empty for an endpoint without versions. */
  readonly versions: readonly Version[];
  readonly deprecated: Deprecation | null;
  readonly description: string;
  /** Changes with the endpoint file. */
  readonly revision: string;
  readonly parameters: readonly Parameter[];
  /** The parameter that separates tenants. */
  readonly tenant: string | null;
  readonly columns: readonly ResultColumn[] | null;
  readonly max_rows: number;
  /** With `until`, a response is valid while its data is unchanged, which is checked every `check` seconds. */
  readonly cache: { readonly ttl: number; readonly until?: 'data'; readonly check?: number } | null;
  readonly warming: { readonly every: number } | null;
  readonly pii: { readonly redact: boolean };
  /** How the explorer shows it; undefined and null: not declared. */
  readonly view?: { readonly logs: readonly DeclaredLogs[] | null } | null;
  /** Undefined and null: results are not sent as they change. */
  readonly live?: { readonly every: number; readonly key: readonly string[] | null } | null;
  /** Undefined and null: responses do not come in pages. */
  readonly page?: { readonly by: readonly string[]; readonly size: number; readonly max: number } | null;
  readonly limits: {
    readonly time: number;
    /** `100/60s`. */
    readonly rate: string | null;
    /** Such as `200 GiB per day`; that of the endpoint for each key. */
    readonly budget: { readonly read?: string; readonly time?: string };
  };
  /** Undefined: it has no exports. */
  readonly export?: ExportPolicy;
  readonly examples: readonly Example[];
  readonly shared_views?: readonly SharedView[];
  readonly sandbox: ({ readonly enabled: true } & Sandbox) | { readonly enabled: false };
}

/** The languages allowed for consumer queries; undefined if the endpoint or the key allows none. */
export function sandboxOf({ sandbox }: Endpoint): Sandbox | undefined {
  return sandbox.enabled && sandbox.languages.length > 0 ? sandbox : undefined;
}

/** The service's response: endpoints refer to sets of functions by name. */
export interface ListingDocument {
  /** The engine is being asked about columns that are null here. */
  readonly incomplete?: true;
  readonly result: readonly (Omit<Endpoint, 'sandbox'> & {
    readonly sandbox:
      | ({ readonly enabled: true; readonly function_set: string } & Omit<Sandbox, 'functions'>)
      | { readonly enabled: false };
  })[];
  readonly function_sets: Readonly<Record<string, Pick<Sandbox, 'functions'>>>;
}

/** The endpoints with their functions. An endpoint equal to a previous one is the same object, so that views keep their state. */
export function readListing(
  { result, function_sets: sets }: ListingDocument,
  previous: readonly Endpoint[] = [],
): readonly Endpoint[] {
  const known = new Map(previous.map((endpoint) => [endpoint.id, endpoint]));
  return result.map((entry) => {
    const { sandbox } = entry;
    const functions = sandbox.enabled ? (sets[sandbox.function_set]?.functions ?? {}) : {};
    const endpoint: Endpoint = { ...entry, sandbox: sandbox.enabled ? { ...sandbox, functions } : sandbox };
    const before = known.get(endpoint.id);
    return before !== undefined && JSON.stringify(before) === JSON.stringify(endpoint) ? before : endpoint;
  });
}
