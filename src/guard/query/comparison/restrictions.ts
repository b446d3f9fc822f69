// What restricts the rows of each source on their way to the result.
import { blockOf, conditionsOfJoin, isInner, isTransparent, modifiersOf } from './blocks.ts';
import { conditionsIn, createTexts, numbersOf, readIn, type Texts } from './canonical.ts';
import {
  childrenOf, expressionsIn, inputsOf,
  type Expression, type JoinNode, type NodeId, type QueryNode, type Relation, type UnionNode,
} from '../tree/nodes.ts'; // prettier-ignore
import {
  ANY_ONCE, cutsOf, cutText, expressionsOfCut, readCut, readOnce,
  type Cut, type CutNode, type Once,
} from './cuts.ts'; // prettier-ignore
import { splitHaving } from './group-conditions.ts';
import { isSourceFree } from '../sources.ts';
import { dictionaryOf } from '../confinement/values.ts';

/** Rows have no influence on the result unless the condition is true, or they are among those that are kept. */
export interface Restriction {
  /**
   * `relation`: of other rows, compared by its text; `join`: the same of rows that have restrictions of their own; `key`: what a dictionary is asked for; `elements`: rows whose array has elements;
   * `match`: one of several rows that match in a join; `read`: those of the table that FINAL or SAMPLE reads.
   */
  readonly kind: 'filter' | 'relation' | 'join' | 'key' | 'cut' | 'once' | 'elements' | 'match' | 'read';
  readonly text: string;
  readonly parameters: ReadonlySet<string>;
  /** Windows, aggregates and limits between the source and the condition: what they computed depends on other rows too. */
  readonly stage: number;
  /** Undefined for one that only an equal text implies. */
  readonly condition: Expression | undefined;
  readonly texts: Texts;
  readonly cut?: Cut | undefined;
  readonly once?: Once | undefined;
}

/** One read of a source. */
export interface SourceReading {
  readonly source: NodeId;
  /** `database.table`; of a table function with its arguments. */
  readonly name: string;
  readonly restrictions: readonly Restriction[];
  /** It is true if the rows of the result are made of its rows: not for one in a subquery of an expression or behind EXCEPT, or a dictionary. */
  readonly isMain: boolean;
  /** It is true if it is in a subquery of a condition, which is compared as a whole. */
  readonly isCondition: boolean;
  /** It is true if the result has rows without one of its rows, by LEFT JOIN and the like. */
  readonly isOptional: boolean;
  /** It is true if it is in a branch of a union. */
  readonly isBranch: boolean;
}

/** A condition met on the way from the result to a source. */
interface Met {
  readonly kind?: Restriction['kind'];
  readonly condition?: Expression;
  readonly text?: string;
  readonly relation?: Relation;
  readonly list?: readonly Expression[];
  readonly cut?: CutNode;
  /** The keys of DISTINCT or GROUP BY; undefined for UNION DISTINCT. */
  readonly once?: { readonly keys: readonly Expression[] | undefined; readonly hasSubtotals: boolean };
  /** Barriers above it. */
  readonly above: number;
}

interface Path {
  /** The whole query, and the subqueries of expressions down to this place. */
  readonly scopes: readonly Relation[];
  readonly met: readonly Met[];
  readonly barriers: number;
  readonly branches: ReadonlyMap<NodeId, number>;
  /** It is true if the rows here are those of the result, filtered. */
  readonly isResult: boolean;
  readonly isMain: boolean;
  readonly isCondition: boolean;
  readonly isOptional: boolean;
}

export interface ReadingOptions {
  /** The texts of the query around a subquery. */
  readonly around?: Texts;
}

/** Every read of the sources of a query, those of its subqueries included. */
export function readingsOf(
  root: QueryNode | UnionNode,
  options: ReadingOptions = {},
): readonly SourceReading[] {
  const found: SourceReading[] = [];
  const visit = (relation: Relation, outer: Path): void => {
    const path = relation.kind === 'query' ? enterQuery(relation, outer) : outer;
    if ((relation.kind === 'table' || relation.kind === 'table_function') && !isSourceFree(relation))
      found.push(readingOf(relation.id, relation, withMet(path, readMet(relation, path)), options));
    const conditions = new Set(conditionsOf(relation));
    for (const expression of expressionsIn(relation))
      visitExpression(expression, conditions.has(expression) ? { ...path, isCondition: true } : path);
    for (const [index, input] of inputsOf(relation).entries()) visit(input, below(relation, index, path));
  };
  const visitExpression = (expression: Expression, path: Path): void => {
    if (expression.kind === 'subquery')
      visit(expression.query, start([...path.scopes, expression.query], path.isCondition));
    if (expression.kind === 'table_set')
      visit(expression.table, start([...path.scopes, expression.table], path.isCondition));
    const lookup = dictionaryOf(expression);
    if (lookup !== undefined && expression.kind === 'function') {
      const key = lookup.keys.map((each): Met => ({ kind: 'key', condition: each, above: path.barriers }));
      const reading = readingOf(expression.id, lookup.name, { ...path, met: key }, options);
      found.push({ ...reading, isMain: false });
    }
    for (const child of childrenOf(expression)) visitExpression(child, path);
  };
  visit(root, start([root]));
  return found;
}

/** FINAL and SAMPLE of a table. */
function readMet(relation: Relation, { barriers }: Path): readonly Met[] {
  if (relation.kind !== 'table') return [];
  return modifiersOf(relation).map((text): Met => ({ kind: 'read', text, above: barriers }));
}

/** The conditions on the rows of a relation. */
function conditionsOf(relation: Relation): readonly (Expression | undefined)[] {
  if (relation.kind === 'join') return [relation.on];
  return relation.kind === 'query'
    ? [relation.prewhere, relation.where, relation.having, relation.qualify]
    : [];
}

function start(scopes: readonly Relation[], isCondition = false): Path {
  return {
    scopes,
    met: [],
    barriers: 0,
    branches: new Map(),
    isResult: scopes.length === 1,
    isMain: scopes.length === 1,
    isCondition,
    isOptional: false,
  };
}

function readingOf(
  source: NodeId,
  read: string | Relation,
  path: Path,
  { around }: ReadingOptions,
): SourceReading {
  const { scopes, met, barriers, branches, isMain, isCondition, isOptional } = path;
  const [root, ...subqueries] = scopes;
  const numbers = selfFirst(source, scopes.at(-1), branches);
  if (root === undefined) throw new Error('a place outside a query');
  const outermost = around?.inside(root) ?? createTexts(root, { isPlain: true, branches, numbers });
  const texts = subqueries.reduce((outer, each) => outer.inside(each), outermost);
  return {
    source,
    name:
      typeof read === 'string'
        ? read
        : texts.relation(read.kind === 'table' ? { ...read, isFinal: false, sample: '' } : read),
    restrictions: met.map((each) => restrictionOf(each, barriers, texts)),
    isMain,
    isCondition,
    isOptional,
    isBranch: branches.size > 0,
  };
}

function restrictionOf(met: Met, barriers: number, texts: Texts): Restriction {
  const { kind = 'filter', condition, text = '', relation, list = [], above } = met;
  const cut = met.cut && readCut(met.cut, texts);
  const once = met.once && onceOf(met.once, texts);
  const all = [...list, ...(met.cut === undefined ? [] : expressionsOfCut(met.cut))];
  const parts = [
    ...(relation === undefined ? [] : [texts.relation(relation)]),
    ...(cut === undefined ? [] : [cutText(cut)]),
    ...list.map(texts.expression).toSorted(),
  ];
  const inner = [...parametersOf(relation, texts), ...all.flatMap((each) => [...texts.parameters(each)])];
  return {
    kind,
    text: condition === undefined ? `${text}${parts.join(', ')}` : texts.expression(condition),
    parameters: condition === undefined ? new Set(inner) : texts.parameters(condition),
    stage: barriers - above,
    condition,
    texts,
    cut,
    once,
  };
}

function onceOf({ keys, hasSubtotals }: NonNullable<Met['once']>, texts: Texts): Once {
  return keys === undefined ? ANY_ONCE : readOnce(keys, hasSubtotals, texts);
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
  const cuts = cutsOf(query, path.isResult);
  path = withMet(
    path,
    cuts.map((cut): Met => ({ kind: 'cut', cut, above: path.barriers })),
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
  const isGrouped = query.groupBy.length > 0 || has('aggregate');
  const arrays = outputs.flatMap((each) => (each === undefined ? [] : arraysIn(each)));
  path = withMet(path, [...onceIn(query, isGrouped, path), ...elementsMet(arrays, path)]);
  pass(has('window'));
  const { ofKeys, ofGroups } = splitHaving(query);
  meet(ofGroups);
  pass(isGrouped);
  meet([...ofKeys, query.where, query.prewhere]);
  return path;
}

/** DISTINCT and GROUP BY; in a subquery of an expression they change nothing. */
function onceIn(query: QueryNode, isGrouped: boolean, { scopes, barriers }: Path): readonly Met[] {
  if (scopes.length > 1) return [];
  const { groupBy, hasSubtotals, projection } = query;
  const keys = groupBy.flatMap((each) => (each.kind === 'list' ? each.items : [each]));
  const distinct = { keys: projection, hasSubtotals: false };
  return [
    ...(query.isDistinct
      ? [{ kind: 'once' as const, text: 'DISTINCT', once: distinct, above: barriers }]
      : []),
    ...(isGrouped
      ? [{ kind: 'once' as const, text: 'GROUP BY', once: { keys, hasSubtotals }, above: barriers }]
      : []),
  ];
}

/** Rows whose array has elements, as those of an array that is written out have. */
function elementsMet(arrays: readonly Expression[], { barriers }: Path): readonly Met[] {
  return arrays
    .filter((each) => !isWritten(each))
    .map((condition): Met => ({ kind: 'elements', condition, above: barriers }));
}

function isWritten(array: Expression): boolean {
  if (array.kind === 'constant') return array.text !== 'Array_[]';
  return array.kind === 'function' && array.name === 'array' && array.arguments.length > 0;
}

function arraysIn(expression: Expression): readonly Expression[] {
  const isOwn = expression.kind === 'function' && expression.name === 'arrayJoin';
  return isOwn ? expression.arguments : childrenOf(expression).flatMap(arraysIn);
}

function hasRole(expression: Expression, role: 'aggregate' | 'window'): boolean {
  return (
    (expression.kind === 'function' && expression.role === role) ||
    childrenOf(expression).some((each) => hasRole(each, role))
  );
}

/** From a relation to one of its inputs. */
function below(relation: Relation, index: number, outer: Path): Path {
  const path = relation.kind === 'query' ? outer : { ...outer, isResult: false };
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
      return withMet(path, elementsMet(own, path));
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
    return [{ kind: 'join', text: 'matches ', relation: atom, above: path.barriers }];
  });
  return [...metIn(conditions, path), ...inner];
}

function belowJoin(join: JoinNode, index: number, outer: Path): Path {
  const isKept = (join.join === 'LEFT' && index === 0) || (join.join === 'RIGHT' && index === 1);
  const isOptional = outer.isOptional || (!isKept && join.join !== 'INNER');
  // Of several matches, one is chosen among those below the join.
  const isChosen = join.strictness !== 'ALL' && !isKept;
  const path = { ...outer, isOptional, barriers: outer.barriers + (isChosen ? 1 : 0) };
  const at = { ...path, barriers: outer.barriers };
  const sibling = index === 0 ? join.right : join.left;
  const on = metIn(conditionsOfJoin(join), path);
  const all = [...on, ...hoisted(sibling, at), ...matchIn(join, outer)];
  if (isInner(join) || join.join === 'INNER' || join.strictness === 'SEMI') return withMet(path, all);
  if (join.strictness === 'ANTI') {
    const anti: Met = {
      kind: 'relation',
      text: 'no match in ',
      relation: sibling,
      list: conditionsOfJoin(join),
      above: path.barriers,
    };
    return isKept ? withMet(path, [anti]) : { ...withMet(path, all), isMain: false };
  }
  if (isKept || (join.join !== 'LEFT' && join.join !== 'RIGHT')) return withMet(path, matchIn(join, outer));
  return withMet(path, all);
}

/** ANY and ASOF join each row once. */
function matchIn({ strictness }: JoinNode, { barriers }: Path): readonly Met[] {
  if (strictness !== 'ANY' && strictness !== 'ASOF') return [];
  return [{ kind: 'match', text: `one match of ${strictness} JOIN`, above: barriers }];
}

function belowUnion(union: UnionNode, index: number, path: Path): Path {
  const branches = new Map(path.branches).set(union.id, index);
  const isDistinct = union.mode.endsWith('DISTINCT') && path.scopes.length === 1;
  const once = { keys: undefined, hasSubtotals: false };
  const met: readonly Met[] = isDistinct
    ? [{ kind: 'once', text: 'DISTINCT', once, above: path.barriers }]
    : [];
  const barriers = path.barriers + (union.isRecursive ? 1 : 0);
  const inner = { ...withMet(path, met), branches, barriers };
  if (union.mode.startsWith('UNION')) return inner;
  const others = siblingsOf(union.branches, index);
  if (union.mode.startsWith('EXCEPT') && index > 0) return { ...inner, isMain: false };
  const text = union.mode.startsWith('EXCEPT') ? 'not in ' : 'in ';
  return withMet(
    inner,
    others.map((relation) => ({ kind: 'relation', text, relation, above: path.barriers })),
  );
}

/** Returns whether a query returns exactly the rows of its FROM clause that pass its filters. */
export function isFiltered(relation: Relation): relation is QueryNode {
  if (relation.kind !== 'query' || !isTransparent(relation)) return false;
  return blockOf(relation).atoms.every(({ kind }) => kind === 'table' || kind === 'table_function');
}
