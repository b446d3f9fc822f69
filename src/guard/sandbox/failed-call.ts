// Finds in a consumer query the call or the operator that the engine was executing when it failed.
import type { Node, Tree } from '../../sql/clickhouse/tree/nodes.ts';
import { nameOf, operatorOf, someNode, sourceOf, spanOf, walk } from '../../sql/clickhouse/tree/visit.ts';
import type { EngineMessage } from './engine-message.ts';
import { OPERATORS, type TextMatch } from './find-in-query.ts';

/** The engine executed this function; it prints each argument cut after some hundred characters. */
interface Executed {
  readonly name: string;
  readonly leaves: readonly string[];
  readonly isCut: boolean;
}

/** The innermost function comes first. */
const EXECUTED = /\bwhile executing 'FUNCTION (\w+)\((.*?)\) -> /is;

/** Strings, numbers and names; a type follows constants, a number each argument. */
const LEAVES =
  /'((?:[^'\\]|\\.)*)'(?:_[A-Z]\w*)?|(?<![\w.])(\d[\d.]*)(?:_[A-Z]\w*)?|((?:`[^`]+`|[A-Za-z_]\w*)(?:\.(?:`[^`]+`|\w+))*)(?![\w(])/g;

function executed(message: string): Executed | undefined {
  const [, name, text = ''] = EXECUTED.exec(message) ?? [];
  if (name === undefined) return undefined;
  const plain = text.replaceAll(/ :: \d+(?=, |$)/g, '');
  const leaves = [...plain.matchAll(LEAVES)].map(([, string, number, path = '']) =>
    leaf(string ?? number ?? path.split('.').at(-1) ?? ''),
  );
  return { name: name.toLowerCase(), leaves, isCut: plain.includes('...') };
}

const leaf = (text: string): string => text.replaceAll('`', '').toLowerCase();

/** Functions that execute their arguments only where they need them: one of those has failed. */
const LAZY: ReadonlySet<string> = new Set(['if', 'multiif', 'and', 'or', 'ifnull', 'coalesce']);

/** The functions that fail with an error of a conversion, by its code. */
const CAUSES: readonly (readonly [codes: readonly number[], cause: RegExp])[] = [
  [[38, 41], /^(?:parsedate|to(?:start|date|unix)|_?cast$)/],
  [[72], /^(?:to(?:float|decimal)|_?cast$)/],
  [[467], /^(?:tobool|_?cast$)/],
  [[6, 27, 32, 33, 632], /^(?:to|parse|_?cast$|accuratecast$)/],
  [[70, 349], /^(?:to|_?cast$|accuratecast$)/],
  [[153], /^(?:modulo|intdiv|divide|mod)/],
];

/** A call or an operator of the query, by the name of its function. */
interface Candidate {
  readonly node: Node;
  readonly name: string;
}

function candidatesIn(query: Tree, within: Node = query.root): readonly Candidate[] {
  const found: Candidate[] = [];
  walk(within, (node) => {
    const name = functionOf(query, node);
    if (name !== undefined) found.push({ node, name });
  });
  return found;
}

const FUNCTIONS: ReadonlyMap<string, string> = new Map(
  [...OPERATORS].map(([name, symbol]) => [symbol, name]),
);

function functionOf(query: Tree, node: Node): string | undefined {
  const { kind } = node;
  if (kind === 'call') return nameOf(query, node).toLowerCase();
  if (kind === 'binary') return FUNCTIONS.get(operatorOf(query, node));
  return kind === 'cast' || kind === 'and' || kind === 'or' || kind === 'concat' ? kind : undefined;
}

/** The names, numbers and strings of a node. */
function leavesOf(query: Tree, node: Node): readonly string[] {
  const leaves: string[] = [];
  walk(node, ({ kind, to, from }) => {
    if (kind === 'column') leaves.push(leaf(nameOf(query, { at: to - 1 })));
    if (kind === 'number') leaves.push(sourceOf(query, { from, to }));
    if (kind === 'string') leaves.push(leaf(sourceOf(query, { from, to }).slice(1, -1)));
  });
  return leaves;
}

/** Returns how many leaves both have, less those that only the query has. */
function likeness(query: Tree, node: Node, { leaves, isCut }: Executed): number {
  const open = [...leaves];
  const own = leavesOf(query, node);
  const others = own.filter((each) => {
    const at = open.indexOf(each);
    if (at >= 0) open.splice(at, 1);
    return at < 0;
  });
  return own.length - others.length - (isCut ? 0 : others.length);
}

/** The first of the candidates that are most like what was executed; undefined if none is. */
function nearest(query: Tree, candidates: readonly Candidate[], known: Executed): Candidate | undefined {
  const rated = candidates.map((each) => ({ each, rate: likeness(query, each.node, known) }));
  const most = Math.max(...rated.map(({ rate }) => rate));
  return most > 0 ? rated.find(({ rate }) => rate === most)?.each : undefined;
}

const SAME: Readonly<Record<string, string>> = { _cast: 'cast', mod: 'modulo' };
const plainName = (name: string): string => SAME[name] ?? name;

/** The most candidates that are compared with what was executed: each comparison reads all of one. */
const MAX_CANDIDATES = 200;

/** The call or the operator that failed; undefined if the message names none, or none of the query. */
export function failedCall(query: Tree, { message, engineCode }: EngineMessage): TextMatch | undefined {
  const known = executed(message);
  if (known === undefined) return undefined;
  const named = candidatesIn(query).filter(({ name }) => plainName(name) === plainName(known.name));
  const call = nearest(query, named.slice(0, MAX_CANDIDATES), known);
  if (call === undefined) return undefined;
  const isLazy = LAZY.has(known.name) || known.name.startsWith('array');
  const cause = isLazy ? causeIn(query, { within: call.node, isOfRows: true, code: engineCode }) : undefined;
  return matchOf(query, cause ?? call);
}

/** The only call of the query that fails with such an error, for messages that name none: of constants. */
export function onlyCause(query: Tree, { engineCode }: EngineMessage): TextMatch | undefined {
  const cause = causeIn(query, { isOfRows: false, code: engineCode });
  return cause && matchOf(query, cause);
}

/** The only one that fails with such an error, but for those inside of it; constants have been evaluated before. */
function causeIn(
  query: Tree,
  {
    within,
    isOfRows,
    code,
  }: { readonly within?: Node; readonly isOfRows: boolean; readonly code: number | undefined },
): Candidate | undefined {
  const cause = CAUSES.find(([codes]) => codes.includes(code ?? 0))?.[1];
  const failing = candidatesIn(query, within).filter(
    ({ node, name }) =>
      cause?.test(name) === true && someNode(node, ({ kind }) => kind === 'column') === isOfRows,
  );
  // A node is visited before its parts.
  const [only, ...more] = failing;
  return more.every(({ node }) => only !== undefined && node.to <= only.node.to) ? only : undefined;
}

function matchOf(query: Tree, { node }: Candidate): TextMatch {
  const name = { from: node.at, to: node.at + 1 };
  return { source: sourceOf(query, name), start: spanOf(query, name).start };
}
