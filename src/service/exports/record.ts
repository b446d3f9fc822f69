// An export as it is remembered: in memory, and in a file beside its result.
import { hash } from 'node:crypto';
import type { Principal } from '../auth/principal.ts';
import type { ExportFormat, ExportPlace } from '../endpoints/endpoint.ts';
import { Problem, problemDocument, type ProblemCode } from '../../sql/base/problem.ts';

export type ExportState = 'waiting' | 'running' | 'finished' | 'failed' | 'canceled';

/** Times are milliseconds since 1970. */
export interface ExportRecord {
  readonly id: string;
  /** Whose it is, see `ownerOf`. */
  readonly owner: string;
  /** The name of its key, for the log. */
  readonly principal: string;
  readonly endpoint: string;
  readonly version: number | undefined;
  /** Of its endpoint, when it was asked for. */
  readonly revision: string;
  readonly isRedacted: boolean;
  readonly format: ExportFormat;
  readonly place: ExportPlace;
  /** Identifies what was asked for. */
  readonly request: string;
  /** A hash of the caller's Idempotency-Key. */
  readonly idempotency: string | undefined;
  readonly created: number;
  /** Seconds after its end until it is removed. */
  readonly keep: number;
  readonly state: ExportState;
  readonly started?: number | undefined;
  readonly finished?: number | undefined;
  readonly rows: number;
  readonly bytes: number;
  readonly failure?:
    | { readonly code: ProblemCode; readonly detail: string; readonly hint: string }
    | undefined;
}

/** Identifies a key with the values that it is locked to: another key, or the same with other values, has other exports. */
export function ownerOf({ usageId }: Pick<Principal, 'usageId'>): string {
  return hash('sha256', `exports of ${usageId}`, 'hex');
}

export function isActive({ state }: Pick<ExportRecord, 'state'>): boolean {
  return state === 'waiting' || state === 'running';
}

/** Milliseconds since 1970; undefined while it waits or runs. */
export function expiryOf({ finished, keep }: ExportRecord): number | undefined {
  return finished === undefined ? undefined : finished + keep * 1000;
}

export const EXTENSIONS: Readonly<Record<ExportFormat, string>> = {
  parquet: 'parquet',
  csv: 'csv',
  ndjson: 'ndjson',
  arrow: 'arrow',
};

/** Such as `name-2026-01-31.parquet`. */
export function fileNameOf({ endpoint, created, format }: ExportRecord): string {
  const date = new Date(created).toISOString().slice(0, 10);
  return `${endpoint.replaceAll(/[^\w.-]/g, '_')}-${date}.${EXTENSIONS[format]}`;
}

function time(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString();
}

/** The path of its state; that of its file ends in `/result`. */
export function exportPath({ endpoint, id }: ExportRecord): string {
  return `/api/endpoints/query/${encodeURIComponent(endpoint)}/exports/${id}`;
}

/** The export as its caller sees it. */
export function exportDocument(record: ExportRecord): Readonly<Record<string, unknown>> {
  const { id, endpoint, version, state, format, place, rows, bytes, failure } = record;
  const url = exportPath(record);
  return {
    id,
    endpoint,
    ...(version === undefined ? {} : { version }),
    state,
    format,
    to: place,
    rows,
    bytes,
    created: time(record.created),
    started: time(record.started),
    finished: time(record.finished),
    expires: time(expiryOf(record)),
    error: failure === undefined ? null : problemDocument(problemOf(failure), id),
    url,
    result: state === 'finished' ? `${url}/result` : null,
  };
}

export function problemOf({ code, detail, hint }: NonNullable<ExportRecord['failure']>): Problem {
  return new Problem(code, { detail, hint });
}
