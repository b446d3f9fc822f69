// Functions that return a value for every value of their arguments: they cannot fail on a row, so a failure cannot reveal one.
// Functions that round a time or a number are excluded: they wrap at the end of the type (a DateTime in 2106), but the engine's
// index analysis assumes that they are monotonic, so a condition on one finds no rows if another tenant has such a time. So are
// parts of a time such as toHour, which it takes for monotonic within a day or an hour.

/** Names in lower case, separated by spaces. Safe for any arguments, columns included. */
const TOTAL = `
  and or not xor equals notequals less lessorequals greater greaterorequals isnull isnotnull if ifnull coalesce
  nullif multiif empty notempty length lower upper lowerutf8 upperutf8 concat startswith endswith
  reverse trim trimleft trimright trimboth has hasany hasall arrayelement
  arraydistinct mapcontains mapkeys mapvalues tuple array jsonhas jsonextractstring
  jsonextractraw jsonextractint jsonextractuint jsonextractfloat jsonextractbool domain path protocol
  cutquerystring querystring`;

/** Safe if every argument after the first is a literal: a pattern, a length, a format, a time zone. */
const TOTAL_BY_FIRST = `
  match notlike notilike position positioncaseinsensitive extract extractall formatdatetime totimezone multisearchany
  multisearchanycaseinsensitive accuratecastornull substring left right tomonth toquarter toyear toyyyymm toyyyymmdd`;

/**
 * Safe for the author of an endpoint only: their results may be arbitrarily larger than their arguments, or take the product of two lengths,
 * so that a query could need more memory or time than it may have because of a value.
 */
const ENLARGING = `
  arrayjoin arraystringconcat arraymap replaceregexpone replaceregexpall replaceone replaceall replace position
  positioncaseinsensitive`;

/** Safe if the first argument is a literal: a separator. */
const TOTAL_BY_OTHERS = 'splitbychar splitbystring';

/** Safe with one array; several arrays must have the same length. */
const TOTAL_OF_ONE_ARRAY = 'arrayexists arrayall arrayfilter arraycount arrayuniq';

/**
 * Target types for which an attempted conversion never throws. Conversions to other types parse or scale without checking
 * whether that is possible; DateTime64 has a scale of its own.
 */
const TRIED_TYPE = /^'(?:Nullable\()?(?:U?Int(?:8|16|32|64|128|256)|Float(?:32|64)|Bool|UUID|Date)\)?'$/i;

/** Returns whether a call that returns NULL for inconvertible values does so for every value of this type, given as a literal. */
export function isTriedType(literal: string): boolean {
  return TRIED_TYPE.test(literal);
}

const OR_NULL = /^to(?:u?int(?:8|16|32|64|128|256)|float(?:32|64)|uuid|ipv4|ipv6)or(?:null|zero)$/;

/** Which arguments must be literals for a call to be leakproof; undefined if none suffice. */
export function literalArguments(
  name: string,
  isAuthors: boolean,
): 'none' | 'rest' | 'first' | 'one array' | undefined {
  const folded = name.toLowerCase();
  if (isAuthors && OF_AUTHORS.has(folded)) return OF_AUTHORS.get(folded);
  if (ONE_ARRAY.has(folded)) return 'one array';
  if (NONE.has(folded) || OR_NULL.test(folded)) return 'none';
  if (REST.has(folded)) return 'rest';
  return FIRST.has(folded) ? 'first' : undefined;
}

/** Functions that combine values to a larger one. */
export function isCombining(name: string): boolean {
  return /^(?:concat|array|tuple)$/i.test(name);
}

/** Functions whose result has several values, of which the text is longer than they are. */
export function makesArrays(name: string): boolean {
  return /^(?:extractall|splitby\w+|array\w*|mapkeys|mapvalues|tuple)$/i.test(name);
}

/** Calls that may count as constants: those that people write literals with. */
export function isConstantCall(name: string): boolean {
  return CONSTANT.test(name);
}

const CONSTANT =
  /^(?:now|now64|today|yesterday|curdate|current_(?:date|timestamp)|utc_?timestamp|cast|tuple|array|concat|toString|toTimeZone|date_trunc|dateTrunc|(?:date|timestamp)_?(?:add|sub)|toDate|toDate32|toDateTime|toDateTime64|toUUID|toIPv4|toIPv6|to(?:U?Int|Float)\d+|toInterval(?!Nano)[a-z]+|toStartOf(?!Nano)[a-z]+|(?:add|subtract)(?!Nano)[a-z]+s|parseDateTime[a-z0-9]*|fromUnixTimestamp[a-z0-9]*)$/i;

/** Every listed name, in lower case, for tests that try each of them. */
export const LEAKPROOF_FUNCTIONS: readonly string[] = [
  TOTAL,
  TOTAL_BY_FIRST,
  TOTAL_BY_OTHERS,
  TOTAL_OF_ONE_ARRAY,
].flatMap(split);

const OF_AUTHORS = new Map(
  split(ENLARGING).map((name) => {
    if (name === 'arraymap') return [name, 'one array'] as const;
    return [name, name.startsWith('replace') ? 'rest' : 'none'] as const;
  }),
);

const NONE = new Set(split(TOTAL));
const REST = new Set(split(TOTAL_BY_FIRST));
const FIRST = new Set(split(TOTAL_BY_OTHERS));
const ONE_ARRAY = new Set(split(TOTAL_OF_ONE_ARRAY));

function split(names: string): string[] {
  return names.trim().split(/\s+/);
}
