// Forms that older converters wrote for constructs of other systems, and that return other rows than these.
import { stringValue } from '../../../sql/clickhouse/literal.ts';
import type { Node, Tree } from '../../../sql/clickhouse/tree/nodes.ts';
import { parseSavedText } from '../../../sql/clickhouse/tree/parse.ts';
import {
  argumentsOf,
  isNegated,
  nameOf,
  operatorOf,
  partOf,
  someNode,
  spanOf,
  textOf,
  wordOf,
} from '../../../sql/clickhouse/tree/visit.ts';

/** A form in a saved query, in the order of tokens. */
export interface FoundForm {
  readonly form: KnownForm;
  /** In UTF-16 code units. */
  readonly start: number;
}

export interface KnownForm {
  /** The last segment of the finding's code. */
  readonly code: string;
  readonly message: string;
  /** The hint says which SQL replaces the form. */
  readonly hint: string;
  readonly isAt: (place: FormPlace) => boolean;
}

/** A node of a query, and the nodes around it. */
interface FormPlace {
  readonly tree: Tree;
  readonly node: Node;
  readonly around: FormPlace | undefined;
}

export const KNOWN_FORMS: readonly KnownForm[] = [
  {
    code: 'early_time',
    message:
      'the engine cuts this time to the range of the type: Date is 1970 to 2149, DateTime 1970 to 2106',
    hint: "Write toDate32('…') or toDateTime64('…', 3, 'UTC')",
    isAt: isEarlyTime,
  },
  {
    code: 'early_bucket',
    message:
      'this function returns the narrow types Date and DateTime, which begin in 1970, also for an earlier time',
    hint: 'Write dateTrunc(…) of a Date32 or DateTime64 value',
    isAt: isEarlyBucket,
  },
  {
    code: 'null_in_list',
    message: 'NULL in the list of NOT IN is ignored; in the source, no row satisfies the condition',
    hint: 'Leave out NULL and write AND NULL, or remove it from the list',
    isAt: isNullInList,
  },
  {
    code: 'not_of_in',
    message: 'NULL in this subquery is ignored; in the source, NOT (x IN …) is then true for no row',
    hint: 'Write the condition as the conversion of x NOT IN (SELECT …), which counts NULL values first',
    isAt: isNotOfIn,
  },
  {
    code: 'rounding_factor',
    message: 'the factor 1.000000000000002 rounds halves away from zero, and changes other values',
    hint: 'Write round(toDecimal64(x, n), n) for exact numbers, and round(x, n) for floats',
    isAt: ({ tree, node }) => node.kind === 'number' && textOf(tree, node) === '1.000000000000002',
  },
  {
    code: 'empty_frame',
    message:
      'over an empty frame, this window function returns a default such as 0 or an empty string instead of NULL',
    hint: 'Write if(count() OVER (…) = 0, NULL, …) with the same window',
    isAt: isEmptyFrame,
  },
  {
    code: 'empty_group',
    message: 'over no rows, this aggregate returns a default such as an empty string instead of NULL',
    hint: 'Write the aggregate with OrNull: argMaxOrNull, argMinOrNull, anyOrNull, groupConcatOrNull',
    isAt: isEmptyGroup,
  },
  {
    code: 'negative_index',
    message:
      'a negative index counts from the end; in PostgreSQL there is no such element, and the value is NULL',
    hint: 'Write NULL, or a positive index',
    isAt: isNegativeIndex,
  },
  {
    code: 'split_into_bytes',
    message: 'an empty separator splits into bytes; in the source, into characters',
    hint: "Write extractAll(x, '(?s).')",
    isAt: isSplitIntoBytes,
  },
  {
    code: 'occurrence_as_offset',
    message: 'the third argument is where to start; in the source, it is which occurrence to find',
    hint: 'Convert the call again, or find the occurrence with arrayElement and extractAllGroups',
    isAt: (place) => isCall(place, /^positionUTF8$/) && argumentsOf(place.node).length > 2,
  },
  {
    code: 'type_of_missing_key',
    message: 'for a missing key, this is an empty string; in PostgreSQL, the type of it is NULL',
    hint: "Write nullIf(transform(…), '')",
    isAt: isTypeOfMissingKey,
  },
  {
    code: 'json_as_text',
    message:
      'parts of JSON are ordered as text, in which 10 is less than 9; in the source, numbers are ordered as numbers',
    hint: 'Compare what JSONExtractFloat or JSONExtractInt returns, or convert the query again',
    isAt: isJsonAsText,
  },
];

/** All known forms in a query; none behind what cannot be parsed. */
export function findKnownForms(sql: string): readonly FoundForm[] {
  const tree = parseSavedText(sql);
  const found: FoundForm[] = [];
  const visit = (place: FormPlace): void => {
    const { node } = place;
    const form = KNOWN_FORMS.find((each) => each.isAt(place));
    if (form !== undefined)
      found.push({ form, start: spanOf(tree, { from: startOf(place), to: node.to }).start });
    for (const part of node.parts) visit({ tree, node: part, around: place });
  };
  visit({ tree, node: tree.root, around: undefined });
  return found.toSorted((one, other) => one.start - other.start);
}

/** The token that a form begins with: of an operator, the word IN. */
function startOf({ tree, node }: FormPlace): number {
  if (node.kind !== 'in') return node.from;
  const isGlobal = wordOf(tree, node) === 'GLOBAL';
  return node.at + (isGlobal ? 1 : 0) + (isNegated(tree, node) ? 1 : 0);
}

/** Returns whether a node calls a function of this name. */
function isCall({ tree, node }: Pick<FormPlace, 'tree' | 'node'>, name: RegExp): boolean {
  return node.kind === 'call' && name.test(nameOf(tree, node));
}

/** Returns whether both operands of `<`, `<=`, `>` or `>=` are raw JSON, and no condition chooses between texts and numbers. */
function isJsonAsText({ tree, node, around }: FormPlace): boolean {
  const isRaw = (part: Node): boolean =>
    someNode(part, (each) => isCall({ tree, node: each }, /^JSONExtractRaw$/));
  const isOrder = node.kind === 'binary' && /^[<>]=?$/.test(operatorOf(tree, node));
  return isOrder && node.parts.every(isRaw) && !isChosen(around);
}

const isChosen = (place: FormPlace | undefined): boolean =>
  place !== undefined && (isCall(place, /^(?:multiIf|if)$/) || isChosen(place.around));

const LAST_DATE = '2149-06-06';
const LAST_DATE_TIME = '2106-02-07';

/** A literal of a date before 1970, or after what the narrow type holds. */
function isOutside(tree: Tree, node: Node | undefined, last: string): boolean {
  const text = node?.kind === 'string' ? stringValue(textOf(tree, node)) : undefined;
  const [day] = /^\d{4}-\d\d-\d\d(?=$|[ T])/.exec(text ?? '') ?? [];
  return day !== undefined && (day < '1970-01-01' || day > last);
}

/** Functions, keywords and types, in lower case, by the last day of their type. */
const NARROW: ReadonlyMap<string, string> = new Map([
  ['date', LAST_DATE],
  ['datetime', LAST_DATE_TIME],
]);

function isEarlyTime(place: FormPlace): boolean {
  const { tree, node, around } = place;
  if (node.kind === 'typed') {
    const last = wordOf(tree, node) === 'DATE' ? LAST_DATE : LAST_DATE_TIME;
    return isOutside(tree, node.parts[0], last);
  }
  if (isCall(place, /^toDate$/i)) return isOutside(tree, argumentsOf(node)[0], LAST_DATE);
  if (isCall(place, /^toDateTime$/i)) return isOutside(tree, argumentsOf(node)[0], LAST_DATE_TIME);
  const call = around?.around;
  const isCast = around?.node.kind === 'cast' || (call !== undefined && isCall(call, /^cast$/i));
  const [value, type] = around?.node.parts ?? [];
  if (!isCast || value !== node || type === undefined) return false;
  const written = textOf(tree, { from: type.from, to: type.from + 1 });
  const last = NARROW.get((stringValue(written) ?? written).toLowerCase());
  return last !== undefined && isOutside(tree, value, last);
}

function isEarlyBucket(place: FormPlace): boolean {
  if (!isCall(place, /^(?:toStartOf\w+|toMonday)$/)) return false;
  return someNode(place.node, (node) => isOutside(place.tree, node, LAST_DATE_TIME));
}

function isNullInList({ tree, node, around }: FormPlace): boolean {
  const [, list] = node.parts;
  if (node.kind !== 'in' || list === undefined) return false;
  const isNull = (part: Node): boolean => part.kind === 'constant' && wordOf(tree, part) === 'NULL';
  return (isNegated(tree, node) || isDenied(around)) && list.parts.some(isNull);
}

/** Returns whether NOT is before the node, or before parentheses around nothing else. */
function isDenied(around: FormPlace | undefined): boolean {
  return around?.node.kind === 'group' ? isDenied(around.around) : around?.node.kind === 'not';
}

function isNotOfIn({ tree, node, around }: FormPlace): boolean {
  const isSubquery = node.kind === 'in' && node.parts[1]?.kind === 'subquery';
  return isSubquery && !isNegated(tree, node) && isDenied(around);
}

const WITH_DEFAULT = /^(?:first_value|last_value|nth_value|min|max|sum|avg|any|anyLast|argMin|argMax)$/i;

/** A frame that ends before the current row, or begins after it. */
function isEmptyFrame(place: FormPlace): boolean {
  if (!isCall(place, WITH_DEFAULT)) return false;
  const over = partOf(place.node, 'over');
  const window = over === undefined ? '' : textOf(place.tree, over).toUpperCase();
  const [, before, after] = / AND ([\d.]+) PRECEDING | BETWEEN ([\d.]+) FOLLOWING /.exec(window) ?? [];
  const distance = before ?? after;
  return distance !== undefined && distance !== '0';
}

/** `tupleElement(argMax(tuple(a), b), 1)`, and strings that are joined without a look at their number. */
function isEmptyGroup(place: FormPlace): boolean {
  if (isCall(place, /^(?:groupConcat|group_concat|string_agg)$/i)) return true;
  return areNested(place, [/^tupleElement$/, /^arg(?:Max|Min)$/, /^tuple$/]);
}

/** Returns whether a call has another as its first argument, which has the next one. */
function areNested({ tree, node }: FormPlace, [name, ...inner]: readonly RegExp[]): boolean {
  if (name === undefined) return true;
  if (!isCall({ tree, node }, name)) return false;
  const [first] = argumentsOf(node);
  return (
    inner.length === 0 || (first !== undefined && areNested({ tree, node: first, around: undefined }, inner))
  );
}

function isSplitIntoBytes(place: FormPlace): boolean {
  const [separator] = argumentsOf(place.node);
  const isEmpty = separator?.kind === 'string' && stringValue(textOf(place.tree, separator)) === '';
  return isEmpty && isCall(place, /^splitBy(?:String|Char)$/i);
}

function isNegativeIndex({ tree, node }: FormPlace): boolean {
  if (!isCall({ tree, node }, /^arrayElement(?:OrNull)?$/)) return false;
  const [, index] = argumentsOf(node);
  return index?.kind === 'number' && textOf(tree, index).startsWith('-');
}

function isTypeOfMissingKey({ tree, node, around }: FormPlace): boolean {
  const last = argumentsOf(node).at(-1);
  if (!areNested({ tree, node, around }, [/^transform$/, /^toString$/, /^JSONType$/])) return false;
  if (last === undefined || stringValue(textOf(tree, last)) !== '') return false;
  const call = around?.around;
  return call === undefined || !isCall(call, /^nullIf$/i);
}
