// Every finding code for endpoint files, with its meaning and fix. docs/reference/findings.md is generated from it.

export interface FindingKind {
  readonly title: string;
  readonly help: string;
}

const yaml = (
  title: string,
  help = 'Correct the YAML at this place; an editor with YAML support shows it too.',
): FindingKind => ({
  title,
  help,
});

export const FINDING_KINDS: Readonly<Record<string, FindingKind>> = {
  'file.unreadable': {
    title: 'The file cannot be read',
    help: 'It has to be a text file of at most 1 MiB that this user may read, and that nobody is writing all the time.',
  },
  'file.more_findings': {
    title: 'The file has more findings than are shown',
    help: 'The first 100 are shown. Correct those, then check the file again.',
  },
  'yaml.bad_character': yaml(
    'The file is no UTF-8, or holds a control character',
    'Save it as UTF-8 and remove the character.',
  ),
  'yaml.too_deep': yaml('The document nests too deeply'),
  'yaml.unknown_alias': yaml('An alias names no anchor', 'Write &name before *name, or the value itself.'),
  'yaml.bad_alias': yaml('An alias is wrong, or there are too many', 'Write the values themselves.'),
  'yaml.alias_props': yaml('An alias has an anchor or a tag of its own'),
  'yaml.bad_directive': yaml('A line that begins with % is no directive of YAML'),
  'yaml.bad_dq_escape': yaml(
    'A backslash in a text in double quotes means nothing',
    String.raw`Write \\ for a backslash, or use single quotes.`,
  ),
  'yaml.bad_indent': yaml(
    'The indentation does not fit',
    'Indent the keys of one mapping by the same number of blanks.',
  ),
  'yaml.bad_prop_order': yaml('An anchor or tag stands at the wrong place'),
  'yaml.bad_scalar_start': yaml('A value cannot begin with this character', 'Put the value into quotes.'),
  'yaml.bad_collection_type': yaml('A tag does not fit its value'),
  'yaml.block_as_implicit_key': yaml(
    'A nested mapping stands on the line of its key',
    'Begin a new line, or put the value into quotes: it may hold a colon.',
  ),
  'yaml.block_in_flow': yaml('A block stands inside braces or brackets'),
  'yaml.duplicate_key': yaml('A key stands twice', 'Keep one of them.'),
  'yaml.impossible': yaml('The YAML cannot be read'),
  'yaml.key_over_1024_chars': yaml('A key is too long'),
  'yaml.missing_char': yaml('A closing quote, bracket or comma is missing'),
  'yaml.multiline_implicit_key': yaml(
    'A key goes over several lines',
    'Put the value into quotes, or indent it.',
  ),
  'yaml.multiple_anchors': yaml('A value has several anchors'),
  'yaml.multiple_docs': yaml(
    'The file holds several documents',
    'One endpoint a file: remove --- and what follows.',
  ),
  'yaml.multiple_tags': yaml('A value has several tags'),
  'yaml.non_string_key': yaml('A key is no text'),
  'yaml.resource_exhaustion': yaml('The document is too large or too deep to be read'),
  'yaml.tab_as_indent': yaml('A tab indents', 'Indent with blanks.'),
  'yaml.tag_resolve_failed': yaml(
    'A tag means nothing here',
    'Remove the word that begins with an exclamation mark.',
  ),
  'yaml.unexpected_token': yaml('Something stands where nothing may stand'),
  'schema.unknown_key': {
    title: 'A key that endpoint files do not have',
    help: 'The hint has the nearest one; docs/reference/endpoint-file.md has them all.',
  },
  'schema.missing_key': {
    title: 'A key is missing',
    help: 'Every file has id, name and query; every parameter has a type.',
  },
  'schema.wrong_type': {
    title: 'A value of the wrong kind',
    help: 'The message says what is expected: a text, a number, a mapping, …',
  },
  'schema.not_allowed': {
    title: 'A value that is not one of a list',
    help: 'Take one of those in the message.',
  },
  'schema.bad_text': {
    title: 'A text of the wrong form',
    help: 'Names, UUIDs, times and sizes have a form: the message shows it.',
  },
  'schema.out_of_bounds': {
    title: 'A value that is too small, too large, too long or too many',
    help: 'The message has the bound.',
  },
  'endpoint.duplicate_name': {
    title: 'Two files have one name',
    help: 'Names are unique: the older file stays in service. Rename one of the two.',
  },
  'endpoint.duplicate_id': {
    title: 'Two files have one id',
    help: 'An id belongs to one endpoint for ever: give the copy a new UUID.',
  },
  'parameter.undeclared': {
    title: 'The query uses a parameter that is not declared',
    help: 'Declare it under parameters, or correct its spelling.',
  },
  'parameter.unused': {
    title: 'A declared parameter is not used',
    help: 'Write @name in the query, or take the declaration out.',
  },
  'parameter.type_unknown': {
    title: 'A type that parameters do not have',
    help: 'String, Bool, (U)Int8 to (U)Int64, Float32, Float64, Decimal(P, S), Date, Date32, DateTime, DateTime64(S), UUID, IPv4, IPv6, or Array(…) of one.',
  },
  'parameter.array_optional': {
    title: 'An array that could be absent',
    help: 'An Array cannot be null: say required: true, or give a default such as [].',
  },
  'parameter.default_unused': {
    title: 'A default that is never used',
    help: 'A required parameter has none: take one of the two away.',
  },
  'parameter.default_invalid': {
    title: 'A default that callers could not send',
    help: 'It has to be of the type, and within the bounds.',
  },
  'parameter.range_empty': {
    title: 'Bounds that nothing fits',
    help: 'The least is greater than the greatest: exchange them.',
  },
  'parameter.bound_invalid': {
    title: 'A bound of another type',
    help: 'min and max are values of the parameter.',
  },
  'parameter.constraint_misplaced': {
    title: 'A constraint that this type has not',
    help: 'pattern and format belong to String, min and max to numbers and times, lengths to String and Array.',
  },
  'parameter.pattern_invalid': {
    title: 'A pattern that is no regular expression',
    help: 'RE2: no look-around, no back-references.',
  },
  'parameter.enum_invalid': {
    title: 'A choice that callers could not send',
    help: 'Every value of enum has to be of the type.',
  },
  'parameter.enum_duplicate': { title: 'A choice stands twice', help: 'Remove one.' },
  'query.empty': { title: 'There is no query', help: 'Write one SELECT.' },
  'query.unexpected_character': {
    title: 'A character that means nothing in SQL',
    help: 'Remove it, or put it into quotes.',
  },
  'query.unclosed_comment': { title: 'A comment is never closed', help: 'Close it with */.' },
  'query.unclosed_string': {
    title: 'A text is never closed',
    help: 'Close it with a quote; a quote inside is written twice.',
  },
  'query.unclosed_identifier': {
    title: 'A quoted name is never closed',
    help: 'Close it with the quote that opens it.',
  },
  'query.stray_exclamation_mark': { title: 'An exclamation mark alone', help: 'It stands only in !=.' },
  'query.wrong_number': {
    title: 'Neither a number nor a name',
    help: 'A name does not begin with a digit unless it is quoted.',
  },
  'query.unbalanced_bracket': { title: 'A bracket has no partner', help: 'Close it, or remove it.' },
  'query.stray_at': {
    title: 'An @ that names no parameter',
    help: 'A parameter is written @name, with an operator or a blank before it.',
  },
  'query.parameter_name': {
    title: 'A name that parameters cannot have',
    help: 'Letters, digits and underscores, at most 64, no digit first.',
  },
  'query.typed_placeholder': {
    title: "A placeholder in ClickHouse's own form",
    help: 'Write @name and declare its type under parameters.',
  },
  'query.several_statements': { title: 'Several statements', help: 'A saved query is one SELECT.' },
  'query.into_outfile': { title: 'INTO OUTFILE', help: 'A saved query writes no files.' },
  'query.format_clause': { title: 'A FORMAT clause', help: 'The caller chooses the format: take it away.' },
  'query.not_select': { title: 'No SELECT', help: 'A saved query is a SELECT, with or without WITH.' },
  'query.with_unreadable': {
    title: 'A WITH clause that cannot be read',
    help: 'Write name AS (SELECT …), or expression AS name, with commas between.',
  },
  'query.with_duplicate': { title: 'Two elements of WITH have one name', help: 'Rename one of them.' },
  'query.settings_unreadable': {
    title: 'A SETTINGS clause that cannot be read',
    help: 'Write SETTINGS name = value, … at the end.',
  },
  'query.identifier_escaped': { title: 'A backslash in a quoted name', help: 'Choose a name without one.' },
  'warming.without_cache': { title: 'Warming where nothing is kept', help: 'Add cache, or remove warming.' },
  'warming.slower_than_ttl': {
    title: 'Warming comes after answers are over',
    help: 'warming.every is at most cache.ttl.',
  },
  'cache.refresh_over_ttl': { title: 'min_refresh is longer than ttl', help: 'It is at most cache.ttl.' },
  'sandbox.without_tables': {
    title: 'A sandbox without tables',
    help: "Consumers' queries read the tables of WITH: write some, or disable the sandbox.",
  },
  'labels.unknown_parameter': {
    title: 'A label names no parameter',
    help: 'Declare the parameter, or write the text without @.',
  },
  'reservation.without_workloads': {
    title: 'A reservation without workloads',
    help: 'List the workloads that a caller may name.',
  },
  'pii.hash_without_key': {
    title: 'Columns to hash, and no secret',
    help: 'The operator sets MILLRACE_PII_HASH_KEY; or write mask.',
  },
  'example.invalid': {
    title: 'An example that cannot be called',
    help: 'Its parameters are those of a caller: correct them, or expect the refusal with status and code.',
  },
  'engine.unknown_column': {
    title: 'The engine knows no such column',
    help: 'Correct the name; the hint has the nearest one.',
  },
  'engine.unknown_table': {
    title: 'The engine knows no such table or database',
    help: 'Correct the name, or add the table to the folder of schema files.',
  },
  'engine.unknown_function': {
    title: 'The engine has no such function',
    help: 'Correct the name; the hint has the nearest one.',
  },
  'engine.unknown_type': { title: 'The engine has no such type', help: 'Correct the name of the type.' },
  'engine.syntax': {
    title: 'The engine cannot read the query',
    help: 'Look at what stands before this place: a comma, an operator or a keyword is missing or too much.',
  },
  'engine.wrong_arguments': {
    title: 'A function gets arguments that it does not take',
    help: 'Look up how many it takes, and of which kinds.',
  },
  'engine.wrong_type': {
    title: 'Values of types that do not go together',
    help: 'Convert one of them, or declare the parameter with another type.',
  },
  'engine.wrong_aggregate': {
    title: 'Aggregates and GROUP BY do not fit',
    help: 'A column stands in GROUP BY or inside an aggregate function.',
  },
  'engine.rejected': { title: 'The engine refuses the query', help: "The message is the engine's own." },
  'fixture.unknown_table': {
    title: 'Rows for a table that is not there',
    help: 'Correct the name, or have a file of the schema folder or of the fixtures make the table.',
  },
  'fixture.misnamed': {
    title: 'A file among the fixtures that is none',
    help: 'Fixtures are named database.table.ndjson, database.table.csv or anything.sql.',
  },
  'fixture.too_large': {
    title: 'A fixture that is too large',
    help: 'At most 32 MiB: keep the rows that examples need.',
  },
  'fixture.rejected': {
    title: 'The engine refuses a fixture',
    help: "The message is the engine's own; the place is that of the row where it tells one.",
  },
  'test.status': {
    title: 'Another status than expected',
    help: 'Correct the endpoint, or expect the status in expect.status.',
  },
  'test.code': { title: 'Another problem than expected', help: 'The message has the code that came back.' },
  'test.columns': {
    title: 'Other columns than expected',
    help: 'Names and their order count: they are what callers rely on.',
  },
  'test.rows': {
    title: 'Another number of rows than expected',
    help: 'Correct the query or the fixtures, or take the number that came back.',
  },
  'test.truncated': {
    title: 'Rows cut, or not cut, against expectation',
    help: 'Rows beyond max_rows are cut.',
  },
  'test.result': {
    title: 'Other rows than expected',
    help: 'The message has the path of the difference; millrace test --update takes what came back.',
  },
  'test.now': { title: 'A clock that cannot be set', help: 'now is a time from 1970 to 2105.' },
  'lint.no_description': {
    title: 'An endpoint that says nothing about itself',
    help: 'Consumers see the description in the listing, in OpenAPI and on the page.',
  },
  'lint.unqualified_table': {
    title: 'A table without its database',
    help: 'Which one is read would depend on the connection: write database.table.',
  },
  'lint.select_star': {
    title: 'SELECT * from a table',
    help: 'A column that the table gets or loses changes what consumers get: name the columns.',
  },
  'lint.unused_table': {
    title: 'A table of WITH that nothing reads',
    help: 'Remove it, or enable the sandbox so that consumers can read it.',
  },
  'lint.order_in_table': {
    title: 'Rows sorted twice',
    help: 'The main query sorts them again: remove the ORDER BY inside.',
  },
  'lint.limit_over_max_rows': {
    title: 'A LIMIT that is never reached',
    help: 'Answers are cut at max_rows before.',
  },
  'lint.regex_parameter': {
    title: 'A regular expression that is not checked',
    help: "With format: regex a caller's bad one is refused with a message; without, the query fails as a defect of the endpoint.",
  },
  'lint.cache_by_moment': {
    title: 'Kept answers under a moment',
    help: 'Each moment is an answer of its own, asked for once. Take a Date, or a choice of windows.',
  },
  'lint.warming_without_examples': {
    title: 'Examples to keep warm, and none there',
    help: 'Add examples, or remove examples: true under warming.',
  },
  'lint.no_time_bound': {
    title: 'A table kept by time, read as a whole',
    help: 'A condition on its time column lets the engine skip what is older.',
  },
};
