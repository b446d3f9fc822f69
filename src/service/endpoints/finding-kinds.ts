// Every finding code for endpoint files, with its meaning and fix. docs/reference/findings.md is generated from it.
import { TYPE_LABELS } from '../params/scalar.ts';
import { CACHE_KINDS } from './cache-kinds.ts';
import { INCLUDE_KINDS } from './include/include-kinds.ts';
import { LIVE_KINDS } from './live-kinds.ts';
import { LINT_KINDS } from './lint-kinds.ts';
import { MCP_KINDS } from './mcp-kinds.ts';
import { REASON_KINDS } from './reason-kinds.ts';
import type { FindingKind } from './finding-kind.ts';
import { OUTSIDE_KINDS } from './outside-kinds.ts';
import { PII_KINDS } from './pii-kinds.ts';
import { TENANCY_KINDS } from './tenancy-kinds.ts';
import { TEST_KINDS } from './test-kinds.ts';
import { PAGE_KINDS } from './page-kinds.ts';
import { VIEW_KINDS } from './view-kinds.ts';
import { VERSION_KINDS } from './version-kinds.ts';
import { VARIANT_KINDS } from './variant-kinds.ts';
import { YAML_KINDS } from './yaml-kinds.ts';

export const FINDING_KINDS: Readonly<Record<string, FindingKind>> = {
  'file.unreadable': {
    title: 'The file cannot be read',
    help: 'It must be a text file of at most 1 MiB that this user can read and that is not being written to continuously.',
  },
  'file.outside_link': {
    title: 'A link that leads out of its folder',
    help: 'Commands that check files do not follow it, so that a pull request cannot show files of the machine that checks it. Write the file itself, or link to one in the same folder. A running service follows links.',
  },
  'file.dangling_link': {
    title: 'A link without a target',
    help: 'The file that it points to does not exist, so no endpoint is served for it.',
  },
  'file.in_subfolder': {
    title: 'An endpoint file in a subfolder',
    help: 'Endpoint files are read directly in the folder only. Group endpoints by the parts of their names: team.sales in team.sales.yaml.',
  },
  'file.extension': {
    title: 'An endpoint file with another extension',
    help: 'Only files whose names end with .yaml or .yml, in lower case, are endpoint files.',
  },
  'file.more_findings': {
    title: 'The file has more findings than are shown',
    help: 'The first 100 are shown. Fix those, then check the file again.',
  },
  ...YAML_KINDS,
  'schema.unknown_key': {
    title: 'Unknown key',
    help: 'The hint suggests the closest match; docs/reference/endpoint-file.md lists all keys.',
  },
  'schema.missing_key': {
    title: 'Missing key',
    help: 'Every file needs id, name and query; every parameter needs a type, or choices.',
  },
  'schema.wrong_type': {
    title: 'Wrong type',
    help: 'The message has the expected type: a string, a number, a mapping, …',
  },
  'schema.not_allowed': {
    title: 'Value not allowed',
    help: 'Use one of the values in the message.',
  },
  'schema.string_invalid': {
    title: 'Invalid format',
    help: 'Names, UUIDs, times and sizes have a fixed format, which the message shows.',
  },
  'schema.reserved_name': {
    title: 'Reserved name',
    help: 'sql, lql, format and dialect have a meaning in every request, so no parameter can have these names.',
  },
  'schema.out_of_bounds': {
    title: 'Value out of bounds',
    help: 'The value is too small or too large, or has too many characters or elements. The message has the bound.',
  },
  'endpoint.duplicate_name': {
    title: 'Duplicate endpoint name',
    help: 'Names must be unique. The endpoint that was loaded first keeps serving; rename the other.',
  },
  'endpoint.duplicate_id': {
    title: 'Duplicate endpoint id',
    help: 'An id belongs to one endpoint permanently: give the copy a new UUID.',
  },
  'parameter.undeclared': {
    title: 'The query uses a parameter that is not declared',
    help: 'Declare it under parameters, or correct the name.',
  },
  'parameter.unused': {
    title: 'The query does not use a declared parameter',
    help: 'Write @name in the query, or remove the declaration.',
  },
  'parameter.type_unknown': {
    title: 'Unsupported parameter type',
    help: `Use ${TYPE_LABELS.join(', ')}; Nullable(…) or LowCardinality(…) of one; or Array(…), Tuple(…) or Map(…).`,
  },
  'parameter.array_optional': {
    title: 'An optional Array, Map or Tuple without a default',
    help: 'None of them can be null: set required: true, or a default such as [].',
  },
  'parameter.default_unused': {
    title: 'A required parameter with a default',
    help: 'The default is never used: remove either required or default.',
  },
  'parameter.default_invalid': {
    title: 'Invalid default',
    help: 'It must have the type of the parameter and satisfy its constraints. Dates and times may be relative, such as now-24h or @from + 1h.',
  },
  'parameter.default_reference': {
    title: 'A default computed from a parameter that has no time',
    help: '@name in a default is another parameter with a date or time, which is required or has a default itself.',
  },
  'parameter.default_cycle': {
    title: 'A default computed from itself',
    help: 'Compute one of the parameters from now, or set required: true.',
  },
  'parameter.range_empty': {
    title: 'Empty range',
    help: 'The minimum is greater than the maximum: swap them.',
  },
  'parameter.bound_invalid': {
    title: 'Invalid bound',
    help: 'min and max must be valid values of the type of the parameter.',
  },
  'parameter.constraint_misplaced': {
    title: 'A constraint that does not apply to the type',
    help: 'pattern and format apply to String, min and max to numbers and times, round and bound to dates and times, min_length and max_length to String, Array and Map, enum to single values and arrays of them.',
  },
  'parameter.pattern_invalid': {
    title: 'Invalid regular expression',
    help: 'Patterns use RE2 syntax, which has no look-around and no back-references.',
  },
  'parameter.enum_invalid': {
    title: 'Invalid enum value',
    help: 'Every value of enum must have the type of the parameter and satisfy its constraints.',
  },
  'parameter.enum_duplicate': { title: 'Duplicate enum value', help: 'Remove one.' },
  'query.empty': { title: 'The query is empty', help: 'Write one SELECT.' },
  'query.unexpected_character': {
    title: 'Unexpected character in SQL',
    help: 'Remove it, or quote it.',
  },
  'query.unclosed_comment': { title: 'Unclosed comment', help: 'Close it with */.' },
  'query.unclosed_string': {
    title: 'Unclosed string',
    help: 'Close it with a quote; double a quote inside the string.',
  },
  'query.unclosed_identifier': {
    title: 'Unclosed quoted identifier',
    help: 'Close it with the same quote character that opens it.',
  },
  'query.stray_exclamation_mark': { title: 'Stray exclamation mark', help: 'It is valid only in !=.' },
  'query.number_invalid': {
    title: 'Neither a number nor an identifier',
    help: 'Quote an identifier that begins with a digit.',
  },
  'query.unbalanced_bracket': {
    title: 'Unbalanced parenthesis, bracket or brace',
    help: 'Close it, or remove it.',
  },
  'query.stray_at': {
    title: 'An @ without a parameter name',
    help: 'Write @name, preceded by an operator or a space.',
  },
  'query.parameter_name': {
    title: 'Invalid parameter name',
    help: 'Use at most 64 letters, digits and underscores, not beginning with a digit.',
  },
  'query.typed_placeholder': {
    title: 'A ClickHouse placeholder, {name:Type}',
    help: 'Write @name and declare its type under parameters.',
  },
  'query.foreign_placeholder': {
    title: 'A parameter or template of another tool: {{x}}, ${x}, $x, :x, %(x)s, ?, {% if x %}',
    help: 'Write @name and declare its type under parameters. It is bound as a typed value: write no quotes around it. Templates are not evaluated: the query is the same in all calls, so write optional conditions as (@name IS NULL OR column = @name).',
  },
  'query.quoted_parameter': {
    title: 'A parameter inside a string',
    help: "In quotes, @name is text. Write @name without quotes, or concat('%', @name, '%').",
  },
  'parameter.as_table': {
    title: 'A parameter as the name of a table',
    help: 'Parameters are values. Declare the tables as choices of the parameter: choices: { edge: logs.edge_logs, auth: logs.auth_logs }.',
  },
  ...VARIANT_KINDS,
  'query.several_statements': { title: 'Multiple statements', help: 'A saved query is a single SELECT.' },
  'query.into_outfile': { title: 'INTO OUTFILE', help: 'A saved query cannot write files.' },
  'query.format_clause': { title: 'A FORMAT clause', help: 'Remove it: the caller chooses the format.' },
  'query.not_select': {
    title: 'Not a SELECT',
    help: 'A saved query is a SELECT, optionally with a WITH clause.',
  },
  'query.with_invalid': {
    title: 'Invalid WITH clause',
    help: 'Write name AS (SELECT …) or expression AS name, separated by commas.',
  },
  'query.with_duplicate': { title: 'Duplicate name in the WITH clause', help: 'Rename one of them.' },
  'query.settings_invalid': {
    title: 'Invalid SETTINGS clause',
    help: 'Write SETTINGS name = value, … at the end of the query.',
  },
  'query.identifier_escaped': {
    title: 'A backslash in a quoted identifier',
    help: 'Choose a name without a backslash.',
  },
  'warming.without_cache': { title: 'Warming without a cache', help: 'Add cache, or remove warming.' },
  'warming.slower_than_ttl': {
    title: 'The warming interval is longer than the TTL',
    help: 'Set warming.every to at most cache.ttl.',
  },
  ...CACHE_KINDS,
  'sandbox.unknown_table': {
    title: 'sandbox.tables names a table that the query does not have',
    help: 'Tables are those of the WITH clause of the query, and included ones. Names are in exact case.',
  },
  'sandbox.without_tables': {
    title: 'A sandbox without tables',
    help: 'Consumer queries read the tables of the WITH clause of the file, and included tables that sandbox.tables names: add one, or disable the sandbox.',
  },
  'sandbox.function_unchecked': {
    title: 'A function that cannot be allowed',
    help: 'A string in a call of this function names a format, a type, a setting, a table or a file, or it returns the state of an aggregate function; the sandbox does not check that. Call the function in the WITH clause instead.',
  },
  ...REASON_KINDS,
  'labels.unknown_parameter': {
    title: 'A label refers to an unknown parameter',
    help: 'Declare the parameter, or remove the @ to use a fixed value.',
  },
  'reservation.without_workloads': {
    title: 'A reservation without workloads',
    help: 'List the workloads that callers may request.',
  },
  'parameter.optional_limit': {
    title: 'An optional parameter in LIMIT or OFFSET',
    help: 'An optional parameter without a default is NULL if it is not sent, and the engine accepts no NULL there: the call would fail with 500.',
  },
  'example.unknown_column': {
    title: 'An expected column that does not exist',
    help: 'expect.columns and the rows of expect.result name the result columns of the query.',
  },
  'example.query_rejected': {
    title: 'The consumer query of an example is rejected',
    help: 'The example would fail with the code in the message. Correct its sql or lql, or expect the rejection with expect.code.',
  },
  'example.invalid': {
    title: 'Invalid example parameters',
    help: 'An example is validated like a request: correct its parameters, or expect the rejection with expect.status and expect.code.',
  },
  'engine.unknown_column': {
    title: 'Unknown column',
    help: 'Correct the name; the hint suggests the closest match.',
  },
  'engine.unknown_table': {
    title: 'Unknown table or database',
    help: 'Correct the name, or add the table to the schema folder.',
  },
  'engine.unknown_function': {
    title: 'Unknown function',
    help: 'Correct the name; the hint suggests the closest match.',
  },
  'engine.unknown_enum_value': {
    title: 'A string that is no value of an Enum column',
    help: 'The comparison is never true, or fails when the query runs. Correct the string; the hint suggests the closest name.',
  },
  'engine.unknown_setting': {
    title: 'Unknown setting',
    help: 'The engine ignores settings that it does not have, so the query runs without the one that is meant. Correct the name, or remove it.',
  },
  'engine.unknown_type': { title: 'Unknown data type', help: 'Correct the name of the type.' },
  'engine.syntax': {
    title: 'Syntax error reported by the engine',
    help: 'Look just before this location for a missing or extra comma, operator or keyword.',
  },
  'engine.wrong_arguments': {
    title: 'Wrong function arguments',
    help: 'Check the number and types of the arguments that the function accepts.',
  },
  'engine.wrong_type': {
    title: 'Incompatible types',
    help: 'Convert one of them, or declare the parameter with another type.',
  },
  'engine.wrong_aggregate': {
    title: 'Invalid aggregation',
    help: 'Every selected column must be in GROUP BY or inside an aggregate function.',
  },
  'tokens.unknown_endpoint': {
    title: 'A key for endpoints that do not exist',
    help: 'A pattern of the tokens file matches no endpoint. It is checked if validate reads the whole folder and every file is valid. Correct the pattern, or remove it.',
  },
  'tokens.unknown_parameter': {
    title: 'A locked parameter that no endpoint has',
    help: 'A key can call only endpoints that have all the parameters that it locks. Correct the name, or remove it.',
  },
  'limits.queue_without_concurrency': {
    title: 'A queue without concurrency',
    help: 'limits.queue is how many calls may wait for a run of the endpoint when limits.concurrency bounds its runs; without that, no call waits.',
  },
  'reservation.warming_unlisted': {
    title: 'A misspelled workload of warming',
    help: 'reservation.warming is almost the name of one of the workloads, and ClickHouse ignores a workload that does not exist.',
  },
  'sandbox.function_reads': {
    title: 'Consumers may call a function that reads other tables',
    help: 'Functions such as dictGet and joinGet read dictionaries and tables by name, beyond the tables of the WITH clause: no condition of the file, and no tenancy, restricts what they return.',
  },
  'engine.value_needed': {
    title: 'The query cannot be analysed without suitable values',
    help: 'A function of the query accepts only some values of a parameter, and the engine tried those of the examples, the default, the enum, min and common ones. Add an example, or a default, with values that the query accepts.',
  },
  'engine.not_analysed': {
    title: 'The analysis of a query takes too much',
    help: 'The engine computes scalar subqueries and constant expressions when it analyses a query, within ten seconds for each and a minute for a file. Make them cheaper, or join a subquery for what they return. The checks that need the analysis were left out for this file.',
  },
  'engine.rejected': { title: 'The engine rejects the query', help: 'The message is that of the engine.' },
  'tables.not_created': {
    title: 'A table of the schema could not be created',
    help: 'The message is that of the engine. Only endpoints that read the table are affected; their findings name this location.',
  },
  'tables.unknown_column': {
    title: 'A statement of the schema names a column that does not exist',
    help: 'A key, a version column, a default, TTL, an index or a projection names it, so that a server rejects the statement. For the analysis, the table is created without that part. Correct the name.',
  },
  'tables.unsupported': {
    title: 'A statement of the schema is not supported',
    help: 'What it creates does not exist for the analysis. If an endpoint reads it, add a CREATE TABLE statement with its columns to the schema.',
  },
  'tables.missing_variable': {
    title: 'A placeholder of the schema has no value',
    help: 'Commands that check files read only the environment variables that the person who runs them names: --variables, or MILLRACE_VARIABLES. The value may have letters, digits, _, . and -. The statement is not carried out; with a placeholder in a string it is, as written, and the finding is a warning.',
  },
  'fixture.unknown_table': {
    title: 'Fixture rows for an unknown table',
    help: 'Correct the name, or create the table in a file of the schema folder or of the fixtures.',
  },
  'fixture.not_a_table': {
    title: 'Rows for a view, or for a dictionary over a query',
    help: 'Give rows for the tables that it reads.',
  },
  'fixture.unknown_column': {
    title: 'Fixture rows with an unknown column',
    help: 'Correct the name: a row has only columns of its table.',
  },
  'fixture.misnamed': {
    title: 'A file in the fixtures folder that is not a fixture',
    help: 'Name fixtures database.table.ndjson, database.table.csv or anything.sql.',
  },
  'fixture.too_large': {
    title: 'Fixture too large',
    help: 'The limit is 32 MiB: keep only the rows that the examples need.',
  },
  'fixture.rejected': {
    title: 'The engine rejects a fixture',
    help: 'The message is that of the engine; the location is that of the row if the engine reports it.',
  },
  ...OUTSIDE_KINDS,
  ...PII_KINDS,
  ...INCLUDE_KINDS,
  ...MCP_KINDS,
  ...TENANCY_KINDS,
  ...VERSION_KINDS,
  ...LIVE_KINDS,
  ...PAGE_KINDS,
  ...VIEW_KINDS,
  ...LINT_KINDS,
  ...TEST_KINDS,
};
