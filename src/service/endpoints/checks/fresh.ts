// Checks of the age of data: those of the file, and those of the columns that the engine reports.
import type { Codes, PathFinding } from '../../../sql/base/finding.ts';
import type { EndpointFile } from '../../config/generated/endpoint.ts';
import type { Column } from '../../engine/engine.ts';
import { isDateTime, plainTypeOf } from '../../../sql/types/traits.ts';
import { ruleFor } from '../column-rules.ts';
import type { FreshPolicy } from '../endpoint.ts';
import { pageKey, unknownColumn } from './pages.ts';
import type { FileChecks } from './check.ts';

export const FRESH_COLUMN_CODES: Codes = {
  'fresh.unknown_column': {
    title: 'The age of the data is that of a column that the result does not have',
    help: 'fresh.column is a column that the query selects, by the name that it has in the result.',
  },
  'fresh.column_type': {
    title: 'The age of the data is that of a column that is not a time',
    help: 'fresh.column is a DateTime or DateTime64. A date has no time of the day: convert it with toDateTime.',
  },
};

export function freshPolicy({ fresh }: Pick<EndpointFile, 'fresh'>): FreshPolicy | undefined {
  if (fresh === undefined) return undefined;
  return Object.freeze({ column: fresh.column, within: fresh.within, otherwise: fresh.otherwise ?? 'mark' });
}

export const FRESH_CHECKS: FileChecks = {
  'fresh.redacted_column': {
    title: 'The age of the data is that of a redacted column',
    help: 'The age would show its newest value. Use a column without personal data.',
    *check({ file }) {
      const { fresh } = file;
      if (fresh !== undefined && ruleFor(file.pii, fresh.column) !== undefined)
        yield {
          path: ['fresh', 'column'],
          message: `${fresh.column} is redacted, and the age of the data shows its newest value`,
        };
    },
  },
  'fresh.page_order': {
    title: 'The newest rows are not on the first page',
    help: 'The age of the data is that of the first page. Order pages by the time first, with the newest rows first: page: { by: [timestamp desc, id] }.',
    *check({ file }) {
      const { fresh, page } = file;
      if (fresh === undefined || page === undefined) return;
      const [first] = page.by.map(pageKey);
      if (first?.name === fresh.column && first.descending) return;
      yield {
        path: ['page', 'by', 0],
        message: `the first page has the newest ${fresh.column} only if pages are ordered by ${fresh.column} desc`,
      };
    },
  },
};

/** What is wrong with the column, once the columns of the result are known. */
export function checkFreshColumn(
  { fresh }: EndpointFile,
  columns: readonly Column[],
): readonly PathFinding[] {
  if (fresh === undefined) return [];
  const path = ['fresh', 'column'];
  const name = fresh.column;
  const all = columns.filter((each) => each.name === name);
  const [column] = all;
  if (column === undefined) return [{ code: 'fresh.unknown_column', path, ...unknownColumn(name, columns) }];
  if (all.every(({ type }) => isDateTime(plainTypeOf(type)))) return [];
  return [{ code: 'fresh.column_type', path, message: `${name} is ${column.type}, which is no time` }];
}
