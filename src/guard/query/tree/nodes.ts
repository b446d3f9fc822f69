// A query as the engine resolves it: typed relations and expressions in which every column names its source.

/** Identifies a node within one tree; a node that is used in several places has one id. */
export type NodeId = number;

/** What rows come from. */
export type Relation =
  | QueryNode
  | UnionNode
  | TableNode
  | TableFunctionNode
  | JoinNode
  | CrossJoinNode
  | ArrayJoinNode;

/** One SELECT. */
export interface QueryNode {
  readonly kind: 'query';
  readonly id: NodeId;
  /** Name in the WITH clause, if it is defined there. */
  readonly cte: string | undefined;
  /** Name of the view whose definition it is. */
  readonly view: string | undefined;
  /** Names of the result columns, in the order of `projection`. */
  readonly names: readonly string[];
  readonly types: readonly string[];
  readonly projection: readonly Expression[];
  readonly from: Relation;
  /** PREWHERE, WHERE, HAVING and QUALIFY. */
  readonly prewhere: Expression | undefined;
  readonly where: Expression | undefined;
  readonly groupBy: readonly Expression[];
  /** ROLLUP, CUBE, GROUPING SETS or WITH TOTALS: rows whose keys are not those of their input. */
  readonly hasSubtotals: boolean;
  readonly having: Expression | undefined;
  readonly qualify: Expression | undefined;
  readonly isDistinct: boolean;
  readonly orderBy: readonly SortNode[];
  readonly interpolate: readonly Expression[];
  readonly limitBy: readonly Expression[];
  /** The counts of LIMIT BY. */
  readonly limitByCounts: readonly Expression[];
  /** LIMIT and OFFSET. */
  readonly limits: readonly Expression[];
  /** LIMIT or OFFSET in the SETTINGS clause. */
  readonly hasLimitSetting: boolean;
  /** The SETTINGS clause, as the engine prints it. */
  readonly settings: string;
  /** What else shapes the rows: the kinds of limits and of subtotals; '' for none. */
  readonly attributes: string;
}

export interface SortNode {
  readonly direction: string;
  readonly expression: Expression;
  readonly hasFill: boolean;
  /** FILL FROM, TO, STEP and STALENESS. */
  readonly fill: readonly Expression[];
}

export interface UnionNode {
  readonly kind: 'union';
  readonly id: NodeId;
  readonly cte: string | undefined;
  readonly view: string | undefined;
  /** Such as UNION_ALL, UNION_DISTINCT, EXCEPT_ALL, INTERSECT_DISTINCT. */
  readonly mode: string;
  readonly isRecursive: boolean;
  readonly branches: readonly (QueryNode | UnionNode)[];
}

export interface TableNode {
  readonly kind: 'table';
  readonly id: NodeId;
  /** `database.table`; for a recursive CTE's reference to itself, its name. */
  readonly name: string;
  /** A reference of a recursive CTE to its previous rows. */
  readonly isRecursion: boolean;
  /** A view whose definition is not known, such as one with parameters. */
  readonly isOpaque: boolean;
  /** FINAL. */
  readonly isFinal: boolean;
  /** SAMPLE by a number of rows, so that each row decides about others. */
  readonly isSampled: boolean;
  /** SAMPLE and its OFFSET, as the tree has them; '' for none. */
  readonly sample: string;
  /** The arguments of a view with parameters, as the query has them; '' for others. */
  readonly call: string;
}

export interface TableFunctionNode {
  readonly kind: 'table_function';
  readonly id: NodeId;
  readonly name: string;
  readonly arguments: readonly Expression[];
}

export interface JoinNode {
  readonly kind: 'join';
  readonly id: NodeId;
  /** INNER, LEFT, RIGHT, FULL, PASTE. */
  readonly join: string;
  /** ALL, ANY, SEMI, ANTI, ASOF, UNSPECIFIED. */
  readonly strictness: string;
  readonly left: Relation;
  readonly right: Relation;
  readonly on: Expression | undefined;
  readonly using: readonly UsingColumn[];
}

/** A column of USING: its name, and the column of each side. */
export interface UsingColumn {
  readonly name: string;
  readonly left: Expression;
  readonly right: Expression;
}

export interface CrossJoinNode {
  readonly kind: 'cross_join';
  readonly id: NodeId;
  readonly relations: readonly Relation[];
}

export interface ArrayJoinNode {
  readonly kind: 'array_join';
  readonly id: NodeId;
  readonly isLeft: boolean;
  readonly from: Relation;
  readonly columns: readonly { readonly name: string; readonly expression: Expression }[];
}

/** An expression. `lambda` parameters are columns whose source is the lambda. */
export type Expression =
  | ColumnExpression
  | { readonly kind: 'parameter'; readonly name: string; readonly type: string }
  | { readonly kind: 'constant'; readonly text: string; readonly type: string }
  | FunctionExpression
  | {
      readonly kind: 'lambda';
      readonly id: NodeId;
      readonly parameters: readonly string[];
      readonly body: Expression;
    }
  | { readonly kind: 'list'; readonly items: readonly Expression[] }
  | { readonly kind: 'subquery'; readonly query: QueryNode | UnionNode }
  /** The right side of `x IN table`. */
  | { readonly kind: 'table_set'; readonly table: TableNode | TableFunctionNode };

export interface ColumnExpression {
  readonly kind: 'column';
  readonly source: NodeId;
  readonly name: string;
  readonly type: string;
  /** Of an ALIAS column of a table: what it means. */
  readonly expression: Expression | undefined;
}

export interface FunctionExpression {
  readonly kind: 'function';
  readonly id: NodeId;
  readonly name: string;
  readonly role: 'ordinary' | 'aggregate' | 'window';
  readonly type: string;
  readonly arguments: readonly Expression[];
  readonly parameters: readonly Expression[];
  readonly window: WindowNode | undefined;
}

export interface WindowNode {
  /** Type and bounds of the frame. */
  readonly frame: string;
  readonly partitionBy: readonly Expression[];
  readonly orderBy: readonly SortNode[];
  readonly offsets: readonly Expression[];
}

/** The names of the result columns. */
export function namesOf(query: QueryNode | UnionNode): readonly string[] {
  return firstSelect(query)?.names ?? [];
}

/** The types of the result columns: those of the first SELECT. */
export function typesOf(query: QueryNode | UnionNode): readonly string[] {
  return firstSelect(query)?.types ?? [];
}

function firstSelect(query: QueryNode | UnionNode): QueryNode | undefined {
  let first: QueryNode | UnionNode | undefined = query;
  while (first?.kind === 'union') [first] = first.branches;
  return first;
}

/** The expressions directly inside an expression, subqueries excluded. */
export function childrenOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'column':
      return expression.expression === undefined ? [] : [expression.expression];
    case 'list':
      return expression.items;
    case 'lambda':
      return [expression.body];
    case 'function': {
      const { window } = expression;
      const ofWindow =
        window === undefined
          ? []
          : [...window.partitionBy, ...window.orderBy.flatMap(ofSort), ...window.offsets];
      return [...expression.arguments, ...expression.parameters, ...ofWindow];
    }
    case 'table_set':
      return expression.table.kind === 'table_function' ? expression.table.arguments : [];
    case 'parameter':
    case 'constant':
    case 'subquery':
      return [];
  }
}

/** The expressions of one element of ORDER BY. */
function ofSort({ expression, fill }: SortNode): readonly Expression[] {
  return [expression, ...fill];
}

/** Every expression of a SELECT except those inside its FROM clause. */
export function expressionsOf(query: QueryNode): readonly Expression[] {
  const filters = [query.prewhere, query.where, query.having, query.qualify];
  return [
    ...query.projection,
    ...filters.filter((each) => each !== undefined),
    ...query.groupBy,
    ...query.orderBy.flatMap(ofSort),
    ...query.interpolate,
    ...query.limitBy,
    ...query.limitByCounts,
    ...query.limits,
  ];
}

/** The relations directly inside a relation, those of expressions excluded. */
export function inputsOf(relation: Relation): readonly Relation[] {
  switch (relation.kind) {
    case 'query':
      return [relation.from];
    case 'union':
      return relation.branches;
    case 'join':
      return [relation.left, relation.right];
    case 'cross_join':
      return relation.relations;
    case 'array_join':
      return [relation.from];
    case 'table':
    case 'table_function':
      return [];
  }
}

/** The expressions of a relation itself. */
export function expressionsIn(relation: Relation): readonly Expression[] {
  switch (relation.kind) {
    case 'query':
      return expressionsOf(relation);
    case 'join':
      return [
        ...(relation.on === undefined ? [] : [relation.on]),
        ...relation.using.flatMap(({ left, right }) => [left, right]),
      ];
    case 'array_join':
      return relation.columns.map(({ expression }) => expression);
    case 'table_function':
      return relation.arguments;
    case 'union':
    case 'table':
    case 'cross_join':
      return [];
  }
}
