// A response of an endpoint: its rows, and the metadata in its header fields.
import { parseJson, type Row } from './json.ts';

export interface Stage {
  readonly name: string;
  readonly ms: number;
}

export interface Answer {
  readonly rows: readonly Row[];
  readonly text: string;
  readonly truncated: boolean;
  readonly stages: readonly Stage[];
  readonly cache: Cache;
  /** Milliseconds from sending the request to receiving the complete response. */
  readonly ms: number;
  readonly requestId: string;
  /** The dialect that a consumer query was parsed as. */
  readonly dialect: string | undefined;
  /** The revision of the endpoint that answered. */
  readonly revision: string | undefined;
}

/** Cache status; ages and times are seconds. */
export type Cache =
  | { readonly kind: 'none' }
  | { readonly kind: 'hit'; readonly age: number; readonly ttl: number }
  | { readonly kind: 'stored'; readonly ttl: number }
  | { readonly kind: 'shared'; readonly ttl: number }
  | { readonly kind: 'ran' };

/** Parses a successful response. Throws SyntaxError for invalid JSON. */
export function readAnswer(headers: Headers, text: string, ms: number): Answer {
  const body = parseJson(text) as { result: readonly Row[] }; // the service's envelope
  return {
    rows: body.result,
    text,
    truncated: headers.get('Millrace-Truncated') === 'true',
    stages: readStages(headers.get('Server-Timing') ?? ''),
    cache: readCache(headers.get('Cache-Status'), Number(headers.get('Age') ?? 0)),
    ms,
    requestId: headers.get('X-Request-Id') ?? '',
    dialect: headers.get('Millrace-Dialect') ?? undefined,
    revision: /@(.+)$/.exec(headers.get('Millrace-Endpoint') ?? '')?.[1],
  };
}

/** `auth;dur=0.02, plan;dur=0.11` (https://www.w3.org/TR/server-timing/). */
function readStages(field: string): readonly Stage[] {
  return [...field.matchAll(/([\w-]+);dur=([\d.]+)/g)].map(([, name = '', ms]) => ({ name, ms: Number(ms) }));
}

/** `millrace; hit; ttl=890` and similar (RFC 9211). */
function readCache(field: string | null, age: number): Cache {
  if (field === null) return { kind: 'none' };
  const ttl = Number(/ttl=(-?\d+)/.exec(field)?.[1] ?? 0);
  if (/; hit\b/.test(field)) return { kind: 'hit', age, ttl };
  if (/; collapsed\b/.test(field)) return { kind: 'shared', ttl };
  return /; stored\b/.test(field) ? { kind: 'stored', ttl } : { kind: 'ran' };
}
