// Whether the names of a query and those of the endpoint's tables are apart, so that a table needs no scope of its own.
import type { Cursor } from '../sql/cursor.ts';
import type { TreeLine } from '../sql/query-tree.ts';
import { GENERATORS } from '../sql/table-references.ts';
import type { NodeKind } from '../sql/tree/nodes.ts';
import { someNode } from '../sql/tree/visit.ts';
import { isEngineFunction } from './functions/policy.ts';
import type { ScanResult } from './scan/scanner.ts';

/** What may give a name to more than a value, or members of a union another scope: in the syntax tree, and in that of the engine. */
const DEFINING: ReadonlySet<NodeKind> = new Set<NodeKind>(['lambda', 'with', 'union', 'windows']);
const DEFINING_LINES: ReadonlySet<string> = new Set(['LAMBDA', 'WITH', 'UNION', 'WINDOW']);

/** Names in lower case: those of the saved query, and all columns of its tables. */
export type TakenNames = ReadonlySet<string>;

/**
 * The engine resolves a WITH table where it is used, so that names of the query around it have a meaning inside. This is true
 * only of queries that define nothing but aliases, none of which the saved query or its tables have: by their syntax tree, by the
 * names that the scanner has read, and by the engine's own tree of the query.
 */
export function isApart(
  { tree, names }: Pick<ScanResult, 'tree' | 'names'>,
  engineTree: TreeLine,
  taken: TakenNames,
): boolean {
  if (someNode(tree.root, ({ kind }) => DEFINING.has(kind))) return false;
  if ([...names].some((name) => taken.has(name.toLowerCase()))) return false;
  return hasOnlyAliases(engineTree, names);
}

/** Aliases are the first attribute of a node, and a name may contain anything: so each must be one that the scanner has read. */
function hasOnlyAliases(node: TreeLine, names: ReadonlySet<string>, isProjected = false): boolean {
  const { kind, isNode, attributes, children } = node;
  if (DEFINING_LINES.has(kind)) return false;
  // The engine numbers all subqueries of a statement, and the result column of such a one is named by its number.
  if (kind === 'QUERY' && isProjected) return false;
  if (isNode && attributes.includes(ALIAS)) {
    const rest = attributes.startsWith(ALIAS) ? attributes.slice(ALIAS.length) : '';
    if (![...names].some((name) => rest === name || rest.startsWith(`${name}, `))) return false;
  }
  return children.every((child) =>
    hasOnlyAliases(child, names, kind !== 'JOIN TREE' && (isProjected || kind === 'PROJECTION')),
  );
}

const ALIAS = ', alias: ';

/**
 * Whether a WITH clause may call a function that the engine does not come with, such as one of CREATE FUNCTION: the names in it are
 * not in the saved query, and would be looked up in the consumer's. May also be true for a clause that calls none.
 */
export function callsUnknown(clause: Cursor): boolean {
  for (let at = 0; at < clause.length; at++) {
    if (clause.kind(at) === '{') at = clause.closing(at); // a parameter and its type
    const name = clause.name(at);
    if (name === undefined || clause.kind(at + 1) !== '(') continue;
    if (!isType(clause, at) && !isKeyword(clause, at) && !isEngineFunction(name)) return true;
  }
  return false;
}

function isType(clause: Cursor, at: number): boolean {
  return clause.kind(at - 1) === '::' || clause.word(at - 1) === 'AS';
}

/** Or a table function of the engine. */
function isKeyword(clause: Cursor, at: number): boolean {
  const [before, word] = [clause.word(at - 1), clause.word(at)];
  // In EXTRACT(DAY FROM f(ts)), a function follows.
  if (before === 'FROM' || before === 'JOIN') return GENERATORS.has(clause.name(at) ?? '');
  if (word === 'ALL') return before === 'UNION' || before === 'EXCEPT' || before === 'INTERSECT';
  return BEFORE_PARENTHESIS.has(word);
}

/** Before a parenthesis, none of them is a call of a function that a server could have. */
const BEFORE_PARENTHESIS: ReadonlySet<string | undefined> = new Set(
  'WITH SELECT DISTINCT FROM JOIN ON USING WHERE PREWHERE BY HAVING IN AS AND OR BETWEEN LIKE ILIKE WHEN THEN ELSE OVER UNION EXCEPT INTERSECT'.split(
    ' ',
  ),
);
