// Columns of aggregate states, which rows give as the values that the state is made of.
import { quoteString } from '../../sql/clickhouse/literal.ts';
import { parseType, printArgument, printType, type ClickHouseType } from '../../sql/types/type.ts';

/** How the values of a state are read, and become one. */
export interface StateColumn {
  /** `Array(T)`; `Array(Tuple(T, U))` for a function of several arguments. */
  readonly type: string;
  /** SQL of the state, of the column of these values. */
  readonly stateOf: (column: string) => string;
}

/**
 * Undefined if the type is no aggregate state. `count()` has no arguments: each element counts one row, whatever its number.
 * Source: https://clickhouse.com/docs/sql-reference/data-types/aggregatefunction
 */
export function stateColumn(type: string): StateColumn | undefined {
  const { name, arguments: list = [] } = parseType(type);
  if (name !== 'AggregateFunction') return undefined;
  const [called, ...types] = list.filter((argument) => argument.kind !== 'literal'); // the version of a state is one
  if (called?.kind !== 'type') return undefined;
  const state = stateFunction(called.type);
  const [first, ...others] = types.map(printArgument);
  if (others.length === 0)
    return { type: `Array(${first ?? 'UInt8'})`, stateOf: (column) => `arrayReduce(${state}, ${column})` };
  const parts = types.map((_, index) => index + 1);
  return {
    type: `Array(Tuple(${types.map(printArgument).join(', ')}))`,
    stateOf: (column) =>
      `arrayReduce(${state}, ${parts.map((part) => `arrayMap(x -> tupleElement(x, ${part}), ${column})`).join(', ')})`,
  };
}

/** The name with its parameters as a string literal: `'quantilesState(0.5, 0.9)'`. */
function stateFunction({ name, arguments: parameters = [] }: ClickHouseType): string {
  const state = { name: `${name}State`, arguments: parameters.length === 0 ? undefined : parameters };
  return quoteString(printType(state));
}
