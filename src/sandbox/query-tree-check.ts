// The query tree check: applies the scanner's rules a second time, to the tree that the engine itself has parsed.
import type { Complaint } from './consumer-text.ts';
import type { FunctionPolicy } from './function-policy.ts';
import { isNamedTuple } from './named-tuple.ts';
import type { NamedTupleReader } from './named-tuple.ts';
import { attribute, parseQueryTree } from './query-tree.ts';
import type { TreeLine } from './query-tree.ts';
import type { ScanResult } from './scanner.ts';
import { argumentIndex, complaintAboutArgument, stringArgument, subcolumnFault } from './string-arguments.ts';
import { judgeStates } from './tree-states.ts';
import { IN_FUNCTIONS } from './keywords.ts';

/** Functions that the engine creates from syntax; a query cannot call them by name. */
const SYNTAX_FUNCTIONS: ReadonlySet<string> = new Set(['exists', 'casewithexpression', ...IN_FUNCTIONS]);

const NODES: ReadonlySet<string> = new Set([
  'LIST', 'CONSTANT', 'MATCHER', 'JOIN', 'CROSS JOIN', 'CROSS_JOIN', 'ARRAY_JOIN', 'SORT', 'WINDOW', 'INTERPOLATE',
  'APPLY COLUMN TRANSFORMER', 'EXCEPT COLUMN TRANSFORMER', 'REPLACE COLUMN TRANSFORMER',
]); // prettier-ignore

const HEADINGS: ReadonlySet<string> = new Set([
  'WITH', 'PROJECTION', 'JOIN TREE', 'TABLE EXPRESSION', 'LEFT TABLE EXPRESSION', 'RIGHT TABLE EXPRESSION',
  'JOIN EXPRESSION', 'JOIN EXPRESSIONS', 'PREWHERE', 'WHERE', 'GROUP BY', 'HAVING', 'WINDOW', 'QUALIFY', 'ORDER BY',
  'INTERPOLATE', 'LIMIT BY LIMIT', 'LIMIT BY OFFSET', 'LIMIT BY', 'LIMIT', 'OFFSET', 'QUERIES', 'ARGUMENTS', 'PARAMETERS',
  'PARTITION BY', 'FRAME BEGIN OFFSET', 'FRAME END OFFSET', 'FILL FROM', 'FILL TO', 'FILL STEP', 'FILL STALENESS',
  'INTERPOLATE_EXPRESSION', 'EXPRESSION',
]); // prettier-ignore

const TABLE_PARTS: ReadonlySet<string> = new Set([
  'JOIN TREE', 'TABLE EXPRESSION', 'LEFT TABLE EXPRESSION', 'RIGHT TABLE EXPRESSION',
]); // prettier-ignore

/** The table that the engine uses for a query without FROM; it holds one row with a zero. */
const NO_TABLE = 'system.one';

export interface Judgement {
  readonly scanned: Pick<ScanResult, 'tables' | 'names' | 'stateColumns' | 'hasStates'>;
  readonly functions: FunctionPolicy;
  /** Whether a bare name would be a call of a function that is not allowed. */
  readonly isBareCall: (name: string) => boolean;
}

/** The consumer's WITH tables in scope. */
type Own = ReadonlySet<string>;

/** Checks the output of `EXPLAIN QUERY TREE run_passes = 0`; undefined if it agrees with the scanner. */
export function judgeTree(tree: string, judgement: Judgement): Complaint | undefined {
  const parsed = parseQueryTree(tree);
  return 'complaint' in parsed ? parsed.complaint : judgeParsedTree(parsed.root, judgement);
}

/** The same for a tree that has been parsed; `parsed` is its root line. */
export function judgeParsedTree(parsed: TreeLine, judgement: Judgement): Complaint | undefined {
  const [root] = parsed.children;
  if (root === undefined || parsed.children.length !== 1) return odd('nothing');
  return (
    judgeQuery(judgement, root, new Set()).complaint ?? judgeStates(root, judgement.scanned.stateColumns)
  );
}

function odd(what: string): Complaint {
  return {
    code: 'sandbox.check_mismatch',
    message: `The engine reads ${what.slice(0, 60)} in the query, which is not taken`,
  };
}

/** A query's verdict, and the scope that its WITH leaves to later members of a union. */
interface QueryVerdict {
  readonly complaint: Complaint | undefined;
  readonly declared: Own;
}

function judgeQuery(judgement: Judgement, query: TreeLine, own: Own): QueryVerdict {
  if (!query.isNode) return { complaint: odd(query.kind), declared: own };
  if (query.kind === 'UNION') return judgeUnion(judgement, query, own);
  if (query.kind !== 'QUERY' || query.attributes.includes('recursive'))
    return { complaint: odd(query.kind), declared: own };
  const names = new Set(own);
  for (const part of query.children) {
    const complaint =
      part.kind === 'WITH' ? judgeWith(judgement, part, names) : judgePart(judgement, part, names);
    if (complaint !== undefined) return { complaint, declared: own };
  }
  return { complaint: undefined, declared: names };
}

/** Members see the first one's WITH, which the engine copies into each; a WITH of their own would shadow it. */
function judgeUnion(judgement: Judgement, union: TreeLine, own: Own): QueryVerdict {
  const shape = union.children.every(
    (part) => part.kind === 'QUERIES' && part.children.every((list) => list.kind === 'LIST'),
  );
  if (!shape) return { complaint: odd('an odd union'), declared: own };
  const members = membersOf(union);
  const shared = withOf(members[0]);
  let scope = own;
  for (const member of members) {
    const copy = withOf(member);
    if (copy !== undefined && (shared === undefined || !isSame(copy, shared))) {
      return { complaint: odd('a WITH inside a union'), declared: own };
    }
    const verdict = judgeQuery(judgement, member, scope);
    if (verdict.complaint !== undefined) return verdict;
    scope = verdict.declared;
  }
  return { complaint: undefined, declared: scope };
}

function membersOf(union: TreeLine): readonly TreeLine[] {
  return union.children.flatMap((part) => part.children).flatMap((list) => list.children);
}

/** The WITH of a query, or of the first member of a union. */
function withOf(query: TreeLine | undefined): TreeLine | undefined {
  if (query?.kind === 'UNION') return withOf(membersOf(query)[0]);
  return query?.children.find((part) => part.kind === 'WITH');
}

/** Whether two trees are equal apart from their node ids. */
function isSame(a: TreeLine, b: TreeLine): boolean {
  if (a.kind !== b.kind || a.attributes !== b.attributes || a.children.length !== b.children.length)
    return false;
  return a.children.every((child, index) => {
    const other = b.children[index];
    return other !== undefined && isSame(child, other);
  });
}

/** Each WITH table sees the tables before it, but not itself. */
function judgeWith(judgement: Judgement, part: TreeLine, names: Set<string>): Complaint | undefined {
  for (const element of part.children.flatMap((list) => (list.kind === 'LIST' ? list.children : [list]))) {
    const isTable = element.attributes.includes(', is_cte: 1');
    const complaint = isTable
      ? judgeQuery(judgement, element, names).complaint
      : judgeNode(judgement, element, names);
    if (complaint !== undefined) return complaint;
    if (!isTable) continue;
    const name = nameOfTable(element, judgement.scanned.names);
    if (name === undefined) return odd('an odd WITH');
    names.add(name);
  }
  return undefined;
}

/** Other attributes may follow a name, and a name may contain anything, so it must be one that the scanner has seen. */
function nameOfTable(element: TreeLine, names: ReadonlySet<string>): string | undefined {
  const value = attribute(element, 'cte_name') ?? '';
  return [...names].find((name) => value === name || value.startsWith(`${name}, `));
}

/** A part of a node: a heading and its subtree. */
function judgePart(judgement: Judgement, part: TreeLine, own: Own): Complaint | undefined {
  if (part.isNode) return judgeNode(judgement, part, own);
  if (!isHeading(part.kind)) return odd(part.kind);
  const readsTables = TABLE_PARTS.has(part.kind);
  return first(part.children, (child) => {
    if (readsTables && child.kind === 'IDENTIFIER') return judgeTable(judgement, child, own);
    return judgePart(judgement, child, own);
  });
}

function isHeading(kind: string): boolean {
  return HEADINGS.has(kind) || /^(?:EXPRESSION |REPLACEMENTS \d+$|REPLACEMENT NAME )/.test(kind);
}

function judgeNode(judgement: Judgement, node: TreeLine, own: Own): Complaint | undefined {
  if (node.kind === 'QUERY' || node.kind === 'UNION') return judgeQuery(judgement, node, own).complaint;
  if (node.kind === 'FUNCTION') return judgeFunction(judgement, node, own);
  if (node.kind === 'IDENTIFIER') return judgeColumn(judgement, node);
  if (node.kind === 'LAMBDA') {
    // A named lambda could replace a function inside the endpoint's tables.
    if (node.attributes !== '') return odd('a lambda with a name');
  } else if (!NODES.has(node.kind)) return odd(node.kind);
  return first(node.children, (part) => judgePart(judgement, part, own));
}

function judgeFunction(judgement: Judgement, node: TreeLine, own: Own): Complaint | undefined {
  const name = attribute(node, 'function_name', 'function_type');
  if (name === undefined) return odd('an odd function');
  const folded = name.toLowerCase();
  if (!SYNTAX_FUNCTIONS.has(folded) && !judgement.functions.allows(name)) {
    return {
      code: 'sandbox.function_denied',
      message: `${name.slice(0, 60)} is not among the allowed functions`,
    };
  }
  const named = complaintAboutNamed(judgement, node, name);
  if (named !== undefined) return named;
  const table = IN_FUNCTIONS.has(folded) ? setOf(node) : undefined;
  const complaint = table?.kind === 'IDENTIFIER' ? judgeTable(judgement, table, own) : undefined;
  return complaint ?? first(node.children, (part) => judgePart(judgement, part, own));
}

/** The argument that names a type, a function or a subcolumn must be an allowed constant. */
function complaintAboutNamed({ functions }: Judgement, node: TreeLine, name: string): Complaint | undefined {
  const named = stringArgument(name);
  if (named === undefined) return undefined;
  if (node.children.some(({ kind }) => kind === 'PARAMETERS')) return odd('parameters of a plain function');
  const list = argumentsOf(node);
  if (list.length === 0) return odd(`${name} without arguments`); // as in APPLY
  const index = argumentIndex(named, list.length);
  const argument = index === undefined ? undefined : list[index];
  if (argument === undefined) return undefined;
  const [value] = list;
  if (name === 'CAST' && value !== undefined && isNamedTuple(TREE_READER, value, argument)) return undefined;
  return complaintAboutArgument(named, { name, literal: literalOf(argument), functions });
}

const TREE_READER: NamedTupleReader<TreeLine> = {
  argumentsOf: (node, functionName) =>
    node.kind === 'FUNCTION' && attribute(node, 'function_name', 'function_type') === functionName
      ? argumentsOf(node)
      : undefined,
  literalOf: (node) => literalOf(node),
  isSame: (a, b) => isSame(a, b),
};

/** The source of a constant: a string as a literal, an integer in digits; undefined for anything else. */
function literalOf({ kind, attributes, children }: TreeLine): string | undefined {
  if (kind !== 'CONSTANT' || children.length > 0) return undefined;
  const [, text] =
    /^, constant_value: ('(?:[^'\\]|\\.)*'), constant_value_type: String$/s.exec(attributes) ?? [];
  return text ?? /^, constant_value: UInt64_(\d+), constant_value_type: UInt\d+$/.exec(attributes)?.[1];
}

/** A bare name may be a call without parentheses; a path may name a type. */
function judgeColumn({ isBareCall }: Judgement, node: TreeLine): Complaint | undefined {
  const name = attribute(node, 'identifier');
  if (name === undefined) return odd('an odd column');
  const fault = subcolumnFault(name);
  if (fault !== undefined) return { code: 'sandbox.type_denied', message: fault };
  if (!isBareCall(name)) return undefined;
  return {
    code: 'sandbox.function_denied',
    message: `${name.slice(0, 60)} is not among the allowed functions`,
  };
}

function argumentsOf(node: TreeLine): readonly TreeLine[] {
  return node.children.find((part) => part.kind === 'ARGUMENTS')?.children[0]?.children ?? [];
}

/** The right side of IN. */
function setOf(node: TreeLine): TreeLine | undefined {
  return argumentsOf(node)[1];
}

function judgeTable(judgement: Judgement, node: TreeLine, own: Own): Complaint | undefined {
  const name = attribute(node, 'identifier');
  if (name === undefined) return odd('an odd table');
  if (name === NO_TABLE || own.has(name) || judgement.scanned.tables.has(name)) return undefined;
  return { code: 'sandbox.table_denied', message: `${name.slice(0, 60)} is not a table here` };
}

function first<T>(items: readonly T[], judge: (item: T) => Complaint | undefined): Complaint | undefined {
  for (const item of items) {
    const complaint = judge(item);
    if (complaint !== undefined) return complaint;
  }
  return undefined;
}
