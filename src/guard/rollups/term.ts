// A term says what is known of an expression of a query: whether it has one value for all rows of a group of the rollup, and its
// text over the columns of the source and over those of the rollup.
import type { Node, Tree } from '../../sql/clickhouse/tree/nodes.ts';
import { sourceOf, spanOf } from '../../sql/clickhouse/tree/visit.ts';

/** `time op bound`: it has one value in a bucket if it has the same one at both ends. */
export interface TimeComparison {
  readonly operator: string;
  /** An expression without columns. */
  readonly bound: string;
  /** It is true if the term may be a day, which begins at different instants. */
  readonly isDay: boolean;
  /** It is true if the bound may be NULL, with which nothing compares. */
  readonly isNullable: boolean;
}

/** A time is rounded down to multiples of a period, in a time zone; undefined: that of the column. */
export interface RoundedTime {
  readonly period: number;
  readonly zone: string | undefined;
}

/** It explains why a query has to read rows: `quoted`, which is a part of the query, is not what is needed. */
export interface Unfit {
  readonly quoted?: string;
  /** If the quoted text is part of the statement as written, it begins at this offset. */
  readonly at?: number;
  readonly text: string;
}

export interface Term {
  /**
   * `constant`: it reads no column. `group`: one value for all rows of a group, if its comparisons have one in the bucket and its
   * roundings are multiples of the grain. `time`: the time of a row. `row`: anything else.
   */
  readonly kind: 'constant' | 'group' | 'time' | 'row';
  readonly source: string;
  readonly rollup: string;
  readonly comparisons: readonly TimeComparison[];
  readonly roundings: readonly RoundedTime[];
  /** A term of kind `time` is rounded in this time zone, unless it is the column itself; `?` is one that is not known. */
  readonly zone?: string | undefined;
  /** The dimension that it is as a whole. */
  readonly dimension: string | undefined;
  /** A term of kind `row` has this cause. */
  readonly cause: Unfit | undefined;
  /** It is true if the term needs no parentheses as an operand. */
  readonly isAtomic: boolean;
  /** It is true if the term cannot fail on a row, and reads nothing of the row but its time. */
  readonly isTimeOnly: boolean;
}

const NOTHING = {
  comparisons: [],
  roundings: [],
  dimension: undefined,
  cause: undefined,
  isAtomic: true,
} as const;

export function constantTerm(text: string): Term {
  return { ...NOTHING, kind: 'constant', source: text, rollup: text, isTimeOnly: true };
}

export function timeTerm(text: string): Term {
  return { ...NOTHING, kind: 'time', source: text, rollup: text, isTimeOnly: false };
}

/** The same second as the time of a row, in another type or time zone. */
export function sameTimeTerm(texts: Pick<Term, 'source' | 'rollup'>, zone: string | undefined): Term {
  return { ...NOTHING, ...texts, kind: 'time', isTimeOnly: false, zone };
}

export function dimensionTerm(name: string, source: string, rollup: string): Term {
  return { ...NOTHING, kind: 'group', source, rollup, dimension: name, isTimeOnly: false };
}

export function rowTerm(source: string, cause: Unfit | undefined): Term {
  return { ...NOTHING, kind: 'row', source, rollup: source, cause, isTimeOnly: false };
}

/** This text marks what is not read as an expression: it occurs nowhere else, and in no text that is compared. */
export const UNREAD = '\0';

/** The text of an expression in which names are replaced by their expressions has at most this many characters. */
const LONGEST_TERM = 16_384;
/** An expression has at most this many comparisons with the time, and roundings of it. */
const MOST_TIMES = 32;

/** Returns the term if it is not too large: each name can double what it means. */
export function limitTerm(term: Term): Term {
  const isLong = Math.max(term.source.length, term.rollup.length) > LONGEST_TERM;
  const isLarge = isLong || Math.max(term.comparisons.length, term.roundings.length) > MOST_TIMES;
  return isLarge ? rowTerm('', { text: 'an expression of it is too long' }) : term;
}

/** The cause of a node that is no function of dimensions. */
export function noDimension(tree: Tree, node: Node): Unfit {
  return unfitNode(tree, node, 'is not a dimension');
}

/** A term made of others, with texts of its own. */
export function combinedTerm(
  parts: readonly Term[],
  texts: Pick<Term, 'source' | 'rollup'>,
  node: Pick<Node, 'kind'>,
): Term {
  const kind = parts.every((part) => part.kind === 'constant') ? 'constant' : 'group';
  return {
    ...texts,
    kind,
    comparisons: allOf(parts.map(({ comparisons }) => comparisons)),
    roundings: allOf(parts.map(({ roundings }) => roundings)),
    dimension: undefined,
    cause: undefined,
    isAtomic: ATOMIC.has(node.kind),
    isTimeOnly: kind === 'constant' || (TOTAL.has(node.kind) && parts.every(({ isTimeOnly }) => isTimeOnly)),
  };
}

/** Most terms have none. */
function allOf<T>(lists: readonly (readonly T[])[]): readonly T[] {
  const [first = [], ...others] = lists.filter(({ length }) => length > 0);
  return others.length === 0 ? first : [first, ...others].flat();
}

const ATOMIC: ReadonlySet<Node['kind']> = new Set<Node['kind']>([
  'call', 'tuple', 'array', 'index', 'access', 'arguments', 'parameters', 'case', 'when', 'else',
]); // prettier-ignore

/** Combinations that no value makes fail. */
const TOTAL: ReadonlySet<Node['kind']> = new Set<Node['kind']>(['and', 'or', 'not', 'binary', 'between']);

/** The tokens of a node with single spaces between them, with other texts for its parts. */
export function textWith(tree: Tree, node: Node, texts: readonly string[]): string {
  const words: string[] = [];
  let at = node.from;
  const copy = (to: number): void => {
    for (; at < to; at++) words.push(tree.cursor.text(at));
  };
  for (const [index, part] of node.parts.entries()) {
    copy(part.from);
    words.push(texts[index] ?? '');
    at = part.to;
  }
  copy(node.to);
  return words.join(' ');
}

const LONGEST_CAUSE = 60;

/** Returns the reason for a part of the query. */
export function unfitNode(tree: Tree, node: Node, text: string): Unfit {
  return { quoted: shownNode(tree, node), at: spanOf(tree, node).start, text };
}

/** A node as it is written, in one line and not too long for a sentence. */
function shownNode(tree: Tree, node: Node): string {
  const text = sourceOf(tree, node).replace(/\s+/g, ' ');
  return text.length > LONGEST_CAUSE ? `${text.slice(0, LONGEST_CAUSE)}…` : text;
}
