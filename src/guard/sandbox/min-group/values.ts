// What the values of a SELECT over a table are, by the engine's tree: each is a column, a constant, an aggregate of a column, or a
// function of these that cannot fail.
import {
  integerOf,
  isAddress,
  isDate,
  isDateTime,
  isDynamic,
  isEnum,
  isNativeNumber,
  isNullable,
  plainType,
  timeScale,
} from '../../../sql/types/traits.ts';
import { didYouMean, nearest } from '../../../sql/base/nearest.ts';
import { innerType, parseType, type ClickHouseType } from '../../../sql/types/type.ts';
import type { TreeLine } from '../../../sql/clickhouse/query-tree.ts';
import {
  COUNTS,
  isLiteralOf,
  MEANS,
  signaturesOf,
  TIME,
  type Form,
  type Kind,
  type Signature,
} from './functions.ts';
import { aliasOf, callOf, constantOf, identifierOf, nameOf } from './nodes.ts';

/** Why a part of a query is rejected, what to write instead, and the name of the part. */
export interface Rejection {
  readonly rejected: string;
  readonly hint: string;
  readonly at?: string | undefined;
}

interface Value {
  readonly kind: Kind;
  readonly isNullable: boolean;
}

/** One SELECT over a table. */
export interface Select {
  /** The table's columns, and the names that may precede them. */
  readonly typeOf: (column: string) => ClickHouseType | undefined;
  readonly columns: readonly string[];
  readonly qualifiers: ReadonlySet<string>;
  /** Names that it defines itself, and that WITH and lambdas of the whole query define. */
  readonly aliases: ReadonlyMap<string, readonly TreeLine[]>;
  readonly names: ReadonlySet<string>;
  readonly isAggregate: (name: string) => boolean;
  /** Values of nodes that have been read. */
  readonly known: Map<TreeLine, Value>;
  /** Aliases whose definitions are being read: there, the name is that of a column. */
  readonly open: Set<string>;
}

/** The names that a part of a SELECT defines; subqueries have their own. */
export function collectAliases(line: TreeLine, into: Map<string, TreeLine[]>): void {
  if (line.kind === 'QUERY' || line.kind === 'UNION') return;
  const alias = line.isNode ? aliasOf(line) : undefined;
  if (alias !== undefined) into.set(alias, [...(into.get(alias) ?? []), line]);
  for (const child of line.children) collectAliases(child, into);
}

/** Names that reach into subqueries: of expressions in WITH, and of arguments of lambdas. */
export function namesAround(tree: TreeLine): ReadonlySet<string> {
  const found = new Map<string, TreeLine[]>();
  const visit = (line: TreeLine): void => {
    const items = line.children.flatMap((each) => (each.kind === 'LIST' ? each.children : [each]));
    if (line.kind === 'WITH') for (const item of items) collectAliases(item, found);
    if (line.kind === 'LAMBDA') for (const name of argumentNames(line)) found.set(name, []);
    for (const child of line.children) visit(child);
  };
  visit(tree);
  return new Set(found.keys());
}

function argumentNames({ children }: TreeLine): readonly string[] {
  const parts = children.filter(({ kind }) => kind === 'ARGUMENTS').flatMap((part) => part.children);
  return parts.flatMap((list) => list.children.map((each) => identifierOf(each) ?? ''));
}

/** The value of a node, or why it is rejected. */
export function valueOf(select: Select, node: TreeLine): Value | Rejection {
  const known = select.known.get(node);
  if (known !== undefined) return known;
  const value = readValue(select, node);
  if (!isRejected(value)) select.known.set(node, value);
  return value;
}

export function isRejected(value: Value | Rejection): value is Rejection {
  return 'rejected' in value;
}

function readValue(select: Select, node: TreeLine): Value | Rejection {
  if (node.kind === 'IDENTIFIER') return nameValue(select, node);
  if (node.kind === 'FUNCTION') return callValue(select, node);
  if (node.kind === 'QUERY' || node.kind === 'UNION')
    return reject(
      'a subquery in an expression',
      'Send it as a query of its own, and write its result as a constant',
    );
  if (node.kind === 'MATCHER') return reject('*', 'Name the columns to group by, and aggregate others');
  const constant = constantOf(node);
  if (constant === undefined || constant.kind === 'texts' || constant.kind === 'numbers')
    return reject('this constant or form', 'Use strings, numbers, columns and calls');
  return { kind: constant.kind, isNullable: constant.kind === 'null' };
}

function reject(rejected: string, hint: string, at?: string): Rejection {
  return { rejected, hint, at };
}

const RENAME = 'Choose another name for the alias';

function nameValue(select: Select, node: TreeLine): Value | Rejection {
  const name = identifierOf(node);
  if (name === undefined) return reject('this form of a column', 'Write its name, or table.name');
  const own = columnOf(select, name);
  const definitions = select.open.has(name) ? undefined : select.aliases.get(name);
  if (definitions === undefined) {
    if (own === undefined)
      return reject(
        `the name ${name}, which is no column of the table or defined elsewhere,`,
        didYouMean(nearest(name, select.columns)) ?? 'Define it in this SELECT',
        name,
      );
    return own;
  }
  const [definition, ...others] = definitions;
  if (definition === undefined || others.length > 0)
    return reject(`${name}, which is defined twice,`, RENAME, name);
  select.open.add(name);
  const value = valueOf(select, definition);
  select.open.delete(name);
  if (isRejected(value) || own === undefined || value.kind === own.kind) return value;
  return reject(`${name}, which is a column and an alias of another type,`, RENAME, name);
}

/** A column of the table, or a part of it; undefined if the name may mean anything else. */
function columnOf({ typeOf, qualifiers, names, aliases }: Select, name: string): Value | undefined {
  const [first = '', ...path] = name.split('.');
  if (path.length > 0 && qualifiers.has(first) && typeOf(first) === undefined && !aliases.has(first)) {
    return partOf(typeOf(path[0] ?? ''), path.slice(1));
  }
  if (names.has(first) && (path.length > 0 || !aliases.has(first))) return undefined;
  return partOf(typeOf(first), path);
}

/** The value at a path of a column: a path of a document, perhaps with its type after a colon. */
function partOf(type: ClickHouseType | undefined, path: readonly string[]): Value | undefined {
  if (type === undefined) return undefined;
  if (path.length === 0) return valueOfType(type);
  if (type.name !== 'JSON') return undefined;
  const last = path.at(-1) ?? '';
  if (!last.startsWith(':')) return { kind: 'dynamic', isNullable: true };
  const kind = valueOfType(parseType(last.slice(1)))?.kind;
  return kind === 'text' || kind === 'number' ? { kind, isNullable: true } : undefined;
}

/** Undefined for types that no SELECT over a table may use. */
function valueOfType(type: ClickHouseType): Value | undefined {
  const kind = kindOf(plainType(type));
  return kind && { kind, isNullable: isNullable(type) };
}

function kindOf(type: ClickHouseType): Kind | undefined {
  const { name } = type;
  if (name === 'String') return 'text';
  if (isNativeNumber(type)) return 'number';
  if (isDate(type) || isDateTime(type)) return (timeScale(type) ?? 0) <= 6 ? 'time' : 'nanotime';
  if (isDynamic(type)) return 'dynamic';
  if (isAddress(type) || isEnum(type) || name === 'UUID' || integerOf(type) !== undefined) return 'other';
  if (name === 'Array') return valueOfType(innerType(type))?.kind === 'text' ? 'texts' : undefined;
  if (name !== 'Map' || valueOfType(innerType(type))?.kind !== 'text') return undefined;
  const value = valueOfType(innerType(type, 1))?.kind;
  if (value === 'text') return 'map of text';
  return value === 'number' ? 'map of number' : undefined;
}

const NUMBER: Value = { kind: 'number', isNullable: false };
const EQUALITIES = new Set(['equals', 'notequals']);
const COMPARISONS = new Set([...EQUALITIES, 'less', 'greater', 'lessorequals', 'greaterorequals']);

function callValue(select: Select, node: TreeLine): Value | Rejection {
  const call = callOf(node);
  const shown = nameOf(node) ?? 'this form of a call';
  if (call === undefined)
    return reject(`${shown} with parameters, a window or modifiers`, 'Aggregate in a subquery first', shown);
  const { name, list } = call;
  const folded = name.toLowerCase();
  if (select.isAggregate(name)) return aggregateValue(select, name, list);
  if (folded === 'in' || folded === 'notin') return inValue(select, list);
  const values: Value[] = [];
  for (const argument of list) {
    const value = valueOf(select, argument);
    if (isRejected(value)) return value;
    values.push(value);
  }
  const given: Given = { list, values };
  if (COMPARISONS.has(folded)) return isComparable(given) ? NUMBER : rejectComparison(name, values);
  const forms = folded === 'multiif' ? [branches(list.length)] : signaturesOf(name);
  for (const form of forms) {
    const kind = kindGiven(form, given);
    if (kind !== undefined) return { kind, isNullable: values.some(({ isNullable }) => isNullable) };
  }
  if (forms.length === 0)
    return reject(
      `${name}, which is not known to return a value for every row,`,
      'Call it in a query around this one, over the groups',
      name,
    );
  return reject(`${name} of such arguments`, hintFor(values), name);
}

interface Given {
  readonly list: readonly TreeLine[];
  readonly values: readonly Value[];
}

const OTHER_TYPES =
  'Convert columns of other types by toString(…), and write patterns, times and counts as plain literals';

function hintFor(values: readonly Value[]): string {
  return values.some(({ kind }) => kind === 'dynamic' || kind === 'other')
    ? 'Convert the column first: toString(…)'
    : OTHER_TYPES;
}

function rejectComparison(name: string, values: readonly Value[]): Rejection {
  if (values.some(({ kind }) => kind === 'null'))
    return reject('a comparison with NULL', 'Write IS NULL', name);
  if (values.some(isTime))
    return reject(
      'this comparison of times',
      "Compare a column with toDateTime('2024-01-31 12:00:00') or now() - INTERVAL 1 DAY",
      name,
    );
  return reject('a comparison of values of different or unknown types', hintFor(values), name);
}

/** Conditions and values in turn, and the last value. */
function branches(count: number): Signature {
  const takes = Array.from({ length: count }, (_, at): Form =>
    at % 2 === 0 && at < count - 1 ? 'number' : 'same',
  );
  return { takes: count % 2 === 1 ? takes : ['same'], gives: 'same' };
}

function isComparable({ list, values: [left, right] }: Given): boolean {
  if (left === undefined || right === undefined || list.length !== 2) return false;
  if (left.kind === right.kind)
    return left.kind === 'text' || left.kind === 'number' || left.kind === 'moment';
  const [time, other, literal] = isTime(left) ? [left, right, list[1]] : [right, left, list[0]];
  if (!isTime(time)) return false;
  if (other.kind === 'moment' || (other.kind === 'moment64' && time.kind === 'time')) return true;
  const text = literal && constantOf(literal)?.text;
  return text !== undefined && !time.isNullable && TIME.test(text);
}

function isTime({ kind }: Value): boolean {
  return kind === 'time' || kind === 'nanotime';
}

/** `x IN ('a', 'b')`. */
function inValue(select: Select, [left, right]: readonly TreeLine[]): Value | Rejection {
  const value = left && valueOf(select, left);
  if (value !== undefined && isRejected(value)) return value;
  const constants = right && constantOf(right)?.kind;
  const ofTexts = constants === 'texts' || constants === 'text';
  const ofNumbers = constants === 'numbers' || constants === 'number';
  if (value && ((ofTexts && value.kind === 'text') || (ofNumbers && value.kind === 'number'))) return NUMBER;
  return reject(
    'this form of IN',
    "Write a list of strings for a text or of numbers for a number: IN ('a', 'b')",
    'IN',
  );
}

function kindGiven(
  { takes, gives, isVariadic = false }: Signature,
  { list, values }: Given,
): Kind | undefined {
  const last = takes.at(-1);
  const forms = isVariadic && last !== undefined ? list.map((_, at) => takes[at] ?? last) : takes;
  if (forms.length !== list.length) return undefined;
  let same: Kind | undefined;
  for (const [at, form] of forms.entries()) {
    const [node, value] = [list[at], values[at]];
    if (node === undefined || value === undefined || !fits(form, value, node)) return undefined;
    if (form !== 'same' || value.kind === 'null') continue;
    if (same !== undefined && same !== value.kind) return undefined;
    same = value.kind;
  }
  return gives === 'same' ? same : gives;
}

function fits(form: Form, { kind }: Value, node: TreeLine): boolean {
  const constant = constantOf(node);
  if (form === 'any') return kind !== 'interval' && kind !== 'null';
  if (form === 'same') return kind === 'text' || kind === 'number' || kind === 'null';
  if (form === 'sized') return kind === 'text' || kind === 'texts' || kind.startsWith('map');
  if (form === 'count') return isWhole(constant?.whole, 1, 9999);
  if (form === 'scale') return isWhole(constant?.whole, 0, 6);
  if (form === 'time' && kind === 'nanotime') return true;
  if (form === 'digits') return isWhole(constant?.whole, 0, 9);
  if (form === kind) return true;
  return constant?.text !== undefined && isLiteralOf(form, constant.text);
}

function isWhole(value: number | undefined, from: number, to: number): boolean {
  return value !== undefined && value >= from && value <= to;
}

/** Of columns alone: an expression could select a row. */
function aggregateValue(select: Select, name: string, list: readonly TreeLine[]): Value | Rejection {
  const folded = name.toLowerCase();
  if (!COUNTS.has(folded) && !MEANS.has(folded))
    return reject(
      `the aggregate function ${name}`,
      'Use count, uniq, sum, avg, stddev or var, and write conditions in WHERE or GROUP BY',
      name,
    );
  const [only] = list;
  if (
    folded === 'count' &&
    list.length <= 1 &&
    (only === undefined || isStar(only) || constantOf(only) !== undefined)
  )
    return NUMBER;
  for (const argument of list) {
    const column = identifierOf(argument);
    if (column === undefined || select.aliases.has(column))
      return reject(
        `an expression in ${name}`,
        `Write a column: ${name}(column), and conditions in WHERE or GROUP BY`,
        name,
      );
    const value = nameValue(select, argument);
    if (isRejected(value)) return value;
    if (MEANS.has(folded) && value.kind !== 'number')
      return reject(`${name} of a column that is no plain number`, 'Count it, or group by it', name);
  }
  return NUMBER;
}

function isStar({ kind, attributes, children }: TreeLine): boolean {
  return kind === 'MATCHER' && attributes === ', matcher_type: ASTERISK' && children.length === 0;
}
