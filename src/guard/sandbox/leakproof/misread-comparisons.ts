// Comparisons that an index or a sort key reads differently from the rows: of floats with zero, whole arrays, texts of fixed length, enums in
// lists, times with fractional seconds. The caller's rows may then be missing beside certain entries of other tenants.
import { stringValue } from '../../../sql/clickhouse/literal.ts';
import type { Node, NodeKind } from '../../../sql/clickhouse/tree/nodes.ts';
import {
  argumentsOf,
  firstOf,
  isNegated,
  nameOf,
  namesIn,
  operatorOf,
  someNode,
  textOf,
  wordOf,
  type NameInRange,
  type Subtree,
} from '../../../sql/clickhouse/tree/visit.ts';
import { storedShape } from '../../../sql/types/geometry.ts';
import { hasType, isFloat, isOpaque, numberAt, plainType } from '../../../sql/types/traits.ts';
import { innerType, typeArguments, type ClickHouseType } from '../../../sql/types/type.ts';
import type { TypeTest } from '../known-types.ts';
import { createColumnTypes, type ColumnTypes } from './column-types.ts';
import type { NamedTypes } from './context.ts';
import { isOutermost, operatorsIn, type Place } from './place.ts';

/** What is known of the names in a query. */
interface Columns extends Subtree, ColumnTypes {
  readonly hasDocuments: boolean;
  /** Most tables have no columns of such types. */
  readonly isNeeded: boolean;
}

/** Returns whether the operator, the call or the column at a place is misread. */
export function createMisread(tree: Subtree, context: NamedTypes): (place: Place) => boolean {
  const { types } = context;
  let read: ColumnTypes | undefined;
  const columnTypes = (): ColumnTypes => (read ??= createColumnTypes(tree, context)); // most queries do not need them
  const columns: Columns = {
    cursor: tree.cursor,
    root: tree.root,
    mentions: (...asked) => columnTypes().mentions(...asked),
    definitionsOf: (column) => columnTypes().definitionsOf(column),
    hasDocuments: types.some(HAS_DOCUMENT),
    isNeeded: types.some(isMisread),
  };
  return (place) => {
    const { node } = place;
    if (columns.isNeeded && isTruth(columns, place)) return true;
    if (node.kind === 'call') return isMisreadCall(columns, node);
    if (node.kind === 'not') return columns.isNeeded && searchesNullable(columns, node);
    return isOutermost(place) && isMisreadChain(columns, node);
  };
}

/** Says what an operator of a chain is to an index. */
function comparisonOf(tree: Subtree, node: Node): string | undefined {
  if (node.kind === 'in') return 'IN';
  if (node.kind === 'between') return 'BETWEEN';
  const operator = node.kind === 'binary' ? operatorOf(tree, node) : '';
  return COMPARISONS.has(operator) ? operator : undefined;
}

function isMisreadChain(columns: Columns, chain: Node): boolean {
  const operators = operatorsIn(chain);
  const compared = operators.filter((each) => comparisonOf(columns, each) !== undefined);
  const isTested = operators.some(({ kind }) => kind === 'test');
  // In `IS DISTINCT FROM`, numbers beside Bool are read as truths.
  if (operators.some((each) => each.kind === 'binary' && operatorOf(columns, each) === 'IS')) return true;
  if (compared.some((each) => each.kind === 'in' && hasTupleOfNull(columns, each))) return true;
  if (compared.length > 0 && (comparesWithTruth(columns, chain) || testsNull(columns, chain))) return true;
  if (!columns.isNeeded) return false;
  const isNegatedSearch = operators.some((each) => each.kind === 'binary' && isNegated(columns, each));
  if ((compared.length > 0 || isTested || isNegatedSearch) && searchesNullable(columns, chain)) return true;
  if (compared.some((each) => isMisreadComparison(columns, each, chain))) return true;
  return (compared.length > 0 || isTested) && namesArray(columns, chain);
}

/** `toQuarter(ts) = true`: indexes take other numbers for true. */
function comparesWithTruth(columns: Columns, chain: Node): boolean {
  return (
    someNode(chain, ({ kind }) => kind === 'call' || kind === 'cast') &&
    someNode(chain, (node) => isBoolean(columns, node))
  );
}

function isBoolean(tree: Subtree, node: Node): boolean {
  return node.kind === 'constant' && wordOf(tree, node) !== 'NULL';
}

/** `isNotNull(doc.a) != 1`: an index of the paths of documents reads the test alone. */
function testsNull(columns: Columns, chain: Node): boolean {
  const isTest = (node: Node): boolean =>
    node.kind === 'test' || (node.kind === 'call' && /^is(?:not)?null$/i.test(nameOf(columns, node)));
  return columns.hasDocuments && someNode(chain, isTest);
}

function isMisreadComparison(columns: Columns, node: Node, chain: Node): boolean {
  const operator = comparisonOf(columns, node) ?? '';
  const { mentions } = columns;
  const isEquality = EQUALITIES.has(operator);
  if (isEquality && mentions(chain, HAS_FLOAT, TEXTS) && !comparesNonZero(columns, chain)) return true;
  if (mentions(chain, HAS_BOOL, NUMBERS) && !comparesTruths(columns, chain)) return true;
  if (isEquality && mentions(chain, HAS_FIXED) && !comparesLength(columns, chain)) return true;
  return !isEquality && mentions(chain, HAS_FRACTION, PARTS) && !comparesMoments(columns, node);
}

/** A text index does not pad a literal. */
function comparesLength(columns: Columns, chain: Node): boolean {
  return !someNode(chain, (node) => {
    if (node.kind === 'cast' || node.kind === 'call') return true;
    if (node.kind !== 'string') return false;
    const length = Buffer.byteLength(stringValue(textOf(columns, node)) ?? '');
    return !columns.mentions(
      chain,
      within((type) => type.name === 'FixedString' && numberAt(type, 0) === length),
    );
  });
}

/** Returns whether a whole array is compared, alone or as one of several values. `depth` counts names that are defined by each other. */
function namesArray(columns: Columns, node: Node, depth = 0): boolean {
  if (node.kind === 'call' && !/^(?:tuple|coalesce|ifnull|if|array)$/i.test(nameOf(columns, node)))
    return false;
  if (node.kind === 'column') return isArray(columns, node, depth + 1);
  const [, ...others] =
    node.kind === 'index' && firstOf(node).kind === 'column' ? node.parts : [node, ...node.parts];
  return others.some((part) => namesArray(columns, part, depth));
}

function isArray(columns: Columns, column: Node, depth: number): boolean {
  const definitions = columns.definitionsOf(column);
  if (definitions.length === 0) return columns.mentions(column, (type) => plainType(type).name === 'Array');
  return definitions.some((definition) => {
    // An element of an array may be one.
    if (definition.kind === 'parameter')
      return columns.mentions(column, (type) => typeArguments(type).some((each) => HAS_ARRAY(each.type)));
    return depth > MAX_DEPTH || definition.parts.some((part) => namesArray(columns, part, depth));
  });
}

const MAX_DEPTH = 8;

/** Indexes compare whole seconds unless the other side has a scale, or is a string or a date. */
function comparesMoments(columns: Columns, { parts }: Node): boolean {
  return parts.every((operand) => {
    const first = firstOf(operand);
    if (first.kind === 'string')
      return !someNode(operand, ({ kind, from }) => kind === 'cast' && from === first.from);
    if (first.kind === 'call') return MOMENTS.test(nameOf(columns, first));
    return first.kind === 'column' && columns.mentions(first, HAS_FRACTION);
  });
}

/** `WHERE ratio`: NaN is true. Of `if(…, ratio > 1, ratio)` or `(ratio, 1).1`, any part may be what is true. */
function isTruth(columns: Columns, { node, around }: Place): boolean {
  const isCall = node.kind === 'call' && TRANSPARENT.test(nameOf(columns, node));
  const isValue = isCall || node.kind === 'column' || node.kind === 'index' || node.kind === 'access';
  return isValue && isTruthPlace(columns, { node, around }) && columns.mentions(node, HAS_FLOAT);
}

function isTruthPlace(columns: Columns, { node, around }: Place): boolean {
  if (around === undefined) return false;
  const { kind, parts } = around.node;
  if (kind === 'group' || kind === 'alias') return isTruthPlace(columns, around);
  if (kind === 'between') return parts.at(-1) === node;
  const call = kind === 'arguments' ? around.around?.node : undefined;
  return call === undefined ? TRUTHS.has(kind) : LOGICAL.test(nameOf(columns, call));
}

/** Indexes read a list of constants as that of IN, with conversions. */
function isListOfConstants(columns: Columns, call: Node): boolean {
  const [list] = argumentsOf(call);
  if (list === undefined) return false;
  const first = firstOf(list);
  return first.kind === 'array' || /^(?:array|cast)$/i.test(nameOf(columns, first));
}

function isMisreadCall(columns: Columns, call: Node): boolean {
  const name = nameOf(columns, call);
  if (HAS.test(name) && isListOfConstants(columns, call)) return true;
  if (!columns.isNeeded) return false;
  if (/^(?:not(?:i?like)?|xor)$/i.test(name) && columns.mentions(call, HAS_NULLABLE_TEXT)) return true;
  if (HAS.test(name)) return columns.mentions(call, HAS_FLOAT) && !hasNoZero(columns, call);
  // The same comparisons as functions have no form that is checked.
  return COMPARING_CALL.test(name) && columns.mentions(call, isMisread);
}

/** Texts that may be NULL: a text index finds NULL for a negated search, and `(text LIKE 'a') = 0` is a negation as well. */
function searchesNullable(columns: Columns, node: Node): boolean {
  return (
    columns.mentions(node, HAS_NULLABLE_TEXT) && namesIn(columns, node).some(({ name }) => SEARCH.test(name))
  );
}

/** Returns whether a type is of a kind, or one inside of it; there may be any in a type that is not read. */
function within(test: TypeTest): TypeTest {
  return (type) => hasType(type, (inner) => isOpaque(inner) || test(inner));
}

const HAS_FLOAT = within(isFloat);
const HAS_DOCUMENT = within(({ name }) => name === 'JSON');
const HAS_ARRAY = within(({ name }) => name === 'Array');
const HAS_BOOL = within(({ name }) => name === 'Bool');
const HAS_FIXED = within(({ name }) => name === 'FixedString');
const HAS_FRACTION = within(({ name }) => name === 'DateTime64');
const HAS_NULLABLE_TEXT = within(
  (type) => type.name === 'Nullable' && /^(?:Fixed)?String$/.test(innerType(type).name),
);
const MISREAD = [HAS_FLOAT, HAS_ARRAY, HAS_BOOL, HAS_FIXED, HAS_FRACTION, HAS_NULLABLE_TEXT];

function isMisread(type: ClickHouseType): boolean {
  return MISREAD.some((has) => has(type));
}

const HAS = /^has(?:any|all)?$/i;
const EQUALITIES: ReadonlySet<string> = new Set(['=', '!=', '<=>', 'IN']);
const COMPARISONS: ReadonlySet<string> = new Set([...EQUALITIES, '<', '>', '<=', '>=']);
const COMPARING_CALL = /^(?:(?:not)?equals|less(?:orequals)?|greater(?:orequals)?|in|notin)$/i;
const PARTS =
  /^(?:to(?:month|quarter|year|yyyymm|yyyymmdd|string)|formatdatetime|length|empty|notempty|is(?:not)?null)$/i;
const TEXTS =
  /^(?:(?:lower|upper)(?:utf8)?|substring|left|right|reverse|concat|trim\w*|domain|path|protocol|cutquerystring|querystring|extract|jsonextract(?:string|raw)|formatdatetime|tostring)$/i;
const NUMBERS = /^(?:to(?:int64|float64)|is(?:not)?null)$/i;
const MOMENTS = /^(?:toDateTime64|now64|toDate|toDate32|today|parseDateTime64\w*)$/i;
const LOGICAL = /^(?:and|or|not|xor)$/i;
const TRANSPARENT = /^(?:coalesce|ifnull|if|multiif|nullif|tuple|arrayelement)$/i;
const SEARCH = /^(?:i?like|regexp|match|startswith|endswith|multisearchany\w*|has\w*|position\w*)$/i;
const TRUTHS: ReadonlySet<NodeKind> = new Set<NodeKind>([
  'where', 'prewhere', 'having', 'qualify', 'filter', 'on', 'and', 'or', 'not',
]); // prettier-ignore

/** The index of a hash does not find -0.0 for 0. Other expressions may be zero. */
function comparesNonZero(columns: Columns, node: Node): boolean {
  if (mayBeZero(columns, node)) return false;
  // A key of a map is not compared.
  const isKey = (part: Node): boolean =>
    node.kind === 'index' && part.kind === 'string' && part !== node.parts[0];
  return node.parts.every((part) => isKey(part) || comparesNonZero(columns, part));
}

/** Does the same for the arguments of a call. */
function hasNoZero(columns: Columns, call: Node): boolean {
  return argumentsOf(call).every((each) => comparesNonZero(columns, each));
}

function mayBeZero(columns: Columns, node: Node): boolean {
  if (node.kind === 'number') return !(Math.abs(Number(textOf(columns, node).replace('- ', '-'))) > 1e-37);
  if (node.kind === 'string') return isNumeric(textOf(columns, node));
  if (node.kind === 'cast' || node.kind === 'sign' || node.kind === 'star') return true;
  if (node.kind === 'binary') return ARITHMETIC.has(operatorOf(columns, node));
  if (node.kind !== 'call') return isBoolean(columns, node);
  const name = nameOf(columns, node);
  return !/^(?:mapvalues|tuple|has\w*)$/i.test(name) && !TEXTS.test(name);
}

const ARITHMETIC: ReadonlySet<string> = new Set(['+', '-', '*', '/', '%']);

/** Of a string: another one cannot be compared with a number. */
function isNumeric(literal: string): boolean {
  return !Number.isNaN(Number(literal.slice(1, -1))) || /nan|inf|\\/i.test(literal);
}

/** Numbers other than 0 and 1 become true in an index. */
function comparesTruths(columns: Columns, chain: Node): boolean {
  return !someNode(chain, (node) => {
    if (node.kind === 'number') return !/^[01]$/.test(textOf(columns, node));
    if (node.kind === 'binary') return /^[-+]$/.test(operatorOf(columns, node));
    return node.kind === 'cast' || node.kind === 'call' || node.kind === 'sign';
  });
}

/** `(a, b) IN ((1, NULL))`. */
function hasTupleOfNull(columns: Columns, { parts: [value, set] }: Node): boolean {
  const isNull = (node: Node): boolean => node.kind === 'constant' && wordOf(columns, node) === 'NULL';
  return value !== undefined && mayBeTuple(value) && set !== undefined && someNode(set, isNull);
}

function mayBeTuple({ kind, to, parts }: Node): boolean {
  const last = parts.at(-1);
  return TUPLES.has(kind) || (last?.to === to && mayBeTuple(last));
}

const TUPLES: ReadonlySet<NodeKind> = new Set<NodeKind>(['group', 'tuple', 'call', 'subquery']);

/**
 * Returns whether index analysis may overlook rows because of the operator, the call or the name at a place, on columns that may hold NaN.
 * By index, the engine reads `NOT x > 5` as `x <= 5`, which NaN is not, and skips a granule of 5 and NaN for `x != 5`. Which rows share a
 * granule depends on other tenants.
 */
export function createFloats(tree: Subtree, { types, names }: NamedTypes): (place: Place) => boolean {
  /** A column, a conversion or the name of a type. */
  const columns = types.columnsOf(someHasFloats);
  const isFloat = (name: string): boolean => /float/i.test(name) || columns.has(name);
  const namesFloat = (node: Node): boolean => node.kind === 'string' && /float/i.test(textOf(tree, node));
  const isNamed =
    namesIn(tree, tree.root).some(({ name }) => isFloat(name)) || someNode(tree.root, namesFloat);
  /** What the query defines may be such a value; the name of a table is not. */
  const mayBeFloat = ({ name, isBeforeDot }: NameInRange): boolean =>
    names?.has(name) === true ? !isBeforeDot : isFloat(name);
  const hasFloat = (node: Node): boolean =>
    namesIn(tree, node).some(mayBeFloat) || someNode(node, namesFloat);

  /** `(x > 5) = 0` is a negation as well, and so are comparisons of tuples. */
  function isOverlookedChain(node: Node): boolean {
    const operators = operatorsIn(node);
    if (operators.some((each) => negates(tree, each))) return hasFloat(node);
    const compared = operators.find((each) => each.kind === 'in' || COMPARISONS.has(operatorOf(tree, each)));
    const isOther = (each: Node): boolean => each !== compared && isComparison(tree, each);
    return compared !== undefined && someNode(node, isOther) && hasFloat(node);
  }

  return (place) => {
    if (!isNamed) return false;
    const { node } = place;
    if (node.kind === 'not') return node.parts[0]?.kind !== 'quantified' && hasFloat(node);
    if (node.kind === 'column') return namesIn(tree, node).some(({ name }) => NOT_A_NUMBER.test(name));
    if (node.kind !== 'call') return isOutermost(place) && isOverlookedChain(node);
    const name = nameOf(tree, node);
    if (/^not$/i.test(name)) return hasFloat(node);
    return NOT_A_NUMBER.test(name) || /^(?:not)?equals$/i.test(name);
  };
}

function negates(tree: Subtree, node: Node): boolean {
  const isWordy = node.kind === 'in' || node.kind === 'between';
  return isWordy ? isNegated(tree, node) : operatorOf(tree, node) === '!=';
}

function isComparison(tree: Subtree, node: Node): boolean {
  if (node.kind === 'binary') return COMPARISONS.has(operatorOf(tree, node)) || isWord(tree, node);
  if (node.kind === 'call') return TRUTH_CALL.test(nameOf(tree, node));
  return node.kind === 'in' || node.kind === 'between' || node.kind === 'test' || node.kind === 'not';
}

function isWord(tree: Subtree, node: Node): boolean {
  return /^(?:I?LIKE|REGEXP|IS)$/.test(operatorOf(tree, node));
}

/** Points and polygons are tuples of floats. */
function isOfFloats(type: ClickHouseType): boolean {
  return isOpaque(type) || isFloat(type) || storedShape(type) !== undefined;
}

function someHasFloats(types: readonly ClickHouseType[]): boolean {
  return types.some((type) => hasType(type, isOfFloats));
}

const NOT_A_NUMBER = /^(?:nan|inf(?:inity)?)$/i;
const TRUTH_CALL =
  /^(?:(?:not)?equals|less(?:orequals)?|greater(?:orequals)?|not|and|or|xor|(?:not)?in|is(?:not)?null)$/i;
