// Reads the fields of a request from the query string and the body. Keeps repeated fields, so that binding can reject
// them.
import { Problem } from '../../sql/base/problem.ts';
import type { RawValue } from '../params/reading.ts';
import { toRawValue } from '../params/raw-value.ts';
import { closingQuote, parseJson, tooDeep } from './json-body.ts';
import { MAX_PAIRS, pairsOf, tooMany } from './percent-encoded.ts';

export type Fields = ReadonlyMap<string, readonly RawValue[]>;

/** Of a JSON body. Types of parameters nest less deep. */
const MAX_DEPTH = 32;

type RawPair = readonly [name: string, value: RawValue];

/**
 * Reads the fields of a query string (without its `?`) and of a body. Throws Problem. Linear time: fields are counted
 * before decoding, and counting stops at the limit.
 */
export function readFields(
  queryString: string,
  body: { readonly type: string; readonly text: string } | undefined,
): Fields {
  const pairs: RawPair[] = [];
  addPairs(pairs, queryString);
  if (body !== undefined) addBody(pairs, body);
  const fields = new Map<string, RawValue[]>();
  for (const [name, value] of pairs) {
    const values = fields.get(name);
    if (values === undefined) fields.set(name, [value]);
    else values.push(value);
  }
  return fields;
}

function addBody(pairs: RawPair[], { type, text }: { type: string; text: string }): void {
  switch (type) {
    case 'application/json':
      return addJson(pairs, text);
    case 'application/x-www-form-urlencoded':
      return addPairs(pairs, text);
    case 'application/sql':
      if (text.trim() !== '') pairs.push(['sql', text]);
      return;
    default:
      if (text === '') return;
      throw new Problem('request.body_type_unsupported', {
        detail: `Bodies of type ${type.slice(0, 100)} are not supported`,
      });
  }
}

function addPairs(pairs: RawPair[], text: string): void {
  pairs.push(...pairsOf(text, { most: MAX_PAIRS - pairs.length }));
}

function expectAtMost(count: number): void {
  if (count > MAX_PAIRS) throw tooMany();
}

function addJson(pairs: RawPair[], text: string): void {
  if (text.trim() === '') return;
  const names = countNames(text, pairs.length);
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Problem('request.body_invalid', { detail: 'The JSON body is not an object of parameters' });
  }
  for (const [name, item] of Object.entries(value)) {
    const raw = toRawValue(name, item);
    for (let times = names.get(name) ?? 1; times > 0; times--) pairs.push([name, raw]);
  }
}

/**
 * How often each name occurs at the top level of a JSON object, since JSON.parse keeps only the last value. For invalid
 * JSON the counts are meaningless. Throws Problem if there are too many.
 */
function countNames(text: string, already: number): ReadonlyMap<string, number> {
  const names = new Map<string, number>();
  let count = already;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '{' || character === '[') {
      if (++depth > MAX_DEPTH) throw tooDeep(MAX_DEPTH);
    } else if (character === '}' || character === ']') depth--;
    else if (character === '"') {
      const start = at;
      at = closingQuote(text, start);
      if (depth !== 1 || !isName(text, at)) continue;
      expectAtMost(++count);
      const name = unquote(text.slice(start, at + 1));
      names.set(name, (names.get(name) ?? 0) + 1);
    }
  }
  return names;
}

/** Whether the string closed at `end` is followed by a colon. */
function isName(text: string, end: number): boolean {
  let at = end + 1;
  while (' \t\n\r'.includes(text[at] ?? ':')) at++;
  return text[at] === ':';
}

function unquote(literal: string): string {
  return literal.includes('\\') ? String(parseJson(literal)) : literal.slice(1, -1);
}
