// The finding codes of log views, with their meaning and fix.
import type { FindingKind } from './finding-kind.ts';

export const VIEW_KINDS: Readonly<Record<string, FindingKind>> = {
  'view.without_lql': {
    title: 'A log view of an endpoint without LQL',
    help: 'The log view of the explorer searches by consumer queries in LQL: enable the sandbox with lql, or remove view.logs.',
  },
  'view.unknown_table': {
    title: 'A log view of a table that consumer queries cannot read',
    help: 'A log view has a table of the WITH clause, or an included one that sandbox.tables names.',
  },
  'view.repeated_table': {
    title: 'Two log views of one table',
    help: 'Write one log view for each table.',
  },
  'view.invalid_parameter': {
    title: 'A log view is bounded by something that is not a time parameter',
    help: 'from and to are names of declared parameters of type DateTime or DateTime64, which bound the rows of the table. Without them, the log view bounds the time in its queries.',
  },
  'view.unknown_path': {
    title: 'A log view with a column that does not exist',
    help: 'Paths are written as in LQL: a column of the table, a path of a JSON column, a key of a Map, an element of a Tuple. The hint suggests the closest name.',
  },
  'view.time_type': {
    title: 'The time of a log view is not a time',
    help: 'Rows are ordered by a column of type DateTime or DateTime64: name another one, or convert it in the WITH clause.',
  },
};
