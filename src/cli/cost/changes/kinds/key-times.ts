// Conditions on the times of a key that a function hides from it: the same days or times can be written as a range.
import { quoteString } from '../../../../sql/clickhouse/literal.ts';
import type { Node } from '../../../../sql/clickhouse/tree/nodes.ts';
import { isNegated, nameOf } from '../../../../sql/clickhouse/tree/visit.ts';
import { isDate, isDateTime, timeZone } from '../../../../sql/types/traits.ts';
import type { ChangeSubject } from '../change.ts';
import { rewritingKind } from '../hidden-condition.ts';
import { beginningOf } from './key-texts.ts';
import {
  bare,
  calledWith,
  comparedOf,
  isConstant,
  keyType,
  listedStrings,
  numberOf,
  stringOf,
  written,
  type Compared,
} from '../subject.ts';

type Rewrite = (subject: ChangeSubject, compared: Compared) => string | undefined;

export const KEY_TIMES = rewritingKind('key-times', rewritten);

function rewritten(subject: ChangeSubject, node: Node): string | undefined {
  const compared = comparedOf(subject, node);
  if (compared !== undefined)
    for (const rewrite of REWRITES) {
      const text = rewrite(subject, compared);
      if (text !== undefined) return text;
    }
  return listed(subject, node) ?? between(subject, node);
}

function isTimeKey(subject: ChangeSubject, node: Node | undefined): node is Node {
  const type = keyType(subject, node);
  return type !== undefined && (isDate(type) || isDateTime(type));
}

/** Other zones have days that are no 24 hours, hours that begin at another minute, and times that are there twice. */
function isUniversal(subject: ChangeSubject, node: Node): boolean {
  const type = keyType(subject, node);
  return type !== undefined && [undefined, 'UTC'].includes(timeZone(type));
}

/** A format of times whose texts are in the order of the times, and the same as a function of the time. */
interface TimeFormat {
  /** It matches texts of years that all types of times have. */
  readonly pattern: RegExp;
  /** Empty for the time itself. */
  readonly name: string;
  /** Returns the value that a text is compared with. */
  readonly valueOf: (text: string) => string;
}

const DAY = { pattern: /^(?:19[89]|20\d)\d-\d\d-\d\d$/, name: 'toDate', valueOf: quoteString };
const digits = (text: string): string => text;

const FORMATS: ReadonlyMap<string, TimeFormat> = new Map(
  Object.entries({
    '%Y-%m-%d': DAY,
    '%F': DAY,
    '%Y%m%d': { pattern: /^(?:19[89]|20\d)\d{5}$/, name: 'toYYYYMMDD', valueOf: digits },
    '%Y-%m': {
      pattern: /^(?:19[89]|20\d)\d-\d\d$/,
      name: 'toStartOfMonth',
      valueOf: (text) => quoteString(`${text}-01`),
    },
    '%Y%m': { pattern: /^(?:19[89]|20\d)\d{3}$/, name: 'toYYYYMM', valueOf: digits },
    '%Y': { pattern: /^(?:19[89]|20\d)\d$/, name: 'toYear', valueOf: digits },
    '%Y-%m-%d %H': {
      pattern: /^(?:19[89]|20\d)\d-\d\d-\d\d \d\d$/,
      name: 'toStartOfHour',
      valueOf: (text) => quoteString(`${text}:00:00`),
    },
  }),
);

interface Formatted {
  readonly format: TimeFormat;
  /** The function of the format, of the time. */
  readonly text: string;
}

/** Times are printed in this order: the beginning of a text is that of a format. */
const PRINTED: ReadonlyMap<number, string> = new Map([
  [4, '%Y'],
  [7, '%Y-%m'],
  [10, '%Y-%m-%d'],
  [13, '%Y-%m-%d %H'],
]);

/** `substring(toString(key), 1, 10)`. */
function printedOf(subject: ChangeSubject, node: Node | undefined): Formatted | undefined {
  const begun = node && beginningOf(subject, node);
  const [key, ...zone] = calledWith(subject, begun?.text, 'tostring') ?? [];
  const format = FORMATS.get(PRINTED.get(begun?.length ?? 0) ?? '');
  const type = keyType(subject, key);
  if (format === undefined || !isTimeKey(subject, key) || type === undefined || zone.length > 0)
    return undefined;
  if (isDate(type) && begun?.length === 13) return undefined;
  return { format, text: `${format.name}(${written(subject, key)})` };
}

function formattedOf(subject: ChangeSubject, node: Node | undefined): Formatted | undefined {
  const [key, format, zone] = calledWith(subject, node, 'formatdatetime', 'date_format') ?? [];
  if (key === undefined) return printedOf(subject, node);
  const inner = bare(key);
  const [day] = calledWith(subject, inner, 'todate') ?? [];
  const time = day ?? inner;
  if (!isTimeKey(subject, time)) return undefined;
  const known = FORMATS.get(stringOf(subject, format) ?? '');
  if (known === undefined || (zone !== undefined && day !== undefined)) return undefined;
  const zoned = zone === undefined ? '' : `, ${written(subject, zone)}`;
  return { format: known, text: `${known.name}(${written(subject, time)}${zoned})` };
}

const ROOT: Node = { kind: 'constant', from: 0, to: 0, at: 0, parts: [], isWhole: true };

/** `formatDateTime(key, '%Y-%m-%d') = '2024-03-01'`, or with `toString` of a date. */
const formatted: Rewrite = (subject, { left, operator, right }) => {
  const found = formattedOf(subject, left);
  if (found === undefined || operator === '!=' || operator === '<>') return undefined;
  const [value] = calledWith(subject, right, 'tostring') ?? [];
  if (value?.kind === 'placeholder' && /:\s*Date(?:32)?\s*\}$/.test(written(subject, value)))
    return found.format === DAY ? `${found.text} ${operator} ${written(subject, value)}` : undefined;
  const text = stringOf(subject, right) ?? '';
  return found.format.pattern.test(text)
    ? `${found.text} ${operator} ${found.format.valueOf(text)}`
    : undefined;
};

/** `formatDateTime(key, '%Y-%m') IN ('2024-03', '2024-04')`. */
function listed(subject: ChangeSubject, node: Node): string | undefined {
  const { left, strings = [] } = listedStrings(subject, node) ?? {};
  const found = formattedOf(subject, left);
  if (found === undefined || !strings.every((each) => found.format.pattern.test(each))) return undefined;
  return `${found.text} IN (${strings.map(found.format.valueOf).join(', ')})`;
}

/** `formatDateTime(key, '%Y-%m') BETWEEN '2024-03' AND '2024-04'`. */
function between(subject: ChangeSubject, node: Node): string | undefined {
  if (node.kind !== 'between' || isNegated(subject.tree, node)) return undefined;
  const [value, ...bounds] = node.parts;
  const found = formattedOf(subject, value);
  const texts = bounds.map((each) => stringOf(subject, each) ?? '');
  if (found === undefined || !texts.every((each) => found.format.pattern.test(each))) return undefined;
  return `${found.text} BETWEEN ${texts.map(found.format.valueOf).join(' AND ')}`;
}

/** `toDate(formatDateTime(key, '%F')) = x`. */
const parsedDay: Rewrite = (subject, { left, operator, right }) => {
  const [text] = calledWith(subject, left, 'todate', 'parsedatetimebesteffort') ?? [];
  const found = formattedOf(subject, text);
  return found?.format === DAY ? `${found.text} ${operator} ${written(subject, right)}` : undefined;
};

/** Formats that print the first time of a day, an hour or a month, and functions that return it. */
const FLOORS: ReadonlyMap<string, string> = new Map([
  ['%Y-%m-%d 00:00:00', 'toStartOfDay'],
  ['%F 00:00:00', 'toStartOfDay'],
  ['%Y-%m-%d %H:00:00', 'toStartOfHour'],
  ['%F %H:00:00', 'toStartOfHour'],
  ['%Y-%m-01', 'toStartOfMonth'],
]);

/** `toDateTime(formatDateTime(key, '%F 00:00:00')) >= x`. */
const parsedStart: Rewrite = (subject, { left, operator, right }) => {
  const [text, ...others] =
    calledWith(subject, left, 'todate', 'todatetime', 'parsedatetimebesteffort') ?? [];
  const [key, format, ...zone] = calledWith(subject, text, 'formatdatetime', 'date_format') ?? [];
  const floor = FLOORS.get(stringOf(subject, format) ?? '');
  if (floor === undefined || !isTimeKey(subject, key) || others.length + zone.length > 0) return undefined;
  if (!isUniversal(subject, key)) return undefined;
  return `${floor}(${written(subject, key)}) ${operator} ${written(subject, right)}`;
};

/** `toYear(key) * 100 + toMonth(key) = 202403`. */
const yearAndMonth: Rewrite = (subject, { left, operator, right }) => {
  const shape = /^toYear\((.+)\)\s*\*\s*100\s*\+\s*toMonth\(\1\)$/.exec(written(subject, left));
  const [product] = left.parts;
  const [year] = bare(product ?? ROOT).parts;
  const [key] = calledWith(subject, year, 'toyear') ?? [];
  if (shape === null || !isTimeKey(subject, key)) return undefined;
  return `toYYYYMM(${written(subject, key)}) ${operator} ${written(subject, right)}`;
};

/** The first time of each unit; empty for the time itself. */
const STARTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    second: '',
    minute: 'toStartOfMinute',
    hour: 'toStartOfHour',
    day: 'toDate',
    month: 'toStartOfMonth',
    year: 'toStartOfYear',
  }),
);

const MIRRORED: Readonly<Record<string, string>> = { '=': '=', '<': '>', '>': '<', '<=': '>=', '>=': '<=' };

/** `dateDiff('day', key, now()) < 7`. */
const difference: Rewrite = (subject, { left, operator, right }) => {
  const [unit, from, until, zone] = calledWith(subject, left, 'datediff', 'date_diff') ?? [];
  const name = (stringOf(subject, unit) ?? '').toLowerCase();
  const start = STARTS.get(name);
  const mirrored = MIRRORED[operator];
  if (from === undefined || until === undefined || zone !== undefined) return undefined;
  if (start === undefined || mirrored === undefined) return undefined;
  const key = isTimeKey(subject, from) ? from : until;
  const isWhole = keyType(subject, key)?.name === 'DateTime';
  if ((name === 'hour' && !isUniversal(subject, key)) || (start === '' && !isWhole)) return undefined;
  const step = `toInterval${capital(name)}(${written(subject, right)})`;
  const at = (node: Node): string => {
    if (start !== '') return `${start}(${written(subject, node)})`;
    return node === key ? written(subject, node) : `toDateTime(${written(subject, node)})`;
  };
  if (isTimeKey(subject, from) && isConstant(until)) return `${at(from)} ${mirrored} ${at(until)} - ${step}`;
  if (isTimeKey(subject, until) && isConstant(from)) return `${at(until)} ${operator} ${at(from)} + ${step}`;
  return undefined;
};

/** `age('day', key, now()) < 7`. */
const age: Rewrite = (subject, { left, operator, right }) => {
  const [unit, key, until, zone] = calledWith(subject, left, 'age') ?? [];
  const name = (stringOf(subject, unit) ?? '').toLowerCase();
  const isWanted = (operator === '<' || operator === '>=') && (numberOf(subject, right) ?? 0) >= 1;
  if (!isTimeKey(subject, key) || until === undefined || zone !== undefined || !isConstant(until))
    return undefined;
  if (!isWanted || !/^(?:second|minute|hour|day)$/.test(name) || !isUniversal(subject, key)) return undefined;
  const step = `toInterval${capital(name)}(${written(subject, right)})`;
  return `${written(subject, key)} ${operator === '<' ? '>' : '<='} ${written(subject, until)} - ${step}`;
};

function capital(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}

/** `addDays(key, 1) > x`. */
const shifted: Rewrite = (subject, { left, operator, right }) => {
  if (left.kind !== 'call') return undefined;
  const [, verb, unit] =
    /^(add|subtract)(Second|Minute|Hour|Day|Week)s$/.exec(nameOf(subject.tree, left)) ?? [];
  const [key, count] = calledWith(subject, left, nameOf(subject.tree, left).toLowerCase()) ?? [];
  if (unit === undefined || count === undefined || !isTimeKey(subject, key) || !isConstant(count))
    return undefined;
  const sign = verb === 'add' ? '+' : '-';
  const step = `toInterval${unit}(${written(subject, count)})`;
  return `${written(subject, key)} ${sign} ${step} ${operator} ${written(subject, right)}`;
};

/** `parseDateTimeBestEffort(toString(key)) >= x`, and the same by way of the number of seconds. */
const thereAndBack: Rewrite = (subject, { left, operator, right }) => {
  const [inner, ...others] =
    calledWith(
      subject,
      left,
      'parsedatetimebesteffort',
      'todatetime',
      'fromunixtimestamp',
      'parsedatetime',
    ) ?? [];
  const [key, ...zone] = calledWith(subject, inner, 'tostring', 'tounixtimestamp') ?? [];
  if (!isTimeKey(subject, key) || keyType(subject, key)?.name !== 'DateTime') return undefined;
  if (others.length + zone.length > 0 || !isUniversal(subject, key)) return undefined;
  return `${written(subject, key)} ${operator} ${written(subject, right)}`;
};

const REWRITES: readonly Rewrite[] = [
  formatted,
  parsedDay,
  parsedStart,
  yearAndMonth,
  difference,
  age,
  shifted,
  thereAndBack,
];
