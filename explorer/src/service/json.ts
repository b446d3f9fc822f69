// Parses and prints JSON without losing digits: numbers that a double cannot hold become BigInt or Decimal.

const DIGITS = Symbol('digits');

/** A number with a fraction or an exponent whose digits a double cannot hold. `String` returns them as they were sent. */
export interface Decimal {
  readonly [DIGITS]: string;
  toString(): string;
}

export type Json =
  | null
  | boolean
  | number
  | bigint
  | Decimal
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };

export type Row = { readonly [column: string]: Json };

/** Marks numbers that are passed through JSON.parse as strings; real strings that start with it get a second one. */
const MARK = '\ue0f7';
const MARKED = /^"(?:\ue0f7|\\ue0f7)/i;
/** Numbers whose digits a double may not hold; strings may have the like in them. */
const LONG = String.raw`-?\d(?:[\d.]{15}[\d.eE+-]*|[\d.]*[eE][\d.eE+-]*)`;
const STRING = String.raw`"(?:[^"\\]|\\.)*"`;
const QUOTE = 34;

/** Parses JSON text. Throws SyntaxError. */
export function parseJson(text: string): Json {
  if (!hasInexact(text)) return JSON.parse(text) as Json; // JSON.parse returns JSON
  // Numbers are marked in the text, since not every browser passes a reviver their source.
  return unmarked(JSON.parse(marked(text)) as Json); // likewise
}

/** A string with such a number in it counts as well. Most numbers are exact, and then the text is read once. */
function hasInexact(text: string): boolean {
  const long = new RegExp(LONG, 'g');
  for (let match = long.exec(text); match !== null; match = long.exec(text))
    if (!isExact(match[0])) return true;
  return false;
}

/** Copies only the numbers and strings that are marked: a response has millions of them. */
function marked(text: string): string {
  const mayHaveMarks = /\ue0f7|\\ue0f7/i.test(text);
  const tokens = new RegExp(`${STRING}|${LONG}`, 'g');
  const parts: string[] = [];
  let copied = 0;
  while (tokens.test(text)) {
    const end = tokens.lastIndex;
    const isString = text.charCodeAt(end - 1) === QUOTE;
    if (isString && !mayHaveMarks) continue;
    const start = isString ? openingOf(text, end) : numberStart(text, end);
    const token = text.slice(start, end);
    const isKept = isString ? !MARKED.test(token) || /^\s*:/.test(text.slice(end, end + 20)) : isExact(token);
    if (isKept) continue;
    parts.push(text.slice(copied, start), isString ? `"${MARK}${token.slice(1)}` : `"${MARK}${token}"`);
    copied = end;
  }
  return parts.join('') + text.slice(copied);
}

function numberStart(text: string, end: number): number {
  let start = end;
  while (start > 0 && /[\d.eE+-]/.test(text.charAt(start - 1))) start--;
  return start;
}

/** The opening quote of the string that ends before `end`: the last one that no backslash precedes. */
function openingOf(text: string, end: number): number {
  let at = text.lastIndexOf('"', end - 2);
  while (at > 0 && isEscaped(text, at)) at = text.lastIndexOf('"', at - 1);
  return at;
}

function isEscaped(text: string, at: number): boolean {
  let start = at;
  while (text.charAt(start - 1) === '\\') start--;
  return (at - start) % 2 === 1;
}

/** Changes what JSON.parse has just made, in place. */
function unmarked(value: Json): Json {
  if (typeof value === 'string') return value.startsWith(MARK) ? numberOf(value.slice(1)) : value;
  if (isList(value)) return value.map(unmarked);
  if (!isNested(value)) return value;
  const members = value as Record<string, Json>; // not seen by any other code yet
  for (const name of Object.keys(members)) {
    const member = members[name] ?? null;
    if (typeof member === 'string' || typeof member === 'object') members[name] = unmarked(member);
  }
  return members;
}

function numberOf(source: string): Json {
  if (source.startsWith(MARK)) return source;
  return /^-?\d+$/.test(source) ? BigInt(source) : decimal(source);
}

function decimal(source: string): Decimal {
  if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(source))
    throw new SyntaxError(`Invalid number ${source.slice(0, 40)}`);
  return { [DIGITS]: source, toString: () => source };
}

/** Returns whether a double prints the same significant digits as the source of the number. */
function isExact(source: string): boolean {
  if (source.length < 16 && !/[eE]/.test(source)) return true;
  const value = Number(source);
  if (String(value) === source) return /[.eE]/.test(source) || Number.isSafeInteger(value);
  if (/^-?\d+$/.test(source)) return Number.isSafeInteger(value);
  return significant(source) === significant(String(value));
}

function significant(source: string): string {
  const [mantissa = ''] = source.toLowerCase().split('e');
  return mantissa.replace(/[-.]/g, '').replace(/^0+|0+$/g, '');
}

export function isDecimal(value: Json | undefined): value is Decimal {
  return typeof value === 'object' && value !== null && DIGITS in value;
}

export function isNumber(value: Json | undefined): value is number | bigint | Decimal {
  return typeof value === 'number' || typeof value === 'bigint' || isDecimal(value);
}

/** Returns whether it is a float that JSON does not have, as the service writes it on request. */
export function isNonFinite(value: Json | undefined): boolean {
  return typeof value === 'string' && /^-?(?:nan|inf)$/.test(value);
}

/** JSON text, over several lines if `indent` is given. */
export function printJson(value: Json, indent = ''): string {
  return print(value, indent, '\n');
}

function print(value: Json, indent: string, lineBreak: string): string {
  if (typeof value === 'bigint' || isDecimal(value)) return String(value);
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const deeper = lineBreak + indent;
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const parts = isList(value)
    ? value.map((item) => print(item, indent, deeper))
    : Object.entries(value).map(
        ([key, item]) => `${JSON.stringify(key)}:${indent === '' ? '' : ' '}${print(item, indent, deeper)}`,
      );
  if (parts.length === 0) return `${open}${close}`;
  if (indent === '') return `${open}${parts.join(',')}${close}`;
  return `${open}${deeper}${parts.join(`,${deeper}`)}${lineBreak}${close}`;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

export function isNested(
  value: Json | undefined,
): value is readonly Json[] | { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !isDecimal(value);
}

/** A single-line preview of a value, about `limit` characters; the rest of the value is not traversed. */
export function preview(value: Json | undefined, limit: number): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return value.slice(0, limit);
  if (!isNested(value)) return String(value);
  const [open, close] = isList(value) ? '[]' : '{}';
  let text = '';
  for (const [key, item] of members(value)) {
    if (text !== '') text += ', ';
    if (text.length >= limit) return `${open}${text}…`;
    const inner = preview(item, limit - text.length);
    text += isList(value) ? inner : `${key}: ${inner}`;
  }
  return `${open}${text}${close}`;
}

/** The members of a nested value, one at a time: `Object.entries` would copy all of them first. */
function* members(value: readonly Json[] | { readonly [key: string]: Json }): Generator<[string, Json]> {
  if (isList(value)) for (const [i, item] of value.entries()) yield [String(i), item];
  else for (const key in value) yield [key, value[key] ?? null];
}
