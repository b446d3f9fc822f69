// The functions that a SELECT over a table may call where small groups are left out: they return a value of a known kind for every
// value of their arguments, of a size that is not above that of the arguments, so that no row and no small group can make a query fail.

/** What is known of a value. `time` is a column or a rounded time, `nanotime` one of more than
 * six fractional digits, which can overflow, `moment` and `moment64` constant ones; `dynamic` has another type by the row. */
export type Kind =
  | 'text'
  | 'number'
  | 'time'
  | 'nanotime'
  | 'moment'
  | 'moment64'
  | 'interval'
  | 'null'
  | 'texts'
  | 'map of text'
  | 'map of number'
  | 'dynamic'
  | 'other';

/** What an argument must be. `same` has the kind of the others, text or number, or is NULL; literals are constants of the query. */
export type Form =
  | Kind
  | 'any'
  | 'same'
  | 'sized'
  | 'text literal'
  | 'pattern'
  | 'regex'
  | 'unit'
  | 'utc'
  | 'text type'
  | 'time literal'
  | 'count'
  | 'digits'
  | 'scale';

export interface Signature {
  /** Arguments; the last one may be repeated if `isVariadic`. */
  readonly takes: readonly Form[];
  readonly gives: Kind | 'same';
  readonly isVariadic?: boolean;
}

const NUMBER = 'number' as const;
const TEXT = 'text' as const;

/** Signatures by the name of the function in lower case. */
const SIGNATURES: readonly (readonly [names: string, gives: Signature['gives'], ...takes: Form[]])[] = [
  ['plus minus multiply divide', NUMBER, NUMBER, NUMBER],
  ['minus plus', 'moment', 'moment', 'interval'],
  ['negate not', NUMBER, NUMBER],
  ['round floor ceil ceiling', NUMBER, NUMBER],
  ['round floor ceil ceiling', NUMBER, NUMBER, 'digits'],
  ['isnull isnotnull', NUMBER, 'any'],
  ['nullif ifnull', 'same', 'same', 'same'],
  ['if', 'same', NUMBER, 'same', 'same'],
  ['lower upper lcase ucase trim trimleft trimright trimboth', TEXT, TEXT],
  ['domain domainwithoutwww path protocol cutquerystring', TEXT, TEXT],
  ['length empty notempty', NUMBER, 'sized'],
  ['position positioncaseinsensitive startswith endswith', NUMBER, TEXT, 'text literal'],
  ['like notlike ilike notilike', NUMBER, TEXT, 'pattern'],
  ['match', NUMBER, TEXT, 'regex'],
  ['extract', TEXT, TEXT, 'regex'],
  ['substring substr left right', TEXT, TEXT, 'count'],
  ['substring substr', TEXT, TEXT, 'count', 'count'],
  ['tostring', TEXT, 'any'],
  ['touint32ornull touint64ornull toint32ornull toint64ornull tofloat64ornull', NUMBER, TEXT],
  ['has', NUMBER, 'texts', 'text literal'],
  ['arrayelement', TEXT, 'texts', 'count'],
  ['arrayelement', TEXT, 'map of text', 'text literal'],
  ['arrayelement', NUMBER, 'map of number', 'text literal'],
  ['mapcontains', NUMBER, 'map of text', 'text literal'],
  ['mapcontains', NUMBER, 'map of number', 'text literal'],
  ['tostartofyear tostartofquarter tostartofmonth tostartofday tostartofhour tostartofminute', 'time', 'time'],
  ['tostartoffiveminutes tostartoftenminutes tostartoffifteenminutes tomonday todate', 'time', 'time'],
  ['tostartofinterval', 'time', 'time', 'interval'],
  ['tostartofinterval', 'time', 'time', 'interval', 'utc'],
  ['datetrunc date_trunc', 'time', 'unit', 'time'],
  ['tostartofsecond todate32', 'time', 'time'],
  ['todate32 totimezone', 'time', 'time', 'utc'],
  ['todatetime64', 'time', 'time', 'scale'],
  ['todatetime64', 'time', 'time', 'scale', 'utc'],
  ['toyear toquarter tomonth todayofmonth todayofweek tohour tominute tosecond toyyyymm toyyyymmdd', NUMBER, 'time'],
  ['toyear toquarter tomonth todayofmonth tohour tominute tosecond', NUMBER, 'time', 'utc'],
  ['now today yesterday', 'moment'],
  ['todate todate32 todatetime', 'moment', 'time literal'],
  ['todate todatetime', 'moment', 'time literal', 'utc'],
  ['now64', 'moment64'],
  ['now64', 'moment64', 'scale'],
  ['todatetime64', 'moment64', 'time literal', 'scale'],
  ['todatetime64', 'moment64', 'time literal', 'scale', 'utc'],
  ['minus', 'moment64', 'moment64', 'interval'],
  ['cast', TEXT, 'any', 'text type'],
  ['tointervalsecond tointervalminute tointervalhour tointervalday', 'interval', 'count'],
  ['tointervalweek tointervalmonth tointervalquarter tointervalyear', 'interval', 'count'],
]; // prettier-ignore

const VARIADIC: readonly (readonly [names: string, gives: Signature['gives'], ...takes: Form[]])[] = [
  ['and or', NUMBER, NUMBER],
  ['coalesce', 'same', 'same'],
];

/** The forms of a function's calls; none if it is not known to be safe. `multiIf`, comparisons and IN are not among them. */
export function signaturesOf(name: string): readonly Signature[] {
  return BY_NAME.get(name.toLowerCase()) ?? [];
}

const BY_NAME: ReadonlyMap<string, readonly Signature[]> = byName();

function byName(): ReadonlyMap<string, readonly Signature[]> {
  const found = new Map<string, Signature[]>();
  const add = (names: string, signature: Signature): void => {
    for (const name of names.split(' ')) found.set(name, [...(found.get(name) ?? []), signature]);
  };
  for (const [names, gives, ...takes] of SIGNATURES) add(names, { takes, gives });
  for (const [names, gives, ...takes] of VARIADIC) add(names, { takes, gives, isVariadic: true });
  return found;
}

/**
 * Aggregate functions whose value does not show the value of one of the rows. Combinators such as -If, and expressions as arguments,
 * would select a single row among many.
 */
export const COUNTS: ReadonlySet<string> = new Set(
  'count countdistinct uniq uniqexact uniqcombined uniqcombined64 uniqhll12'.split(' '),
);

/** The same for functions of numbers. */
export const MEANS: ReadonlySet<string> = new Set(
  'sum avg stddevpop stddevsamp varpop varsamp stddev_pop stddev_samp var_pop var_samp'.split(' '),
);

/** A time as people write it: a malformed one could fail only if there is a row. */
export const TIME =
  /^(?:19[7-9]\d|20\d\d)-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])(?: (?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?)?$|^(?:19[7-9]\d|20\d\d)-(?:(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)(?: (?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?)?$/;

/** A regular expression of plain characters, dots, classes, repetitions of them, and alternatives. */
const REGEX = /^\^?(?:[\w /:,=&@%;<>!~"-][*+?]?|\\[.dwsDWS/-][*+?]?|\.[*+?]?|\|)+\$?$/;

/** Returns whether a text of the query is such a literal. */
export function isLiteralOf(form: Form, text: string): boolean {
  if (form === 'text literal') return true;
  if (form === 'pattern') return !text.includes('\\');
  if (form === 'regex') return REGEX.test(text);
  if (form === 'text type') return text === 'Nullable(String)';
  if (form === 'utc') return text === 'UTC';
  if (form === 'time literal') return TIME.test(text);
  return form === 'unit' && /^(?:minute|hour|day|week|month|quarter|year)$/i.test(text);
}
