// What restricts the rows of each source on their way to the result.
import { blockOf, conditionsOfJoin, isInner, isTransparent } from './blocks.ts';
import { conditionsIn, createTexts, numbersOf, readIn, type Texts } from './canonical.ts';
import {
  childrenOf, expressionsIn, inputsOf,
  type Expression, type JoinNode, type NodeId, type QueryNode, type Relation, type UnionNode,
} from '../tree/nodes.ts'; // prettier-ignore
import { isSourceFree } from '../sources.ts';
import { dictionaryOf } from '../confinement/values.ts';

/** Rows have no influence on the result unless the condition is true. */
export interface Restriction {
  /** `limit`: the count or key of a LIMIT; `key`: what a dictionary is asked for. */
  readonly kind: 'filter' | 'limit' | 'key';
  readonly text: string;
  readonly parameters: ReadonlySet<string>;
  /** Windows, aggregates and limits between the source and the condition: what they computed depends on other rows too. */
  readonly stage: number;
  /** Undefined for one that only an equal text implies. */
  readonly condition: Expression | undefined;
  readonly texts: Texts;
}

/** One read of a source. */
export interface Reading {
  readonly source: NodeId;
  /** `database.table`; of a table function with its arguments. */
  readonly name: string;
  readonly restrictions: readonly Restriction[];
}

/** A condition met on the way from the result to a source. */
interface Met {
  readonly kind?: Restriction['kind'];
  readonly condition?: Expression;
  readonly text?: string;
  readonly relation?: Relation;
  readonly list?: readonly Expression[];
  /** Barriers above it. */
  readonly above: number;
}

interface Path {
  /** The whole query, and the subqueries of expressions down to this place. */
  readonly scopes: readonly Relation[];
  readonly met: readonly Met[];
  readonly barriers: number;
  readonly branches: ReadonlyMap<NodeId, number>;
}

export interface ReadingOptions {
  /** The texts of the query around a subquery. */
  readonly around?: Texts;
}

/** Every read of the sources of a query, those of its subqueries included. */
export function readingsOf(root: QueryNode | UnionNode, options: ReadingOptions = {}): readonly Reading[] {
  const found: Reading[] = [];
  const visit = (relation: Relation, outer: Path): void => {
    const path = relation.kind === 'query' ? enterQuery(relation, outer) : outer;
    if ((relation.kind === 'table' || relation.kind === 'table_function') && !isSourceFree(relation))
      found.push(readingOf(relation.id, relation, path, options));
    for (const expression of expressionsIn(relation)) visitExpression(expression, path);
    for (const [index, input] of inputsOf(relation).entries()) visit(input, below(relation, index, path));
  };
  const visitExpression = (expression: Expression, path: Path): void => {
    if (expression.kind === 'subquery') visit(expression.query, start([...path.scopes, expression.query]));
    if (expression.kind === 'table_set') visit(expression.table, start([...path.scopes, expression.table]));
    const lookup = dictionaryOf(expression);
    if (lookup !== undefined && expression.kind === 'function') {
      const key = lookup.keys.map((each): Met => ({ kind: 'key', condition: each, above: path.barriers }));
      found.push(readingOf(expression.id, lookup.name, { ...path, met: key }, options));
    }
    for (const child of childrenOf(expression)) visitExpression(child, path);
  };
  visit(root, start([root]));
  return found;
}

function start(scopes: readonly Relation[]): Path {
  return { scopes, met: [], barriers: 0, branches: new Map() };
}

function readingOf(
  source: NodeId,
  read: string | Relation,
  { scopes, met, barriers, branches }: Path,
  { around }: ReadingOptions,
): Reading {
  const [root, ...subqueries] = scopes;
  const numbers = selfFirst(source, scopes.at(-1), branches);
  if (root === undefined) throw new Error('a place outside a query');
  const outermost = around?.inside(root) ?? createTexts(root, { isPlain: true, branches, numbers });
  const texts = subqueries.reduce((outer, each) => outer.inside(each), outermost);
  const restrictions = met.map(
    ({ kind = 'filter', condition, text, relation, list = [], above }): Restriction => {
      const rest =
        relation === undefined ? list.map(texts.expression).toSorted().join(', ') : texts.relation(relation);
      const inner = [
        ...parametersOf(relation, texts),
        ...list.flatMap((each) => [...texts.parameters(each)]),
      ];
      return {
        kind,
        text: condition === undefined ? `${text ?? ''}${rest}` : texts.expression(condition),
        parameters: condition === undefined ? new Set(inner) : texts.parameters(condition),
        stage: barriers - above,
        condition,
        texts,
      };
    },
  );
  return { source, name: typeof read === 'string' ? read : texts.relation(read), restrictions };
}

/** Among several reads of a table the source itself is the first, so that the order of a query does not matter. */
function selfFirst(
  source: NodeId,
  scope: Relation | undefined,
  branches: ReadonlyMap<NodeId, number>,
): ReadonlyMap<NodeId, number> {
  const relations = scope === undefined ? [] : [...readIn(scope, branches)];
  const own = relations.find(({ id }) => id === source);
  return own === undefined ? new Map() : numbersOf([own, ...relations.filter((each) => each !== own)]);
}

/** The parameters that occur anywhere inside a relation. */
function parametersOf(relation: Relation | undefined, texts: Texts): ReadonlySet<string> {
  if (relation === undefined) return new Set();
  const own = expressionsIn(relation).flatMap((each) => [...texts.parameters(each)]);
  return new Set([...own, ...inputsOf(relation).flatMap((each) => [...parametersOf(each, texts)])]);
}

/** From the result of a SELECT to its FROM clause. */
function enterQuery(query: QueryNode, outer: Path): Path {
  let path = outer;
  const meet = (conditions: readonly (Expression | undefined)[]): void => {
    const all = conditionsIn(conditions.filter((each) => each !== undefined));
    const met = all.map((condition): Met => ({ condition, above: path.barriers }));
    path = { ...path, met: [...path.met, ...met] };
  };
  const pass = (isBarrier: boolean): void => {
    if (isBarrier) path = { ...path, barriers: path.barriers + 1 };
  };
  if (query.limitBy.length > 0) {
    const list = [...query.limitBy, ...query.limitByCounts];
    path = withMet(path, [{ text: 'LIMIT BY ', list, above: path.barriers }]);
  }
  const { limits } = query;
  const sorts = limits.length === 0 ? [] : query.orderBy.map(({ expression }) => expression);
  path = withMet(
    path,
    [...limits, ...sorts].map((condition) => ({ kind: 'limit', condition, above: path.barriers })),
  );
  pass(query.limits.length > 0 || query.limitBy.length > 0 || query.hasLimitSetting);
  meet([query.qualify]);
  const outputs = [
    ...query.projection,
    query.having,
    query.qualify,
    ...query.orderBy.map(({ expression }) => expression),
  ];
  const has = (role: 'aggregate' | 'window'): boolean =>
    outputs.some((each) => each !== undefined && hasRole(each, role));
  pass(has('window'));
  meet([query.having]);
  pass(query.groupBy.length > 0 || has('aggregate'));
  meet([query.where, query.prewhere]);
  return path;
}

function hasRole(expression: Expression, role: 'aggregate' | 'window'): boolean {
  return (
    (expression.kind === 'function' && expression.role === role) ||
    childrenOf(expression).some((each) => hasRole(each, role))
  );
}

/** From a relation to one of its inputs. */
function below(relation: Relation, index: number, path: Path): Path {
  switch (relation.kind) {
    case 'cross_join':
      return withMet(
        path,
        siblingsOf(relation.relations, index).flatMap((each) => hoisted(each, path)),
      );
    case 'join':
      return belowJoin(relation, index, path);
    case 'union':
      return belowUnion(relation, index, path);
    case 'array_join': {
      const own = relation.isLeft ? [] : relation.columns.map(({ expression }) => expression);
      return withMet(path, metIn(own, path));
    }
    case 'query':
    case 'table':
    case 'table_function':
      return path;
  }
}

function withMet(path: Path, met: readonly Met[]): Path {
  return { ...path, met: [...path.met, ...met] };
}

function metIn(conditions: readonly Expression[], { barriers }: Path): readonly Met[] {
  return conditionsIn(conditions).map((condition) => ({ condition, above: barriers }));
}

function siblingsOf(relations: readonly Relation[], index: number): readonly Relation[] {
  return relations.filter((_, at) => at !== index);
}

/** The conditions that a relation's rows satisfy, as far as they are its own: a row that is joined with them passes them. */
function hoisted(relation: Relation, path: Path): readonly Met[] {
  const { atoms, conditions } = blockOf(relation);
  const inner = atoms.flatMap((atom): readonly Met[] => {
    if (atom.kind === 'table') return [];
    if (atom.kind === 'join' && atom.join === 'LEFT' && atom.strictness === 'ALL')
      return hoisted(atom.left, path);
    if (atom.kind === 'join' && atom.join === 'RIGHT' && atom.strictness === 'ALL')
      return hoisted(atom.right, path);
    if (atom.kind === 'array_join') return hoisted(atom.from, path);
    return [{ text: 'matches ', relation: atom, above: path.barriers }];
  });
  return [...metIn(conditions, path), ...inner];
}

function belowJoin(join: JoinNode, index: number, outer: Path): Path {
  const isKept = (join.join === 'LEFT' && index === 0) || (join.join === 'RIGHT' && index === 1);
  // Of several matches, one is chosen among those below the join.
  const isChosen = join.strictness !== 'ALL' && !isKept;
  const path = isChosen ? { ...outer, barriers: outer.barriers + 1 } : outer;
  const at = { ...path, barriers: outer.barriers };
  const sibling = index === 0 ? join.right : join.left;
  const on = metIn(conditionsOfJoin(join), path);
  const all = [...on, ...hoisted(sibling, at)];
  if (isInner(join) || join.join === 'INNER' || join.strictness === 'SEMI') return withMet(path, all);
  if (join.strictness === 'ANTI') {
    const anti: Met = { text: 'no match in ', relation: join, above: path.barriers };
    return isKept ? withMet(path, [anti]) : withMet(path, all);
  }
  if (isKept || join.join === 'FULL' || join.join === 'PASTE') return path;
  return withMet(path, all);
}

function belowUnion(union: UnionNode, index: number, path: Path): Path {
  const branches = new Map(path.branches).set(union.id, index);
  const inner = { ...path, branches, barriers: path.barriers + (union.isRecursive ? 1 : 0) };
  if (union.mode.startsWith('UNION')) return inner;
  const others = siblingsOf(union.branches, index);
  if (union.mode.startsWith('EXCEPT') && index > 0) return inner;
  const text = union.mode.startsWith('EXCEPT') ? 'not in ' : 'in ';
  return withMet(
    inner,
    others.map((relation) => ({ text, relation, above: path.barriers })),
  );
}

/** Whether a query returns exactly the rows of its FROM clause that pass its filters. */
export function isFiltered(relation: Relation): relation is QueryNode {
  if (relation.kind !== 'query' || !isTransparent(relation)) return false;
  return blockOf(relation).atoms.every(({ kind }) => kind === 'table' || kind === 'table_function');
}
