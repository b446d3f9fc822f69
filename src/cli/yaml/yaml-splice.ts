// Inserts a value into YAML while preserving every other character. Inputs must be valid YAML.
import { isDeepStrictEqual } from 'node:util';
import { Document, isCollection, isMap, isNode, isScalar, isSeq, parseDocument } from 'yaml';
import type { Node, Pair, YAMLMap } from 'yaml';
import { positionAt } from '../../sql/base/position.ts';
import { parseYaml, type Path } from '../../service/config/yaml-document.ts';

/**
 * The text with `value` at `path`: replaces the existing value, or is added as the last key of the parent mapping.
 * Undefined if there is no such mapping to write to, or it is an alias. Comments inside a replaced value are lost.
 */
export function putAt(text: string, path: Path, value: unknown): string | undefined {
  const key = path.at(-1);
  const parent: unknown = parseDocument(text).getIn(path.slice(0, -1), true);
  if (!isMap(parent) || key === undefined) return undefined;
  const pair = parent.items.find((each) => isScalar(each.key) && each.key.value === key);
  const changed =
    pair === undefined ? append(text, parent, String(key), value) : replace(text, { parent, pair }, value);
  return holds(changed, path, value) ? changed : undefined;
}

/**
 * Verifies the result: unusual layouts, such as a comment before a closing brace, are left unchanged rather than
 * broken.
 */
function holds(text: string, path: Path, value: unknown): boolean {
  const parsed = parseYaml('', text);
  return 'document' in parsed && isDeepStrictEqual(path.reduce(child, parsed.document.value), value);
}

function child(of: unknown, key: string | number): unknown {
  return typeof of === 'object' && of !== null ? Reflect.get(of, key) : undefined;
}

interface Target {
  readonly parent: YAMLMap;
  readonly pair: Pair;
}

function replace(text: string, { parent, pair }: Target, value: unknown): string {
  const old = isNode(pair.value) ? spanOf(text, pair.value) : undefined;
  const colon = colonAfter(text, isNode(pair.key) ? spanOf(text, pair.key).end : 0);
  if (parent.flow === true)
    return cut(text, old ?? at(colon), `${old === undefined ? ' ' : ''}${flow(value)}`);
  const lines = block(value);
  const isBlock = isCollection(pair.value) && pair.value.flow !== true;
  if (old !== undefined && isBlock && lines !== undefined)
    return cut(text, old, shift(lines, columnOf(text, old.start)).join('\n').trimStart());
  const indent = columnOf(text, isNode(pair.key) ? spanOf(text, pair.key).start : 0);
  return cut(text, { start: colon, end: old?.end ?? colon }, body(value, indent));
}

/** The part after the colon, for a key in column `indent`. */
function body(value: unknown, indent: number): string {
  const lines = block(value);
  return lines === undefined ? ` ${flow(value)}` : `\n${shift(lines, indent + 2).join('\n')}`;
}

function append(text: string, parent: YAMLMap, key: string, value: unknown): string {
  const { start, end } = spanOf(text, parent);
  if (parent.flow === true) {
    const inside = text.slice(0, end - 1).trimEnd();
    const comma = /[,{]$/.test(inside) ? '' : ',';
    return `${inside}${comma} ${scalar(key)}: ${flow(value)} ${text.slice(end - 1)}`;
  }
  const rest = /[^\r\n]*/.exec(text.slice(end))?.[0] ?? ''; // a comment after the last value
  const after = end + rest.length;
  const indent = columnOf(text, start);
  return cut(text, at(after), `\n${' '.repeat(indent)}${scalar(key)}:${body(value, indent)}`);
}

interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** Excludes trailing spaces and line breaks, which the parser counts as part of a block. */
function spanOf(text: string, { range }: Node): TextSpan {
  const [start, end] = range ?? [0, 0];
  return { start, end: start + text.slice(start, end).trimEnd().length };
}

function at(offset: number): TextSpan {
  return { start: offset, end: offset };
}

function cut(text: string, { start, end }: TextSpan, put: string): string {
  const lines = text.includes('\r\n') ? put.replaceAll('\n', '\r\n') : put;
  return text.slice(0, start) + lines + text.slice(end);
}

function colonAfter(text: string, offset: number): number {
  return text.indexOf(':', offset) + 1;
}

function columnOf(text: string, offset: number): number {
  return positionAt(text, offset).column - 1;
}

function shift(lines: readonly string[], indent: number): readonly string[] {
  return lines.map((line) => ' '.repeat(indent) + line);
}

/**
 * Lines for a non-empty mapping, or for a list that contains mappings, one item per line; undefined for everything
 * else.
 */
function block(value: unknown): readonly string[] | undefined {
  if (Array.isArray(value)) {
    return value.some(isObject) ? value.map((item) => `- ${flow(item)}`) : undefined;
  }
  if (!isObject(value) || Object.keys(value).length === 0) return undefined;
  return Object.entries(value).flatMap(([key, item]) => {
    const lines = block(item);
    return lines === undefined ? [`${scalar(key)}: ${flow(item)}`] : [`${scalar(key)}:`, ...shift(lines, 2)];
  });
}

/** Flow style, on one line. */
function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (!isObject(value)) return scalar(value);
  const pairs = Object.entries(value).map(([key, item]) => `${scalar(key)}: ${flow(item)}`);
  return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`;
}

const QUOTED = { defaultStringType: 'QUOTE_DOUBLE', doubleQuotedMinMultiLineLength: 2 ** 30 } as const;
const PLAIN = { singleQuote: true, flowCollectionPadding: false } as const;

/** Strings of this form are dates in YAML 1.1, which many parsers still follow, so they are quoted. */
const DATE = /^\d{4}-\d\d?-\d\d?[\dTtZz:.+ -]*$/;

/** The scalar as written inside a flow collection, quoted if necessary. */
function scalar(value: unknown): string {
  if (typeof value === 'string' && DATE.test(value)) return `'${value}'`;
  const isLong = typeof value === 'string' && /[\n\r]/.test(value);
  const list = new Document([value]);
  if (isSeq(list.contents)) list.contents.flow = true;
  return list
    .toString({ lineWidth: 0, ...PLAIN, ...(isLong ? QUOTED : {}) })
    .trimEnd()
    .slice(1, -1);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
