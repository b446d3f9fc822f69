// Which stored columns each result column depends on, and how.
import {
  FLOW_KINDS,
  namedPart,
  positions,
  usesOfCall,
  type FlowKind,
  type ValuePath,
} from './flow-functions.ts';
import {
  childrenOf, expressionsIn, expressionsOf, inputsOf, namesOf,
  type ColumnExpression, type Expression, type FunctionExpression, type NodeId, type QueryNode, type Relation,
  type TableFunctionNode, type TableNode, type UnionNode,
} from '../tree/nodes.ts'; // prettier-ignore
import { plainPath } from '../../redact/subcolumn-name.ts';
import { isSourceFree } from '../sources.ts';
import { dictionaryOf } from '../confinement/values.ts';
import { parseType } from '../../../sql/types/type.ts';

/** A stored column that a result column depends on. */
export interface ColumnFlow {
  /** The id of the source in the model; that of a function for the attribute of a dictionary. */
  readonly source: NodeId;
  /** `database.table`, or the name of the dictionary or table function; empty if it is not known. */
  readonly table: string;
  /** Column and path: `metadata.user.name`; attribute of the dictionary; `*` for any. */
  readonly column: string;
  /** The engine's type of it; empty if it is not known. */
  readonly type: string;
  readonly kind: FlowKind;
}

/**
 * For each result column, the stored columns that its values are made of or depend on, each once per source and kind. Columns
 * that only decide which rows there are (WHERE, GROUP BY, keys of joins) are not included, except those of subqueries in
 * expressions.
 */
export function flowOf(root: QueryNode | UnionNode): readonly (readonly ColumnFlow[])[] {
  const flows = createFlows(root);
  return Array.from({ length: widthOf(root) }, (_, index) => flows(index, []));
}

/** The same for a part of one result column: an element of a tuple, a path of JSON or a key of a Map. */
export function flowOfPart(
  root: QueryNode | UnionNode,
  index: number,
  path: ValuePath,
): readonly ColumnFlow[] {
  return createFlows(root)(index, path);
}

type Flows = readonly ColumnFlow[];

interface FlowContext {
  readonly relations: ReadonlyMap<NodeId, Relation>;
  /** The union that a reference of a recursive WITH table reads. */
  readonly recursions: ReadonlyMap<NodeId, UnionNode>;
  /** The calls that a lambda is an argument of. */
  readonly calls: ReadonlyMap<NodeId, readonly FunctionExpression[]>;
  /** Results by node, column and path; `undefined` while being computed. */
  readonly known: Map<string, Flows | undefined>;
  /** Results of the previous round: recursive references read those. */
  previous: ReadonlyMap<string, Flows | undefined>;
  steps: number;
  depth: number;
}

/** Visits of expressions at most, and how deep they are: beyond, the flow is unknown. */
const [MAX_STEPS, MAX_DEPTH] = [300_000, 1500];
/** Rounds at most until recursive WITH tables have the same flow as in the previous round. */
const MAX_ROUNDS = 10;
/** Names in a path at most; the rest is left out, so that it means more. */
const MAX_PATH = 12;

const UNKNOWN: ColumnFlow = { source: -1, table: '', column: '*', type: '', kind: 'unknown' };

function createFlows(root: QueryNode | UnionNode): (index: number, path: ValuePath) => Flows {
  const context: FlowContext = {
    ...indexNodes(root),
    known: new Map(),
    previous: new Map(),
    steps: 0,
    depth: 0,
  };
  return (index, path) => {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const flows = columnFlow(context, root, index, path);
      if (context.recursions.size === 0 || isSame(context)) return flows;
      context.previous = new Map(context.known);
      context.known.clear();
    }
    return [UNKNOWN];
  };
}

function isSame({ known, previous }: FlowContext): boolean {
  return [...known].every(([key, flows]) => flows?.length === previous.get(key)?.length);
}

function indexNodes(root: Relation): Pick<FlowContext, 'relations' | 'recursions' | 'calls'> {
  const relations = new Map<NodeId, Relation>();
  const recursions = new Map<NodeId, UnionNode>();
  const calls = new Map<NodeId, FunctionExpression[]>();
  const visitExpression = (expression: Expression, outer: readonly UnionNode[]): void => {
    if (expression.kind === 'subquery') visit(expression.query, outer);
    if (expression.kind === 'table_set') visit(expression.table, outer);
    if (expression.kind === 'function')
      for (const each of expression.arguments)
        if (each.kind === 'lambda') calls.set(each.id, [...(calls.get(each.id) ?? []), expression]);
    for (const child of childrenOf(expression)) visitExpression(child, outer);
  };
  const visit = (relation: Relation, outer: readonly UnionNode[]): void => {
    relations.set(relation.id, relation);
    const inner = relation.kind === 'union' && relation.isRecursive ? [relation, ...outer] : outer;
    if (relation.kind === 'table' && relation.isRecursion) {
      const union = outer.find(({ cte }) => cte === relation.name) ?? outer[0];
      if (union !== undefined) recursions.set(relation.id, union);
    }
    for (const each of expressionsIn(relation)) visitExpression(each, inner);
    for (const input of inputsOf(relation)) visit(input, inner);
  };
  visit(root, []);
  return { relations, recursions, calls };
}

function widthOf(query: QueryNode | UnionNode): number {
  return namesOf(query).length;
}

/** Computes once per round; a reference to what is being computed reads the previous round. */
function remembered(context: FlowContext, key: string, compute: () => Flows): Flows {
  const { known, previous } = context;
  if (known.has(key)) return known.get(key) ?? previous.get(key) ?? [];
  known.set(key, undefined);
  const flows = unique(compute());
  known.set(key, flows);
  return flows;
}

function unique(flows: Flows): Flows {
  return [
    ...new Map(
      flows.map((each) => [`${each.source} ${each.kind} ${each.table} ${each.column}`, each]),
    ).values(),
  ];
}

/** The flow with the weaker of both kinds; what is unknown stays so unless it is only a condition or a number. */
function through(flows: Flows, kind: FlowKind): Flows {
  const weakest = FLOW_KINDS.indexOf(kind);
  return flows.map((flow) => {
    if (flow.kind === 'unknown' && kind !== 'condition' && kind !== 'aggregated') return flow;
    return weakest > FLOW_KINDS.indexOf(flow.kind) ? { ...flow, kind } : flow;
  });
}

function columnFlow(
  context: FlowContext,
  node: QueryNode | UnionNode,
  index: number,
  path: ValuePath,
): Flows {
  const kept = path.slice(0, MAX_PATH);
  return remembered(context, JSON.stringify([node.id, index, kept]), () => {
    if (node.kind === 'union') {
      const isSet = node.mode.startsWith('UNION');
      return node.branches.flatMap((branch, at) => {
        const flows = columnFlow(context, branch, index, kept);
        return isSet || at === 0 ? flows : through(flows, 'condition'); // EXCEPT, INTERSECT
      });
    }
    const expression = node.projection[index];
    if (expression === undefined) return [UNKNOWN];
    return [...expressionFlow(context, expression, kept), ...fillFlow(context, node)];
  });
}

/** What WITH FILL and INTERPOLATE put into added rows; a result column is there a column without a source. */
function fillFlow(context: FlowContext, query: QueryNode): Flows {
  const all = [...query.orderBy.flatMap(({ fill }) => fill), ...query.interpolate];
  const columnsIn = (expression: Expression): readonly ColumnExpression[] =>
    expression.kind === 'column' ? [expression] : childrenOf(expression).flatMap(columnsIn);
  const flows = all.flatMap(columnsIn).flatMap((column) => {
    const index = context.relations.has(column.source) ? -1 : query.names.indexOf(column.name);
    return index < 0 ? expressionFlow(context, column, []) : columnFlow(context, query, index, []);
  });
  return through(flows, 'computed');
}

function expressionFlow(context: FlowContext, expression: Expression, path: ValuePath): Flows {
  if (++context.steps > MAX_STEPS || context.depth > MAX_DEPTH) return [UNKNOWN];
  context.depth++;
  const flows = flowOfExpression(context, expression, path);
  context.depth--;
  return flows;
}

function flowOfExpression(context: FlowContext, expression: Expression, path: ValuePath): Flows {
  switch (expression.kind) {
    case 'parameter':
    case 'constant':
      return [];
    case 'column':
      return flowOfColumn(context, expression, path);
    case 'list':
      return expression.items.flatMap((each) => expressionFlow(context, each, path));
    case 'lambda':
      return expressionFlow(context, expression.body, path);
    case 'subquery':
      return subqueryFlow(context, expression.query, path);
    case 'table_set': {
      const { table } = expression;
      return through(relationColumn(context, table, { name: '*', type: '', path: [] }), 'condition');
    }
    case 'function': {
      const uses = usesOfCall(expression, path);
      return [
        ...dictionaryFlow(expression, path),
        ...uses.flatMap((each) => through(expressionFlow(context, each.argument, each.path), each.kind)),
      ];
    }
  }
}

function subqueryFlow(context: FlowContext, query: QueryNode | UnionNode, path: ValuePath): Flows {
  const width = widthOf(query);
  const [head = '', ...rest] = path;
  const element = width === 1 ? 0 : Number(head) - 1;
  const indexes = element >= 0 ? [element] : Array.from({ length: width }, (_, index) => index);
  const inner = width === 1 ? path : element >= 0 ? rest : [];
  return [
    ...indexes.flatMap((index) => columnFlow(context, query, index, inner)),
    ...through(rowFlow(context, query), 'condition'),
  ];
}

/** The columns that decide which rows a relation has, and in which order. */
function rowFlow(context: FlowContext, relation: Relation): Flows {
  return remembered(context, `rows of ${relation.id}`, () => {
    const own = relation.kind === 'query' ? filtersIn(relation) : expressionsIn(relation);
    const isSet = relation.kind === 'union' && relation.mode !== 'UNION_ALL';
    const columns = isSet ? flowsOf(context, relation) : [];
    return through(
      [
        ...columns,
        ...own.flatMap((each) => expressionFlow(context, each, [])),
        ...inputsOf(relation).flatMap((input) => rowFlow(context, input)),
      ],
      'condition',
    );
  });
}

function filtersIn(query: QueryNode): readonly Expression[] {
  return query.isDistinct ? expressionsOf(query) : expressionsOf(query).slice(query.projection.length);
}

function flowsOf(context: FlowContext, query: QueryNode | UnionNode): Flows {
  return namesOf(query).flatMap((_, index) => columnFlow(context, query, index, []));
}

/** The attribute of a dictionary, or the value of a Join table. */
function dictionaryFlow(call: FunctionExpression, path: ValuePath): Flows {
  const lookup = dictionaryOf(call);
  if (lookup === undefined) return [];
  const { name, arguments: list, type } = call;
  const source = { source: call.id, table: lookup.name === '' ? '' : lookup.name };
  if (!/^(?:dictGet|joinGet)/i.test(name)) return [{ ...source, column: '*', type: '', kind: 'condition' }];
  const hasAttribute = !/^dictGet(?:Hierarchy|Children|Descendants|AllDescendants)$/i.test(name);
  const attributes = list[1]?.kind === 'constant' && hasAttribute ? attributesIn(list[1].text) : [];
  const chosen = attributes[Number(path[0]) - 1];
  const columns = attributes.length > 1 && chosen !== undefined ? [chosen] : attributes;
  const kind = lookup.name === '' ? 'unknown' : 'value';
  return (columns.length === 0 ? ['*'] : columns).map((column) => ({
    ...source,
    column,
    type: columns.length === 1 && attributes.length === 1 ? type : '',
    kind,
  }));
}

function attributesIn(text: string): readonly string[] {
  return [...text.matchAll(/'((?:[^'\\]|\\.)*)'/g)].map(([, name = '']) => name);
}

function flowOfColumn(context: FlowContext, column: ColumnExpression, path: ValuePath): Flows {
  const { expression, source, name, type } = column;
  const inner = positions(path, type);
  if (expression !== undefined) return expressionFlow(context, expression, inner);
  const calls = context.calls.get(source);
  if (calls !== undefined) return calls.flatMap((call) => elementFlow(context, call, column, inner));
  const relation = context.relations.get(source);
  return relation === undefined
    ? [{ ...UNKNOWN, column: name }]
    : relationColumn(context, relation, { name, type, path: inner });
}

/** The argument of a lambda: elements of the arrays that the call has beside it. */
function elementFlow(
  context: FlowContext,
  call: FunctionExpression,
  { source, name }: ColumnExpression,
  path: ValuePath,
): Flows {
  return remembered(context, JSON.stringify([call.id, source, name, path]), () => {
    const lambda = call.arguments.find((each) => each.kind === 'lambda' && each.id === source);
    const others = call.arguments.filter((each) => each !== lambda);
    const names = lambda?.kind === 'lambda' ? lambda.parameters : [];
    const isByPosition = names.length === others.length && !/^(?:arrayfold|map)/i.test(call.name);
    const own = isByPosition ? others[names.indexOf(name)] : undefined;
    return own === undefined
      ? others.flatMap((each) => expressionFlow(context, each, []))
      : expressionFlow(context, own, path);
  });
}

interface ColumnPart {
  readonly name: string;
  readonly type: string;
  readonly path: ValuePath;
}

function relationColumn(context: FlowContext, relation: Relation, column: ColumnPart): Flows {
  const { name, path } = column;
  switch (relation.kind) {
    case 'table':
    case 'table_function':
      return storedColumn(context, relation, column);
    case 'query':
    case 'union':
      return namedColumn(context, relation, column);
    case 'array_join': {
      const own = relation.columns.find((each) => each.name === name);
      if (own === undefined) return [{ ...UNKNOWN, column: name }];
      const isMap = own.expression.kind === 'column' && parseType(own.expression.type).name === 'Map';
      return expressionFlow(context, own.expression, isMap ? [] : path);
    }
    case 'join': {
      const shared = relation.using.find((each) => each.name === name);
      if (shared === undefined) return [{ ...UNKNOWN, column: name }];
      return [shared.left, shared.right].flatMap((each) => expressionFlow(context, each, path));
    }
    case 'cross_join':
      return [{ ...UNKNOWN, column: name }];
  }
}

/** By name; several columns of one name may all be meant. */
function namedColumn(context: FlowContext, query: QueryNode | UnionNode, { name, path }: ColumnPart): Flows {
  const names = namesOf(query);
  const indexes = names.flatMap((each, index) => (each === name ? [index] : []));
  if (indexes.length > 0) return indexes.flatMap((index) => columnFlow(context, query, index, path));
  const owner = names.findIndex((each) => name.startsWith(`${each}.`));
  if (owner < 0) return [{ ...UNKNOWN, column: name }];
  return columnFlow(context, query, owner, []);
}

function storedColumn(
  context: FlowContext,
  table: TableNode | TableFunctionNode,
  { name, type, path }: ColumnPart,
): Flows {
  const recursion = context.recursions.get(table.id);
  if (recursion !== undefined) return namedColumn(context, recursion, { name, type, path });
  if (isSourceFree(table)) {
    if (table.kind === 'table') return table.isRecursion ? [UNKNOWN] : [];
    const kind = table.name === 'values' ? 'value' : 'condition';
    return table.arguments.flatMap((each) => through(expressionFlow(context, each, []), kind));
  }
  const part = namedPart(type, path);
  const isOpaque = table.kind === 'table' ? table.isOpaque : table.name.startsWith('view');
  const column = [plainPath(name), ...part.path].join('.');
  return [
    { source: table.id, table: table.name, column, type: part.type, kind: isOpaque ? 'unknown' : 'value' },
  ];
}
