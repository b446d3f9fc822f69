// The query tree check: applies the scanner's rules a second time, to the tree that the engine itself has parsed.
import type { Violation } from '../lexed-query.ts';
import type { FunctionPolicy } from '../functions/policy.ts';
import { takesFunction } from '../../../sql/clickhouse/higher-order.ts';
import { referenceViolation } from '../functions/higher-order.ts';
import { isNamedTuple } from '../named-tuple.ts';
import type { NamedTupleReader } from '../named-tuple.ts';
import { attribute, type TreeLine, headingOf } from '../../../sql/clickhouse/query-tree.ts';
import { parseQueryTree } from './tree.ts';
import type { ScanResult } from '../scan/scanner.ts';
import { argumentIndex, argumentViolation, stringArgument, subcolumnFault } from '../string-arguments.ts';
import { checkTreeStates } from './states.ts';
import { IN_FUNCTIONS } from '../../../sql/clickhouse/tree/keywords.ts';

/** Functions that the engine creates from syntax; a query cannot call them by name. */
const SYNTAX_FUNCTIONS: ReadonlySet<string> = new Set(['exists', 'casewithexpression', ...IN_FUNCTIONS]);

const NODES = /^(?:LIST|CONSTANT|MATCHER|JOIN|CROSS[ _]JOIN|ARRAY_JOIN|SORT|WINDOW|INTERPOLATE)$/;
const TRANSFORMERS = /^(?:APPLY|EXCEPT|REPLACE) COLUMN TRANSFORMER$/;

/** The table that the engine uses for a query without FROM; it holds one row with a zero. */
const NO_TABLE = 'system.one';

/** What the tree is checked against. */
export interface TreeCheck {
  readonly scanned: Pick<ScanResult, 'tables' | 'names' | 'stateColumns' | 'hasStates'>;
  readonly functions: FunctionPolicy;
  /** Returns whether a bare name would be a call of a function that is not allowed. */
  readonly isBareCall: (name: string) => boolean;
}

/** The consumer's WITH tables in scope. */
type ConsumerTables = ReadonlySet<string>;

/** Checks the output of `EXPLAIN QUERY TREE run_passes = 0`; undefined if it agrees with the scanner. */
export function checkTree(tree: string, check: TreeCheck): Violation | undefined {
  const parsed = parseQueryTree(tree);
  return 'violation' in parsed ? parsed.violation : checkParsedTree(parsed.root, check);
}

/** The same for a tree that has been parsed; `parsed` is its root line. */
export function checkParsedTree(parsed: TreeLine, check: TreeCheck): Violation | undefined {
  const [root] = parsed.children;
  if (root === undefined || parsed.children.length !== 1) return mismatch('nothing');
  return checkQuery(check, root, new Set()).violation ?? checkTreeStates(root, check.scanned.stateColumns);
}

function mismatch(what: string): Violation {
  return {
    code: 'sandbox.check_mismatch',
    message: `The engine found ${what.slice(0, 60)} in the query, which is not allowed`,
  };
}

/** A query's verdict, and the scope that its WITH leaves to later members of a union. */
interface QueryVerdict {
  readonly violation: Violation | undefined;
  readonly declared: ConsumerTables;
}

function checkQuery(check: TreeCheck, line: TreeLine, own: ConsumerTables): QueryVerdict {
  const { kind } = line;
  if (kind === 'UNION' && line.isNode) return checkUnion(check, line, own);
  if (!line.isNode || kind !== 'QUERY' || line.attributes.includes('recursive'))
    return { violation: mismatch(kind), declared: own };
  const names = new Set(own);
  for (const part of line.children) {
    const violation = part.kind === 'WITH' ? checkWith(check, part, names) : checkPart(check, part, names);
    if (violation !== undefined) return { violation, declared: own };
  }
  return { violation: undefined, declared: names };
}

/** Members see the first one's WITH, which the engine copies into each; a WITH of their own would shadow it. */
function checkUnion(check: TreeCheck, union: TreeLine, own: ConsumerTables): QueryVerdict {
  const shape = union.children.every(
    (part) => part.kind === 'QUERIES' && part.children.every((list) => list.kind === 'LIST'),
  );
  if (!shape) return { violation: mismatch('an unexpected form of union'), declared: own };
  const members = membersOf(union);
  const shared = withOf(members[0]);
  let scope = own;
  for (const member of members) {
    const copy = withOf(member);
    if (copy !== undefined && (shared === undefined || !isSame(copy, shared))) {
      return { violation: mismatch('a WITH inside a union'), declared: own };
    }
    const verdict = checkQuery(check, member, scope);
    if (verdict.violation !== undefined) return verdict;
    scope = verdict.declared;
  }
  return { violation: undefined, declared: scope };
}

function membersOf(union: TreeLine): readonly TreeLine[] {
  return union.children.flatMap((part) => part.children).flatMap((list) => list.children);
}

/** The WITH of a query, or of the first member of a union. */
function withOf(line: TreeLine | undefined): TreeLine | undefined {
  if (line?.kind === 'UNION') return withOf(membersOf(line)[0]);
  return line?.children.find((part) => part.kind === 'WITH');
}

/** Returns whether two trees are equal apart from their node ids. */
function isSame(a: TreeLine, b: TreeLine): boolean {
  if (a.kind !== b.kind || a.attributes !== b.attributes || a.children.length !== b.children.length)
    return false;
  return a.children.every((child, index) => {
    const other = b.children[index];
    return other !== undefined && isSame(child, other);
  });
}

/** Each WITH table sees the tables before it, but not itself. */
function checkWith(check: TreeCheck, part: TreeLine, names: Set<string>): Violation | undefined {
  for (const element of part.children.flatMap((list) => (list.kind === 'LIST' ? list.children : [list]))) {
    const isTable = element.attributes.includes(', is_cte: 1');
    const violation = isTable
      ? checkQuery(check, element, names).violation
      : checkNode(check, element, names);
    if (violation !== undefined) return violation;
    if (!isTable) continue;
    const name = nameOfTable(element, check.scanned.names);
    if (name === undefined) return mismatch('an unexpected form of WITH');
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
function checkPart(check: TreeCheck, part: TreeLine, own: ConsumerTables): Violation | undefined {
  if (part.isNode) return checkNode(check, part, own);
  const heading = headingOf(part.kind);
  if (heading === undefined) return mismatch(part.kind);
  return first(part.children, (child) => {
    if (heading.holds === 'tables' && child.kind === 'IDENTIFIER') return checkTable(check, child, own);
    return checkPart(check, child, own);
  });
}

function checkNode(check: TreeCheck, node: TreeLine, own: ConsumerTables): Violation | undefined {
  if (node.kind === 'QUERY' || node.kind === 'UNION') return checkQuery(check, node, own).violation;
  if (node.kind === 'FUNCTION') return checkFunction(check, node, own);
  if (node.kind === 'IDENTIFIER') return checkColumn(check, node);
  if (node.kind === 'LAMBDA') {
    // A named lambda could replace a function inside the endpoint's tables.
    if (node.attributes !== '') return mismatch('a lambda with a name');
  } else if (!NODES.test(node.kind) && !TRANSFORMERS.test(node.kind)) return mismatch(node.kind);
  return first(node.children, (part) => checkPart(check, part, own));
}

function checkFunction(check: TreeCheck, node: TreeLine, own: ConsumerTables): Violation | undefined {
  const name = attribute(node, 'function_name', 'function_type');
  if (name === undefined) return mismatch('an unexpected form of function');
  const folded = name.toLowerCase();
  if (!SYNTAX_FUNCTIONS.has(folded) && !check.functions.allows(name)) {
    return {
      code: 'sandbox.function_denied',
      message: `${name.slice(0, 60)} is not an allowed function`,
    };
  }
  const named = namedArgumentViolation(check, node, name) ?? functionReference(node, name);
  if (named !== undefined) return named;
  const table = IN_FUNCTIONS.has(folded) ? setOf(node) : undefined;
  const violation = table?.kind === 'IDENTIFIER' ? checkTable(check, table, own) : undefined;
  return violation ?? first(node.children, (part) => checkPart(check, part, own));
}

/** The argument that names a type, a function or a subcolumn must be an allowed constant. */
function namedArgumentViolation(
  { functions }: TreeCheck,
  node: TreeLine,
  name: string,
): Violation | undefined {
  const named = stringArgument(name);
  if (named === undefined) return undefined;
  if (node.children.some(({ kind }) => kind === 'PARAMETERS'))
    return mismatch('parameters of a plain function');
  const list = argumentsOf(node);
  if (list.length === 0) return mismatch(`${name} without arguments`); // as in APPLY
  const index = argumentIndex(named, list.length);
  const argument = index === undefined ? undefined : list[index];
  if (argument === undefined) return undefined;
  const [value] = list;
  if (name === 'CAST' && value !== undefined && isNamedTuple(TREE_READER, value, argument)) return undefined;
  return argumentViolation(named, { name, literal: literalOf(argument), functions });
}

/** A name without a dot as the first of several arguments: the engine calls the function of that name, if no value has it. */
function functionReference(node: TreeLine, name: string): Violation | undefined {
  const [value, second] = takesFunction(name) ? argumentsOf(node) : [];
  if (value?.kind !== 'IDENTIFIER' || second === undefined) return undefined;
  const reference = attribute(value, 'identifier') ?? '';
  return reference.includes('.') ? undefined : referenceViolation(name, reference);
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
function checkColumn({ isBareCall }: TreeCheck, node: TreeLine): Violation | undefined {
  const name = attribute(node, 'identifier');
  if (name === undefined) return mismatch('an unexpected form of column');
  const fault = subcolumnFault(name);
  if (fault !== undefined) return { code: 'sandbox.type_denied', message: fault };
  if (!isBareCall(name)) return undefined;
  return {
    code: 'sandbox.function_denied',
    message: `${name.slice(0, 60)} is not an allowed function`,
  };
}

function argumentsOf(node: TreeLine): readonly TreeLine[] {
  return node.children.find((part) => part.kind === 'ARGUMENTS')?.children[0]?.children ?? [];
}

/** The right side of IN. */
function setOf(node: TreeLine): TreeLine | undefined {
  return argumentsOf(node)[1];
}

function checkTable(check: TreeCheck, node: TreeLine, own: ConsumerTables): Violation | undefined {
  const name = attribute(node, 'identifier');
  if (name === undefined) return mismatch('an unexpected form of table');
  if (name === NO_TABLE || own.has(name) || check.scanned.tables.has(name)) return undefined;
  return { code: 'sandbox.table_denied', message: `There is no table ${name.slice(0, 60)}` };
}

function first<T>(items: readonly T[], checkItem: (item: T) => Violation | undefined): Violation | undefined {
  for (const item of items) {
    const violation = checkItem(item);
    if (violation !== undefined) return violation;
  }
  return undefined;
}
