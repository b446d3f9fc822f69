// The codes of lint warnings, with their meaning and fix.
import type { FindingKind } from './finding-kind.ts';

export const LINT_KINDS: Readonly<Record<string, FindingKind>> = {
  'lint.description_missing': {
    title: 'Missing description',
    help: 'Consumers see the descriptions of the endpoint and of its parameters in the listing, in OpenAPI and in the explorer; agents choose tools and arguments by them.',
  },
  'lint.name_vague': {
    title: 'A name that says nothing',
    help: 'Agents choose tools by their names. Set mcp.name to a name that says what the rows are: the endpoint keeps its own.',
  },
  'lint.unqualified_table': {
    title: 'Table without a database',
    help: 'The table would be resolved in the default database of the connection: write database.table.',
  },
  'lint.select_star': {
    title: 'SELECT * from a table',
    help: 'Adding or dropping a column of the table changes the response: list the columns.',
  },
  'lint.unused_table': {
    title: 'Unused table in the WITH clause',
    help: 'Remove it, or enable the sandbox so that consumers can read it.',
  },
  'lint.order_in_table': {
    title: 'Redundant ORDER BY',
    help: 'The main query sorts the rows again: remove the inner ORDER BY.',
  },
  'lint.limit_over_max_rows': {
    title: 'LIMIT above max_rows',
    help: 'Responses are truncated at max_rows first.',
  },
  'lint.regex_parameter': {
    title: 'Regular expression parameter without validation',
    help: 'With format: regex, an invalid expression is rejected with 400; without it, the query fails with 500.',
  },
  'lint.cache_per_timestamp': {
    title: 'Cache keyed by a timestamp',
    help: 'Every timestamp gets its own cache entry, which is rarely requested again. Use a Date, an enum of time windows, or relative times such as now-1h with round, which calls share.',
  },
  'lint.relative_not_rounded': {
    title: 'A relative default without rounding on a cached endpoint',
    help: 'Such a default is another time in every call, so that cached responses are never used. With round: 60s, calls within a minute have the same value.',
  },
  'lint.warming_without_examples': {
    title: 'Warming of examples without examples',
    help: 'Add examples, or remove examples: true under warming.',
  },
  'lint.example_duplicate': {
    title: 'Two examples with one name',
    help: 'Reports and the explorer show examples by name: rename one of them.',
  },
  'lint.function_unknown': {
    title: 'Unknown function in sandbox.functions',
    help: 'A misspelled name allows or denies nothing. A function that only your ClickHouse server has is not known here.',
  },
  'lint.nullable_redundant': {
    title: 'Nullable for an optional parameter',
    help: 'An optional parameter without a default is NULL if it is not sent. Nullable is needed only with required or a default, so that callers can send null.',
  },
  'lint.parameter_as_column': {
    title: 'A parameter where a column is meant',
    help: "@name is the value that the caller sends, not the column of that name. Write the choices out: multiIf(@name = 'a', a, @name = 'b', b, NULL).",
  },
  'lint.null_comparison': {
    title: 'A comparison with NULL',
    help: 'The result of x = NULL, and of every other comparison with NULL, is NULL, which is never true: write x IS NULL or x IS NOT NULL.',
  },
  'lint.shared_unused': {
    title: 'A shared file, table or parameter that nothing uses',
    help: 'No endpoint of the folder includes it. Reported if whole folders are validated.',
  },
  'lint.policy_not_included': {
    title: 'Included tables without the policy of their file',
    help: 'The included file redacts personal data, separates tenants or has a budget, and this endpoint has not. Policies are never included silently: add policies: [pii], or write pii in this file; pii: { redact: false } and tenancy: { none: … } are decisions as well, and a budget of the endpoint itself.',
  },
  'lint.int64_number': {
    title: 'Large integers that JavaScript cannot read exactly',
    help: 'A column of 64 bits and more, such as an id, is a JSON number by default. int64: string writes such integers as strings, with all their digits; int64: number says that they are smaller than 2^53.',
  },
  'lint.ambiguous_column': {
    title: 'A column that two tables of a JOIN have',
    help: 'Without the name of a table, ClickHouse reads the column of the left side of a single join, and rejects the query if there are more joins. Write table.column.',
  },
  'lint.time_as_number': {
    title: 'A time that is compared with a date as a number',
    help: "ClickHouse compares a DateTime with a number as seconds since 1970: 20240101 is in August 1970. Write a string, '2024-01-01', or toDate.",
  },
  'lint.optional_time_bound': {
    title: 'A bound in time that calls may leave out',
    help: 'Without the parameter, the condition on the time column is true for all rows, and the call reads the whole table. A default such as now-24h bounds it. If that is what you want, write # millrace-ignore: lint.optional_time_bound above the parameter.',
  },
  'lint.no_time_bound': {
    title: 'Table read without a time bound',
    help: 'A condition on its time column lets the engine skip older data.',
  },
};
