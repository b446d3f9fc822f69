// The finding codes of pages, with their meaning and fix.
import type { FindingKind } from './finding-kind.ts';

export const PAGE_KINDS: Readonly<Record<string, FindingKind>> = {
  'page.size': {
    title: 'Page sizes that contradict each other',
    help: 'size is at most max, and max at most max_rows.',
  },
  'page.duplicate_key': {
    title: 'A column is twice a key of pages',
    help: 'Write each column of page.by once.',
  },
  'page.reserved_name': {
    title: 'A parameter has the name of a field of pages',
    help: 'page_size, cursor and names that begin with page_key_ are reserved on endpoints with pages.',
  },
  'page.own_order': {
    title: 'A query with pages has an ORDER BY, LIMIT or OFFSET of its own',
    help: 'page.by orders the rows and page.size limits them. Remove the clause, or put the limited query in the WITH clause.',
  },
  'page.redacted_key': {
    title: 'A key of pages is redacted',
    help: 'A cursor holds the keys of the last row, so none of them may have personal data; pages are not available with pii.at: source.',
  },
  'page.unknown_key': {
    title: 'A key of pages is not a column of the result',
    help: 'Each column of page.by is a column that the query selects, by the name that it has in the result.',
  },
  'page.key_type': {
    title: 'A key of pages has a type that cannot be a key',
    help: 'Keys are integers, decimals, strings, UUIDs, dates, times, Bool and IP addresses; not Nullable, and not floating-point numbers.',
  },
};
