// Reads the expressions of the levels of a query as terms.
import { quoteIdentifier } from '../../sql/clickhouse/literal.ts';
import type { Node, NodeKind, Tree } from '../../sql/clickhouse/tree/nodes.ts';
import {
  nodesOf,
  argumentsOf,
  nameOf,
  namesOf,
  operatorOf,
  partOf,
  someNode,
  textOf,
} from '../../sql/clickhouse/tree/visit.ts';
import { boundOf, isClock, isOfArguments, roundingOf, sameTimeZone } from './functions.ts';
import { orderOf, type Level } from './levels.ts';
import { meaningOf } from './meanings.ts';
import {
  combinedTerm,
  constantTerm,
  dimensionTerm,
  limitTerm,
  rowTerm,
  sameTimeTerm,
  noDimension,
  unfitNode,
  textWith,
  timeTerm,
  UNREAD,
  type TimeComparison,
  type Term,
  type Unfit,
} from './term.ts';

export interface TermSource {
  readonly tree: Tree;
  /** The column of time. */
  readonly time: string;
  /** The rollup's column by the text of an expression over the source. */
  readonly dimensions: ReadonlyMap<string, string>;
  /** The term of an aggregate of the level that groups; undefined for other calls. */
  readonly aggregate?: ((call: Node, level: Level) => Term | undefined) | undefined;
}

/** Returns the term of a node; without a level, its names are columns of the source. */
export type ReadTerm = (node: Node, level: Level | undefined) => Term;

const LITERALS: ReadonlySet<NodeKind> = new Set<NodeKind>([
  'number',
  'string',
  'constant',
  'placeholder',
  'typed',
  'type',
]);

const COMBINING: ReadonlySet<NodeKind> = new Set<NodeKind>([
  'tuple', 'array', 'case', 'when', 'else', 'interval', 'arguments', 'parameters', 'access', 'index', 'cast', 'and', 'or', 'concat',
  'not', 'sign', 'binary', 'in', 'between', 'conditional', 'test',
]); // prettier-ignore

const CONDITIONS: ReadonlySet<NodeKind> = new Set<NodeKind>(['in', 'between', 'test']);

const INSIDE_ITSELF = rowTerm(UNREAD, { text: 'a name is defined by itself' });

/** Expressions are nested at most this deep, also through names: each has several calls on the stack. */
const DEEPEST = 256;
const TOO_DEEP = rowTerm(UNREAD, { text: 'an expression of it is nested too deeply' });

interface TermReader extends TermSource {
  readonly read: ReadTerm;
}

/** Creates the reader of one query's terms, each of which is read once. */
export function createTerms(from: TermSource): ReadTerm {
  const { dimensions } = from;
  const known = new Map<Node, Term>();
  let depth = 0;
  const read: ReadTerm = (node, level) => {
    const before = known.get(node);
    if (before !== undefined) return before;
    if (depth >= DEEPEST) return TOO_DEEP;
    known.set(node, INSIDE_ITSELF);
    depth++;
    const term = limitTerm(readNode(reader, node, level));
    depth--;
    const dimension = dimensions.get(term.source);
    // The time itself stays, since a bucket is read in place of it.
    const isOther =
      dimension !== undefined && term.dimension === undefined && term.kind !== 'time' && !isComputed(term);
    const found = isOther ? dimensionTerm(dimension, term.source, quoteIdentifier(dimension)) : term;
    known.set(node, found);
    return found;
  };
  const reader: TermReader = { ...from, read };
  return read;
}

/** Returns whether it is computed from other dimensions: as they are, it belongs to their groups. */
function isComputed({ kind, comparisons, roundings }: Term): boolean {
  return kind !== 'row' && comparisons.length + roundings.length === 0;
}

function readNode(reader: TermReader, node: Node, level: Level | undefined): Term {
  const { tree, read } = reader;
  const [value] = node.parts;
  if (LITERALS.has(node.kind)) return constantTerm(textOf(tree, node));
  if (node.kind === 'column') return readColumn(reader, node, level);
  // A name in place of its expression keeps the expression together.
  if ((node.kind === 'group' || node.kind === 'alias') && value !== undefined)
    return inParentheses(read(value, level));
  if (node.kind === 'call') return readCall(reader, node, level);
  if (node.kind === 'lambda')
    return rowTerm(textInLambda(reader, { node, level, parameters: [] }), noDimension(tree, node));
  if (!COMBINING.has(node.kind)) return rowTerm(UNREAD, noDimension(tree, node));
  return readComparison(reader, node, level) ?? combine(reader, node, level);
}

function combine({ tree, read }: TermReader, node: Node, level: Level | undefined): Term {
  const parts = node.parts.map((part) => read(part, level));
  const texts = textsOf(tree, node, parts);
  const unknown = parts.find(({ kind }) => kind === 'row' || kind === 'time');
  if (unknown === undefined) return combinedTerm(parts, texts, node);
  const isCondition = CONDITIONS.has(node.kind) || (node.kind === 'binary' && isComparing(tree, node));
  return rowTerm(
    texts.source,
    isCondition ? noDimension(tree, node) : (unknown.cause ?? noDimension(tree, node)),
  );
}

interface LambdaPart {
  readonly node: Node;
  readonly level: Level | undefined;
  /** These are the parameters of the lambdas around it. */
  readonly parameters: readonly string[];
}

/**
 * Returns the text of a lambda, or of a part of it. Names of columns are quoted, those of parameters are bare, and no expression has a
 * name.
 */
function textInLambda(reader: TermReader, { node, level, parameters }: LambdaPart): string {
  const { tree, read } = reader;
  if (
    node.kind === 'parameter' ||
    (node.kind === 'column' && parameters.includes(namesOf(tree, node)[0] ?? ''))
  ) {
    const text = textOf(tree, node);
    return /^\w+(?: \. \w+)*$/.test(text) ? text : UNREAD;
  }
  if (node.kind === 'column') return read(node, level).source;
  if (node.kind === 'alias') return UNREAD;
  const own = node.parts.filter(({ kind }) => kind === 'parameter').map((part) => nameOf(tree, part));
  const inner = [...parameters, ...own];
  return textWith(
    tree,
    node,
    node.parts.map((part) => textInLambda(reader, { node: part, level, parameters: inner })),
  );
}

function textsOf(tree: Tree, node: Node, parts: readonly Term[]): Pick<Term, 'source' | 'rollup'> {
  const source = textWith(
    tree,
    node,
    parts.map((part) => part.source),
  );
  const isSame = parts.every((part) => part.source === part.rollup);
  return {
    source,
    rollup: isSame
      ? source
      : textWith(
          tree,
          node,
          parts.map((part) => part.rollup),
        ),
  };
}

function readColumn(reader: TermReader, node: Node, level: Level | undefined): Term {
  const { tree, read } = reader;
  if (level === undefined) return ofSource(reader, namesOf(tree, node), node);
  const meaning = meaningOf(tree, level, node);
  if (meaning === undefined) return rowTerm(UNREAD, noDimension(tree, node));
  return meaning.kind === 'column'
    ? ofSource(reader, meaning.path, node)
    : inParentheses(read(meaning.node, meaning.level));
}

function readCall(reader: TermReader, node: Node, level: Level | undefined): Term {
  const { tree, read, aggregate } = reader;
  const name = nameOf(tree, node);
  const own = level?.isGrouping === true ? aggregate?.(node, level) : undefined;
  if (own !== undefined) return own;
  const list = argumentsOf(node);
  const isPlain = node.parts.length <= 1 && partOf(node, 'arguments') === node.parts.at(0);
  if (!isPlain) return rowTerm(combine(reader, node, level).source, noDimension(tree, node));
  if (isClock(name) && list.every(({ kind }) => LITERALS.has(kind))) return constantTerm(textOf(tree, node));
  const parts = list.map((part) => read(part, level));
  const rounded = parts.some(({ kind }) => kind === 'time')
    ? (readSameTime(tree, node, parts) ?? readRounding(tree, node, parts))
    : undefined;
  if (rounded !== undefined) return rounded;
  const term = combine(reader, node, level);
  return isOfArguments(name) || term.kind === 'row' ? term : rowTerm(term.source, noDimension(tree, node));
}

/** Undefined for a call that is not of the time as another type, or in another zone. */
function readSameTime(tree: Tree, node: Node, parts: readonly Term[]): Term | undefined {
  const [time, ...others] = parts;
  const [list] = node.parts;
  const zone = sameTimeZone(
    nameOf(tree, node),
    others.map(({ source }) => source),
  );
  if (list === undefined || zone === undefined || time?.kind !== 'time') return undefined;
  if (!others.every(({ kind }) => kind === 'constant')) return undefined;
  const { source, rollup } = textsOf(tree, list, parts);
  const texts = { source: textWith(tree, node, [source]), rollup: textWith(tree, node, [rollup]) };
  return sameTimeTerm(texts, zone === 'same' ? (time.zone ?? '?') : zone);
}

/** Undefined for a call that does not round a time. */
function readRounding(tree: Tree, node: Node, parts: readonly Term[]): Term | undefined {
  const texts = argumentsOf(node).map((part) => textOf(tree, part));
  const rounding = roundingOf(nameOf(tree, node), texts);
  if (rounding === undefined) return undefined;
  const isKnown = parts.every(({ kind }, index) => kind === (index === rounding.time ? 'time' : 'constant'));
  const zone = parts[rounding.zone]?.source;
  const [list] = node.parts;
  if (list === undefined || !isKnown || (zone !== undefined && !/^'[\w/+-]+'$/.test(zone))) return undefined;
  const { source, rollup } = textsOf(tree, list, parts);
  return {
    ...constantTerm(textWith(tree, node, [source])),
    rollup: textWith(tree, node, [rollup]),
    kind: 'group',
    roundings: [{ period: rounding.period, zone: zone?.slice(1, -1) ?? parts[rounding.time]?.zone }],
  };
}

function ofSource({ tree, time, dimensions }: TermSource, path: readonly string[], node: Node): Term {
  const text = quoteIdentifier(path.join('.'));
  if (path.length === 1 && path[0] === time) return timeTerm(text);
  const dimension = dimensions.get(text);
  return dimension === undefined
    ? rowTerm(text, noDimension(tree, node))
    : dimensionTerm(dimension, text, quoteIdentifier(dimension));
}

function inParentheses(term: Term): Term {
  return term.isAtomic
    ? term
    : { ...term, source: `( ${term.source} )`, rollup: `( ${term.rollup} )`, isAtomic: true };
}

/** A comparison of a time with constants; undefined for others. */
function readComparison({ tree, read }: TermReader, node: Node, level: Level | undefined): Term | undefined {
  if (node.kind !== 'binary' && node.kind !== 'between') return undefined;
  const parts = node.parts.map((part) => read(part, level));
  const comparisons = comparisonsOf(tree, node, parts);
  if (comparisons === undefined) return undefined;
  const texts = textsOf(tree, node, parts);
  return { ...combinedTerm(parts, texts, node), kind: 'group', comparisons, isTimeOnly: true };
}

/** The comparisons of a time with constants; undefined if it is none. */
function comparisonsOf(
  tree: Tree,
  node: Node,
  parts: readonly Term[],
): readonly TimeComparison[] | undefined {
  const [first, second, third] = parts;
  if (first === undefined || second === undefined) return undefined;
  if (node.kind === 'between') {
    const [low, high] = [compareWith('>=', first, second), third && compareWith('<=', first, third)];
    return low === undefined || high === undefined ? undefined : [low, high];
  }
  const order = orderOf(tree, node);
  const found =
    order && (compareWith(order.operator, first, second) ?? compareWith(order.reversed, second, first));
  return found === undefined ? undefined : [found];
}

function compareWith(operator: string, time: Term, constant: Term): TimeComparison | undefined {
  const isColumn = time.kind === 'time' && time.zone === undefined;
  const bound = isColumn && constant.kind === 'constant' ? boundOf(constant.source) : undefined;
  return (
    bound && {
      operator,
      bound: constant.isAtomic ? constant.source : `(${constant.source})`,
      isDay: bound.isDay,
      isNullable: bound.isNullable,
    }
  );
}

function isComparing(tree: Tree, node: Node): boolean {
  return ['=', '==', '!=', '<>', '<', '<=', '>', '>=', '<=>', 'LIKE', 'ILIKE', 'REGEXP'].includes(
    operatorOf(tree, node),
  );
}

/** A column that is named after a call that reads the clock: a statement that is routed has the time instead. */
export function unnamedClock(tree: Tree): Unfit | undefined {
  const items = nodesOf(tree.root, 'list').flatMap(({ parts }) => parts);
  const item = items.find(
    (each) =>
      each.kind !== 'alias' && someNode(each, (node) => node.kind === 'call' && isClock(nameOf(tree, node))),
  );
  return item && unfitNode(tree, item, 'has no name (AS), and would get another one');
}
