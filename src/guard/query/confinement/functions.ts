// Functions and columns whose value depends on where a row is stored or processed, and so on other rows.
import { childrenOf, type Expression } from '../tree/nodes.ts';

const OF_POSITION: ReadonlySet<string> = new Set([
  'blockNumber', 'blockSize', 'blockSerializedSize', 'rowNumberInBlock', 'rowNumberInAllBlocks', 'neighbor', 'runningAccumulate',
  'runningDifference', 'runningDifferenceStartingWithFirstValue', 'lowCardinalityIndices', 'lowCardinalityKeys', 'indexHint',
  'generateSerialID', 'nowInBlock', 'nowInBlock64', '__applyFilter',
]); // prettier-ignore

/** Columns that the engine adds to a table. */
const STORED_AT = /^_(?:part(?:_\w+)?|block_\w+|sample_factor|disk_name|row_exists|row_number|distance)$/;

/** Returns whether other rows decide about the value of an expression, subqueries excluded. */
export function isUnpredictable(expression: Expression): boolean {
  if (expression.kind === 'function' && OF_POSITION.has(expression.name)) return true;
  if (expression.kind === 'column' && STORED_AT.test(expression.name)) return true;
  return childrenOf(expression).some(isUnpredictable);
}
