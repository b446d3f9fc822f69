// Reads intervals, in the forms of all dialects.
import type { Expression, TypeName, Unit } from '../../sql/syntax-tree.ts';
import { type Source, isSymbol, isWord, next, peek, readExpression, textFrom, isMysql } from './source.ts';

const UNITS: Readonly<Record<string, string>> = {
  US: 'MICROSECOND',
  MS: 'MILLISECOND',
  S: 'SECOND',
  SEC: 'SECOND',
  M: 'MINUTE',
  MIN: 'MINUTE',
  H: 'HOUR',
  HR: 'HOUR',
  D: 'DAY',
  W: 'WEEK',
  MON: 'MONTH',
  MM: 'MONTH',
  Q: 'QUARTER',
  Y: 'YEAR',
  YR: 'YEAR',
  YY: 'YEAR',
  YYYY: 'YEAR',
};
const NAMES: ReadonlySet<string> = new Set([
  'NANOSECOND',
  'MICROSECOND',
  'MILLISECOND',
  'SECOND',
  'MINUTE',
  'HOUR',
  'DAY',
  'WEEK',
  'MONTH',
  'QUARTER',
  'YEAR',
  'DECADE',
  'CENTURY',
]);

/** The unit that a word names, in the singular; undefined if it names none. */
function unitOf(word: string): string | undefined {
  const upper = word.toUpperCase();
  const singular = upper.length > 2 && upper.endsWith('S') ? upper.slice(0, -1) : upper;
  if (singular === 'CENTURIE') return 'CENTURY';
  return NAMES.has(singular) ? singular : (UNITS[singular] ?? UNITS[upper]);
}

const PARTS =
  /^(?:DAY_?OF_?(?:WEEK|MONTH|YEAR)(?:_?ISO)?|ISO_?(?:DOW|WEEK|YEAR)|DOW|DOY|EPOCH(?:_\w+)?|WEEK_?ISO|YEAR_?OF_?WEEK(?:_?ISO)?)$/i;

/** Whether a word is a unit, without its short forms, or a part of a time. */
export function isUnitName(word: string): boolean {
  return NAMES.has(word.toUpperCase()) || PARTS.test(word);
}

/** @throws ReadError; undefined if INTERVAL is a name here */
export function readInterval(source: Source): Expression | undefined {
  const after = peek(source, 1);
  const isName = after.kind === 'end' || (after.kind === 'symbol' && !['(', '-', '+'].includes(after.text));
  if (isName || (after.kind === 'word' && isClause(after.upper))) return undefined;
  const { start: at } = next(source);
  if (peek(source).kind === 'string') {
    const text = next(source).text;
    const unit = readUnit(source);
    if (unit === undefined) return fromText(text, at) ?? unread(source, at);
    return fromNumber(text, unit, at) ?? unread(source, at);
  }
  const value = isSymbol(source, '(') ? source.rules.primary(source) : readValue(source);
  const unit = readUnit(source);
  return unit === undefined ? unread(source, at) : { kind: 'interval', at, value, unit };
}

const CLAUSES: ReadonlySet<string> = new Set(['FROM', 'AS', 'AND', 'OR', 'IS', 'IN', 'DESC', 'ASC']);
const isClause = (word: string): boolean => CLAUSES.has(word);

/** `INTERVAL n DAY`: the value may be an expression without parentheses. */
function readValue(source: Source): Expression {
  return isMysql(source) || source.dialect === 'bigquery'
    ? readExpression(source)
    : source.rules.primary(source);
}

/** A unit, and `TO unit`, with which the text is not a plain number. */
function readUnit(source: Source): (Unit & { readonly isRange: boolean }) | undefined {
  const { kind, text, start } = peek(source);
  if (kind !== 'word') return undefined;
  const name = unitOf(text) ?? (text.includes('_') ? text.toUpperCase() : undefined);
  if (name === undefined) return undefined;
  source.at++;
  const isRange = text.includes('_') || (isWord(source, 'TO') && unitOf(peek(source, 1).text) !== undefined);
  if (isRange && isWord(source, 'TO')) source.at += 2;
  return { name, at: start, isRange };
}

function unread(source: Source, at: number): Expression {
  return { kind: 'unread', at, text: textFrom(source, at), reason: 'this interval is not supported' };
}

function fromNumber(
  text: string,
  unit: Unit & { readonly isRange: boolean },
  at: number,
): Expression | undefined {
  const plain = text.trim();
  if (unit.isRange || !/^[+-]?\d+(\.\d+)?$/.test(plain))
    return unit.isRange ? undefined : fromText(plain, at);
  return {
    kind: 'interval',
    at,
    value: { kind: 'number', at, text: plain.replace('+', '') },
    unit: { name: unit.name, at: unit.at },
  };
}

const PART = /\s*,?\s*([+-]?\d+(?:\.\d+)?)\s*([A-Za-z]+)/y;
const CLOCK = /\s*,?\s*([+-]?)(\d+):(\d\d)(?::(\d\d(?:\.\d+)?))?/y;

/** `1 day 2 hours 03:04:05`; undefined for other forms. */
function fromText(text: string, at: number): Expression | undefined {
  const parts: { readonly value: Expression; readonly unit: Unit }[] = [];
  const add = (number: string, unit: string): void => {
    parts.push({ value: { kind: 'number', at, text: number.replace('+', '') }, unit: { name: unit, at } });
  };
  for (let index = 0; index < text.trimEnd().length;) {
    PART.lastIndex = index;
    CLOCK.lastIndex = index;
    const clock = CLOCK.exec(text);
    const part = clock === null ? PART.exec(text) : null;
    const unit = unitOf(part?.[2] ?? '');
    if (clock !== null) {
      const [whole, sign = '', hours = '0', minutes = '0', seconds] = clock;
      add(`${sign}${Number(hours)}`, 'HOUR');
      add(`${sign}${Number(minutes)}`, 'MINUTE');
      if (seconds !== undefined) add(`${sign}${Number(seconds)}`, 'SECOND');
      index += whole.length;
    } else if (part !== null && unit !== undefined) {
      add(part[1] ?? '0', unit);
      index += part[0].length;
    } else return undefined;
  }
  const [only, more] = parts;
  if (only === undefined) return undefined;
  return more === undefined ? { kind: 'interval', at, ...only } : { kind: 'intervals', at, parts };
}

/** A cast; of a string to INTERVAL, the interval. */
export function castOf(
  value: Expression,
  type: TypeName,
  { at, isSafe }: { readonly at: number; readonly isSafe: boolean },
): Expression {
  const interval =
    type.name === 'INTERVAL' && value.kind === 'string' ? fromText(value.value, at) : undefined;
  return interval ?? { kind: 'cast', at, value, type, isSafe };
}
