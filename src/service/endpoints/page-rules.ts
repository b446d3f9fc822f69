// Rules about pages: those of the file, and those of the columns that the engine reports.
import type { EndpointFile } from '../config/generated/endpoint.ts';
import type { Column } from '../engine/engine.ts';
import { didYouMean, nearest } from '../../sql/base/nearest.ts';
import type { NodeKind } from '../../sql/clickhouse/tree/nodes.ts';
import { membersOf } from '../../sql/clickhouse/tree/places.ts';
import { spanOf, wordOf } from '../../sql/clickhouse/tree/visit.ts';
import type { RuleFinding } from './analysis.ts';
import { ruleFor } from './column-rules.ts';
import type { PagePolicy } from './endpoint.ts';
import { pageKeyType } from './page-key-type.ts';
import type { Rule } from './rule.ts';

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

export const PAGE_RULES: Readonly<Record<string, Rule>> = {
  'page.size': function* ({ file }) {
    if (file.page === undefined) return;
    const { size, max } = pageSizes(file);
    const maxRows = file.max_rows ?? 1000;
    const path = file.page.max === undefined ? ['page', 'size'] : ['page', 'max'];
    if (max > maxRows) yield { path, message: `page.max (${max}) is more than max_rows (${maxRows})` };
    else if (size > max)
      yield { path, message: `page.size (${size}) is more than the most rows of a page (${max})` };
  },
  'page.duplicate_key': function* ({ file }) {
    const names = (file.page?.by ?? []).map((each) => pageKey(each).name);
    for (const [index, name] of names.entries())
      if (names.indexOf(name) < index)
        yield { path: ['page', 'by', index], message: `${name} is a key already` };
  },
  'page.reserved_name': function* ({ file }) {
    if (file.page === undefined) return;
    for (const name of Object.keys(file.parameters ?? {}).filter((each) => RESERVED.test(each)))
      yield {
        path: ['parameters', name],
        onKey: true,
        message: `${name} is reserved on endpoints with pages`,
      };
  },
  'page.redacted_key': function* ({ file }) {
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
};

/** For each variant of the query. */
export const PAGE_QUERY_RULES: Readonly<Record<string, Rule>> = {
  'page.own_order': function* ({ file, outline, tree, inBound }) {
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
};

const ORDERING: ReadonlySet<NodeKind> = new Set<NodeKind>(['order-by', 'limit', 'offset', 'fetch']);

/** What is said of a name that no column of the result has. */
export function unknownColumn(
  name: string,
  columns: readonly Column[],
): Pick<RuleFinding, 'message' | 'hint'> {
  const hint = didYouMean(nearest(name, columns.map((column) => column.name))); // prettier-ignore
  return { message: `the result has no column ${name}`, ...(hint === undefined ? {} : { hint }) };
}

/** What is wrong with the keys, once the columns of the result are known. */
export function checkPageKeys(file: EndpointFile, columns: readonly Column[]): readonly RuleFinding[] {
  return (file.page?.by ?? []).flatMap((key, index): readonly RuleFinding[] => {
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
