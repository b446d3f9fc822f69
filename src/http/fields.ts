// The fields of a request: from the query string and from a body of each kind that is read. Doubles are kept, to be refused later.
import { Problem } from '../core/problem.ts';
import type { RawScalar, RawValue } from '../params/reading.ts';

export type Fields = ReadonlyMap<string, readonly RawValue[]>;

const MAX_FIELDS = 1000;
const MAX_LIST = 10_000;

/** Collects the fields of a query string (without its `?`) and of a body. Throws Problem. */
export function readFields(
  queryString: string,
  body: { readonly type: string; readonly text: string } | undefined,
): Fields {
  const fields = new Map<string, RawValue[]>();
  addPairs(fields, new URLSearchParams(queryString));
  if (body !== undefined) addBody(fields, body);
  if (fields.size > MAX_FIELDS)
    throw new Problem('request.body_invalid', { detail: `More than ${MAX_FIELDS} parameters were sent` });
  return fields;
}

function addBody(fields: Map<string, RawValue[]>, body: { type: string; text: string }): void {
  switch (body.type) {
    case 'application/json':
      return addJson(fields, body.text);
    case 'application/x-www-form-urlencoded':
      return addPairs(fields, new URLSearchParams(body.text));
    case 'application/sql':
      return body.text.trim() === '' ? undefined : add(fields, 'sql', body.text);
    default:
      if (body.text === '') return;
      throw new Problem('request.body_type_unsupported', {
        detail: `Bodies of type ${body.type} are not read`,
      });
  }
}

function addPairs(fields: Map<string, RawValue[]>, pairs: URLSearchParams): void {
  for (const [name, value] of pairs) add(fields, name, value);
}

function addJson(fields: Map<string, RawValue[]>, text: string): void {
  if (text.trim() === '') return;
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Problem('request.body_invalid', { detail: 'The JSON body is not an object of parameters' });
  }
  const names = topLevelNames(text);
  for (const [name, item] of Object.entries(value)) {
    const times = names.filter((each) => each === name).length;
    for (let i = 0; i < times; i++) add(fields, name, toRawValue(name, item));
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const detail = `The body is not valid JSON: ${cause instanceof Error ? cause.message : 'it cannot be parsed'}`;
    throw new Problem('request.body_invalid', { detail: detail.slice(0, 300), cause });
  }
}

/** Names at the first level of a valid JSON object, doubles included: JSON.parse keeps only the last of them. */
function topLevelNames(text: string): string[] {
  const names: string[] = [];
  let depth = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"(?:\s*:)?|[[\]{}]/g)) {
    if (token === '{' || token === '[') depth++;
    else if (token === '}' || token === ']') depth--;
    else if (depth === 1 && token.endsWith(':')) names.push(String(JSON.parse(token.slice(0, -1))));
  }
  return names;
}

function toRawValue(name: string, value: unknown): RawValue {
  if (value === null || isScalar(value)) return value;
  if (Array.isArray(value) && value.length <= MAX_LIST) {
    const items: unknown[] = value;
    if (items.every(isScalar)) return items;
  }
  const message = 'must be a text, a number, true, false, null, or a list of them';
  throw new Problem('request.parameters_invalid', { errors: [{ parameter: name.slice(0, 100), message }] });
}

function isScalar(value: unknown): value is RawScalar {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

function add(fields: Map<string, RawValue[]>, name: string, value: RawValue): void {
  const values = fields.get(name);
  if (values === undefined) fields.set(name, [value]);
  else values.push(value);
}
