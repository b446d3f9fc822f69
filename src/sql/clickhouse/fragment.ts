// A fragment of SQL that replaces a choice: an expression, or a list of them, each with an alias or a direction.
import type { SqlFinding } from './finding.ts';
import { CLAUSE_WORDS, KEYWORDS, NO_BARE_ALIAS_IN_SAVED } from './tree/keywords.ts';
import type { Node, NodeKind, Tree } from './tree/nodes.ts';
import { parseList } from './tree/parse-part.ts';
import { findingAt, isOutsideBrackets } from './tree/tokens.ts';
import { spanOf, textOf, wordOf } from './tree/visit.ts';

/** An element of the list; offsets into the fragment. */
export interface FragmentElement {
  readonly start: number;
  /** The end of the expression: before AS, ASC, DESC and what follows them. */
  readonly bodyEnd: number;
  readonly end: number;
  /** It is true if the expression has operators: it is put in parentheses, so that those around it do not change its meaning. */
  readonly hasOperators: boolean;
}

/** The elements, or why there are none. */
export interface Fragment {
  readonly text: string;
  readonly elements: readonly FragmentElement[];
  readonly findings: readonly SqlFinding[];
}

/** Reads a fragment. Not guaranteed: that the engine accepts it. */
export function readFragment(text: string): Fragment {
  const tree = parseList(text);
  const finding = findingOf(tree);
  if (finding !== undefined) return { text, elements: [], findings: [finding] };
  const [first, ...others] = tree.root.parts;
  const items = first?.kind === 'distinct' ? others : tree.root.parts;
  const elements = items.map((item) => elementOf(tree, item));
  const [element] = elements;
  if (first?.kind !== 'distinct' || element === undefined) return { text, elements, findings: [] };
  // DISTINCT is not an operand.
  const { start } = spanOf(tree, first);
  return { text, elements: [{ ...element, start, hasOperators: false }, ...elements.slice(1)], findings: [] };
}

/** An error of the lexer is found when the query is bound. */
function findingOf(tree: Tree): SqlFinding | undefined {
  const { cursor, fault } = tree;
  const brackets = cursor.brackets();
  if (cursor.length === 0) {
    const span = { start: 0, end: cursor.sql.length };
    return { ...span, code: 'query.choice_empty', message: 'the fragment is empty' };
  }
  if ('code' in brackets) return brackets;
  const empty = tree.root.parts.find(({ from, to }) => from === to);
  if (empty !== undefined)
    return findingAt(tree, 'choice_empty', 'an element of the list is missing', Math.max(0, empty.from - 1));
  if (fault === undefined || !isOutsideBrackets(tree, fault.at)) return undefined;
  const word = wordOf(tree, fault);
  if (word === ';' || word === '\\G')
    return findingAt(tree, 'several_statements', 'a choice is a part of one statement', fault.at);
  if (word !== 'SETTINGS' && !CLAUSE_WORDS.has(word)) return undefined;
  const clause = textOf(tree, { from: fault.at, to: fault.at + 1 });
  const message = `a choice is an expression or a list of them, and cannot contain the clause ${clause}: write it in the query, or quote the name of a column`;
  return findingAt(tree, 'choice_clause', message, fault.at);
}

/** A negative number is one as well: it has two tokens. */
const OPERATORS: ReadonlySet<NodeKind> = new Set<NodeKind>([
  'and', 'or', 'concat', 'not', 'sign', 'binary', 'in', 'between', 'conditional', 'test', 'lambda', 'interval', 'case', 'quantified',
]); // prettier-ignore

function elementOf(tree: Tree, item: Node): FragmentElement {
  const [part = item] = item.parts;
  const value = part.kind === 'alias' ? (part.parts[0] ?? part) : part;
  // An unknown token is an operator, unless it stands alone after a value, where it may be an alias.
  const isRead =
    item.isWhole || (value.isWhole && value.to === item.to - 1 && isAlias(wordOf(tree, { at: value.to })));
  const isSigned = value.kind === 'number' && value.to > value.from + 1;
  return {
    ...spanOf(tree, item),
    bodyEnd: spanOf(tree, isRead ? value : item).end,
    hasOperators: !isRead || isSigned || OPERATORS.has(value.kind),
  };
}

function isAlias(word: string): boolean {
  return /^[\w`"]/.test(word) && !KEYWORDS.has(word) && !NO_BARE_ALIAS_IN_SAVED.has(word);
}
