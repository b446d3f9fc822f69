// The conditions and functions that hide some of the stored columns that a result column shows.
import { conditionsIn, createTexts, type Texts } from './canonical.ts';
import { blockOf } from './blocks.ts';
import {
  childrenOf,
  type ColumnExpression, type Expression, type FunctionExpression, type QueryNode, type UnionNode,
} from '../tree/nodes.ts'; // prettier-ignore
import { isCondition, withoutReturnType } from './plain-form.ts';
import { UnreadableTree } from '../tree/tree-lines.ts';
import { dictionaryOf } from '../confinement/values.ts';
import { hasType, isAddress, isEnum, isOpaque, plainTypeOf } from '../../../sql/types/traits.ts';
import { parseType } from '../../../sql/types/type.ts';

export interface Exposure {
  /** `database.table`, or the name of a dictionary; '' for the number of rows. */
  readonly table: string;
  /** Column, or attribute of a dictionary; '*' for the number of rows. */
  readonly column: string;
  /** Conditions under which it is shown, and functions such as hashes that it passes, as texts, sorted. */
  readonly guards: readonly string[];
  /** Guards that depend on a parameter. */
  readonly parameters: readonly string[];
}

/** Of one result column at most; more is not compared. */
const MAX_EXPOSURES = 2_000;

/** For each result column. Throws UnreadableTree for a column that depends on too many others. */
export function exposuresOf(root: QueryNode | UnionNode): readonly (readonly Exposure[])[] {
  if (root.kind === 'query')
    return root.projection.map(createExposures(createTexts(root, { isPlain: true })));
  const branches = root.branches.map(exposuresOf);
  return (branches[0] ?? []).map((_, index) => unique(branches.flatMap((each) => each[index] ?? [])));
}

function createExposures(texts: Texts): (expression: Expression) => readonly Exposure[] {
  const known = new Map<Expression, readonly Exposure[]>();
  const exposures = (expression: Expression): readonly Exposure[] => {
    const before = known.get(expression);
    if (before !== undefined) return before;
    known.set(expression, []); // ends a recursive CTE
    const found = unique(find(expression));
    if (found.length > MAX_EXPOSURES) throw new UnreadableTree('a column depends on too many others');
    known.set(expression, found);
    return found;
  };
  const find = (expression: Expression): readonly Exposure[] => {
    if (expression.kind === 'column') {
      const meaning = texts.meaning(expression);
      return meaning === undefined ? stored(expression, texts) : meaning.flatMap(exposures);
    }
    if (expression.kind === 'subquery') return ofSubquery(expression.query, texts.inside(expression.query));
    if (expression.kind === 'function') return ofFunction(expression, texts, exposures);
    if (expression.kind === 'lambda') texts.expression(expression); // names its parameters
    return childrenOf(expression).flatMap(exposures);
  };
  return exposures;
}

function ofSubquery(node: QueryNode | UnionNode, texts: Texts): readonly Exposure[] {
  if (node.kind === 'union') return node.branches.flatMap((branch) => ofSubquery(branch, texts));
  return node.projection.flatMap(createExposures(texts));
}

function unique(exposures: readonly Exposure[]): readonly Exposure[] {
  return [...new Map(exposures.map((each) => [JSON.stringify(each), each])).values()];
}

/** A column of a table; a lambda's parameter shows what the array beside it shows. */
function stored(column: ColumnExpression, texts: Texts): readonly Exposure[] {
  const text = texts.expression(column).replace(/^\^+/, '');
  if (/^lambda\d+\.\d+$/.test(text)) return [];
  const table = text.slice(0, text.length - column.name.length - 1).replace(/#\d+$/, '');
  return [{ table, column: column.name, guards: [], parameters: [] }];
}

interface Guard {
  readonly text: string;
  readonly isByParameter: boolean;
}

function ofFunction(
  call: FunctionExpression,
  texts: Texts,
  exposures: (expression: Expression) => readonly Exposure[],
): readonly Exposure[] {
  const { arguments: list } = call;
  const inner = childrenOf(call).flatMap((child) => {
    const index = list.indexOf(child);
    if (isGuard(call, index, texts)) return []; // compared as a whole
    const guards = index < 0 ? [] : guardsOf(call, index, texts);
    return exposures(child).map((each) => through(each, guards));
  });
  return [...ofDictionary(call, texts), ...ofCount(call, texts), ...inner];
}

/** Returns whether an argument is a condition by a parameter that decides whether others are shown. */
function isGuard({ name, role, arguments: list }: FunctionExpression, index: number, texts: Texts): boolean {
  const argument = list[index];
  if (argument === undefined || texts.parameters(argument).size === 0) return false;
  if (role !== 'ordinary') return name.endsWith('If') && index === list.length - 1;
  if (name === 'if') return index === 0;
  if (name === 'multiIf') return index % 2 === 0 && index < list.length - 1;
  return (name === 'multiply' || name === 'and') && decides(argument);
}

function ofDictionary(call: FunctionExpression, texts: Texts): readonly Exposure[] {
  const lookup = dictionaryOf(call);
  const [, attribute] = call.arguments;
  if (lookup === undefined) return [];
  const column = attribute?.kind === 'constant' ? attribute.text.replaceAll("'", '') : '';
  const keys = lookup.keys.filter((key) => texts.parameters(key).size > 0).map(texts.expression);
  return [{ table: lookup.name, column, guards: keys, parameters: keys }];
}

/** `count()` shows how many rows there are. */
function ofCount(call: FunctionExpression, texts: Texts): readonly Exposure[] {
  if (call.role === 'ordinary' || !/^count/i.test(call.name)) return [];
  const condition = call.name.endsWith('If') ? call.arguments.at(-1) : undefined;
  const isByParameter = condition !== undefined && texts.parameters(condition).size > 0;
  const guards = condition === undefined || !isByParameter ? [] : [`then ${texts.expression(condition)}`];
  return [{ table: '', column: '*', guards, parameters: guards }];
}

const CHOICES =
  /^(?:if|multiIf|coalesce|ifNull|nullIf|tuple|tupleElement|array|arrayElement|map|getSubcolumn|nested)$/;
const CONVERSIONS =
  /^(?:lower|upper|lowerUTF8|upperUTF8|trim\w*|toString|toLowCardinality|toNullable|materialize|identity|assumeNotNull|_?CAST|concat|format|formatDateTime|arrayJoin|arraySort|arrayDistinct|arrayConcat|arrayStringConcat|toUUID|toInt\d+|toUInt\d+|toFloat\d+|toDecimal\d+|round)$/i;
const HASHES = /hash|^(?:MD[45]|SHA\w*|BLAKE3|keccak\w*|RIPEMD\w*|HMAC|CRC\w*)$|^encrypt|^hex$/i;
function typeOf(expression: Expression | undefined): string {
  return expression !== undefined && 'type' in expression ? expression.type : '';
}

const TEXTUAL: ReadonlySet<string> = new Set([
  'String', 'FixedString', 'UUID', 'JSON', 'Object', 'Dynamic', 'Variant', 'Map', 'Tuple',
]); // prettier-ignore

/** Text and what contains it: parts of such values are hidden by functions. */
function isTextual(type: string): boolean {
  return hasType(
    parseType(type),
    (each) => isOpaque(each) || isAddress(each) || isEnum(each) || TEXTUAL.has(each.name),
  );
}

/** What hides an argument of a call: the branch it is in, a condition beside it, the function itself. */
function guardsOf(call: FunctionExpression, index: number, texts: Texts): readonly Guard[] {
  const { role, arguments: list } = call;
  const name = withoutReturnType(call.name);
  const argument = list[index];
  const isText = isTextual(typeOf(argument));
  const toGuard = (prefix: string, condition: Expression): readonly Guard[] => {
    const isByParameter = texts.parameters(condition).size > 0;
    if (!isByParameter && !isText) return [];
    return [{ text: `${prefix} ${texts.expression(condition)}`, isByParameter }];
  };
  if (name === 'if' || name === 'multiIf') return guardsOfBranch(list, index, toGuard);
  if (role !== 'ordinary') {
    const condition = list.at(-1);
    const isConditional = name.endsWith('If') && index < list.length - 1 && condition !== undefined;
    return isConditional ? toGuard('then', condition) : [];
  }
  const beside = list.flatMap((each, at) => {
    if (at === index || texts.parameters(each).size === 0 || !decides(each)) return [];
    const prefix = name === 'multiply' || name === 'and' ? 'then' : `${name} ${at}`;
    return [{ text: `${prefix} ${texts.expression(each)}`, isByParameter: true }];
  });
  const hides =
    HASHES.test(name) || (isText && !CHOICES.test(name) && !CONVERSIONS.test(name) && !isCondition(call));
  if (!hides) return beside;
  const others = list.map((each, at) =>
    at === index ? '_' : each.kind === 'column' ? '' : texts.expression(each),
  );
  return [...beside, { text: `${name}(${others.join(', ')})`, isByParameter: false }];
}

function decides(expression: Expression): boolean {
  const { name } = plainTypeOf(typeOf(expression));
  return expression.kind === 'lambda' || name === 'UInt8' || name === 'Bool';
}

function guardsOfBranch(
  list: readonly Expression[],
  index: number,
  toGuard: (prefix: string, condition: Expression) => readonly Guard[],
): readonly Guard[] {
  const isLast = index === list.length - 1;
  if (!isLast && index % 2 === 0) return [];
  const earlier = list.filter((_, at) => at % 2 === 0 && at < (isLast ? index : index - 1));
  const own = isLast ? undefined : list[index - 1];
  return [
    ...earlier.flatMap((condition) => toGuard('else', condition)),
    ...(own === undefined ? [] : toGuard('then', own)),
  ];
}

function through(exposure: Exposure, guards: readonly Guard[]): Exposure {
  if (guards.length === 0) return exposure;
  const added = guards.map(({ text }) => text);
  const byParameter = guards.filter(({ isByParameter }) => isByParameter).map(({ text }) => text);
  return {
    ...exposure,
    guards: [...new Set([...exposure.guards, ...added])].toSorted(),
    parameters: [...new Set([...exposure.parameters, ...byParameter])].toSorted(),
  };
}

/** The stored columns that equal another in every row of the result, as pairs `table.column`. */
export function equalColumnsOf(root: QueryNode | UnionNode): readonly (readonly [string, string])[] {
  const texts = createTexts(root, { isPlain: true });
  const found: (readonly [string, string])[] = [];
  const visit = (node: QueryNode | UnionNode): void => {
    if (node.kind === 'union') return node.branches.forEach(visit);
    const { atoms, conditions } = blockOf(node.from);
    const own = [node.prewhere, node.where].filter((each) => each !== undefined);
    for (const condition of conditionsIn([...conditions, ...own])) {
      if (condition.kind !== 'function' || condition.name !== 'equals') continue;
      const [left, right] = condition.arguments.map(texts.expression).map(plainName);
      if (left !== undefined && right !== undefined) found.push([left, right]);
    }
    for (const atom of atoms) if (atom.kind === 'query' || atom.kind === 'union') visit(atom);
  };
  visit(root);
  return found;
}

function plainName(text: string): string {
  return text.replace(/#\d+\./, '.');
}
