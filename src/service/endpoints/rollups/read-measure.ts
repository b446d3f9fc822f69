// Reads a measure: one call of an aggregate function that a rollup can store.
import { STORED_AGGREGATES, storedAggregate } from '../../../guard/rollups/aggregates.ts';
import type { MeasureDefinition } from '../../../guard/rollups/model.ts';
import { didYouMean, nearest } from '../../../sql/base/nearest.ts';
import type { Node, Tree } from '../../../sql/clickhouse/tree/nodes.ts';
import {
  argumentsOf,
  isCountOfRows,
  isDistinct,
  nameOf,
  partOf,
  sourceOf,
} from '../../../sql/clickhouse/tree/visit.ts';
import {
  expressionText,
  faultAt,
  readExpression,
  rowFaults,
  type ExpressionFault,
} from './row-expression.ts';

/** The measure, or why there is none. */
export function readMeasure(
  text: string,
  approximate: boolean,
): MeasureDefinition | readonly ExpressionFault[] {
  const read = readExpression(text);
  if ('code' in read) return [{ ...read, code: 'rollup.measure' }];
  const { tree, node } = read;
  const unfit = unfitCall(tree, node);
  if (unfit !== undefined)
    return [{ ...faultAt(tree, node.from, unfit.message, 'rollup.measure'), ...unfit }];
  const given = isCountOfRows(tree, node) ? [] : argumentsOf(node);
  const faults = given.flatMap((argument) => rowFaults({ tree, node: argument }));
  if (faults.length > 0) return faults;
  const aggregate = storedAggregate(nameOf(tree, node))?.name ?? '';
  const parameters = (partOf(node, 'parameters')?.parts ?? []).map((each) => sourceOf(tree, each));
  const list = given.map((argument) => expressionText({ tree, node: argument }));
  const head = parameters.length === 0 ? aggregate : `${aggregate}(${parameters.join(', ')})`;
  return { name: `${head}(${list.join(', ')})`, aggregate, parameters, arguments: list, approximate };
}

interface Unfit {
  readonly message: string;
  readonly hint?: string;
}

function unfitCall(tree: Tree, node: Node): Unfit | undefined {
  if (node.kind !== 'call')
    return { message: `${sourceOf(tree, node)} is not one call of an aggregate function` };
  const name = nameOf(tree, node);
  if (/^avg(if)?$/i.test(name))
    return { message: `${name} is not stored`, hint: 'It is computed from sum and count: write sum here' };
  if (storedAggregate(name) === undefined)
    return {
      message: `${name} is not an aggregate function that rollups store`,
      hint: didYouMean(nearest(name, STORED_AGGREGATES)) ?? `These are: ${STORED_AGGREGATES.join(', ')}`,
    };
  const list = partOf(node, 'arguments');
  const isPlain = node.parts.every(({ kind }) => kind === 'arguments' || kind === 'parameters');
  if (!isPlain || (list !== undefined && (isDistinct(tree, list) || list.to !== node.to)))
    return {
      message: `${name} has DISTINCT, FILTER, OVER or another clause`,
      hint: 'uniqExact counts distinct values',
    };
  return (partOf(node, 'parameters')?.parts ?? []).every(isConstant)
    ? undefined
    : { message: `a parameter of ${name} is not a number or a string` };
}

function isConstant({ kind }: Node): boolean {
  return kind === 'number' || kind === 'string';
}
