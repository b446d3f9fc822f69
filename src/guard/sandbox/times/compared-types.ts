// With which types a query compares given strings, as the engine resolved them: read from its query tree.
import { stringValue } from '../../../sql/clickhouse/literal.ts';
import { innerType, parseType, typeArguments, type ClickHouseType } from '../../../sql/types/type.ts';
import { attribute, type TreeLine } from '../../../sql/clickhouse/query-tree.ts';

/** One comparison of a string. */
export interface ComparedType {
  readonly type: ClickHouseType;
  /** It is true if the string is an element of the right side of IN. */
  readonly isElement: boolean;
}

const OPERATORS: ReadonlySet<string> = new Set([
  'equals',
  'notEquals',
  'less',
  'lessOrEquals',
  'greater',
  'greaterOrEquals',
]);
const SETS: ReadonlySet<string> = new Set(['in', 'notIn', 'globalIn', 'globalNotIn']);

const LISTS: ReadonlySet<string> = new Set(['tuple', 'array']);

/** By string, every comparison of it; without the strings that are used for anything else as well, or not at all. */
export function comparedTypes(
  root: TreeLine,
  isWanted: (text: string) => boolean,
): ReadonlyMap<string, readonly ComparedType[]> {
  const found = new Map<string, ComparedType[]>();
  const others = new Set<string>();
  const see = (value: Constant, compared: ComparedType | undefined): void => {
    if (value.kind === 'group') {
      value.elements.forEach((each, index) => see(each, elementOf(compared, value.elements, index)));
    } else if (isWanted(value.text)) {
      if (compared === undefined) others.add(value.text);
      else found.set(value.text, [...(found.get(value.text) ?? []), compared]);
    }
  };
  const visit = (node: TreeLine): void => {
    if (node.kind === 'CONSTANT') {
      see(constantOf(node), undefined);
      visitSource(node);
      return;
    }
    const [left, right, more] = argumentsOf(node);
    const name = attribute(node, 'function_name', 'function_type') ?? '';
    const isSet = SETS.has(name);
    if (left === undefined || right === undefined || more !== undefined || !(isSet || OPERATORS.has(name))) {
      node.children.forEach(visit);
      return;
    }
    const isSwapped = left.kind === 'CONSTANT' && !isSet;
    const [value, constant] = isSwapped ? [right, left] : [left, right];
    const type = typeOf(value);
    visit(value);
    if (constant.kind !== 'CONSTANT') visit(constant);
    else {
      see(constantOf(constant), type && { type, isElement: isSet });
      visitSource(constant);
    }
  };
  /** Below a constant is what it was computed from, if that is not only a list of constants. */
  const visitSource = (constant: TreeLine): void => {
    for (const source of constant.children.flatMap(({ children }) => children)) {
      const isList = LISTS.has(attribute(source, 'function_name', 'function_type') ?? '');
      if (isList) argumentsOf(source).forEach(visitSource);
      else visit(source);
    }
  };
  visit(root);
  return new Map([...found].filter(([text]) => !others.has(text)));
}

function argumentsOf(node: TreeLine): readonly TreeLine[] {
  if (node.kind !== 'FUNCTION') return [];
  const list = node.children.find(({ kind }) => kind === 'ARGUMENTS');
  return list?.children[0]?.children ?? [];
}

function typeOf(node: TreeLine): ClickHouseType | undefined {
  const type =
    node.kind === 'COLUMN' ? attribute(node, 'result_type', 'source_id') : attribute(node, 'result_type');
  return type === undefined ? undefined : parseType(type);
}

/** What an element of a tuple or an array is compared with. */
function elementOf(
  compared: ComparedType | undefined,
  elements: readonly Constant[],
  index: number,
): ComparedType | undefined {
  if (compared === undefined) return undefined;
  const { type, isElement } = compared;
  if (type.name !== 'Tuple') return isElement ? compared : undefined;
  const isSetOfTuples = isElement && elements.every(({ kind }) => kind === 'group');
  if (isSetOfTuples) return compared;
  return index < typeArguments(type).length ? { type: innerType(type, index), isElement } : undefined;
}

/** A constant as the engine prints it: `'a'`, or `Tuple_('a', UInt64_5)`. */
type Constant =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'group'; readonly elements: readonly Constant[] };

const PIECE = /'(?:[^'\\]|\\.)*'|[([]|[)\]]|,|[^'([,)\]]+/gsu;

function constantOf(node: TreeLine): Constant {
  const printed = attribute(node, 'constant_value', 'constant_value_type') ?? '';
  const open: Constant[][] = [[]];
  for (const [piece] of printed.matchAll(PIECE)) {
    if (piece === '(' || piece === '[') open.push([]);
    else if (piece === ')' || piece === ']') {
      const elements = open.pop() ?? [];
      open.at(-1)?.splice(-1, 1, { kind: 'group', elements }); // in the place of the name before it
    } else if (piece !== ',' && piece.trim() !== '') {
      open.at(-1)?.push({ kind: 'text', text: stringValue(piece) ?? '' });
    }
  }
  return open[0]?.[0] ?? { kind: 'text', text: '' };
}
