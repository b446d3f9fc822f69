// Replaces literals in a query's conditions with parameters: `project = 'abc'` becomes `project = @project`.
import type { Parameter } from '../../../service/config/generated/endpoint.ts';
import { placeholdersIn, type PlaceholderText } from '../../../sql/clickhouse/tree/lexemes.ts';
import type { Node, NodeKind, Tree } from '../../../sql/clickhouse/tree/nodes.ts';
import { parseSavedText } from '../../../sql/clickhouse/tree/parse.ts';
import {
  argumentsOf,
  endsWithComma,
  nameOf,
  operatorOf,
  sourceOf,
  spanOf,
} from '../../../sql/clickhouse/tree/visit.ts';
import { innerType, parseType, printType } from '../../../sql/types/type.ts';

export interface Lifted {
  /** The query with @name in place of the literals. */
  readonly query: string;
  readonly parameters: Readonly<Record<string, Parameter>>;
  /** The literals as parameter values of an example. */
  readonly example: Readonly<Record<string, string | number | boolean | readonly (string | number)[]>>;
}

interface Draft {
  /** Names of other parameters. */
  readonly taken: ReadonlySet<string>;
  readonly parameters: Record<string, Parameter>;
  readonly example: Record<string, string | number | (string | number)[]>;
  /** The replacements. */
  readonly edits: { readonly start: number; readonly end: number; readonly text: string }[];
}

const COMPARISONS: ReadonlySet<string> = new Set(['=', '!=', '<', '<=', '>', '>=', 'LIKE', 'ILIKE']);
const LOWER: ReadonlySet<string> = new Set(['>', '>=']);
const UPPER: ReadonlySet<string> = new Set(['<', '<=']);
const CONDITIONS: ReadonlySet<NodeKind> = new Set<NodeKind>([
  'where',
  'prewhere',
  'having',
  'qualify',
  'on',
  'filter',
]);

const DATE = /^\d{4}-\d\d-\d\d$/;
const TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/;

/** Parameters of every request, as in `schemas/endpoint.schema.json`. */
const RESERVED = /^(sql|lql|format|dialect)$/;

/** Also replaces ClickHouse's own placeholders, `{name:Type}`. `sql` may have parameters of its own; what cannot be parsed remains as it is. */
export function liftLiterals(sql: string, taken: ReadonlySet<string> = new Set()): Lifted {
  const draft: Draft = { taken, parameters: {}, example: {}, edits: [] };
  for (const placeholder of placeholdersIn(sql)) liftPlaceholder(placeholder, draft);
  const tree = parseSavedText(sql);
  liftIn({ tree, draft }, tree.root, false);
  let lifted = '';
  let copied = 0;
  for (const { start, end, text } of draft.edits.toSorted((one, other) => one.start - other.start)) {
    lifted += sql.slice(copied, start) + text;
    copied = end;
  }
  return { query: lifted + sql.slice(copied), parameters: draft.parameters, example: draft.example };
}

/** `{name:Type}`: takes the name and the type from it. */
function liftPlaceholder({ name, type, start, end }: PlaceholderText, draft: Draft): void {
  const parsed = parseType(type);
  const isOptional = parsed.name === 'Nullable';
  draft.parameters[name] ??= {
    type: isOptional ? printType(innerType(parsed)) : type,
    required: !isOptional,
  };
  draft.edits.push({ start, end, text: `@${name}` });
}

interface Lifting {
  readonly tree: Tree;
  readonly draft: Draft;
}

/** The comparisons in conditions, in the order of their literals. */
function liftIn(lifting: Lifting, node: Node, isCondition: boolean): void {
  const isInside = CONDITIONS.has(node.kind) || (isCondition && node.kind !== 'select');
  for (const part of node.parts) liftIn(lifting, part, isInside);
  if (isInside) liftComparison(lifting, node);
}

/** A column or path, then a comparison, LIKE or IN, then a literal or a list of literals. */
function liftComparison({ tree, draft }: Lifting, node: Node): void {
  const [value, right, high] = node.parts;
  if (value === undefined || right === undefined) return;
  const folded = foldedColumn(tree, value);
  const column = folded?.column ?? nameOf(tree, { at: value.to - 1 });
  if (column === '') return;
  if (node.kind === 'binary') {
    const operator = operatorOf(tree, node);
    const literal = COMPARISONS.has(operator) ? literalOf(tree, right) : undefined;
    if (literal !== undefined)
      lift(draft, { name: nameFor(column, operator), ...literal, calls: folded?.calls });
  } else if (folded !== undefined) {
    return;
  } else if (node.kind === 'between' && high !== undefined) {
    const bounds = [literalOf(tree, right), literalOf(tree, high)] as const;
    if (bounds[0] === undefined || bounds[1] === undefined) return; // both, or none
    lift(draft, { name: nameFor(column, '>='), ...bounds[0] });
    lift(draft, { name: nameFor(column, '<='), ...bounds[1] });
  } else if (node.kind === 'in') {
    const value = listOf(tree, right);
    if (value !== undefined)
      lift(draft, { name: pluralOf(nameFor(column, '=')), value, ...spanOf(tree, right) });
  }
}

interface Literal {
  readonly value: string | number;
  /** The type that is written; undefined: that of the value. */
  readonly type?: string;
  readonly start: number;
  readonly end: number;
}

function literalOf(tree: Tree, node: Node): Literal | undefined {
  const text = sourceOf(tree, node);
  if (node.kind === 'call') return timeOf(tree, node);
  if (node.kind === 'number') {
    const value = Number(text.replace(/\s/g, ''));
    const isExact = /^-?\s*[\d.]+$/.test(text) && (text.includes('.') || Number.isSafeInteger(value));
    return isExact ? { value, ...spanOf(tree, node) } : undefined;
  }
  if (node.kind !== 'string' || !/^'(?:[^'\\]|'')*'$/.test(text)) return undefined;
  return { value: text.slice(1, -1).replaceAll("''", "'"), ...spanOf(tree, node) };
}

/** `toDate('…')` and `toDate32('…')`, and `toDateTime64('…', 3, 'UTC')`: times in other zones remain in the query. */
function timeOf(tree: Tree, call: Node): Literal | undefined {
  const type = /^to(Date|Date32|DateTime|DateTime64)$/i.exec(nameOf(tree, call))?.[1]?.toUpperCase();
  const [list, ...others] = call.parts;
  if (type === undefined || list?.kind !== 'arguments' || others.length > 0) return undefined;
  const [written, ...more] = list.parts;
  const text = written?.kind === 'string' ? sourceOf(tree, written).slice(1, -1) : '';
  const isDate = type === 'DATE' || type === 'DATE32';
  if (!(isDate ? DATE : TIME).test(text) || endsWithComma(tree, list)) return undefined;
  const scale = type === 'DATETIME64' && more[0]?.kind === 'number' ? more.shift() : undefined;
  const [zone, ...rest] = more;
  const isUtc = zone !== undefined && sourceOf(tree, zone) === "'UTC'";
  if (rest.length > 0 || isUtc === isDate || (zone !== undefined && !isUtc)) return undefined;
  const date = type === 'DATE32' ? 'Date32' : 'Date';
  const time = scale === undefined ? 'DateTime' : `DateTime64(${sourceOf(tree, scale)})`;
  return { value: text, type: isDate ? date : time, ...spanOf(tree, call) };
}

/** The values of a list in parentheses; undefined unless all are literals. */
function listOf(tree: Tree, list: Node): (string | number)[] | undefined {
  if ((list.kind !== 'tuple' && list.kind !== 'group') || endsWithComma(tree, list)) return undefined;
  const values = list.parts.flatMap((part) => literalOf(tree, part)?.value ?? []);
  return values.length > 0 && values.length === list.parts.length ? values : undefined;
}

/** Comparisons of dialects that ignore case and accents are converted to these functions. */
const FOLDING: ReadonlySet<string> = new Set(['removeDiacriticsUTF8', 'lowerUTF8', 'upperUTF8', 'trimRight']);

/** `lowerUTF8(column)`: the column, and the functions around it, the outer one first. */
function foldedColumn(
  tree: Tree,
  call: Node,
): { readonly column: string; readonly calls: readonly string[] } | undefined {
  const name = nameOf(tree, call);
  if (call.kind !== 'call' || !FOLDING.has(name)) return undefined;
  const [inner, ...others] = argumentsOf(call);
  if (inner === undefined || others.length > 0) return undefined;
  if (inner.kind === 'column') return { column: nameOf(tree, { at: inner.to - 1 }), calls: [name] };
  const nested = foldedColumn(tree, inner);
  return nested && { ...nested, calls: [name, ...nested.calls] };
}

function pluralOf(name: string): string {
  return name.endsWith('s') ? `${name}es` : `${name}s`;
}

function nameFor(column: string, operator: string): string {
  const plain =
    column
      .replace(/[^A-Za-z0-9_]/g, '_')
      .replace(/^(?=\d)/, '_')
      .slice(0, 50)
      .replace(RESERVED, '$1_value') || 'value';
  if (LOWER.has(operator)) return `${plain}_from`;
  return UPPER.has(operator) ? `${plain}_to` : plain;
}

function lift(
  { parameters, example, edits, taken }: Draft,
  found: {
    readonly name: string;
    readonly value: string | number | (string | number)[];
    readonly type?: string;
    /** The functions that are applied to the parameter, the outer one first. */
    readonly calls?: readonly string[] | undefined;
    readonly start: number;
    readonly end: number;
  },
): void {
  const type = found.type ?? typeOf(found.value);
  let name = found.name;
  for (let n = 2; taken.has(name) || (parameters[name] !== undefined && !isSame(name)); n++)
    name = `${found.name}_${n}`;
  parameters[name] ??= { type, required: true };
  example[name] = found.value;
  const text = (found.calls ?? []).reduceRight((inner, call) => `${call}(${inner})`, `@${name}`);
  edits.push({ start: found.start, end: found.end, text });

  function isSame(known: string): boolean {
    const isEqual = JSON.stringify(example[known]) === JSON.stringify(found.value);
    return isEqual && parameters[known]?.type === type;
  }
}

function typeOf(value: string | number | readonly (string | number)[]): string {
  if (typeof value === 'number') return Number.isInteger(value) ? 'Int64' : 'Float64';
  if (typeof value !== 'string')
    return `Array(${value.every((each) => typeof each === 'number') ? 'Int64' : 'String'})`;
  if (DATE.test(value)) return 'Date';
  return TIME.test(value) ? 'DateTime64(3)' : 'String';
}
