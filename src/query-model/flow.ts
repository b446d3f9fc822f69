// Which stored columns each result column depends on, and how.
import { dictionaryOf } from './values.ts';
import {
  childrenOf,
  inputsOf,
  type Expression,
  type NodeId,
  type QueryNode,
  type Relation,
  type UnionNode,
} from './nodes.ts';

/** `value`: the column as it is; `computed`: through functions; `condition`: decides only which value; `aggregated`. */
export type FlowKind = 'value' | 'computed' | 'condition' | 'aggregated';

/** A stored column that a result column depends on. */
export interface ColumnFlow {
  /** The id of the source in the model; that of a function for the attribute of a dictionary. */
  readonly source: NodeId;
  /** `database.table`, or the name of the dictionary. */
  readonly table: string;
  /** Column, or attribute of the dictionary. */
  readonly column: string;
  readonly kind: FlowKind;
}

/** For each result column, the stored columns that flow into it, each once per kind. */
export function flowOf(root: QueryNode | UnionNode): readonly (readonly ColumnFlow[])[] {
  const relations = new Map<NodeId, Relation>();
  const visit = (relation: Relation): void => {
    relations.set(relation.id, relation);
    for (const input of inputsOf(relation)) visit(input);
  };
  visit(root);
  return Array.from({ length: widthOf(root) }, (_, index) => unique(columnFlow({ relations }, root, index)));
}

interface FlowContext {
  readonly relations: ReadonlyMap<NodeId, Relation>;
}

function widthOf(query: QueryNode | UnionNode): number {
  if (query.kind === 'query') return query.projection.length;
  const [first] = query.branches;
  return first === undefined ? 0 : widthOf(first);
}

function unique(flows: readonly ColumnFlow[]): readonly ColumnFlow[] {
  return [...new Map(flows.map((each) => [JSON.stringify(each), each])).values()];
}

function columnFlow(
  context: FlowContext,
  query: QueryNode | UnionNode,
  index: number,
): readonly ColumnFlow[] {
  if (query.kind === 'union') return query.branches.flatMap((branch) => columnFlow(context, branch, index));
  const expression = query.projection[index];
  return expression === undefined ? [] : unique(expressionFlow(context, expression));
}

/** Functions that return one of their arguments, and the arguments that only decide which. */
function isConditionOf(name: string, index: number, count: number): boolean {
  if (name === 'if') return index === 0;
  if (name === 'multiIf') return index % 2 === 0 && index < count - 1;
  return COMPARISONS.test(name);
}

const COMPARISONS =
  /^(?:equals|notEquals|less|greater|lessOrEquals|greaterOrEquals|(?:global)?(?:not)?(?:null)?in|like|notLike|ilike|match|isNull|isNotNull|empty|notEmpty|and|or|not)$/i;

function expressionFlow(context: FlowContext, expression: Expression): readonly ColumnFlow[] {
  switch (expression.kind) {
    case 'column': {
      if (expression.expression !== undefined) return expressionFlow(context, expression.expression);
      return sourceFlow(context, context.relations.get(expression.source), expression.name);
    }
    case 'subquery':
      return flowOf(expression.query)
        .flat()
        .map((each) => through(each, 'computed'));
    case 'function': {
      const { name, role, arguments: list } = expression;
      const lookup = dictionaryOf(expression);
      const attribute = list[1]?.kind === 'constant' ? list[1].text.replaceAll("'", '') : '';
      const ofDictionary: readonly ColumnFlow[] =
        lookup === undefined
          ? []
          : [{ source: expression.id, table: lookup.name, column: attribute, kind: 'value' }];
      const inner = childrenOf(expression).flatMap((child) => {
        const index = list.indexOf(child);
        const isCondition = lookup !== undefined || index < 0 || isConditionOf(name, index, list.length);
        const kind = isCondition ? 'condition' : kindOf(name, role);
        return expressionFlow(context, child).map((each) => through(each, kind));
      });
      return [...ofDictionary, ...inner];
    }
    case 'parameter':
    case 'constant':
    case 'lambda':
    case 'list':
    case 'table_set':
      return childrenOf(expression).flatMap((child) => expressionFlow(context, child));
  }
}

function kindOf(name: string, role: 'ordinary' | 'aggregate' | 'window'): FlowKind {
  if (role !== 'ordinary') return 'aggregated';
  return [
    'if',
    'multiIf',
    'coalesce',
    'ifNull',
    'tuple',
    'toString',
    'CAST',
    'materialize',
    'assumeNotNull',
  ].includes(name)
    ? 'value'
    : 'computed';
}

const STRENGTH: readonly FlowKind[] = ['value', 'computed', 'aggregated', 'condition'];

/** The weaker of both kinds. */
function through(flow: ColumnFlow, kind: FlowKind): ColumnFlow {
  return STRENGTH.indexOf(kind) > STRENGTH.indexOf(flow.kind) ? { ...flow, kind } : flow;
}

function sourceFlow(context: FlowContext, source: Relation | undefined, name: string): readonly ColumnFlow[] {
  if (source === undefined) return [];
  switch (source.kind) {
    case 'table':
    case 'table_function':
      return [{ source: source.id, table: source.name, column: name, kind: 'value' }];
    case 'query':
      return columnFlow(context, source, source.names.indexOf(name));
    case 'union':
      return columnFlow(context, source, namesOf(source).indexOf(name));
    case 'array_join': {
      const own = source.columns.find((each) => each.name === name);
      return own === undefined
        ? []
        : expressionFlow(context, own.expression).map((each) => through(each, 'computed'));
    }
    case 'join':
    case 'cross_join':
      return [];
  }
}

function namesOf(union: UnionNode): readonly string[] {
  const [first] = union.branches;
  if (first === undefined) return [];
  return first.kind === 'query' ? first.names : namesOf(first);
}
