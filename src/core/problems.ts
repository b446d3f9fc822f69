// The closed table of problem types (RFC 9457). A code never changes its meaning.

/** One row of the table: the response's `status`, and its default `title` and `hint`. */
interface ProblemKind {
  readonly status: number;
  readonly title: string;
  readonly hint: string;
}

/** A problem with an LQL query: rejected with a location, never interpreted by guessing. */
function lql<Title extends string>(title: Title): { status: 400; title: Title; hint: string } {
  return { status: 400, title, hint: 'Correct the text at the line and column given in errors.' };
}

/** A problem with a BigQuery query that cannot be parsed or translated. */
function bigquery<Title extends string>(title: Title): { status: 400; title: Title; hint: string } {
  return {
    status: 400,
    title,
    hint: 'Correct the text at the line and column given in errors, or write ClickHouse SQL with dialect=clickhouse.',
  };
}

/** All problem codes. `docs/reference/problems.md` is generated from this table. */
export const PROBLEMS = {
  'request.body_invalid': {
    status: 400,
    title: 'The request body cannot be read',
    hint: 'Send a JSON object of parameters, a form, or SQL text, in the encoding that Content-Type names.',
  },
  'request.parameters_invalid': {
    status: 400,
    title: 'Some parameters are not acceptable',
    hint: 'Correct each parameter listed in errors; GET /api/endpoints tells what every endpoint takes.',
  },
  'request.query_conflict': {
    status: 400,
    title: 'Two queries in one request',
    hint: 'Send either sql or lql, not both.',
  },
  'reservation.unknown': {
    status: 400,
    title: 'This endpoint has no reservation of this name',
    hint: 'Ask for a workload that the endpoint lists, or leave the header out.',
  },
  'sandbox.disabled': {
    status: 400,
    title: 'This endpoint takes no queries of your own',
    hint: 'Leave sql and lql out, or ask for an endpoint whose sandbox is enabled.',
  },
  'sandbox.text_refused': {
    status: 400,
    title: 'Your query cannot be read',
    hint: 'Write one plain SELECT: no #, // or {} forms, no parameters, all quotes and brackets closed.',
  },
  'sandbox.syntax_refused': {
    status: 400,
    title: 'Your query uses a form that is not taken here',
    hint: 'Write one SELECT over the tables of this endpoint, without SETTINGS, FORMAT or other statements.',
  },
  'sandbox.table_refused': {
    status: 400,
    title: 'Your query reads something that is not a table of this endpoint',
    hint: 'GET /api/endpoints lists the tables that your query may read.',
  },
  'sandbox.function_refused': {
    status: 400,
    title: 'Your query calls a function that is not allowed',
    hint: 'GET /api/endpoints lists the functions that your query may call.',
  },
  'sandbox.type_refused': {
    status: 400,
    title: 'Your query uses a type that is not allowed, or does not write it as one literal',
    hint: "Write the type as one string or name, such as CAST(x, 'UInt64'), x::Array(String) or JSONExtract(x, 'a', 'Nullable(String)').",
  },
  'sandbox.name_refused': {
    status: 400,
    title: 'Your query gives a name that is taken',
    hint: 'Choose another name for your own WITH element.',
  },
  'sandbox.too_large': {
    status: 400,
    title: 'Your query is too large',
    hint: 'Write it shorter: fewer terms, brackets, subqueries and repeated tables.',
  },
  'sandbox.disagreement': {
    status: 400,
    title: 'The engine reads your query differently',
    hint: 'Write it more plainly; if it looks plain already, tell the operator the request id in instance.',
  },
  'sandbox.switched_off': {
    status: 503,
    title: 'Queries of your own are switched off on this service',
    hint: 'Saved queries are answered as ever; tell the operator, whose log says why.',
  },
  'bigquery.syntax_refused': bigquery('Your BigQuery text cannot be read'),
  'bigquery.form_refused': bigquery('Your query uses a form of BigQuery that is not translated'),
  'bigquery.name_unknown': bigquery('There is no such table, column or function'),
  'bigquery.too_large': bigquery('Your query is too large'),
  'lql.text_too_long': lql('The LQL text is too long'),
  'lql.character_invalid': lql('A character cannot stand in LQL'),
  'lql.too_many_clauses': lql('There are too many clauses'),
  'lql.blank_missing': lql('Two clauses stand without a blank between them'),
  'lql.quote_unclosed': lql('A quote is never closed'),
  'lql.parenthesis_unclosed': lql('A parenthesis is never closed'),
  'lql.name_missing': lql('A name is missing'),
  'lql.value_missing': lql('A value is missing'),
  'lql.value_invalid': lql('A value cannot be read'),
  'lql.operator_doubled': lql('Two operators follow each other'),
  'lql.operator_unsuitable': lql('An operator does not go with its value'),
  'lql.negation_unsuitable': lql('This clause cannot be negated'),
  'lql.clause_repeated': lql('A clause may stand only once'),
  'lql.clause_conflict': lql('Two clauses exclude each other'),
  'lql.path_invalid': lql('A path cannot be read'),
  'lql.timestamp_invalid': lql('A time cannot be read'),
  'lql.range_invalid': lql('A range cannot be read'),
  'lql.aggregate_unknown': lql('There is no such aggregate'),
  'lql.chart_invalid': lql('A chart clause cannot be read'),
  'lql.regex_invalid': lql('A regular expression cannot be compiled'),
  'lql.table_unknown': lql('There is no such table'),
  'lql.table_missing': lql('The query has to name a table'),
  'lql.column_unknown': lql('There is no such column'),
  'lql.column_repeated': lql('Two result columns have one name'),
  'lql.type_mismatch': lql('A value does not fit the type of its column'),
  'auth.missing': {
    status: 401,
    title: 'No key was sent',
    hint: 'Send your key in the X-API-KEY header, or as Authorization: Bearer <key>.',
  },
  'auth.unavailable': {
    status: 503,
    title: 'Your token cannot be checked now',
    hint: 'Try again after the seconds in Retry-After; keys of the tokens file go on working.',
  },
  'auth.invalid': {
    status: 401,
    title: 'The key is not known',
    hint: 'Check the key for a missing character; an expired or revoked key has to be replaced by its issuer.',
  },
  'auth.forbidden': {
    status: 403,
    title: 'The key does not cover this',
    hint: 'Ask whoever issued the key to allow it, or use another key.',
  },
  'route.endpoint_unknown': {
    status: 404,
    title: 'There is no such endpoint',
    hint: 'GET /api/endpoints lists the endpoints that your key may call.',
  },
  'route.unknown': {
    status: 404,
    title: 'There is nothing at this path',
    hint: 'Endpoints are at /api/endpoints/query/{name or UUID}.',
  },
  'route.host_unknown': {
    status: 403,
    title: 'The admin listener is not asked for under this name',
    hint: 'Ask by IP address or as localhost, or add the name to MILLRACE_ADMIN_NAMES.',
  },
  'route.cross_site': {
    status: 403,
    title: 'A page of another site may not change anything here',
    hint: 'Send the request from a program; browsers add Origin and Sec-Fetch-Site to what pages send.',
  },
  'route.method_not_allowed': {
    status: 405,
    title: 'This path does not take that method',
    hint: 'Use one of the methods that the Allow header lists.',
  },
  'format.not_acceptable': {
    status: 406,
    title: 'The result cannot be sent in that format',
    hint: 'Ask for application/json, or leave Accept out.',
  },
  'format.too_large': {
    status: 406,
    title: 'The answer is too large for this format',
    hint: 'Ask for csv or ndjson, or for fewer rows.',
  },
  'request.body_too_large': {
    status: 413,
    title: 'The request body is too large',
    hint: 'A body may have at most 1 MiB.',
  },
  'request.body_type_unsupported': {
    status: 415,
    title: 'Bodies of that type are not read here',
    hint: 'Send application/json, application/x-www-form-urlencoded or application/sql.',
  },
  'request.headers_too_large': {
    status: 431,
    title: 'The URL or the headers are too large',
    hint: 'Send long parameters in the body of a POST instead.',
  },
  'request.too_slow': {
    status: 408,
    title: 'The request took too long to arrive',
    hint: 'Send the whole request without pausing.',
  },
  'request.malformed': {
    status: 400,
    title: 'The request is not valid HTTP',
    hint: 'Check the request line, the headers and percent-encoding of the URL.',
  },
  'rate.exceeded': {
    status: 429,
    title: 'Too many calls',
    hint: 'Wait for the seconds in Retry-After; RateLimit-Policy tells how many calls are allowed.',
  },
  'rate.unavailable': {
    status: 503,
    title: 'Calls of your key cannot be counted now',
    hint: 'Try again after the seconds in Retry-After.',
  },
  'query.failed': {
    status: 422,
    title: 'The engine could not run your query',
    hint: 'Correct the query at the place given in errors.',
  },
  'query.too_expensive': {
    status: 422,
    title: 'Your query needs more than it may use',
    hint: 'Narrow the query: a shorter time range, fewer groups, rows or columns.',
  },
  'query.suspended': {
    status: 429,
    title: 'This query is suspended',
    hint: 'It could not be stopped at its time limit: send a cheaper query, or try again after the seconds in Retry-After.',
  },
  'endpoint.failed': {
    status: 500,
    title: 'The saved query of this endpoint failed',
    hint: 'This is not your mistake: tell the operator the request id in instance.',
  },
  'internal.defect': {
    status: 500,
    title: 'A defect in the service',
    hint: 'This is not your mistake: tell the operator the request id in instance.',
  },
  'request.abandoned': {
    status: 499,
    title: 'The caller has gone',
    hint: 'Nobody reads this: the connection was closed before the answer.',
  },
  'cache.absent': {
    status: 504,
    title: 'No answer is stored',
    hint: 'Leave only-if-cached out to have the query run.',
  },
  'engine.nonsense': {
    status: 502,
    title: 'The engine gave an answer that cannot be read',
    hint: 'Try again; tell the operator if it stays.',
  },
  'engine.unavailable': {
    status: 503,
    title: 'The engine cannot be reached',
    hint: 'Try again after the time in Retry-After.',
  },
  'engine.busy': {
    status: 503,
    title: 'Too many queries are waiting',
    hint: 'Try again after the time in Retry-After.',
  },
  'service.stopping': {
    status: 503,
    title: 'The service is stopping',
    hint: 'Try again: another replica, or this one after its restart, will answer.',
  },
  'engine.timeout': {
    status: 504,
    title: 'The query took longer than it may',
    hint: 'Narrow the query: a shorter time range, or fewer rows to read.',
  },
} as const satisfies Record<string, ProblemKind>;
