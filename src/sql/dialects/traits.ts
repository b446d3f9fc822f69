// How the dialects differ, as data: each has its own in its folder.

/** Functions by name, and replacements of others. */
export interface KnownFunctions {
  readonly names: ReadonlySet<string>;
  readonly replacements: ReadonlyMap<string, string>;
}

/** Traits that most dialects have not. */
interface RareTraits {
  /** The functions that there are at run time, and what to write in place of others; undefined: those of all dialects. */
  readonly functions?: KnownFunctions;
  /** The groups in a replacement, in the form `\1`. */
  readonly replacementOf?: (written: string, groups: number) => string;
  /** A class of RE2 that trim removes if nothing is named; undefined: it removes spaces. */
  readonly spaces?: string;
  /** The kinds that values of a kind can be cast to, by kind; of others, and without it, all that ClickHouse has a conversion for. */
  readonly casts?: Readonly<Record<string, string>>;
}

/** A trait with several values. */
const oneOf = <Choice>(choice: Choice): Choice => choice;

const OF_MOST = {
  // These traits say what names mean.
  /** An alias of the select list comes before a column, after WHERE. */
  prefersAliases: false,
  /** In HAVING and QUALIFY, an alias comes before a column that is not a key. */
  havingPrefersAliases: false,
  /** WHERE sees the aliases of the select list. */
  whereSeesAliases: false,
  /** An item of the select list can refer to the aliases before it. */
  seesEarlierAliases: false,
  /** The name of an expression without an alias can be used elsewhere in the query. */
  namesExpressions: false,
  /** A field of a value of unknown type is one of JSON. */
  fieldsAreJson: false,

  // These say what rows are, and in which order.
  /** Where ORDER BY puts NULL: before or after all values, ascending; `last` is after, in both directions. */
  nulls: oneOf<'low' | 'high' | 'last'>('high'),
  /** A grouped query can read columns that are no keys: they depend on the keys, or any value is returned. */
  groupsOtherColumns: false,
  /** With min or max, the other columns are those of that row. */
  extremeSelectsRow: false,
  /** A window with an order and no frame has all rows of the partition, for functions that return one of its values. */
  windowsAreWhole: false,
  /** Rows are records, whose fields have names. */
  rowsAreRecords: false,
  /** A row is NULL if all of its fields are, and not NULL if none of them is. */
  fieldsDecideNull: false,
  /** There are tables of numbers, such as `seq_1_to_10`. */
  hasSequenceTables: false,
  /** Aggregates that collect values leave out NULL, and are empty over no rows, rather than NULL. */
  collectsNothing: false,
  /** It separates strings that are joined, if none is written. */
  separator: oneOf<',' | ''>(''),
  /** GROUP_CONCAT has several arguments, and the clause SEPARATOR. */
  concatenatesArguments: false,
  /** An array without elements may be one that is NULL. */
  emptyArrayIsNull: false,
  /** It is an error to read an element that an array does not have, and NULL in an array is not equal to NULL. */
  hasStrictArrays: false,

  // These say what is converted implicitly, and how values are compared.
  /** Conditions are the numbers 0 and 1. */
  hasNumericConditions: false,
  /** A string beside a number, or among values of which one is returned, is converted; otherwise only literals of times are. */
  convertsStrings: true,
  /** A string is the number that it begins with, or 0; one that is no time is NULL. */
  readsPrefixes: false,
  /** A string literal has the type of what it stands beside. */
  stringsAreUntyped: false,
  /** A string as the argument of a function of numbers is converted. */
  convertsArguments: false,
  /** A number with a fraction as an integer argument is rounded. */
  roundsArguments: false,
  /** A string that is compared with a number is converted. */
  comparesStringsAsNumbers: false,
  /** A string that is compared with a DATE is one. */
  comparesDates: false,
  /** Times are compared as strings. */
  comparesTimesAsText: false,
  /** A number is less than a string, if both are written in the query. */
  numbersAreLess: false,
  /** Strings are compared and matched without regard to case. */
  ignoresCase: false,
  /** Strings are compared in upper case and without spaces at the end, as by utf8mb4_general_ci. */
  hasGeneralCollation: false,
  /** LIKE ignores the case of letters: of all, or of those of ASCII. */
  likeIgnoresCase: oneOf<boolean | 'ASCII'>(false),
  /** Collations that compare strings by their bytes, as ClickHouse does. */
  byteCollations: /^(?:c|posix|c\.utf-?8|ucs_basic|pg_catalog\.default)$/i,
  /** The largest of values one of which is NULL is NULL. */
  extremeOfNullIsNull: true,
  /** The least number that a cast to BOOL accepts: all of them, integers, or integers of 32 bits. */
  castsToBool: oneOf<'numbers' | 'integers' | 'short integers'>('numbers'),
  /** These strings are boolean values: the true ones, and after a bar the false ones. */
  booleanWords: oneOf<string>('t true y yes on 1|f false n no off 0'),
  /** Only NUMERIC, STRING and BYTES have sizes, and the string form of each type is known. */
  hasExactTypes: false,

  // These say what numbers are, and what operators and aggregates do with them.
  /** The quotient of two integers is an integer. */
  hasIntegerDivision: true,
  /** Division by zero returns NULL, rather than an error. */
  dividesByZero: false,
  /** A number with a point is a Float64, and so are quotients. */
  hasFloatNumbers: false,
  /** NUMERIC has so many digits after the point, to which each result is rounded. */
  numericScale: oneOf<number | undefined>(undefined),
  /** DECIMAL without sizes is a number with any digits, an integer, or Float64. */
  plainDecimal: oneOf<'any' | 'whole' | 'float'>('whole'),
  /** It is how many digits after the point a quotient of exact numbers has: those of the dividend and four or six, or the most of both. */
  quotientDigits: oneOf<'four more' | 'six more' | 'most' | undefined>(undefined),
  /** The names of integer types have sizes. */
  hasSizedIntegers: true,
  /** Literals have 32 bits if that is enough. */
  hasShortLiterals: false,
  /** Strings such as `0x1F` are integers. */
  readsHexadecimal: false,
  /** A literal string beyond the range of Float64 is infinite, rather than an error. */
  overflowsToInfinity: false,
  /** A cast to an integer cuts off the fraction, and stops at the least and the greatest integer. */
  castTruncates: false,
  /** Float64 is rounded half to even, as in ClickHouse. */
  roundsHalfToEven: false,
  /** round is that of the decimal digits after the point. */
  roundsDigits: false,
  /** Operators of bits are those of unsigned integers, and their digits are strings where no number is expected. */
  hasUnsignedBits: false,
  /** A shift to the right fills with zeros. */
  shiftsLogically: false,
  /** A shift by a negative number is one in the other direction, and by all bits leaves none. */
  shiftsBothWays: false,
  /** `^` is the power. */
  hasPowerOperator: false,
  /** The remainder is that of integers. */
  remainderIsWhole: false,
  /** A power that Float64 does not represent is an error: one that is too large, or too small, too. */
  failingPowers: oneOf<'large' | 'large or small' | undefined>(undefined),
  /** Of an argument of which a function has no value, the function has another one than an error or NULL. */
  hasOpenDomains: false,
  /** The sum of integers is an integer. */
  sumsIntegers: false,
  /** It is the type of the average of integers. */
  averageOfIntegers: oneOf<'numeric' | 'float' | 'int'>('numeric'),
  /** Standard deviations of exact numbers have four more digits. */
  roundsDeviations: false,
  /** The correlation of values without variance is NaN, rather than NULL. */
  correlationCanBeNan: false,
  /** Numbers can be NaN, which is not distinct from NaN. */
  hasNan: true,
  /** NaN equals itself, and is greater than all numbers. */
  nanIsGreatest: false,
  /** ORDER BY puts NaN before all numbers. */
  nanIsFirst: false,
  /** The least and the greatest of values one of which is NaN are NaN. */
  extremeOfNanIsNan: false,

  // These say what strings are, and what functions do with them.
  /** Upper and lower case are those of each letter by itself, which stays one letter: `ß` has none, and `Σ` is `σ` in any place. */
  casesEachLetter: true,
  /** LIKE's escape character if there is no ESCAPE. */
  likeEscape: true,
  /** Of strings that are joined over a window, an empty result is NULL, and a frame that begins with an empty string may lose it. */
  losesEmpty: false,
  /** Distinct values are collected in the order of the rows. */
  distinctKeepsOrder: false,
  /** concat() skips NULL. */
  concatSkipsNull: false,
  /** A regular expression must match the whole string. */
  regexIsWhole: false,
  /** A dot in a regular expression matches a line break. */
  dotIsBreak: false,
  /** An empty match that follows another match does not count. */
  skipsEmptyMatches: false,
  /** trim removes a string, rather than the characters of a set. */
  trimsStrings: false,
  /** CHAR with a size has spaces at the end, which most functions ignore. */
  padsChar: false,
  /** Boolean values in strings are `t` and `f`. */
  booleansAreLetters: false,
  /** Numbers that are no integers are printed with 15 digits, and a point. */
  printsReals: false,
  /** There are values of bytes, which are no strings. */
  hasBytes: false,

  // These say what times and intervals are.
  /** A string beside a DATE has no time of day and no spaces. */
  hasExactTimes: false,
  /** DATE, DATETIME and TIMESTAMP are different types, which functions of times keep. */
  hasDatetime: false,
  /** A cast to DATETIME without a size rounds or cuts off the fraction of the second. */
  datetimeSeconds: oneOf<'rounded' | 'truncated' | undefined>(undefined),
  /** date_trunc and generate_series return timestamps of dates. */
  datesBecomeTimestamps: false,
  /** A number can be cast to a time. */
  castsNumbersToTimes: false,
  /** The string form of a time has no zeros at the end of its fraction. */
  trimsFractions: false,
  /** The string form of a timestamp at midnight has a fraction. */
  printsFractions: false,
  /** DATE_TRUNC('week') starts on Sunday. */
  weeksStartOnSunday: false,
  /** The number of a week is that of ISO 8601. */
  hasIsoWeeks: true,
  /** The number of a day of the week, as a mode of toDayOfWeek: 3 counts from Sunday as 1, 2 from Sunday as 0, 0 from Monday as 1. */
  weekdays: oneOf<'0' | '2' | '3'>('2'),
  /** Parts of times are exact numbers; the second has its fraction. */
  hasFractionalParts: false,
  /** An interval is a value of its own, which can be returned. */
  hasIntervals: false,
  /** The number of units of an interval is rounded, except of seconds. */
  roundsIntervals: false,
  /** An integer beside a DATE is a number of days. */
  addsDays: false,
  /** It is the type of the difference of two dates. */
  dateDifference: oneOf<'interval' | 'days' | undefined>('days'),
  /** The difference of two times is an interval; otherwise they cannot be subtracted. */
  subtractsTimes: true,
  /** AT TIME ZONE of a time without a zone means the opposite. */
  zoneDependsOnType: false,
  /** dayname and monthname have three letters, and names in patterns any case. */
  hasShortNames: false,

  // These say what JSON is.
  /** Values of type JSON are neither compared nor calculated with. */
  isJsonOpaque: false,
  /** JSON is a string; what is read from it is a string or a number. */
  isJsonMixed: false,
  /** JSON as a string is its document, and it is compared with one. */
  isJsonDocument: false,
  /** Paths of functions are those of JSONPath. */
  hasJsonPaths: false,
  /** The right side of `->` can be such a path. */
  arrowHasPaths: false,
  /** It is printed after commas and colons. */
  jsonSpace: oneOf<' ' | ''>(''),
  /** Objects that are made have their names in order. */
  sortsNames: false,
  /** Times have a form in JSON. */
  hasJsonTimes: false,
};

/** A trait is named for what differs, never for a dialect. */
export type Traits = Readonly<typeof OF_MOST> & RareTraits;

/** Most dialects have these traits. */
export const STANDARD_TRAITS: Traits = OF_MOST;
