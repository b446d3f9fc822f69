// Checks of pages: those of the file, and those of the columns that the engine reports.
import type { Codes, PathFinding } from '../../../sql/base/finding.ts';
import type { EndpointFile } from '../../config/generated/endpoint.ts';
import type { Column } from '../../engine/engine.ts';
import { didYouMean, nearest } from '../../../sql/base/nearest.ts';
import type { NodeKind } from '../../../sql/clickhouse/tree/nodes.ts';
import { membersOf, spanOf, wordOf } from '../../../sql/clickhouse/tree/visit.ts';
import { ruleFor } from '../column-rules.ts';
import type { PagePolicy } from '../endpoint.ts';
import { pageKeyType } from '../page-key-type.ts';
import type { FileChecks } from './check.ts';

export const PAGE_KEY_CODES: Codes = {
  'page.unknown_key': {
    title: 'A key of pages is not a column of the result',
    help: 'Each column of page.by is a column that the query selects, by the name that it has in the result.',
  },
  'page.key_type': {
    title: 'A key of pages has a type that cannot be a key',
    help: 'Keys are integers, decimals, strings, UUIDs, dates, times, Bool and IP addresses; not Nullable, and not floating-point numbers.',
  },
};

const RESERVED = /^(?:page_size|cursor|page_key_.*)$/;
const DEFAULT_SIZE = 100;

/** `timestamp DESC`: a column and its direction; by default ascending. */
export function pageKey(text: string): PagePolicy['keys'][number] {
  const [, name = text, direction = ''] = /^(\S+)\s+(ASC|DESC)$/i.exec(text) ?? [];
  return { name, descending: direction.toUpperCase() === 'DESC' };
}

/** Rows per page by default and at most. */
export function pageSizes({
  page,
  max_rows: maxRows = 1000,
}: EndpointFile): Pick<PagePolicy, 'size' | 'max'> {
  const size = page?.size ?? Math.min(DEFAULT_SIZE, page?.max ?? maxRows, maxRows);
  return { size, max: page?.max ?? maxRows };
}

export const PAGE_CHECKS: FileChecks = {
  'page.own_order': {
    title: 'A query with pages has an ORDER BY, LIMIT or OFFSET of its own',
    help: 'page.by orders the rows and page.size limits them. Remove the clause, or put the limited query in the WITH clause.',
    perVariant: true,
    *check({ file, outline, tree, inBound }) {
      if (file.page === undefined || outline === undefined) return;
      const clauses = membersOf(tree.root).flatMap(({ parts }) =>
        parts.filter(({ kind }) => ORDERING.has(kind)),
      );
      const [clause] = clauses;
      if (clause === undefined) return;
      const word = wordOf(tree, clause);
      yield {
        ...inBound(spanOf(tree, clause).start),
        message: `the query has ${word === 'ORDER' ? 'an ORDER BY' : word} of its own, and page.by orders and limits its rows`,
        hint: 'Remove it, or put the limited query in the WITH clause',
      };
    },
  },
  'page.size': {
    title: 'Page sizes that contradict each other',
    help: 'size is at most max, and max at most max_rows.',
    *check({ file }) {
      if (file.page === undefined) return;
      const { size, max } = pageSizes(file);
      const maxRows = file.max_rows ?? 1000;
      const path = file.page.max === undefined ? ['page', 'size'] : ['page', 'max'];
      if (max > maxRows) yield { path, message: `page.max (${max}) is more than max_rows (${maxRows})` };
      else if (size > max)
        yield { path, message: `page.size (${size}) is more than the most rows of a page (${max})` };
    },
  },
  'page.duplicate_key': {
    title: 'A column is twice a key of pages',
    help: 'Write each column of page.by once.',
    *check({ file }) {
      const names = (file.page?.by ?? []).map((each) => pageKey(each).name);
      for (const [index, name] of names.entries())
        if (names.indexOf(name) < index)
          yield { path: ['page', 'by', index], message: `${name} is a key already` };
    },
  },
  'page.reserved_name': {
    title: 'A parameter has the name of a field of pages',
    help: 'page_size, cursor and names that begin with page_key_ are reserved on endpoints with pages.',
    *check({ file }) {
      if (file.page === undefined) return;
      for (const name of Object.keys(file.parameters ?? {}).filter((each) => RESERVED.test(each)))
        yield {
          path: ['parameters', name],
          onKey: true,
          message: `${name} is reserved on endpoints with pages`,
        };
    },
  },
  'page.redacted_key': {
    title: 'A key of pages is redacted',
    help: 'A cursor holds the keys of the last row, so none of them may have personal data; pages are not available with pii.at: source.',
    *check({ file }) {
      if (file.page === undefined) return;
      if (file.pii?.at === 'source')
        yield { path: ['page'], onKey: true, message: 'pages are not available with pii.at: source' };
      for (const [index, key] of file.page.by.entries())
        if (ruleFor(file.pii, pageKey(key).name) !== undefined)
          yield {
            path: ['page', 'by', index],
            message: `${pageKey(key).name} is redacted, and a cursor holds it`,
          };
    },
  },
};

const ORDERING: ReadonlySet<NodeKind> = new Set<NodeKind>(['order-by', 'limit', 'offset', 'fetch']);

/** What is said of a name that no column of the result has. */
export function unknownColumn(
  name: string,
  columns: readonly Column[],
): Pick<PathFinding, 'message' | 'hint'> {
  const hint = didYouMean(nearest(name, columns.map((column) => column.name))); // prettier-ignore
  return { message: `the result has no column ${name}`, ...(hint === undefined ? {} : { hint }) };
}

/** What is wrong with the keys, once the columns of the result are known. */
export function checkPageKeys(file: EndpointFile, columns: readonly Column[]): readonly PathFinding[] {
  return (file.page?.by ?? []).flatMap((key, index): readonly PathFinding[] => {
    const { name } = pageKey(key);
    const path = ['page', 'by', index];
    const column = columns.find((each) => each.name === name);
    if (column === undefined) return [{ code: 'page.unknown_key', path, ...unknownColumn(name, columns) }];
    if (pageKeyType(column.type) !== undefined) return [];
    return [
      { code: 'page.key_type', path, message: `${name} is ${column.type}, which cannot be a key of pages` },
    ];
  });
}
