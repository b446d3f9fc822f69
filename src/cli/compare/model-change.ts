// A change between two models of a query.
import type { SourceModel } from '../../guard/query/model.ts';
import { behaviour, breaking, compatible, security, type ChangeKinds } from './change-kinds.ts';

export const MODEL_CHANGES = {
  'query.changed': behaviour(
    'The query changed',
    'The same parameters may return different rows. Changes in whitespace and comments are ignored.',
  ),
  'query.rewritten': compatible(
    'The query was written differently',
    'The engine resolves both versions to the same query: the same parameters return the same rows.',
  ),
  'query.not_compared': security(
    'A query that could not be analysed changed',
    'Without the engine, or for a form of query that is not analysed, the change may be anything. Review the query as a whole.',
  ),
  'query.source_redefined': security(
    'Something that a query reads has another definition',
    'A dictionary, a view with parameters, a table over other tables or a MATERIALIZED column may now hold other rows or values.',
  ),
  'query.settings_changed': security(
    'A SETTINGS clause changed',
    'Settings can change which rows are read and which rows joins return. Limits on time, memory and threads are ignored.',
  ),
  'query.rows_added': security(
    'A query returns rows that it did not return before',
    'A condition, a join, a limit or a grouping that excluded them is weaker or gone, or the rows are those of another table.',
  ),
  'query.rows_removed': breaking(
    'A query no longer returns rows that it returned before',
    'Clients that need these rows no longer get them, with the same parameters and the same data.',
  ),
  'query.limit_raised': security(
    'A LIMIT was raised or removed',
    'Calls return rows that they did not return before, and cost the engine more.',
  ),
  'query.window_widened': security(
    'A query reads a longer period',
    'Calls return rows that they did not return before, and cost the engine more.',
  ),
  'query.source_added': security(
    'A query reads a table that it did not read before',
    'It is read in a table of the sandbox, or next to a parameter filter that may not cover it.',
  ),
  'tenant.not_confined': security(
    'A parameter no longer confines what a query reads',
    'Before, only rows with the value of the parameter had any influence on the result. Now a key that locks it receives what depends on other rows.',
  ),
  'column.exposes_more': security(
    'A column shows more of the stored data',
    'It shows a column that was not shown, or no longer hides a part of it by a condition, an aggregate or a function such as a hash.',
  ),
  'tenant.filter_removed': security(
    'A query no longer filters by a parameter',
    'A key can lock any parameter to restrict its holder, for example to one project. Without the filter the lock restricts nothing.',
  ),
  'tenant.filter_changed': security(
    'A condition that uses a parameter changed',
    'Only a reviewer can tell whether the new condition still restricts a key that locks the parameter.',
  ),
} as const satisfies ChangeKinds;

export type ModelCode = keyof typeof MODEL_CHANGES;

/** A change of a query, at a source of the new model; undefined: of the query as a whole. */
export interface ModelChange {
  readonly code: ModelCode;
  readonly message: string;
  readonly source: SourceModel | undefined;
  /** The parameters that it is about. */
  readonly parameters?: readonly string[];
}
