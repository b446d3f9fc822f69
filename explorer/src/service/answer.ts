// A response of an endpoint: its rows, and the metadata in its header fields.
import type { Body, Envelope } from './body.ts';
import type { Row } from './json.ts';
import type { Column } from './listing.ts';

export interface Stage {
  readonly name: string;
  readonly ms: number;
}

export interface Answer {
  readonly rows: readonly Row[];
  /** It has the members of the body besides rows and metadata. */
  readonly rest: Envelope;
  /** The unit is bytes of the body. */
  readonly size: number;
  /** The columns with their ClickHouse types; undefined if the service did not send them. */
  readonly columns: readonly Column[] | undefined;
  /** What the run read; undefined if the service does not say. */
  readonly read: { readonly rows: number; readonly bytes: number } | undefined;
  readonly truncated: boolean;
  /** The cursor of the next page; undefined if no more rows follow. */
  readonly next: string | undefined;
  readonly stages: readonly Stage[];
  readonly cache: Cache;
  /** Milliseconds from sending the request to receiving the complete response. */
  readonly ms: number;
  readonly requestId: string;
  /** The dialect that a consumer query was parsed as. */
  readonly dialect: string | undefined;
  /** How old the data is; undefined if the endpoint does not declare it. */
  readonly dataAge: DataAge | undefined;
  /** The revision of the endpoint that answered. */
  readonly revision: string | undefined;
}

export interface DataAge {
  /** Undefined: no row has a time. */
  readonly seconds: number | undefined;
  /** True if it is older than the endpoint allows. */
  readonly isStale: boolean;
}

/** Cache status; ages and times are seconds. */
export type Cache =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'hit';
      readonly age: number;
      readonly ttl: number;
      /** A check found the data unchanged `age` seconds ago. */
      readonly isUnchanged?: true;
    }
  | { readonly kind: 'stored'; readonly ttl: number }
  | { readonly kind: 'shared'; readonly ttl: number }
  | { readonly kind: 'ran' };

interface Metadata {
  readonly columns: readonly Column[];
  /** Statistics are null if they are not known, and absent if they are not shown to this key. */
  readonly statistics: { readonly rows_read?: number | null; readonly bytes_read?: number | null };
}

/** Reads a successful response. */
export function readAnswer(headers: Headers, { rows: result, envelope, size }: Body, ms: number): Answer {
  const { meta: described, ...rest } = envelope;
  const meta = described as unknown as Metadata | undefined; // the service's metadata
  const { rows_read: rows, bytes_read: bytes } = meta?.statistics ?? {};
  return {
    rows: result,
    rest,
    size,
    columns: meta?.columns,
    read: typeof rows === 'number' && typeof bytes === 'number' ? { rows, bytes } : undefined,
    truncated: headers.get('Millrace-Truncated') === 'true',
    next: typeof rest['next'] === 'string' ? rest['next'] : undefined,
    stages: readStages(headers.get('Server-Timing') ?? ''),
    cache: readCache(headers.get('Cache-Status'), Number(headers.get('Age') ?? 0)),
    ms,
    requestId: headers.get('X-Request-Id') ?? '',
    dataAge: readAge(headers),
    dialect: headers.get('Millrace-Dialect') ?? undefined,
    revision: /@(.+)$/.exec(headers.get('Millrace-Endpoint') ?? '')?.[1],
  };
}

function readAge(headers: Headers): DataAge | undefined {
  const age = headers.get('Millrace-Data-Age');
  const isStale = headers.get('Millrace-Data-Stale') === 'true';
  if (age === null && !isStale) return undefined;
  return { seconds: age === null ? undefined : Number(age), isStale };
}

/** `auth;dur=0.02, plan;dur=0.11` (https://www.w3.org/TR/server-timing/). */
function readStages(field: string): readonly Stage[] {
  return [...field.matchAll(/([\w-]+);dur=([\d.]+)/g)].map(([, name = '', ms]) => ({ name, ms: Number(ms) }));
}

/** `millrace; hit; ttl=890` and similar (RFC 9211). */
function readCache(field: string | null, age: number): Cache {
  if (field === null) return { kind: 'none' };
  const ttl = Number(/ttl=(-?\d+)/.exec(field)?.[1] ?? 0);
  const isUnchanged = /; detail=unchanged\b/.test(field);
  if (/; hit\b/.test(field)) return { kind: 'hit', age, ttl, ...(isUnchanged ? { isUnchanged } : {}) };
  if (/; collapsed\b/.test(field)) return { kind: 'shared', ttl };
  return /; stored\b/.test(field) ? { kind: 'stored', ttl } : { kind: 'ran' };
}
