// The closed table of problem types (RFC 9457). A code never changes its meaning.

/** One row of the table: the response's `status`, and its default `title` and `hint`. */
interface ProblemKind {
  readonly status: number;
  readonly title: string;
  readonly hint: string;
}

/** A problem with an LQL query: rejected with a location, never interpreted by guessing. */
function lql<Title extends string>(title: Title): { status: 400; title: Title; hint: string } {
  return { status: 400, title, hint: 'Correct the query at the line and column given in errors.' };
}

/** A problem with a BigQuery query that cannot be parsed or translated. */
function bigquery<Title extends string>(title: Title): { status: 400; title: Title; hint: string } {
  return {
    status: 400,
    title,
    hint: 'Correct the query at the line and column given in errors, or send ClickHouse SQL with dialect=clickhouse.',
  };
}

/** A row of the table, in a line. */
function kind<Status extends number, Title extends string>(status: Status, title: Title, hint: string) {
  return { status, title, hint };
}

/** Something is unavailable for a moment. */
function unavailable<Title extends string>(title: Title): { status: 503; title: Title; hint: string } {
  return { status: 503, title, hint: 'Retry after the number of seconds in Retry-After.' };
}

/** All problem codes. `docs/reference/problems.md` is generated from this table. */
export const PROBLEMS = {
  'request.body_invalid': {
    status: 400,
    title: 'Invalid request body',
    hint: 'Send a JSON object of parameters, a URL-encoded form or a SQL query, matching Content-Type.',
  },
  'request.parameters_invalid': {
    status: 400,
    title: 'Invalid parameters',
    hint: 'Correct each parameter listed in errors; GET /api/endpoints documents the parameters of each endpoint.',
  },
  'request.cursor_invalid': {
    status: 400,
    title: 'Invalid cursor',
    hint: 'A cursor continues the same call: the same endpoint, version and parameters, until the endpoint changes. Send the cursor of the last response as it is, or start without one.',
  },
  'page.not_divisible': {
    status: 422,
    title: 'The rows cannot be divided into pages',
    hint: 'The author of the endpoint can add a column to page.by that distinguishes rows with equal keys.',
  },
  'live.unavailable': {
    status: 400,
    title: 'This endpoint has no live calls',
    hint: 'Call it without live=true, and again when newer rows are needed; live calls need live: { every: 2 } in its file.',
  },
  'live.too_many': {
    status: 429,
    title: 'Too many live streams of this key',
    hint: 'Close a stream, or retry after the number of seconds in Retry-After. The setting live_streams_per_key limits them.',
  },
  'live.full': {
    ...unavailable('Too many live streams are open'),
    hint: 'Retry after the number of seconds in Retry-After. The setting live_streams limits them.',
  },
  'export.unavailable': kind(400, 'This endpoint has no exports', 'Add export: { max_rows } to its file.'),
  'export.unknown': kind(404, 'Unknown export', 'Use its Location, with the key that asked for it.'),
  'export.too_many': kind(429, 'Too many exports of this key', 'Cancel one, or wait for its end.'),
  'export.key_reused': kind(422, 'Idempotency-Key of another export', 'Send a new one.'),
  'export.not_finished': kind(409, 'The export has no result yet', 'Wait until its state is finished.'),
  'export.range_invalid': kind(416, 'The range is beyond the file', 'Content-Range has its size.'),
  'export.too_many_rows': kind(422, 'Too many rows for an export', 'Ask for fewer rows at once.'),
  'export.disk_full': kind(503, 'No space for the export', 'Delete exports, or ask for fewer rows.'),
  'export.not_stored': kind(502, 'The object store failed', 'Ask for the export again, or download it.'),
  'export.interrupted': kind(503, 'The service stopped meanwhile', 'Ask for the export again.'),
  'export.canceled': kind(409, 'The export was cancelled', 'Ask for the export again.'),
  'data.stale': unavailable('The data of the endpoint is too old'),
  'request.query_conflict': kind(400, 'Two queries in one request', 'Send either sql or lql, not both.'),
  'workload.unknown': {
    status: 400,
    title: 'Unknown workload',
    hint: 'Send the name of a workload that the endpoint lists, or omit the header.',
  },
  'sandbox.disabled': {
    status: 400,
    title: 'This endpoint does not accept consumer queries',
    hint: 'Omit sql and lql, or call an endpoint whose sandbox is enabled.',
  },
  'sandbox.query_invalid': {
    status: 400,
    title: 'Your query cannot be parsed',
    hint: 'Write a single SELECT without #, // or {} syntax and without parameters; close all quotes and parentheses.',
  },
  'sandbox.syntax_unsupported': {
    status: 400,
    title: 'Your query uses syntax that is not allowed',
    hint: 'Write a single SELECT over the tables of this endpoint, without SETTINGS, FORMAT or other statements.',
  },
  'sandbox.table_denied': {
    status: 400,
    title: 'Your query reads a table that this endpoint does not provide',
    hint: 'GET /api/endpoints lists the tables that your query may read.',
  },
  'sandbox.function_denied': {
    status: 400,
    title: 'Your query calls a function that is not allowed',
    hint: 'GET /api/endpoints lists the functions that your query may call.',
  },
  'sandbox.min_group': {
    status: 400,
    title: 'Your query may only return groups of rows',
    hint: 'This endpoint returns no data about few rows: aggregate each table with count, uniq, sum or avg.',
  },
  'sandbox.type_denied': {
    status: 400,
    title: 'Your query uses a type that is not allowed, or that is not a single literal',
    hint: "Write the type as a single string or name, such as CAST(x, 'UInt64'), x::Array(String) or JSONExtract(x, 'a', 'Nullable(String)').",
  },
  'sandbox.name_reserved': {
    status: 400,
    title: 'Your query reuses a reserved name',
    hint: 'Choose another name for your WITH element.',
  },
  'sandbox.too_large': {
    status: 400,
    title: 'Your query is too large',
    hint: 'Shorten it: fewer expressions, parentheses, subqueries and repeated tables.',
  },
  'sandbox.check_mismatch': {
    status: 400,
    title: 'The engine parses your query differently',
    hint: 'Simplify the query; if it is already simple, report the request id in instance to the operator.',
  },
  'sandbox.switched_off': {
    status: 503,
    title: 'Consumer queries are disabled on this service',
    hint: 'Saved queries still work. Contact the operator: the service log has the reason.',
  },
  'bigquery.syntax_invalid': bigquery('Your BigQuery query cannot be parsed'),
  'bigquery.unsupported': bigquery('Your query uses BigQuery syntax that is not supported'),
  'bigquery.name_unknown': bigquery('Unknown table, column or function'),
  'bigquery.too_large': bigquery('Your query is too large'),
  'lql.query_too_long': lql('The LQL query is too long'),
  'lql.character_invalid': lql('Invalid character in LQL'),
  'lql.too_many_clauses': lql('Too many clauses'),
  'lql.whitespace_missing': lql('Missing whitespace between clauses'),
  'lql.quote_unclosed': lql('Unclosed quote'),
  'lql.parenthesis_unclosed': lql('Unclosed parenthesis'),
  'lql.name_missing': lql('Missing name'),
  'lql.value_missing': lql('Missing value'),
  'lql.value_invalid': lql('Invalid value'),
  'lql.too_many_values': lql('Too many values'),
  'lql.operator_repeated': lql('Two consecutive operators'),
  'lql.operator_unknown': lql('Unknown operator'),
  'lql.operator_invalid': lql('This operator cannot be used with this value'),
  'lql.negation_invalid': lql('This clause cannot be negated'),
  'lql.clause_repeated': lql('Duplicate clause'),
  'lql.clause_conflict': lql('Conflicting clauses'),
  'lql.path_invalid': lql('Invalid path'),
  'lql.timestamp_invalid': lql('Invalid timestamp'),
  'lql.range_invalid': lql('Invalid range'),
  'lql.aggregate_unknown': lql('Unknown aggregate function'),
  'lql.chart_invalid': lql('Invalid chart clause'),
  'lql.regex_invalid': lql('Invalid regular expression'),
  'lql.table_unknown': lql('Unknown table'),
  'lql.table_missing': lql('The query must name a table'),
  'lql.column_unknown': lql('Unknown column'),
  'lql.column_repeated': lql('Duplicate result column name'),
  'lql.type_mismatch': lql('The value does not match the type of its column'),
  'clickhouse.database_unknown': {
    status: 404,
    title: 'Unknown database',
    hint: 'SHOW DATABASES lists the databases of your key.',
  },
  'clickhouse.database_missing': {
    status: 400,
    title: 'The query names no database',
    hint: 'Send database=, or write the database before the table: `database`.table.',
  },
  'clickhouse.table_unknown': kind(404, 'Unknown table', 'SHOW TABLES lists the tables of a database.'),
  'clickhouse.databases_mixed': {
    status: 400,
    title: 'One query cannot read two databases',
    hint: 'Send a query for each database.',
  },
  'clickhouse.syntax_invalid': {
    status: 400,
    title: 'Your statement cannot be parsed',
    hint: 'Correct the statement at the line and column given in errors.',
  },
  'clickhouse.statement_unsupported': {
    status: 400,
    title: 'This statement is not supported',
    hint: 'Send SELECT, SHOW, DESCRIBE, EXISTS or KILL QUERY.',
  },
  'clickhouse.read_only': {
    status: 403,
    title: 'This interface is read-only',
    hint: 'Send SELECT, SHOW, DESCRIBE, EXISTS or KILL QUERY.',
  },
  'clickhouse.setting_unknown': {
    status: 400,
    title: 'Unknown setting',
    hint: 'The table system.settings lists the settings that are accepted.',
  },
  'clickhouse.setting_read_only': {
    status: 403,
    title: 'This setting cannot be changed',
    hint: 'Leave the setting out; the table system.settings lists those that are accepted.',
  },
  'clickhouse.setting_invalid': {
    status: 400,
    title: 'Invalid value of a setting',
    hint: 'Correct the value of the setting, or leave the setting out.',
  },
  'clickhouse.parameter_missing': {
    status: 400,
    title: 'A placeholder has no value',
    hint: 'Send param_ and the name of the placeholder for each {name:Type} of the query.',
  },
  'clickhouse.parameter_invalid': {
    status: 400,
    title: 'A value does not fit the type of its placeholder',
    hint: 'Send the value in the text form of the type that the placeholder has.',
  },
  'tinybird.not_served': kind(404, 'This is not served here', 'Call pipes at /v0/pipes/{name}.json.'),
  'auth.missing': {
    status: 401,
    title: 'Missing API key',
    hint: 'Send your key in the X-API-KEY header, or as Authorization: Bearer <key>.',
  },
  'auth.unavailable': {
    status: 503,
    title: 'Your token cannot be verified right now',
    hint: 'Retry after the number of seconds in Retry-After; keys in the tokens file still work.',
  },
  'auth.invalid': {
    status: 401,
    title: 'Invalid API key',
    hint: 'Check that the key is complete; an expired or revoked key must be replaced by its issuer.',
  },
  'auth.forbidden': {
    status: 403,
    title: 'The key does not allow this',
    hint: 'Ask the issuer of the key for access, or use another key.',
  },
  'auth.conflict': {
    status: 400,
    title: 'Several different keys in one request',
    hint: 'Send your key once: as the password of Basic authentication, in one header, or in the URL.',
  },
  'route.endpoint_unknown': kind(
    404,
    'Unknown endpoint',
    'GET /api/endpoints lists the endpoints that your key may call.',
  ),
  'route.unknown': kind(404, 'Unknown path', 'Call endpoints at /api/endpoints/query/{name or UUID}.'),
  'route.request_unknown': kind(
    404,
    'Unknown request',
    'Send the X-Request-Id of a finished call of this key. Each process knows its last 2,000 calls.',
  ),
  'route.host_unknown': {
    status: 403,
    title: 'The admin listener does not accept this host name',
    hint: 'Use its IP address or localhost, or add the host name to MILLRACE_ADMIN_NAMES.',
  },
  'route.cross_site': {
    status: 403,
    title: 'Cross-site requests that change state are not allowed',
    hint: 'Send the request from a program, not from a web page: browsers mark cross-site requests with Origin and Sec-Fetch-Site.',
  },
  'route.origin_denied': {
    status: 403,
    title: 'Web pages of this origin may not send this request',
    hint: 'Add the origin to MILLRACE_CORS_ORIGINS, or send the request from a program.',
  },
  'route.method_not_allowed': kind(405, 'Method not allowed', 'Use one of the methods in the Allow header.'),
  'format.not_acceptable': {
    status: 406,
    title: 'The requested format is not supported',
    hint: 'Request application/json, or omit Accept.',
  },
  'format.too_large': {
    status: 406,
    title: 'The result is too large for this format',
    hint: 'Request csv or ndjson, or fewer rows.',
  },
  'request.body_too_large': kind(413, 'The request body is too large', 'Send a body of at most 1 MiB.'),
  'request.body_type_unsupported': {
    status: 415,
    title: 'Unsupported Content-Type',
    hint: 'Send application/json, application/x-www-form-urlencoded or application/sql.',
  },
  'request.encoding_unsupported': {
    status: 415,
    title: 'Unsupported Content-Encoding',
    hint: 'Send the body with gzip, deflate, br or zstd, or uncompressed.',
  },
  'request.encoding_invalid': {
    status: 400,
    title: 'The request body cannot be decompressed',
    hint: 'Compress the body as Content-Encoding says, or send it uncompressed.',
  },
  'request.headers_too_large': {
    status: 431,
    title: 'The URL or the header fields are too large',
    hint: 'Send long parameters in the body of a POST request.',
  },
  'request.too_slow': {
    status: 408,
    title: 'The request was not received in time',
    hint: 'Send the complete request without pauses.',
  },
  'request.malformed': {
    status: 400,
    title: 'The request is not valid HTTP',
    hint: 'Check the request line, the header fields and the percent-encoding of the URL.',
  },
  'rate.exceeded': {
    status: 429,
    title: 'Rate limit exceeded',
    hint: 'Wait for the number of seconds in Retry-After; RateLimit-Policy has the limit.',
  },
  'budget.exceeded': {
    status: 429,
    title: 'Budget exceeded',
    hint: 'Wait for the number of seconds in Retry-After; RateLimit-Policy has the budget. Cached responses are still served.',
  },
  'rate.unavailable': unavailable('The rate limit of your key cannot be checked right now'),
  'query.failed': {
    status: 422,
    title: 'The engine could not run your query',
    hint: 'Correct the query at the line and column given in errors.',
  },
  'query.too_expensive': {
    status: 422,
    title: 'Your query exceeds its resource limits',
    hint: 'Narrow the query: use a shorter time range, or fewer groups, rows or columns.',
  },
  'query.id_in_use': {
    status: 409,
    title: 'A query with this id is running',
    hint: 'Wait for the query to end, cancel it with KILL QUERY, or send another query_id.',
  },
  'query.canceled': {
    status: 409,
    title: 'The query was canceled',
    hint: 'A KILL QUERY with the same key and this query_id ended it.',
  },
  'query.suspended': {
    status: 429,
    title: 'This query is suspended',
    hint: 'It could not be stopped at its time limit: send a cheaper query, or retry after the number of seconds in Retry-After.',
  },
  'endpoint.failed': {
    status: 500,
    title: 'The saved query of this endpoint failed',
    hint: 'The error is not in your request: report the request id in instance to the operator.',
  },
  'internal.error': {
    status: 500,
    title: 'Internal error',
    hint: 'The error is not in your request: report the request id in instance to the operator.',
  },
  'request.client_closed': {
    status: 499,
    title: 'The client closed the connection',
    hint: 'Logged only: the connection was closed before the response was sent.',
  },
  'cache.miss': kind(504, 'No cached response', 'Omit only-if-cached to run the query.'),
  'cache.not_purged': {
    status: 503,
    title: 'Cached responses could not be deleted',
    hint: 'Purge again when Redis accepts writes: the log has the reason (cache.remote_lost, cache.write_rejected).',
  },
  'engine.invalid_response': {
    status: 502,
    title: 'Invalid response from the engine',
    hint: 'Retry; contact the operator if the error persists.',
  },
  'engine.unavailable': unavailable('The engine is unavailable'),
  'engine.busy': unavailable('The query queue is full'),
  'service.stopping': {
    status: 503,
    title: 'The service is shutting down',
    hint: 'Retry: another replica, or this one after its restart, will handle the request.',
  },
  'engine.timeout': {
    status: 504,
    title: 'The query exceeded its time limit',
    hint: 'Narrow the query: use a shorter time range, or read fewer rows.',
  },
} as const satisfies Record<string, ProblemKind>;
