// How the dialects differ, as data: each has its own in its folder.

/** Functions by name, and replacements of others. */
export interface KnownFunctions {
  readonly names: ReadonlySet<string>;
  readonly replacements: ReadonlyMap<string, string>;
}

/** A trait is named for what differs from most dialects, never for a dialect. */
export interface Traits
  extends NameTraits, RowTraits, ConversionTraits, NumberTraits, TextTraits, TimeTraits, JsonTraits {
  /** The functions that there are at run time, and what to write in place of others; undefined: those of all dialects. */
  readonly functions?: KnownFunctions;
}

/** What names mean. */
interface NameTraits {
  /** An alias of the select list comes before a column, after WHERE. */
  readonly prefersAliases: boolean;
  /** In HAVING and QUALIFY, an alias comes before a column that is not a key. */
  readonly havingPrefersAliases: boolean;
  /** WHERE sees the aliases of the select list. */
  readonly whereSeesAliases: boolean;
  /** An item of the select list can refer to the aliases before it. */
  readonly seesEarlierAliases: boolean;
  /** The name of an expression without an alias can be used elsewhere in the query. */
  readonly namesExpressions: boolean;
  /** A field of a value of unknown type is one of JSON. */
  readonly fieldsAreJson: boolean;
}

/** What rows are, and in which order. */
interface RowTraits {
  /** Where ORDER BY puts NULL: before or after all values, ascending; `last` is after, in both directions. */
  readonly nulls: 'low' | 'high' | 'last';
  /** A grouped query can read columns that are no keys: they depend on the keys, or any value is returned. */
  readonly groupsOtherColumns: boolean;
  /** With min or max, the other columns are those of that row. */
  readonly extremeSelectsRow: boolean;
  /** A window with an order and no frame has all rows of the partition, for functions that return one of its values. */
  readonly windowsAreWhole: boolean;
  /** Rows are records, whose fields have names. */
  readonly rowsAreRecords: boolean;
  /** There are tables of numbers, such as `seq_1_to_10`. */
  readonly hasSequenceTables: boolean;
  /** Aggregates that collect values leave out NULL, and are empty over no rows, rather than NULL. */
  readonly collectsNothing: boolean;
  /** What is between strings that are joined, if no separator is written. */
  readonly separator: ',' | '';
  /** GROUP_CONCAT has several arguments, and the clause SEPARATOR. */
  readonly concatenatesArguments: boolean;
  /** An array without elements may be one that is NULL. */
  readonly emptyArrayIsNull: boolean;
}

/** What is converted implicitly, and how values are compared. */
interface ConversionTraits {
  /** Conditions are the numbers 0 and 1. */
  readonly hasNumericConditions: boolean;
  /** A string beside a number, or among values of which one is returned, is converted; otherwise only literals of times are. */
  readonly convertsStrings: boolean;
  /** A string is the number that it begins with, or 0; one that is no time is NULL. */
  readonly readsPrefixes: boolean;
  /** A string literal has the type of what it stands beside. */
  readonly stringsAreUntyped: boolean;
  /** A string as the argument of a function of numbers is converted. */
  readonly convertsArguments: boolean;
  /** A number with a fraction as an integer argument is rounded. */
  readonly roundsArguments: boolean;
  /** A string that is compared with a number is converted. */
  readonly comparesStringsAsNumbers: boolean;
  /** A string that is compared with a DATE is one. */
  readonly comparesDates: boolean;
  /** Times are compared as strings. */
  readonly comparesTimesAsText: boolean;
  /** A number is less than a string, if both are written in the query. */
  readonly numbersAreLess: boolean;
  /** Strings are compared and matched without regard to case. */
  readonly ignoresCase: boolean;
  readonly likeIgnoresCase: boolean;
  /** Collations that compare strings by their bytes, as ClickHouse does. */
  readonly byteCollations: RegExp;
  /** The largest of values one of which is NULL is NULL. */
  readonly extremeOfNullIsNull: boolean;
  /** The least number that a cast to BOOL accepts: all of them, integers, or integers of 32 bits. */
  readonly castsToBool: 'numbers' | 'integers' | 'short integers';
  /** `yes`, `on` and `1` are Boolean values in strings. */
  readonly readsShortBooleans: boolean;
  /** Only NUMERIC, STRING and BYTES have sizes, and the string form of each type is known. */
  readonly hasExactTypes: boolean;
}

/** What numbers are, and what operators and aggregates do with them. */
interface NumberTraits {
  /** The quotient of two integers is an integer. */
  readonly hasIntegerDivision: boolean;
  /** Division by zero returns NULL, rather than an error. */
  readonly dividesByZero: boolean;
  /** A number with a point is a Float64, and so are quotients. */
  readonly hasFloatNumbers: boolean;
  /** NUMERIC has so many digits after the point, to which each result is rounded. */
  readonly numericScale: number | undefined;
  /** What DECIMAL without sizes is: a number with any digits, an integer, or Float64. */
  readonly plainDecimal: 'any' | 'whole' | 'float';
  /** How many digits after the point a quotient of exact numbers has: those of the dividend and four, or the most of both. */
  readonly quotientDigits: 'four more' | 'most' | undefined;
  /** The names of integer types have sizes. */
  readonly hasSizedIntegers: boolean;
  /** Literals have 32 bits if that is enough. */
  readonly hasShortLiterals: boolean;
  /** Strings such as `0x1F` are integers. */
  readonly readsHexadecimal: boolean;
  /** A literal string beyond the range of Float64 is infinite, rather than an error. */
  readonly overflowsToInfinity: boolean;
  /** A cast to an integer cuts off the fraction, and stops at the least and the greatest integer. */
  readonly castTruncates: boolean;
  /** Float64 is rounded half to even, as in ClickHouse. */
  readonly roundsHalfToEven: boolean;
  /** round is that of the decimal digits after the point. */
  readonly roundsDigits: boolean;
  /** Operators of bits are those of unsigned integers. */
  readonly hasUnsignedBits: boolean;
  /** A shift to the right fills with zeros. */
  readonly shiftsLogically: boolean;
  /** `^` is the power. */
  readonly hasPowerOperator: boolean;
  /** The remainder is that of integers. */
  readonly remainderIsWhole: boolean;
  /** Of an argument of which a function has no value, the function has another one than an error or NULL. */
  readonly hasOpenDomains: boolean;
  /** A logarithm without a base is the natural one. */
  readonly logarithmIsNatural: boolean;
  /** The sum of integers is an integer. */
  readonly sumsIntegers: boolean;
  /** What the average of integers is. */
  readonly averageOfIntegers: 'numeric' | 'float' | 'int';
  /** Standard deviations of exact numbers have four more digits. */
  readonly roundsDeviations: boolean;
  /** The correlation of values without variance is NaN, rather than NULL. */
  readonly correlationCanBeNan: boolean;
  /** Numbers can be NaN, which is not distinct from NaN. */
  readonly hasNan: boolean;
  /** NaN equals itself, and is greater than all numbers. */
  readonly nanIsGreatest: boolean;
  /** ORDER BY puts NaN before all numbers. */
  readonly nanIsFirst: boolean;
  /** The least and the greatest of values one of which is NaN are NaN. */
  readonly extremeOfNanIsNan: boolean;
}

/** What strings are, and what functions do with them. */
interface TextTraits {
  /** LIKE's escape character if there is no ESCAPE. */
  readonly likeEscape: boolean;
  /** concat() skips NULL. */
  readonly concatSkipsNull: boolean;
  /** concat_ws() skips NULL. */
  readonly separatorSkipsNull: boolean;
  /** A regular expression must match the whole string. */
  readonly regexIsWhole: boolean;
  /** A dot in a regular expression matches a line break. */
  readonly dotIsBreak: boolean;
  /** An empty match that follows another match does not count. */
  readonly skipsEmptyMatches: boolean;
  /** The groups in a replacement, in the form `\1`. */
  readonly replacementOf?: (written: string, groups: number) => string;
  /** What trim removes if nothing is named, as a class of RE2; undefined: spaces. */
  readonly spaces?: string;
  /** trim removes a string, rather than the characters of a set. */
  readonly trimsStrings: boolean;
  /** Only letters of ASCII have an upper and a lower case. */
  readonly casesAscii: boolean;
  /** Boolean values in strings are `t` and `f`. */
  readonly booleansAreLetters: boolean;
  /** Numbers that are no integers are printed with 15 digits, and a point. */
  readonly printsReals: boolean;
  /** There are values of bytes, which are no strings. */
  readonly hasBytes: boolean;
}

/** What times and intervals are. */
interface TimeTraits {
  /** A string beside a DATE has no time of day and no spaces. */
  readonly hasExactTimes: boolean;
  /** DATE, DATETIME and TIMESTAMP are different types, which functions of times keep. */
  readonly hasDatetime: boolean;
  /** A cast to DATETIME without a size rounds or cuts off the fraction of the second. */
  readonly datetimeSeconds: 'rounded' | 'truncated' | undefined;
  /** date_trunc and generate_series return timestamps of dates. */
  readonly datesBecomeTimestamps: boolean;
  /** A number can be cast to a time. */
  readonly castsNumbersToTimes: boolean;
  /** The string form of a time has no zeros at the end of its fraction. */
  readonly trimsFractions: boolean;
  /** The string form of a timestamp at midnight has a fraction. */
  readonly printsFractions: boolean;
  /** DATE_TRUNC('week') starts on Sunday. */
  readonly weeksStartOnSunday: boolean;
  /** The number of a week is that of ISO 8601. */
  readonly hasIsoWeeks: boolean;
  /** The number of a day of the week, as a mode of toDayOfWeek: 3 counts from Sunday as 1, 2 from Sunday as 0, 0 from Monday as 1. */
  readonly weekdays: '0' | '2' | '3';
  /** Parts of times are exact numbers; the second has its fraction. */
  readonly hasFractionalParts: boolean;
  /** An interval is a value of its own, which can be returned. */
  readonly hasIntervals: boolean;
  /** The number of units of an interval is rounded, except of seconds. */
  readonly roundsIntervals: boolean;
  /** An integer beside a DATE is a number of days. */
  readonly addsDays: boolean;
  /** What the difference of two dates is. */
  readonly dateDifference: 'interval' | 'days' | undefined;
  /** The difference of two times is an interval; otherwise they cannot be subtracted. */
  readonly subtractsTimes: boolean;
  /** AT TIME ZONE of a time without a zone means the opposite. */
  readonly zoneDependsOnType: boolean;
  /** dayname and monthname have three letters, and names in patterns any case. */
  readonly hasShortNames: boolean;
}

/** What JSON is. */
interface JsonTraits {
  /** Values of type JSON are neither compared nor calculated with. */
  readonly isJsonOpaque: boolean;
  /** JSON is a string; what is read from it is a string or a number. */
  readonly isJsonMixed: boolean;
  /** JSON as a string is its document, and it is compared with one. */
  readonly isJsonDocument: boolean;
  /** Paths of functions are those of JSONPath. */
  readonly hasJsonPaths: boolean;
  /** The right side of `->` can be such a path. */
  readonly arrowHasPaths: boolean;
  /** What is printed after commas and colons. */
  readonly jsonSpace: ' ' | '';
  /** Objects that are made have their names in order. */
  readonly sortsNames: boolean;
  /** Times have a form in JSON. */
  readonly hasJsonTimes: boolean;
}

/** What is true of most dialects. */
export const STANDARD: Traits = {
  prefersAliases: false,
  havingPrefersAliases: false,
  whereSeesAliases: false,
  seesEarlierAliases: false,
  namesExpressions: false,
  fieldsAreJson: false,

  nulls: 'high',
  groupsOtherColumns: false,
  extremeSelectsRow: false,
  windowsAreWhole: false,
  rowsAreRecords: false,
  hasSequenceTables: false,
  collectsNothing: false,
  separator: '',
  concatenatesArguments: false,
  emptyArrayIsNull: false,

  hasNumericConditions: false,
  convertsStrings: true,
  readsPrefixes: false,
  stringsAreUntyped: false,
  convertsArguments: false,
  roundsArguments: false,
  comparesStringsAsNumbers: false,
  comparesDates: false,
  comparesTimesAsText: false,
  numbersAreLess: false,
  ignoresCase: false,
  likeIgnoresCase: false,
  byteCollations: /^(?:c|posix|c\.utf-?8|ucs_basic|pg_catalog\.default)$/i,
  extremeOfNullIsNull: true,
  castsToBool: 'numbers',
  readsShortBooleans: true,
  hasExactTypes: false,

  hasIntegerDivision: true,
  dividesByZero: false,
  hasFloatNumbers: false,
  numericScale: undefined,
  plainDecimal: 'whole',
  quotientDigits: undefined,
  hasSizedIntegers: true,
  hasShortLiterals: false,
  readsHexadecimal: false,
  overflowsToInfinity: false,
  castTruncates: false,
  roundsHalfToEven: false,
  roundsDigits: false,
  hasUnsignedBits: false,
  shiftsLogically: false,
  hasPowerOperator: false,
  remainderIsWhole: false,
  hasOpenDomains: false,
  logarithmIsNatural: false,
  sumsIntegers: false,
  averageOfIntegers: 'numeric',
  roundsDeviations: false,
  correlationCanBeNan: false,
  hasNan: true,
  nanIsGreatest: false,
  nanIsFirst: false,
  extremeOfNanIsNan: false,

  likeEscape: true,
  concatSkipsNull: false,
  separatorSkipsNull: true,
  regexIsWhole: false,
  dotIsBreak: false,
  skipsEmptyMatches: false,
  trimsStrings: false,
  casesAscii: false,
  booleansAreLetters: false,
  printsReals: false,
  hasBytes: false,

  hasExactTimes: false,
  hasDatetime: false,
  datetimeSeconds: undefined,
  datesBecomeTimestamps: false,
  castsNumbersToTimes: false,
  trimsFractions: false,
  printsFractions: false,
  weeksStartOnSunday: false,
  hasIsoWeeks: true,
  weekdays: '2',
  hasFractionalParts: false,
  hasIntervals: false,
  roundsIntervals: false,
  addsDays: false,
  dateDifference: 'days',
  subtractsTimes: true,
  zoneDependsOnType: false,
  hasShortNames: false,

  isJsonOpaque: false,
  isJsonMixed: false,
  isJsonDocument: false,
  hasJsonPaths: false,
  arrowHasPaths: false,
  jsonSpace: '',
  sortsNames: false,
  hasJsonTimes: false,
};
