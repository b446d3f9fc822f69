// Where a query names stored tables. What is not understood is a fault, not a guess.
import type { TextFinding } from '../base/finding.ts';
import type { Node, Tree } from './tree/nodes.ts';
import {
  definedTables,
  nameOf,
  namesOf,
  partOf,
  sourceOf,
  spanOf,
  textOf,
  walk,
  wordOf,
} from './tree/visit.ts';

/** A stored table in a FROM clause: `db.t [AS a] [FINAL]`. Offsets in the query. */
export interface TableReference {
  /** The table as written. */
  readonly table: string;
  readonly start: number;
  /** After the alias and FINAL. */
  readonly end: number;
  /** The alias as written, by default the table's own name. */
  readonly alias: string;
  readonly isFinal: boolean;
  /** It is true if it is the first table of its FROM clause. */
  readonly isFirst: boolean;
  /** Index of the token after the reference. */
  readonly next: number;
}

/** Something that reads stored rows without being a table of a FROM clause. */
export type ReferenceFault = Required<Omit<TextFinding, 'code'>>;

export interface TableReferences {
  readonly references: readonly TableReference[];
  readonly faults: readonly ReferenceFault[];
}

/** Table functions that read nothing stored. */
export const GENERATORS: ReadonlySet<string> = new Set(
  'numbers numbers_mt zeros zeros_mt one generate_series generateSeries generateRandom values null format'.split(
    ' ',
  ),
);

/** Functions that read a dictionary or a table of engine Join, named by a string. */
export const LOOKUPS = /^(?:dict(?:Get|Has|IsIn|GetAll|GetKeys|GetHierarchy)\w*|joinGet\w*)$/i;

interface Context {
  readonly tree: Tree;
  /** Tables of WITH clauses. One that is used out of its scope is a stored table, which the engine's tree shows. */
  readonly defined: ReadonlySet<string>;
}

/** The stored tables that a bound query names. A name that its WITH clauses define is not a stored table. */
export function tableReferences(tree: Tree): TableReferences {
  const references: TableReference[] = [];
  const faults: ReferenceFault[] = [];
  const context: Context = { tree, defined: definedTables(tree) };
  walk(tree.root, (node, parent) => {
    const found = node.kind === 'source' ? readSource(context, node, parent) : faultOf(context, node, parent);
    if (found === undefined) return;
    if ('message' in found) faults.push(found);
    else references.push(found);
  });
  if (tree.fault !== undefined) {
    const message = `a query that is not understood cannot be redacted: ${tree.fault.message}`;
    faults.push({ start: tree.cursor.start(tree.fault.at), message, hint: 'Write it differently' });
  }
  return { references, faults };
}

/** Undefined for subqueries, tables of a WITH clause and generated rows. */
function readSource(
  { tree, defined }: Context,
  source: Node,
  parent: Node | undefined,
): TableReference | ReferenceFault | undefined {
  const [table] = source.parts;
  if (table === undefined || table.kind === 'subquery') return undefined;
  const { start } = spanOf(tree, table);
  if (table.kind === 'from')
    return {
      start,
      message: 'a join in parentheses cannot be redacted',
      hint: 'Write the join without parentheses',
    };
  const names = namesOf(tree, { ...table, to: table.at + 1 });
  if (names.includes(''))
    return { start, message: 'this is not the name of a table', hint: 'Name a table of the database' };
  const isQualified = names.length > 1;
  const [first = ''] = names;
  const written = { from: table.from, to: table.at + 1 };
  if (table.kind === 'table-function') {
    if (!isQualified && GENERATORS.has(first)) return undefined;
    return {
      start,
      message: `${sourceOf(tree, written)}(…) cannot be redacted: only tables can`,
      hint: 'Read a table by its name, such as FROM app.events',
    };
  }
  if (!isQualified && defined.has(first)) return undefined;
  const sample = partOf(source, 'sample');
  if (sample !== undefined)
    return {
      start: spanOf(tree, sample).start,
      message: 'SAMPLE cannot be applied to a redacted table',
      hint: 'Sample by a condition, such as cityHash64(id) % 10 = 0',
    };
  const alias = source.at >= table.to ? source.at : table.at;
  const final = partOf(source, 'final');
  if ((final?.from ?? source.to) > alias + 1)
    return {
      start: spanOf(tree, { from: alias + 1, to: alias + 2 }).start,
      message: 'names of columns after a redacted table are not supported',
      hint: 'Name the columns in a subquery',
    };
  return {
    table: sourceOf(tree, written),
    ...spanOf(tree, source),
    alias: textOf(tree, { from: alias, to: alias + 1 }),
    isFinal: final !== undefined,
    isFirst: parent?.kind === 'from' && parent.parts[0] === source,
    next: source.to,
  };
}

function faultOf(
  { tree, defined }: Context,
  node: Node,
  parent: Node | undefined,
): ReferenceFault | undefined {
  const { start } = spanOf(tree, node);
  if (node.kind === 'prewhere')
    return { start, message: 'PREWHERE cannot be applied to a redacted table', hint: 'Write WHERE' };
  if (node.kind === 'with' && wordOf(tree, node) === 'RECURSIVE')
    return { start, message: 'WITH RECURSIVE cannot be redacted', hint: 'Write the query without recursion' };
  const name = nameOf(tree, node);
  if ((node.kind === 'call' || node.kind === 'applied') && LOOKUPS.test(name))
    return {
      start,
      message: `${name} reads values that are not redacted`,
      hint: 'Join the table that they come from',
    };
  // Elsewhere than in a FROM clause, it is the right side of IN.
  const isDefined = node.from === node.at && defined.has(name);
  if (node.kind !== 'table' || parent?.kind === 'source' || isDefined) return undefined;
  return {
    start,
    message: `the values of IN ${sourceOf(tree, node)} cannot be redacted`,
    hint: 'Write IN (SELECT … FROM …)',
  };
}
