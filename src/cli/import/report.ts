// What `millrace import` did with each query.
import type { ConversionStatus } from '../../dialects/conversion.ts';
import { count } from '../findings/findings.ts';
import type { Terminal } from '../terminal.ts';
import type { ConvertedQuery } from './convert-query.ts';
import type { ImportProblem } from '../../convert/export/foreign-query.ts';
import type { Written } from './write-endpoints.ts';

export interface ImportedQuery extends ConvertedQuery {
  /** The endpoint; undefined if nothing was converted. */
  readonly endpoint: string | undefined;
  readonly file: string | undefined;
  readonly written: Written | 'printed' | undefined;
}

export interface ImportedTable {
  readonly name: string;
  readonly file: string;
  readonly written: Written | 'printed';
}

export interface ImportReport {
  readonly source: string;
  readonly queries: readonly ImportedQuery[];
  readonly tables: readonly ImportedTable[];
  readonly problems: readonly ImportProblem[];
}

export type PrintReport = (report: ImportReport, terminal: Terminal) => void;

export const STATUSES: readonly ConversionStatus[] = ['converted', 'partly', 'not'];
export const STATUS_TEXT: Readonly<Record<ConversionStatus, string>> = {
  converted: 'converted',
  partly: 'partly',
  not: 'not converted',
};

/** `12 queries: 9 converted, 2 partly, 1 not converted`. */
export function summaryOf({ queries }: ImportReport): string {
  const counts = STATUSES.map(
    (status) => `${queries.filter((each) => each.status === status).length} ${STATUS_TEXT[status]}`,
  );
  return `${count(queries.length, 'query', 'queries')}: ${counts.join(', ')}`;
}

/** Where a query or note is in the export. */
export function placeOf({ query, place }: ConvertedQuery, at = place): string {
  return `${query.file}:${at.line}:${at.column}`;
}
