// Parses and prints JSON without losing digits: integers that a double cannot hold become BigInt.

export type Json =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };

export type Row = { readonly [column: string]: Json };

/** Parses JSON text. Throws SyntaxError. */
export function parseJson(text: string): Json {
  const isPlain = !/\d{16}/.test(text);
  return JSON.parse(text, isPlain ? undefined : keepDigits) as Json; // JSON.parse returns JSON
}

/** The third argument holds the number's source (https://tc39.es/proposal-json-parse-with-source/), where supported. */
function keepDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value) || context?.source === undefined) return value;
  return /^-?\d+$/.test(context.source) ? BigInt(context.source) : value;
}

/** JSON text, over several lines if `indent` is given. */
export function printJson(value: Json, indent = ''): string {
  return print(value, indent, '\n');
}

function print(value: Json, indent: string, lineBreak: string): string {
  if (typeof value === 'bigint') return String(value);
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
  return typeof value === 'object' && value !== null;
}

/** A single-line preview of a value, about `limit` characters; the rest of the value is not traversed. */
export function preview(value: Json | undefined, limit: number): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return value.slice(0, limit);
  if (!isNested(value)) return String(value);
  const [open, close] = isList(value) ? '[]' : '{}';
  let text = '';
  for (const [key, item] of Object.entries(value)) {
    if (text !== '') text += ', ';
    if (text.length >= limit) return `${open}${text}…`;
    const inner = preview(item, limit - text.length);
    text += isList(value) ? inner : `${key}: ${inner}`;
  }
  return `${open}${text}${close}`;
}
