// Functions that give a value for every value of their arguments: none can fail on a row, so none can tell of one. Those that
// round a time or a number are left out: they wrap at the end of the type (a DateTime in 2106) while the engine's index analysis takes them for monotonic, so that a
// condition on one finds no rows where another tenant has such a time.

/** Names in lower case, separated by spaces. Whatever the arguments are, also columns. */
const TOTAL = `
  and or not xor equals notequals less lessorequals greater greaterorequals isnull isnotnull if ifnull coalesce
  nullif multiif empty notempty length lower upper lowerutf8 upperutf8 concat startswith endswith position
  positioncaseinsensitive reverse trim trimleft trimright trimboth has hasany hasall arrayelement arrayjoin
  arraydistinct arraystringconcat mapcontains mapkeys mapvalues tuple array jsonhas jsonextractstring
  jsonextractraw jsonextractint jsonextractuint jsonextractfloat jsonextractbool domain path protocol
  cutquerystring querystring`;

/** The same where everything after the first argument is a literal: a pattern, a length, a format, a time zone. */
const TOTAL_BY_FIRST = `
  match like ilike notlike notilike extract extractall replaceregexpone replaceregexpall replaceone replaceall
  replace formatdatetime totimezone multisearchany
  multisearchanycaseinsensitive accuratecastornull tostring substring left right tosecond tominute tohour todayofweek
  todayofmonth todayofyear tomonth toquarter toyear toyyyymm toyyyymmdd`;

/** The same where the first argument is a literal: a separator. */
const TOTAL_BY_OTHERS = 'splitbychar splitbystring';

/** The same with one array: several have to be of one length. */
const TOTAL_OF_ONE_ARRAY = 'arrayexists arrayall arrayfilter arraymap arraycount arrayuniq';

/**
 * Types that any value can be tried to become; others are parsed, or scaled, without looking whether it can be done. A time
 * has the scale of its own there.
 */
const TRIED_TYPE =
  /^'(?:Nullable\()?(?:U?Int(?:8|16|32|64|128|256)|Float(?:32|64)|String|Bool|UUID|Date)\)?'$/i;

/** Whether a call that gives NULL for what it cannot convert does so for each value: its type, as a literal. */
export function isTriedType(literal: string): boolean {
  return TRIED_TYPE.test(literal);
}

const OR_NULL = /^to(?:u?int(?:8|16|32|64|128|256)|float(?:32|64)|uuid|ipv4|ipv6)or(?:null|zero)$/;

/** Which arguments of a call have to be literals for it to be leakproof; undefined where no arguments help. */
export function literalArguments(name: string): 'none' | 'rest' | 'first' | 'one array' | undefined {
  const folded = name.toLowerCase();
  if (ONE_ARRAY.has(folded)) return 'one array';
  if (NONE.has(folded) || OR_NULL.test(folded)) return 'none';
  if (REST.has(folded)) return 'rest';
  return FIRST.has(folded) ? 'first' : undefined;
}

/** Rounds to tens and more where its digits are negative: that overflows, and index entries are then pruned wrongly. */
export function isRounding(name: string): boolean {
  return /^(?:round|floor|ceil|ceiling|trunc|truncate)$/i.test(name);
}

/** Calls that may stand for a constant: what people write literals with. */
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

const NONE = new Set(split(TOTAL));
const REST = new Set(split(TOTAL_BY_FIRST));
const FIRST = new Set(split(TOTAL_BY_OTHERS));
const ONE_ARRAY = new Set(split(TOTAL_OF_ONE_ARRAY));

function split(names: string): string[] {
  return names.trim().split(/\s+/);
}
