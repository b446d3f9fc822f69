// The closed table of contract changes: the class of each code, and why it is in that class.
import {
  behaviour,
  breaking,
  compatible,
  cost,
  exposure,
  security,
  type ChangeClass,
  type ChangeKind,
} from './change-kinds.ts';
import { POLICY_CHANGES } from './policy-changes.ts';
import { VERSION_CHANGES } from './version-kinds.ts';

/** All codes. `docs/reference/contract-changes.md` is generated from this table. */
export const CHANGES = {
  'endpoint.added': exposure(
    'A new endpoint',
    'It has no callers yet. Keys whose patterns match its name may call it at once: the report lists what it reads and returns.',
  ),
  'endpoint.removed': breaking('An endpoint was removed', 'Its callers get 404.'),
  'endpoint.renamed': breaking(
    'An endpoint was renamed',
    'Calls to the old name get 404, or another endpoint. Keys are granted by name: keys for the old name lose the endpoint, keys whose patterns match the new name gain it.',
  ),
  'endpoint.id_changed': breaking(
    'The id of an endpoint changed',
    'Calls by UUID get 404. Other changes are compared by name, so that a new id hides nothing.',
  ),
  'endpoint.replaced': breaking(
    'A name now belongs to another endpoint',
    'Calls by name get different data. The endpoint is compared with the one that had the name before.',
  ),
  'endpoint.not_comparable': security(
    'An endpoint whose file had errors can be served',
    'What it allowed before is unknown, so it may allow more now. Review the file as a whole.',
  ),
  'file.broken': breaking(
    'A file that could be served now has errors',
    'A service that starts with it does not serve the endpoint; a running service keeps the last good version.',
  ),
  'file.invalid': compatible(
    'A file has errors and was not served before',
    'No caller is affected. `millrace validate` shows the errors.',
  ),
  'tables.rejected': breaking(
    'The engine rejects the table definitions',
    'It accepted them before. Without them columns cannot be compared, so a broken definition must not go unnoticed.',
  ),
  'query.rejected': breaking(
    'The engine rejects a query that it accepted before',
    'Every call fails. `millrace validate --engine` shows the error.',
  ),
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
  'query.limit_raised': cost(
    'A LIMIT was raised or removed',
    'Calls return more rows, and cost the engine more.',
  ),
  'query.window_widened': cost(
    'A query reads a longer period',
    'Calls return more rows, and cost the engine more.',
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
  'tenancy.removed': security(
    'Tenants are no longer separated',
    'millrace validate no longer proves that queries depend only on the rows of one tenant.',
  ),
  'tenancy.parameter_changed': security(
    'Another parameter separates tenants',
    'Keys that lock the old parameter may no longer be restricted to their rows.',
  ),
  'tenancy.columns_added': security(
    'More columns hold the tenant',
    'A condition on one of them now counts as one on the tenant. A reviewer must know that the column holds the tenant.',
  ),
  'tenancy.shared_added': security(
    'A table is declared to be shared',
    'Queries may read all of its rows for every tenant.',
  ),
  'tenancy.added': compatible('A parameter separates tenants', 'millrace validate checks more than before.'),
  'tenancy.columns_removed': compatible(
    'Fewer columns hold the tenant',
    'millrace validate accepts fewer queries.',
  ),
  'tenancy.shared_removed': compatible(
    'A table is no longer shared',
    'millrace validate accepts fewer queries.',
  ),
  'tenant.parameter_optional': security(
    'A parameter that restricts rows is now optional',
    'Calls without it were rejected. Now they run with the default or NULL, which may select the rows of others.',
  ),
  'tenant.default_changed': security(
    'A parameter that restricts rows has another default',
    'Calls without it get the rows that the new default selects, which may be those of others.',
  ),
  'tenant.values_widened': security(
    'A parameter that restricts rows accepts more values',
    'Calls can select rows that no accepted value selected before. Where the value is a pattern or is tested by a condition, it may select every row.',
  ),
  'tenant.type_changed': security(
    'A parameter that restricts rows has a type with more values',
    'A list, null or a pattern may select rows of others where one value did not.',
  ),
  'tenant.misspelling_ignored': security(
    'Unknown parameters are ignored, and one that restricts rows is optional',
    'A call that misspells the parameter is not restricted by it.',
  ),
  'parameter.added_required': breaking('A new required parameter', 'Calls without it are rejected.'),
  'parameter.added_optional': compatible('A new optional parameter', 'Calls without it work as before.'),
  'parameter.previously_ignored': behaviour(
    'A parameter that was ignored is now used',
    'Unknown parameters were ignored before: callers that already send it get different rows.',
  ),
  'parameter.removed': breaking(
    'A parameter was removed',
    'Calls that send it are rejected, or get rows as if it were not sent. Keys that lock it no longer cover the endpoint.',
  ),
  'parameter.now_required': breaking(
    'An optional parameter is now required',
    'Calls without it are rejected.',
  ),
  'parameter.now_optional': compatible(
    'A required parameter is now optional',
    'Calls that send it work as before. A value that a key locks is still used.',
  ),
  'parameter.rounding_changed': behaviour(
    'Relative times are rounded in another way',
    'Calls that send such times, or use a relative default, select other rows.',
  ),
  'parameter.default_changed': behaviour(
    'A default changed',
    'Calls without the parameter get different rows.',
  ),
  'parameter.type_widened': compatible('A wider parameter type', 'Every value that was accepted still is.'),
  'parameter.type_narrowed': breaking(
    'A narrower parameter type',
    'Values that were accepted may be rejected, or lose digits.',
  ),
  'parameter.type_changed': breaking(
    'A different parameter type',
    'Values that were accepted may be rejected, or mean something else.',
  ),
  'parameter.enum_widened': compatible('More values allowed', 'Every value that was accepted still is.'),
  'parameter.enum_narrowed': breaking('Fewer values allowed', 'Values that were accepted are rejected.'),
  'parameter.range_widened': compatible('A wider range', 'Every value that was accepted still is.'),
  'parameter.range_narrowed': breaking('A narrower range', 'Values that were accepted are rejected.'),
  'parameter.length_widened': compatible('More lengths allowed', 'Every value that was accepted still is.'),
  'parameter.length_narrowed': breaking('Fewer lengths allowed', 'Values that were accepted are rejected.'),
  'parameter.pattern_changed': breaking(
    'A pattern was added or changed',
    'Values that were accepted may be rejected; whether one regular expression matches everything that another matches is not checked.',
  ),
  'parameter.pattern_removed': compatible('A pattern was removed', 'Every value that was accepted still is.'),
  'parameter.format_added': breaking('A format is required', 'Values that were accepted may be rejected.'),
  'parameter.format_removed': compatible(
    'A format was removed',
    'Every value that was accepted still is; a malformed value is now rejected by the engine.',
  ),
  'unknown_parameters.rejected': breaking(
    'Unknown parameters are rejected',
    'Calls that send one, which had no effect until now, get 400.',
  ),
  'unknown_parameters.ignored': compatible(
    'Unknown parameters are ignored',
    'No call that worked fails. Misspelt parameters go unnoticed.',
  ),
  'column.added': compatible(
    'A new result column',
    'Readers ignore columns they do not know. Every key that may call the endpoint can read it.',
  ),
  'column.removed': breaking('A result column was removed', 'Readers that use it fail.'),
  'column.order_changed': behaviour(
    'The result columns are in a different order',
    'Readers by name see no difference; readers of CSV by position do.',
  ),
  'column.nullable': breaking('A result column may be null', 'Readers that never saw null may fail.'),
  'column.type_changed': breaking('The type of a result column changed', 'Readers may fail to parse it.'),
  'column.type_widened': behaviour(
    'A result column has a compatible wider type',
    'JSON and CSV look the same; Parquet and Arrow have the new type.',
  ),
  'int64.changed': breaking(
    'The encoding of 64-bit integers changed',
    'Numbers become strings, or strings numbers, in every JSON response.',
  ),
  'result_shape.changed': breaking(
    'The shape of rows changed',
    'Timestamps become numbers and nested objects arrays, or the reverse, in every JSON response whose key and request choose no shape.',
  ),
  'max_rows.lowered': breaking('Fewer rows per response', 'Responses that were complete may be truncated.'),
  'max_rows.raised': cost('More rows per response', 'Responses that were truncated get larger.'),
  'sandbox.enabled': security(
    'Consumer queries are enabled',
    'Keys that allow them can read every table of the WITH clause in full, which no response contained before.',
  ),
  'sandbox.disabled': breaking('Consumer queries are disabled', 'Calls with sql or lql get 400.'),
  'sandbox.language_added': security(
    'Consumer queries in one more language',
    'Keys that allow the language may send queries that were rejected.',
  ),
  'sandbox.language_removed': breaking('A query language is no longer accepted', 'Calls in it get 400.'),
  'sandbox.dialect_added': behaviour(
    'One more SQL dialect',
    'It reads nothing that SQL could not read already. Queries that were rejected may run, and a query that is valid in both dialects may mean something else.',
  ),
  'sandbox.dialect_removed': breaking('A dialect is no longer accepted', 'Calls in it get 400.'),
  'sandbox.dialects_reordered': behaviour(
    'Dialects are tried in a different order',
    'A query that is valid in both may mean something else. Calls that specify their dialect are not affected.',
  ),
  'sandbox.function_allowed': security(
    'Consumer queries may call one more function',
    'The list keeps out functions that read files, networks and other tables, or cost too much.',
  ),
  'sandbox.function_denied': breaking('A function is denied', 'Consumer queries that call it get 400.'),
  'sandbox.table_added': security(
    'One more table for consumer queries',
    'Every element name AS (SELECT …) of the WITH clause can be read in full, even if it was meant as an intermediate step.',
  ),
  'sandbox.table_removed': breaking('A sandbox table was removed', 'Consumer queries that read it get 400.'),
  'sandbox.default_table_changed': breaking(
    'LQL without a from clause reads another table',
    'LQL queries without it get different rows, or fail if the table lacks a column.',
  ),
  'sandbox.column_added': security(
    'One more column in a sandbox table',
    'Consumer queries can read it. With SELECT *, a change of the underlying tables is enough to add it.',
  ),
  'sandbox.column_removed': breaking(
    'A column was removed from a sandbox table',
    'Consumer queries that use it fail.',
  ),
  'sandbox.column_type_changed': breaking(
    'The type of a column in a sandbox table changed',
    'Consumer queries that calculate or compare with it may fail.',
  ),
  'sandbox.column_type_widened': behaviour(
    'A column in a sandbox table has a wider type',
    'Consumer queries still work; the types of calculated values may differ.',
  ),
  'redaction.removed': security(
    'Responses are no longer redacted',
    'Every key receives personal data unless it requires redaction itself.',
  ),
  'redaction.added': behaviour('Every response is redacted', 'Values are replaced by REDACTED.'),
  'redaction.source_removed': security(
    'The tables of the saved query are no longer redacted',
    'Its result is redacted, but what the query computes from personal data is not.',
  ),
  'redaction.source_added': behaviour(
    'The tables of the saved query are redacted',
    'Conditions, groups and joins are computed from redacted values.',
  ),
  'redaction.min_group_lowered': security(
    'Consumer queries see smaller groups',
    'Groups of fewer rows tell more about each of them.',
  ),
  'redaction.min_group_raised': breaking(
    'Consumer queries see larger groups only',
    'Smaller groups are left out, and queries that do not aggregate fail.',
  ),
  'redaction.detector_removed': security(
    'One kind of personal data is no longer detected',
    'It is no longer redacted, even if a key or a header requires redaction.',
  ),
  'redaction.detector_added': behaviour(
    'One more kind of personal data is detected',
    'More values are replaced by REDACTED.',
  ),
  'redaction.column_rule_removed': security(
    'The redaction rule of a column was removed',
    'Its values are returned unchanged unless a detector finds something in them.',
  ),
  'redaction.not_applied': security(
    'A column is made of one that is redacted under another name',
    'pii.columns has no rule for it, so that it shows what the rule hides.',
  ),
  'redaction.column_rule_weakened': security(
    'The redaction rule of a column is weaker',
    'drop removes the column, mask shows only that there is a value, hash also shows which values are equal.',
  ),
  'redaction.column_rule_added': behaviour(
    'The redaction rule of a column was added or is stricter',
    'Redacted responses contain less of it.',
  ),
  'redaction.column_dropped': breaking(
    'A column is dropped from every response',
    'Readers that use it fail.',
  ),
  'redaction.kind_changed': behaviour(
    'The replacement of redacted values changed',
    'REDACTED or REDACTED:email.',
  ),
  ...POLICY_CHANGES,
  ...VERSION_CHANGES,
  'reason.stale': compatible(
    'The reason for an earlier change is still in the file',
    'The base revision has it too, so it allows nothing. Remove it.',
  ),
  'reason.unused': compatible(
    'A reason for a change that was not made',
    'It allows nothing now, and will allow nothing later, when the base revision has it. Remove it, or correct its code.',
  ),
} as const satisfies Readonly<Record<string, ChangeKind>>;

export type ChangeCode = keyof typeof CHANGES;

/** One change of an endpoint's contract, at a line (1-based) of the new file, or of the old one if it was removed. */
export interface Change {
  /** The endpoint's name; the new one if it was renamed. */
  readonly endpoint: string;
  readonly class: ChangeClass;
  readonly code: ChangeCode;
  readonly message: string;
  readonly file: string;
  readonly line: number;
  /** The reason in the file that allows the change; undefined if there is none, or none is required. */
  readonly allowed: string | undefined;
}

/** Whether a change requires a reason. */
export function needsReason({ class: kind }: Pick<Change, 'class'>): boolean {
  return kind === 'security' || kind === 'breaking';
}
