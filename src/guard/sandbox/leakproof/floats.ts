// Conditions on columns that may hold NaN. By index, the engine reads `NOT x > 5` as `x <= 5`, which NaN is not, and skips a granule of 5
// and NaN for `x != 5`. Which rows share a granule depends on other tenants.
import type { Node } from '../../../sql/clickhouse/tree/nodes.ts';
import {
  isNegated,
  nameOf,
  namesIn,
  operatorOf,
  someNode,
  textOf,
  type NameInRange,
  type Subtree,
} from '../../../sql/clickhouse/tree/visit.ts';
import type { NamedTypes } from './context.ts';
import { isOutermost, operatorsIn, type Place } from './place.ts';
import { storedShape } from '../../../sql/types/geometry.ts';
import { hasType, isFloat as isFloatType, isOpaque } from '../../../sql/types/traits.ts';
import { parseType, type ClickHouseType } from '../../../sql/types/type.ts';

/** Returns whether index analysis may overlook rows because of the operator, the call or the name at a place. */
export function createFloats(tree: Subtree, { types, names }: NamedTypes): (place: Place) => boolean {
  /** A column, a conversion or the name of a type. */
  const isFloat = (name: string): boolean =>
    /float/i.test(name) || types.get(name)?.some((type) => hasType(parseType(type), isOfFloats)) === true;
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
  if (node.kind === 'call') return COMPARING_CALL.test(nameOf(tree, node));
  return node.kind === 'in' || node.kind === 'between' || node.kind === 'test' || node.kind === 'not';
}

function isWord(tree: Subtree, node: Node): boolean {
  return /^(?:I?LIKE|REGEXP|IS)$/.test(operatorOf(tree, node));
}

/** Points and polygons are tuples of floats. */
function isOfFloats(type: ClickHouseType): boolean {
  return isOpaque(type) || isFloatType(type) || storedShape(type) !== undefined;
}

const NOT_A_NUMBER = /^(?:nan|inf(?:inity)?)$/i;
const COMPARISONS: ReadonlySet<string> = new Set(['=', '!=', '<', '>', '<=', '>=', '<=>']);
const COMPARING_CALL =
  /^(?:(?:not)?equals|less(?:orequals)?|greater(?:orequals)?|not|and|or|xor|(?:not)?in|is(?:not)?null)$/i;
