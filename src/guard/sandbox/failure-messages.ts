// The message for each of ClickHouse's error codes that a consumer query can cause.

/** A message; `name` is what the engine's message is about, if it occurs in the consumer's query. */
export interface FailureMessage {
  readonly textFor: (name: string) => string;
  /** Evidence required that the endpoint's own tables did not cause the failure. */
  readonly evidence: 'none' | 'location or scope';
}

type Row = readonly [code: number, name: string, textFor: FailureMessage['textFor']];

const plain = (message: string) => (): string => message;
/** A message about a name, or about `otherwise` if the name is not in the query, or is a string: an argument of what failed. */
const about = (otherwise: string, rest: string) => (name: string) =>
  `${name === '' || name.startsWith("'") ? otherwise : name} ${rest}`;

const outOfRange = (name: string): string =>
  name.startsWith("'") ? `${name} is out of range` : `An argument of ${name || 'a function'} is out of range`;
const OTHER_ARGUMENTS = about('A function', 'has the wrong number of arguments');
const SEVERAL_TABLES = about('A name', 'is ambiguous: qualify it with its table');
const NOT_CONVERTED = plain('A string cannot be converted to the required type');
const TOO_COMPLEX = plain('The query is too complex for the engine: use fewer expressions and subqueries');

const missing =
  (kind: string, where = '') =>
  (name: string): string =>
    name === '' ? `The query has a ${kind} that does not exist` : `There is no ${kind} ${name}${where}`;

/** About a name. If that is not found in the consumer's query, the query around it is theirs or the failure is not. */
const NAMING: readonly Row[] = [
  [8, 'THERE_IS_NO_COLUMN', missing('column', ' here')],
  [10, 'NOT_FOUND_COLUMN_IN_BLOCK', missing('column', ' here')],
  [16, 'NO_SUCH_COLUMN_IN_TABLE', missing('column', ' here')],
  [46, 'UNKNOWN_FUNCTION', missing('function')],
  [47, 'UNKNOWN_IDENTIFIER', missing('column or alias', ' here')],
  [63, 'UNKNOWN_AGGREGATE_FUNCTION', missing('aggregate function')],
];

/**
 * Raised during analysis. The endpoint's own tables were analysed when it was loaded, so the consumer's query is at
 * fault.
 */
const ANALYSIS: readonly Row[] = [
  [1, 'UNSUPPORTED_METHOD', plain('The engine does not support this here')],
  [2, 'UNSUPPORTED_PARAMETER', about('A function', 'does not accept this parameter')],
  [7, 'INCORRECT_NUMBER_OF_COLUMNS', plain('The types or the number of columns do not match')],
  [12, 'PARAMETER_OUT_OF_BOUND', (name) => `A parameter of ${name || 'a function'} is out of range`],
  [13, 'SIZES_OF_COLUMNS_IN_TUPLE_DOESNT_MATCH', plain('Tuples of different lengths cannot be combined')],
  [15, 'DUPLICATE_COLUMN', about('A column', 'occurs twice: give one of them an alias')],
  [20, 'NUMBER_OF_COLUMNS_DOESNT_MATCH', plain('The two sides of IN have different numbers of columns')],
  [34, 'TOO_MANY_ARGUMENTS_FOR_FUNCTION', OTHER_ARGUMENTS],
  [35, 'TOO_FEW_ARGUMENTS_FOR_FUNCTION', OTHER_ARGUMENTS],
  [36, 'BAD_ARGUMENTS', about('A function', 'does not accept these arguments')],
  [37, 'UNKNOWN_ELEMENT_IN_AST', plain('The engine cannot parse the query')],
  [42, 'NUMBER_OF_ARGUMENTS_DOESNT_MATCH', OTHER_ARGUMENTS],
  [43, 'ILLEGAL_TYPE_OF_ARGUMENT', about('A function', 'does not accept arguments of this type')],
  [44, 'ILLEGAL_COLUMN', plain('A column of this type cannot be used here: cast it first')],
  [48, 'NOT_IMPLEMENTED', plain('The engine does not support this')],
  [50, 'UNKNOWN_TYPE', (name) => `There is no type ${name}`.trimEnd()],
  [51, 'EMPTY_LIST_OF_COLUMNS_QUERIED', plain('The query selects no columns')],
  [53, 'TYPE_MISMATCH', plain('The types or the number of columns do not match')],
  [
    59,
    'ILLEGAL_TYPE_OF_COLUMN_FOR_FILTER',
    plain('A condition must be true or false, and this one has another type'),
  ],
  [62, 'SYNTAX_ERROR', plain('The engine cannot parse the query')],
  [80, 'INCORRECT_QUERY', plain('The engine cannot parse the query')],
  [121, 'UNSUPPORTED_JOIN_KEYS', plain('The engine does not support a join on these columns')],
  [122, 'INCOMPATIBLE_COLUMNS', plain('Columns of different types cannot be combined')],
  [124, 'INCORRECT_ELEMENT_OF_SET', plain('An element of the set on the right of IN has another type')],
  [125, 'INCORRECT_RESULT_OF_SCALAR_SUBQUERY', plain('A scalar subquery returned more than one row')],
  [129, 'FUNCTION_IS_SPECIAL', about('A function', 'cannot be used here')],
  [
    133,
    'AGGREGATE_FUNCTION_DOESNT_ALLOW_PARAMETERS',
    about('An aggregate function', 'does not accept parameters'),
  ],
  [
    134,
    'PARAMETERS_TO_AGGREGATE_FUNCTIONS_MUST_BE_LITERALS',
    about('An aggregate function', 'accepts only literals as parameters'),
  ],
  [141, 'SAMPLING_NOT_SUPPORTED', plain('SAMPLE cannot be used with this table')],
  [161, 'TOO_MANY_COLUMNS', plain('The query reads too many columns: list those that you need')],
  [162, 'TOO_DEEP_SUBQUERIES', TOO_COMPLEX],
  [165, 'TOO_MANY_TEMPORARY_COLUMNS', TOO_COMPLEX],
  [166, 'TOO_MANY_TEMPORARY_NON_CONST_COLUMNS', TOO_COMPLEX],
  [167, 'TOO_DEEP_AST', TOO_COMPLEX],
  [168, 'TOO_BIG_AST', TOO_COMPLEX],
  [572, 'TOO_MANY_QUERY_PLAN_OPTIMIZATIONS', TOO_COMPLEX],
  [174, 'CYCLIC_ALIASES', about('An alias', 'is defined in terms of itself')],
  [179, 'MULTIPLE_EXPRESSIONS_FOR_ALIAS', about('An alias', 'is an alias of two different expressions')],
  [181, 'ILLEGAL_FINAL', plain('FINAL cannot be used with this table')],
  [182, 'ILLEGAL_PREWHERE', plain('PREWHERE cannot be used with this table: write WHERE')],
  [183, 'UNEXPECTED_EXPRESSION', plain('An expression is used where none is allowed')],
  [
    184,
    'ILLEGAL_AGGREGATION',
    plain('An aggregate function is nested in another one, or used where none is allowed'),
  ],
  [186, 'UNSUPPORTED_COLLATION_LOCALE', plain('COLLATE requires a locale that the engine supports')],
  [206, 'ALIAS_REQUIRED', plain('A subquery or an expression requires an alias: AS name')],
  [207, 'AMBIGUOUS_IDENTIFIER', SEVERAL_TABLES],
  [215, 'NOT_AN_AGGREGATE', about('A column', 'must be in GROUP BY or inside an aggregate function')],
  [223, 'UNEXPECTED_AST_STRUCTURE', plain('The engine cannot parse the query')],
  [229, 'QUERY_IS_TOO_LARGE', TOO_COMPLEX],
  [258, 'UNION_ALL_RESULT_STRUCTURES_MISMATCH', plain('The SELECTs of a UNION have different columns')],
  [262, 'BAD_COLLATION', plain('COLLATE applies only to strings')],
  [264, 'INCOMPATIBLE_TYPE_OF_JOIN', plain('The engine does not support this kind of JOIN for these tables')],
  [306, 'TOO_DEEP_RECURSION', TOO_COMPLEX],
  [309, 'FUNCTION_CANNOT_HAVE_PARAMETERS', about('A function', 'does not accept parameters')],
  [344, 'SUPPORT_IS_DISABLED', plain('This feature is disabled in the engine')],
  [352, 'AMBIGUOUS_COLUMN_NAME', SEVERAL_TABLES],
  [
    353,
    'INDEX_OF_POSITIONAL_ARGUMENT_IS_OUT_OF_RANGE',
    plain('A number in GROUP BY or ORDER BY exceeds the number of selected columns'),
  ],
  [377, 'ILLEGAL_SYNTAX_FOR_DATA_TYPE', plain('A type has arguments that it does not accept')],
  [378, 'DATA_TYPE_CANNOT_HAVE_ARGUMENTS', plain('A type has arguments that it does not accept')],
  [386, 'NO_COMMON_TYPE', plain('The types of the values have no common type')],
  [403, 'INVALID_JOIN_ON_EXPRESSION', plain('The engine does not support this join condition')],
  [417, 'EXPECTED_ALL_OR_ANY', plain('JOIN requires ALL or ANY before it')],
  [418, 'UNKNOWN_JOIN', plain('The engine does not support this kind of JOIN for these tables')],
  [438, 'DATA_TYPE_CANNOT_BE_PROMOTED', plain('A column of this type cannot be used here: cast it first')],
  [440, 'INVALID_LIMIT_EXPRESSION', plain('LIMIT and OFFSET must be integers')],
  [446, 'FUNCTION_NOT_ALLOWED', about('A function', 'is not allowed by the engine')],
  [
    455,
    'SUSPICIOUS_TYPE_FOR_LOW_CARDINALITY',
    plain('LowCardinality of this type is not allowed: remove it'),
  ],
  [456, 'UNKNOWN_QUERY_PARAMETER', plain('A consumer query does not accept parameters')],
  [
    475,
    'INVALID_WITH_FILL_EXPRESSION',
    plain('WITH FILL requires constant bounds and a step of the type of its column'),
  ],
  [476, 'WITH_TIES_WITHOUT_ORDER_BY', plain('WITH TIES requires ORDER BY')],
  [498, 'LIMIT_BY_WITH_TIES_IS_NOT_SUPPORTED', plain('LIMIT BY cannot have WITH TIES')],
  [527, 'NO_SUITABLE_FUNCTION_IMPLEMENTATION', about('A function', 'does not accept arguments of this type')],
  [544, 'ROW_AND_ROWS_TOGETHER', plain('OFFSET accepts either ROW or ROWS')],
  [545, 'FIRST_AND_NEXT_TOGETHER', plain('FETCH accepts either FIRST or NEXT')],
  [557, 'UNKNOWN_UNION', plain('UNION requires ALL or DISTINCT after it')],
  [558, 'EXPECTED_ALL_OR_DISTINCT', plain('UNION requires ALL or DISTINCT after it')],
  [
    596,
    'INTERSECT_OR_EXCEPT_RESULT_STRUCTURES_MISMATCH',
    plain('The SELECTs of INTERSECT or EXCEPT have different columns'),
  ],
  [628, 'OFFSET_FETCH_WITHOUT_ORDER_BY', plain('FETCH requires ORDER BY')],
  [645, 'NUMBER_OF_DIMENSIONS_MISMATCHED', plain('Arrays of different depths cannot be combined')],
  [703, 'INVALID_IDENTIFIER', plain('A name has more parts than a column can have')],
  [721, 'DEPRECATED_FUNCTION', about('A function', 'is deprecated and disabled in the engine')],
  [728, 'UNEXPECTED_DATA_TYPE', plain('A column of this type cannot be used here: cast it first')],
];

/** Raised while rows are read, possibly inside the endpoint's tables. */
const EXECUTION: readonly Row[] = [
  [6, 'CANNOT_PARSE_TEXT', NOT_CONVERTED],
  [9, 'SIZES_OF_COLUMNS_DOESNT_MATCH', plain('Columns of different lengths cannot be combined')],
  [11, 'POSITION_OUT_OF_BOUND', plain('A position is beyond the end of a value')],
  [19, 'SIZE_OF_FIXED_STRING_DOESNT_MATCH', plain('A string is longer than its FixedString')],
  [25, 'CANNOT_PARSE_ESCAPE_SEQUENCE', NOT_CONVERTED],
  [26, 'CANNOT_PARSE_QUOTED_STRING', NOT_CONVERTED],
  [27, 'CANNOT_PARSE_INPUT_ASSERTION_FAILED', NOT_CONVERTED],
  [32, 'ATTEMPT_TO_READ_AFTER_EOF', NOT_CONVERTED],
  [33, 'CANNOT_READ_ALL_DATA', NOT_CONVERTED],
  [38, 'CANNOT_PARSE_DATE', plain('A string is not a valid date')],
  [41, 'CANNOT_PARSE_DATETIME', plain('A string is not a valid time')],
  [69, 'ARGUMENT_OUT_OF_BOUND', outOfRange],
  [70, 'CANNOT_CONVERT_TYPE', plain('A value cannot be converted to this type')],
  [72, 'CANNOT_PARSE_NUMBER', plain('A string is not a number')],
  [117, 'INCORRECT_DATA', plain('A value is malformed for the function that reads it')],
  [128, 'TOO_LARGE_ARRAY_SIZE', about('A function', 'would return an array that is too long')],
  [130, 'CANNOT_READ_ARRAY_FROM_TEXT', plain('A string is not an array')],
  [127, 'ILLEGAL_INDEX', plain('An index is not an integer, or there is no such element')],
  [131, 'TOO_LARGE_STRING_SIZE', about('A function', 'would return a string that is too long')],
  [135, 'ZERO_ARRAY_OR_TUPLE_INDEX', plain('Positions in strings, arrays and tuples start at 1')],
  [153, 'ILLEGAL_DIVISION', plain('Division by zero')],
  [169, 'BAD_TYPE_OF_FIELD', plain('A value does not have the required type')],
  [170, 'BAD_GET', plain('A value does not have the required type')],
  [187, 'COLLATION_COMPARISON_FAILED', plain('COLLATE cannot compare these strings')],
  [190, 'SIZES_OF_ARRAYS_DONT_MATCH', plain('The arrays have different lengths')],
  [282, 'INCORRECT_INDEX', plain('An index is not an integer, or there is no such element')],
  [290, 'LIMIT_EXCEEDED', plain('A value exceeds a limit of the engine')],
  [321, 'VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE', plain('A value is out of range for its type')],
  [346, 'CANNOT_CONVERT_CHARSET', plain('A string cannot be converted to this character set')],
  [
    349,
    'CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN',
    plain('NULL cannot be converted to a type that is not Nullable'),
  ],
  [360, 'CANNOT_CREATE_CHARSET_CONVERTER', plain('There is no such character set')],
  [376, 'CANNOT_PARSE_UUID', plain('A string is not a UUID')],
  [395, 'FUNCTION_THROW_IF_VALUE_IS_NON_ZERO', plain('The condition of throwIf was true for a row')],
  [407, 'DECIMAL_OVERFLOW', plain('A number is out of range for its decimal type')],
  [427, 'CANNOT_COMPILE_REGEXP', plain('A regular expression is invalid')],
  [441, 'CANNOT_PARSE_DOMAIN_VALUE_FROM_STRING', NOT_CONVERTED],
  [447, 'HYPERSCAN_CANNOT_SCAN_TEXT', plain('A string is too long to be searched for several patterns')],
  [457, 'BAD_QUERY_PARAMETER', NOT_CONVERTED],
  [467, 'CANNOT_PARSE_BOOL', plain('A string is not true or false')],
  [490, 'CANNOT_FORMAT_DATETIME', plain('A time cannot be formatted this way')],
  [503, 'AGGREGATE_FUNCTION_THROW', plain('An aggregate function has failed on a row')],
  [563, 'CANNOT_READ_MAP_FROM_TEXT', plain('A string is not a map')],
  [621, 'CANNOT_NORMALIZE_STRING', plain('A string is not valid Unicode')],
  [632, 'UNEXPECTED_DATA_AFTER_PARSED_VALUE', NOT_CONVERTED],
  [675, 'CANNOT_PARSE_IPV4', plain('A string is not an IPv4 address')],
  [676, 'CANNOT_PARSE_IPV6', plain('A string is not an IPv6 address')],
  [691, 'UNKNOWN_ELEMENT_OF_ENUM', plain('A value is not one of the values of its enum')],
  [760, 'UNICODE_ERROR', plain('A string is not valid Unicode')],
];

/** The messages by ClickHouse's error codes (src/Common/ErrorCodes.cpp). */
export const FAILURE_MESSAGES: ReadonlyMap<number, FailureMessage> = new Map([
  ...NAMING.map((row) => entry(row, 'location or scope')),
  ...ANALYSIS.map((row) => entry(row, 'none')),
  ...EXECUTION.map((row) => entry(row, 'location or scope')),
]);

/** ClickHouse's name of each code. */
export const FAILURE_CODES: readonly (readonly [code: number, name: string])[] = [
  ...NAMING,
  ...ANALYSIS,
  ...EXECUTION,
].map(([code, name]) => [code, name] as const);

function entry([code, , textFor]: Row, evidence: FailureMessage['evidence']): [number, FailureMessage] {
  return [code, { textFor, evidence }];
}
