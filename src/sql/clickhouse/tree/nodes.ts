// The concrete syntax tree of a ClickHouse query: nodes are ranges of its tokens. It is never printed: what is sent is the source, with
// edits. All nodes have one shape, so that a query that is read up to a fault has a tree of what was read.
import type { Cursor } from '../cursor.ts';

/** What a node is; comments name its parts, in the order of their tokens. */
export type NodeKind =
  // Queries
  | 'union' // Its members: `select` and `subquery`.
  | 'subquery' // A query in parentheses.
  | 'select' // Its clauses.
  | 'with' // Elements, `with-table` and `with-value`; `at` is RECURSIVE if it is recursive.
  | 'with-table' // A subquery; `at` is the name.
  | 'with-value' // A value; `at` is the name.
  | 'distinct' // The values after ON.
  | 'top'
  | 'list' // The items of a SELECT clause.
  | 'from' // Its sources: `source`, `join` and `array-join`.
  | 'source' // A `table`, a `table-function`, a `subquery` or, in parentheses, a `from`; `final` and `sample`; `at` is the name that qualifies its columns, if it has one.
  | 'table' // `at` is its name, or a string; there may be a database before it. Either may be a `placeholder`.
  | 'table-function' // `arguments`; `at` is the name.
  | 'final'
  | 'sample' // One or two values.
  | 'join' // A source, and `on` or `using`; `at` is JOIN.
  | 'on'
  | 'using'
  | 'array-join'
  | 'where'
  | 'prewhere'
  | 'having'
  | 'qualify'
  | 'group-by'
  | 'modifier' // WITH TOTALS, WITH ROLLUP, WITH CUBE.
  | 'windows' // Each a `named-window`.
  | 'named-window' // A `window`; `at` is the name.
  | 'window' // Values of PARTITION BY and the frame, and an `order-by`.
  | 'order-by' // Each an `order-item`, and `interpolate`.
  | 'order-item' // A value, and `fill`.
  | 'fill' // The values of WITH FILL.
  | 'interpolate' // Each an `interpolated`.
  | 'interpolated' // The value after AS; `at` is the name.
  | 'limit' // One or two values, and `limit-by`.
  | 'limit-by'
  | 'offset'
  | 'fetch'
  | 'settings' // Each a `setting`.
  | 'setting' // A value; `at` is the name.
  // Values
  | 'alias' // A value; `at` is the name.
  | 'number'
  | 'string'
  | 'constant' // NULL, TRUE, FALSE.
  | 'placeholder' // `{name:Type}` or `@name` of a saved query; `at` is the name.
  | 'column' // A name, or several with dots between them.
  | 'star' // What qualifies it, and column modifiers; `at` is the token `*`.
  | 'columns' // What qualifies it, each `column-name`, and column modifiers; `at` is COLUMNS.
  | 'column-name'
  | 'except' // Each `column-name`.
  | 'replace' // Values.
  | 'apply' // A `lambda` or an `applied`.
  | 'applied' // A function that is applied by name; its `arguments`.
  | 'group' // One value in parentheses.
  | 'tuple' // Values in parentheses.
  | 'array'
  | 'map' // Of a setting.
  | 'case' // A value, `when` and `else`.
  | 'when' // A condition and a value.
  | 'else'
  | 'interval' // A value.
  | 'typed' // DATE or TIMESTAMP and a `string`.
  | 'quantified' // ANY, ALL, SOME or EXISTS, and a `subquery`.
  | 'call' // `parameters`, `arguments`, `filter`, `over`; `at` is the name.
  | 'parameters' // Of two lists of arguments, the first.
  | 'arguments' // `at` is a keyword before the first, such as DISTINCT.
  | 'filter'
  | 'over' // A `window`; or `at` is the name of one.
  | 'lambda' // Each a `parameter`, and a value; `at` is the arrow.
  | 'parameter'
  // Suffixes and operators; the first part is the value before it, and `at` is the operator's first token.
  | 'access' // `.1`, `.^name`, or `.:type`, of which the `type` is a part; `at` is the token after the dot.
  | 'index' // The index is a part.
  | 'cast' // A `type`.
  | 'type'
  | 'and' // All operands of a chain. So has `or`.
  | 'or'
  | 'concat'
  | 'not' // The operand alone.
  | 'sign' // The operand alone.
  | 'binary' // Two operands.
  | 'in' // A value, and a set: `table`, `subquery`, `group`, `tuple`, or a value.
  | 'between' // Three operands.
  | 'conditional' // The three operands of `? :`.
  | 'test'; // IS NULL, IS NOT TRUE and such.

/** Tokens from index `from` up to, but excluding, `to`. */
export interface TokenRange {
  readonly from: number;
  readonly to: number;
}

export interface Node extends TokenRange {
  readonly kind: NodeKind;
  /** The token that names it, if its kind has one; otherwise the first. */
  readonly at: number;
  readonly parts: readonly Node[];
  /** It is true if it was read to its end. */
  readonly isWhole: boolean;
}

/** Why no more is read: what is at a token is no part of a query, or above a bound, or the name of a function after a dot. */
export interface Fault {
  readonly kind: 'unexpected' | 'invalid' | 'size' | 'call';
  readonly at: number;
  /** A sentence. */
  readonly message: string;
}

/** A query's tree; after a fault, that of what was read before. */
export interface Tree {
  readonly cursor: Cursor;
  readonly root: Node;
  readonly fault: Fault | undefined;
}
