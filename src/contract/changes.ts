// The closed table of contract changes: each code's class, and why it is in that class.

/** What a change asks of a reviewer, the gravest first. */
export const CHANGE_CLASSES = ['loosening', 'breaking', 'behaviour', 'compatible'] as const;

/**
 * loosening: somebody can read or do more than before. breaking: calls or readers that worked may fail. behaviour: they
 * work, and answers or the load on the engine may differ. compatible: none of these.
 */
export type ChangeClass = (typeof CHANGE_CLASSES)[number];

interface ChangeKind {
  readonly class: ChangeClass;
  readonly title: string;
  readonly reason: string;
}

const loosening = (title: string, reason: string): ChangeKind => ({ class: 'loosening', title, reason });
const breaking = (title: string, reason: string): ChangeKind => ({ class: 'breaking', title, reason });
const behaviour = (title: string, reason: string): ChangeKind => ({ class: 'behaviour', title, reason });
const compatible = (title: string, reason: string): ChangeKind => ({ class: 'compatible', title, reason });

/** Every code there is. `docs/reference/contract-changes.md` is generated from this table. */
export const CHANGES = {
  'endpoint.added': compatible(
    'A new endpoint',
    'Nobody calls it yet. Keys whose patterns match its name may call it at once, so review the file as a whole.',
  ),
  'endpoint.removed': breaking('An endpoint is gone', 'Its callers get 404.'),
  'endpoint.renamed': breaking(
    'An endpoint has another name',
    'Callers by the old name get 404, or another endpoint. Keys are given by name: those for the old name lose it, and those whose patterns match the new one gain it.',
  ),
  'endpoint.id_changed': breaking(
    'An endpoint of this name has another id',
    'Callers by UUID get 404. What else changed is compared by the name, so that a new id hides nothing.',
  ),
  'endpoint.replaced': breaking(
    'A name now belongs to another endpoint',
    'Callers by name get something else. It is compared with what had the name before.',
  ),
  'endpoint.not_comparable': loosening(
    'An endpoint whose file had errors can be served',
    'What was allowed before cannot be read, so nothing shows that it was not less. Review the file as a whole.',
  ),
  'file.broken': breaking(
    'A file that could be served has errors',
    'A service that starts with it does not have the endpoint; one that runs keeps the version before.',
  ),
  'file.invalid': compatible(
    'A file has errors and was not served before',
    'Nobody loses anything. `millrace validate` shows the errors.',
  ),
  'tables.refused': breaking(
    'The engine refuses the table definitions',
    'It took them before. Without them no columns can be compared, so a broken definition must not pass in silence.',
  ),
  'query.refused': breaking(
    'The engine refuses a query that it took before',
    'Every call fails. `millrace validate --engine` says why.',
  ),
  'query.changed': behaviour(
    'The query is another one',
    'The same parameters may give other rows. Blanks and comments do not count.',
  ),
  'query.too_deep': loosening(
    'A query that nests too deep was changed',
    'Behind a hundred brackets conditions and tables are not read, so nothing shows that they are the same.',
  ),
  'query.source_added': loosening(
    'A query reads a table that it did not read before',
    'It stands in a table of the sandbox, or beside a filter by a parameter which may not cover the new table.',
  ),
  'tenant.filter_removed': loosening(
    'A query no longer uses a parameter that narrowed it',
    'A key may lock any parameter to confine its holder, as to one project; what no longer narrows no longer confines.',
  ),
  'tenant.filter_changed': loosening(
    'A condition by a parameter is another one',
    'Nobody but a reader can tell that the new condition still confines a key that locks the parameter.',
  ),
  'parameter.added_required': breaking('A new required parameter', 'Calls without it are refused.'),
  'parameter.added_optional': compatible('A new optional parameter', 'Calls without it go on as before.'),
  'parameter.heeded': behaviour(
    'A parameter that was ignored counts',
    'Unknown parameters were ignored before: callers that send it already get other rows.',
  ),
  'parameter.removed': breaking(
    'A parameter is gone',
    'Callers that send it are refused, or get rows as if they had not sent it. Keys that lock it no longer cover the endpoint.',
  ),
  'parameter.now_required': breaking(
    'An optional parameter is required',
    'Calls that left it out are refused.',
  ),
  'parameter.now_optional': compatible(
    'A required parameter is optional',
    'Calls that send it go on as before. A value that a key locks is still used.',
  ),
  'parameter.default_changed': behaviour('Another default', 'Calls that leave it out get other rows.'),
  'parameter.type_widened': compatible(
    'A type that takes more values',
    'Every value that was taken is taken.',
  ),
  'parameter.type_narrowed': breaking(
    'A type that takes fewer values',
    'Values that were taken may be refused, or lose digits.',
  ),
  'parameter.type_changed': breaking(
    'Another type',
    'Values that were taken may be refused, or mean something else.',
  ),
  'parameter.enum_widened': compatible('More values allowed', 'Every value that was taken is taken.'),
  'parameter.enum_narrowed': breaking('Fewer values allowed', 'Values that were taken are refused.'),
  'parameter.range_widened': compatible('A wider range', 'Every value that was taken is taken.'),
  'parameter.range_narrowed': breaking('A narrower range', 'Values that were taken are refused.'),
  'parameter.length_widened': compatible('More lengths allowed', 'Every value that was taken is taken.'),
  'parameter.length_narrowed': breaking('Fewer lengths allowed', 'Values that were taken are refused.'),
  'parameter.pattern_changed': breaking(
    'A new pattern, or another one',
    'Values that were taken may be refused; whether one regular expression takes all that another takes is not decided.',
  ),
  'parameter.pattern_removed': compatible('The pattern is gone', 'Every value that was taken is taken.'),
  'parameter.format_added': breaking('A format is asked for', 'Values that were taken may be refused.'),
  'parameter.format_removed': compatible(
    'The format is gone',
    'Every value that was taken is taken; one that the engine cannot read is now refused by the engine.',
  ),
  'unknown_parameters.rejected': breaking(
    'Unknown parameters are refused',
    'Calls that send one, to no effect until now, get 400.',
  ),
  'unknown_parameters.ignored': compatible(
    'Unknown parameters are ignored',
    'No call that worked fails. A misspelt one no longer shows.',
  ),
  'column.added': compatible(
    'A new column in answers',
    'Readers skip what they do not know. Whoever may call the endpoint sees it.',
  ),
  'column.removed': breaking('A column is gone from answers', 'Readers that use it fail.'),
  'column.order_changed': behaviour(
    'Columns in another order',
    'Readers by name see no difference; readers of CSV by position do.',
  ),
  'column.nullable': breaking('A column may be null', 'Readers that never saw null may fail.'),
  'column.type_changed': breaking('A column of another type', 'Readers may not understand it.'),
  'column.type_widened': behaviour(
    'A column of a type that readers of the former one can read',
    'JSON and CSV look alike; Parquet and Arrow carry the new type.',
  ),
  'int64.changed': breaking(
    '64-bit integers are written otherwise',
    'Numbers become strings, or strings numbers, in every answer in JSON.',
  ),
  'max_rows.lowered': breaking('Fewer rows in an answer', 'Answers that were whole may be cut.'),
  'max_rows.raised': behaviour('More rows in an answer', 'Answers that were cut grow.'),
  'sandbox.enabled': loosening(
    "Consumers' own queries are taken",
    'Keys that allow them may read every table of the WITH clause, whole, which no answer showed before.',
  ),
  'sandbox.disabled': breaking("Consumers' own queries are refused", 'Calls with sql or lql get 400.'),
  'sandbox.language_added': loosening(
    'Own queries in one more language',
    'Keys that allow the language may send queries which were refused.',
  ),
  'sandbox.language_removed': breaking('A language is no longer taken', 'Calls in it get 400.'),
  'sandbox.dialect_added': behaviour(
    'SQL in one more dialect',
    'It reads what SQL could read already. Texts that were refused may be answered, and a text that is SQL in both may mean something else.',
  ),
  'sandbox.dialect_removed': breaking('A dialect is no longer taken', 'Calls in it get 400.'),
  'sandbox.dialects_reordered': behaviour(
    'Dialects are tried in another order',
    'A text that is SQL in both may mean something else. Calls that name their dialect change nothing.',
  ),
  'sandbox.function_allowed': loosening(
    'Own queries may call one more function',
    'The list keeps out functions that read files, networks and other tables, or cost too much.',
  ),
  'sandbox.function_denied': breaking('A function is no longer taken', 'Own queries that call it get 400.'),
  'sandbox.table_added': loosening(
    'One more table for own queries',
    'Every element name AS (SELECT …) of the WITH clause can be read whole, also where it was meant as a step of the query.',
  ),
  'sandbox.table_removed': breaking('A table is gone for own queries', 'Own queries that read it get 400.'),
  'sandbox.default_table_changed': breaking(
    'LQL without a from clause reads another table',
    'Own queries in LQL get other rows, or fail where the table lacks a column.',
  ),
  'sandbox.filter_removed': loosening(
    'A condition in a table of the sandbox is gone or another one',
    'Own queries may read rows that were kept from them.',
  ),
  'sandbox.column_added': loosening(
    'One more column in a table of the sandbox',
    'Own queries may read it. It may come by SELECT * from a change of the tables alone.',
  ),
  'sandbox.column_removed': breaking(
    'A column is gone from a table of the sandbox',
    'Own queries that name it fail.',
  ),
  'sandbox.column_type_changed': breaking(
    'A column of another type in a table of the sandbox',
    'Own queries that calculate or compare with it may fail.',
  ),
  'sandbox.column_type_widened': behaviour(
    'A wider column in a table of the sandbox',
    'Own queries go on; types of what they calculate may differ.',
  ),
  'redaction.removed': loosening(
    'Answers are no longer redacted',
    'Personal data comes out to every key that does not ask for redaction itself.',
  ),
  'redaction.added': behaviour('Every answer is redacted', 'Values come out as REDACTED.'),
  'redaction.detector_removed': loosening(
    'One kind of personal data is no longer looked for',
    'It comes out, also where a key or a header asks for redaction.',
  ),
  'redaction.detector_added': behaviour(
    'One more kind of personal data is looked for',
    'More values come out as REDACTED.',
  ),
  'redaction.column_rule_removed': loosening(
    'A column is no longer treated by name',
    'It comes out as it is unless a detector finds something in it.',
  ),
  'redaction.column_rule_weakened': loosening(
    'A column keeps more than before',
    'drop leaves nothing, mask leaves that there was a value, hash leaves which values are equal.',
  ),
  'redaction.column_rule_added': behaviour(
    'A column is treated by name, or more strictly',
    'Redacted answers hold less of it.',
  ),
  'redaction.column_dropped': breaking('A column is dropped from every answer', 'Readers that use it fail.'),
  'redaction.kind_changed': behaviour('Redacted values are written otherwise', 'REDACTED or REDACTED:email.'),
  'cache.enabled': behaviour('Answers are kept', 'They may be as old as ttl says.'),
  'cache.disabled': behaviour('Answers are no longer kept', 'Every call runs in the engine.'),
  'cache.ttl_raised': behaviour('Answers are kept for longer', 'They may be older.'),
  'cache.ttl_lowered': compatible(
    'Answers are kept for less long',
    'They are fresher; the engine runs more often.',
  ),
  'cache.min_refresh_changed': behaviour(
    'Another floor under no-cache',
    'Callers that ask for fresh answers get older ones, or cause more runs.',
  ),
  'cache.stale_changed': behaviour(
    'Old answers are served for longer or less long',
    'Callers get old answers, or errors in their place.',
  ),
  'warming.changed': behaviour(
    'Warming is on, off, or otherwise',
    'First callers wait more or less, and the engine runs more or less often.',
  ),
  'limits.lowered': breaking(
    'A lower limit of time, memory, rows read or rate',
    'Calls that worked may be ended or refused.',
  ),
  'limits.raised': behaviour('A higher limit', 'One call may cost more than before; the wall still stands.'),
  'limits.removed': loosening(
    'A limit is gone',
    'Nothing but the limits of the whole service stops one caller from taking the engine for themselves.',
  ),
  'limits.concurrency_changed': behaviour(
    'More or fewer runs at once, or calls waiting',
    'Calls wait for less or for longer, and may get 503 at another load.',
  ),
  'reservation.enabled': behaviour(
    'Callers may ask for reserved capacity',
    'Those who do are served ahead of others.',
  ),
  'reservation.disabled': behaviour(
    'Callers may no longer ask for reserved capacity',
    'The header is not heeded; calls still run, among all others.',
  ),
  'reservation.workload_added': behaviour(
    'One more workload to ask for',
    'Those who name it take a share of the machine.',
  ),
  'reservation.workload_removed': breaking('A workload is gone', 'Calls that name it get 400.'),
  'labels.changed': behaviour(
    'Other labels',
    "Answers stay; metrics and the engine's log count calls under other labels.",
  ),
} as const satisfies Readonly<Record<string, ChangeKind>>;

export type ChangeCode = keyof typeof CHANGES;

/** One change of an endpoint's contract, at a line (1-based) of the file that has it now, or had it. */
export interface Change {
  /** Its name; the new one where it changed. */
  readonly endpoint: string;
  readonly class: ChangeClass;
  readonly code: ChangeCode;
  readonly message: string;
  readonly file: string;
  readonly line: number;
  /** The file's reason to allow it; undefined where there is none, or none is needed. */
  readonly allowed: string | undefined;
}

/** Whether a change asks for a reason. */
export function needsReason({ class: kind }: Pick<Change, 'class'>): boolean {
  return kind === 'loosening' || kind === 'breaking';
}
