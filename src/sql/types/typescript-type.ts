// The TypeScript type of a column's JSON values.
import { jsonValueOf, type JsonValue, type RowShape } from './json-value.ts';

/** `type` as the engine prints it; `int64`: how the endpoint writes decimals, and integers of 64 bits and more. */
export function typescriptOf(type: string, int64: 'number' | 'string', shape?: RowShape): string {
  return print(jsonValueOf(type, shape), int64);
}

function print(value: JsonValue, int64: 'number' | 'string'): string {
  switch (value.kind) {
    case 'integer':
      return value.bits >= 64 ? int64 : 'number';
    case 'float':
      return 'number | null';
    case 'decimal':
      return int64;
    case 'string':
    case 'boolean':
    case 'null':
      return value.kind;
    case 'enum':
      return value.values.map(textLiteral).join(' | ') || 'never';
    case 'nullable':
      return orNull(print(value.inner, int64));
    case 'array':
      return arrayOf(value.element, int64);
    case 'tuple':
      return `[${value.elements.map((element) => print(element, int64)).join(', ')}]`;
    case 'record':
      return `{ ${[...value.members].map(([name, member]) => `${textLiteral(name)}: ${print(member, int64)}`).join('; ')} }`;
    case 'map':
      return `Record<string, ${print(value.value, int64)}>`;
    case 'object':
      return 'Record<string, unknown>';
    case 'any':
      return 'unknown';
  }
}

function orNull(type: string): string {
  return type === 'unknown' || type === 'null' || type.endsWith(' | null') ? type : `${type} | null`;
}

function arrayOf(element: JsonValue, int64: 'number' | 'string'): string {
  const type = print(element, int64);
  return isUnion(element) ? `(${type})[]` : `${type}[]`;
}

/** Returns whether the type is printed with `|` at its outermost level. */
function isUnion(value: JsonValue): boolean {
  if (value.kind === 'nullable') return value.inner.kind !== 'any' && value.inner.kind !== 'null';
  return value.kind === 'float' || (value.kind === 'enum' && value.values.length > 1);
}

/** A TypeScript string literal, safe for any text. */
export function textLiteral(text: string): string {
  return JSON.stringify(text)
    .replaceAll('\u2028', String.raw`\u2028`)
    .replaceAll('\u2029', String.raw`\u2029`);
}
