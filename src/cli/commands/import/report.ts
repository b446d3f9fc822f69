// What `millrace import` did with each item of an export.
import type { ConvertedParameter } from '../../../sql/dialects/conversion.ts';
import type { SourceItem } from '../../convert/export/foreign-query.ts';
import type { TemplateDialect } from '../../convert/placeholders/template.ts';
import type { Position } from '../../../sql/base/position.ts';
import { count } from '../../findings/findings.ts';
import type { Terminal } from '../../kit/terminal.ts';
import type { PlacedNote } from './convert-query.ts';
import type { Written } from './write-files.ts';

/** none: the item has nothing to convert, such as a panel with a text. */
export type ItemStatus = 'converted' | 'partly' | 'not' | 'none';

export interface ImportedItem extends Omit<SourceItem, 'tool'> {
  /** Undefined for a file that could not be read. */
  readonly tool: SourceItem['tool'] | undefined;
  readonly status: ItemStatus;
  /** The endpoint that it is, or is a part of. */
  readonly endpoint?: string | undefined;
  /** The table or view that it is, `database.name`. */
  readonly relation?: string;
  /** The name of the rollup that it is. */
  readonly rollup?: string;
  readonly written?: WrittenFile | undefined;
  readonly dialect?: TemplateDialect | undefined;
  readonly parameters?: readonly ConvertedParameter[];
  readonly notes: readonly PlacedNote[];
  /** The number of rows that its examples answered; undefined if it was not run. */
  readonly rows?: number | undefined;
}

export interface WrittenFile {
  readonly file: string;
  readonly how: Written | 'printed';
}

export interface ImportReport {
  readonly source: string;
  /** The database of the tables that the export defines. */
  readonly database: string | undefined;
  readonly items: readonly ImportedItem[];
}

export type PrintReport = (report: ImportReport, terminal: Terminal) => void;

export const STATUSES: readonly ItemStatus[] = ['converted', 'partly', 'not', 'none'];
export const STATUS_TEXT: Readonly<Record<ItemStatus, string>> = {
  converted: 'converted',
  partly: 'partly',
  not: 'not converted',
  none: 'nothing to convert',
};

export function countOf({ items }: ImportReport, status: ItemStatus): number {
  return items.filter((each) => each.status === status).length;
}

/** Returns whether all that can be converted is. */
export function isComplete(report: ImportReport): boolean {
  return countOf(report, 'partly') + countOf(report, 'not') === 0;
}

/** `12 items: 9 converted, 2 partly, 1 not converted; 8 endpoints were run, 6 of them returned rows`. */
export function summaryOf(report: ImportReport): string {
  const counts = STATUSES.filter((status) => status !== 'none' || countOf(report, status) > 0).map(
    (status) => `${countOf(report, status)} ${STATUS_TEXT[status]}`,
  );
  const run = report.items.filter(({ rows }) => rows !== undefined);
  const ran =
    run.length === 0
      ? ''
      : `; ${count(run.length, 'endpoint')} ${run.length === 1 ? 'was' : 'were'} run, ${run.filter(({ rows = 0 }) => rows > 0).length} returned rows`;
  return `${count(report.items.length, 'item')}: ${counts.join(', ')}${ran}`;
}

/** The notes of endpoints are those of their parts, too. */
export function isPart({ endpoint, written }: ImportedItem): boolean {
  return endpoint !== undefined && written === undefined;
}

/** What an item became; undefined: nothing. */
export function madeOf({ endpoint, relation, rollup }: ImportedItem): string | undefined {
  return endpoint ?? relation ?? rollup;
}

/** Where an item or a note is in the export. */
export function placeOf({ file, place }: Pick<ImportedItem, 'file' | 'place'>, at: Position = place): string {
  return `${file}:${at.line}:${at.column}`;
}
