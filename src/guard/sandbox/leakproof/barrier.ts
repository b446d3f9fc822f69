// Whether a consumer query runs above a barrier, and what of it is evaluated below.
import type { Node, NodeKind, Tree } from '../../../sql/clickhouse/tree/nodes.ts';
import {
  commasIn,
  conjunctsOf,
  nameOf,
  namesIn,
  namesOf,
  operatorOf,
  partOf,
  someNode,
  textOf,
  wordOf,
  type TreeTokens,
} from '../../../sql/clickhouse/tree/visit.ts';
import { usesNames } from './place.ts';
import { mayBeTable } from './constants.ts';
import { type LeakproofCheck, checkLeakproof } from './leakproof.ts';
import type { ReadTable } from '../read-table.ts';
import type { ScanResult } from '../scan/scanner.ts';
import type { SelectFinding } from '../scan/findings.ts';
import type { BelowBarrier, Verdict } from '../verdict.ts';
import { storedColumns } from './stored-columns.ts';
import { totalCondition } from './total-conditions.ts';
import { unorderedTables } from '../row-order.ts';
import type { LeakproofContext } from './context.ts';

/** Returns whether the query needs a barrier, and what is evaluated inside the tables all the same. */
export function barrierOf(
  scanned: ScanResult,
  tables: readonly ReadTable[],
  context: Omit<LeakproofContext, 'names'> | undefined,
): Pick<Verdict, 'isLeakproof' | 'below' | 'unordered'> {
  if (context === undefined) return { isLeakproof: false };
  const checked = checkLeakproof(scanned.tree, { ...context, names: scanned.names });
  const { isLeakproof } = checked;
  const below = conditionsBelow(scanned, checked, tables);
  return isLeakproof
    ? { isLeakproof, below }
    : { isLeakproof, below, unordered: unorderedTables(scanned, context.functions) };
}

/** The conditions that may be repeated inside the tables, by table. */
function conditionsBelow(
  { tree, selects, sets, names, reads: count }: ScanResult,
  { isLeakproof, isPartLeakproof, isReadByIndexes }: LeakproofCheck,
  tables: readonly ReadTable[],
): ReadonlyMap<string, BelowBarrier> {
  const found = new Map<string, BelowBarrier>();
  const reads = selects.flatMap(({ sources }) => sources);
  for (const select of selects) {
    const [source] = select.sources;
    if (source?.table === undefined || select.sources.length > 1 || select.isMultiplied) continue;
    const { table: name, alias = name } = source;
    const table = tables.find((each) => each.name === name);
    if (table === undefined || sets.has(name) || reads.filter((each) => each.table === name).length > 1)
      continue;
    if (!isNamedOnce(tree, alias)) continue;
    const own = { alias, columns: new Set(table.columns.map((column) => column.name)) };
    const others = new Set(names);
    others.delete(alias);
    const canRepeat = (condition: Node): boolean =>
      !isLeakproof && // there is no barrier
      !usesNames(tree, condition, others) &&
      isOwn(tree, condition, own) &&
      isPartLeakproof(condition);
    const columnOf = storedColumns(tree, { table, alias, names });
    // Other rows than a redacted search selects must not make the query fail: a quoted local part may decide which are selected.
    const total = { tree, columnOf, isPartLeakproof, isImpliedEnough: isLeakproof };
    const [conditions, stored]: [string[], string[]] = [[], []];
    let terms = 0;
    for (const condition of conjunctsIn(select)) {
      const all = terms + termsIn(condition);
      const isCheap = all ** 2 * count <= MAX_STORED_TERMS ** 2;
      const sql =
        isCheap && isReadByIndexes(condition)
          ? table.passes?.filtering && totalCondition(total, condition)
          : undefined;
      if (sql !== undefined) {
        stored.push(sql);
        terms = all;
      } else if (canRepeat(condition)) conditions.push(textOf(tree, condition));
    }
    if (conditions.length > 0 || stored.length > 0) found.set(name, { alias, conditions, stored });
  }
  return found;
}

/**
 * Names and operators in the conditions that are repeated inside a view. For each read of a table the engine takes time quadratic
 * in them there, which `max_execution_time` does not limit: 250 comparisons 0.1 s, 1,900 up to 20 s.
 */
const MAX_STORED_TERMS = 750;

/** Names, operators and brackets: the values of an IN cost little. */
function termsIn(condition: Node): number {
  let values = 0;
  someNode(condition, ({ kind }) => {
    if (kind === 'number' || kind === 'string') values++;
    return false;
  });
  return condition.to - condition.from - values - commasIn(condition);
}

/** Returns whether only the source has this name: as an alias of a value it would mean something else before a dot. */
function isNamedOnce(tree: Tree, alias: string): boolean {
  const others = namesIn(tree, tree.root).filter(
    ({ name, isAfterDot, isBeforeDot }) => name === alias && !isAfterDot && !isBeforeDot,
  );
  return others.length === 1;
}

function conjunctsIn({ node }: SelectFinding): readonly Node[] {
  const condition = partOf(node, 'where')?.parts[0];
  return condition === undefined ? [] : conjunctsOf(condition);
}

interface Own {
  readonly alias: string;
  readonly columns: ReadonlySet<string>;
}

/** Conditions of such nodes read no rows but those of the table, and define no names. */
const PLAIN: ReadonlySet<NodeKind> = new Set<NodeKind>([
  'and', 'or', 'not', 'binary', 'in', 'between', 'test', 'sign', 'concat', 'conditional', 'cast', 'access', 'index', 'call',
  'arguments', 'number', 'string', 'constant', 'group', 'tuple', 'array', 'interval', 'type', 'column',
]); // prettier-ignore

/** Returns whether all names are columns of the table, which no subquery and no function that multiplies rows uses. */
function isOwn(tree: TreeTokens, node: Node, own: Own): boolean {
  if (!PLAIN.has(node.kind)) return false;
  if (node.kind === 'column') return isOwnColumn(namesOf(tree, node), own);
  if (node.kind === 'type') return namesIn(tree, node).length === 1;
  if (node.kind === 'in' && (node.parts[1] === undefined || mayBeTable(node.parts[1]))) return false;
  if (node.kind === 'binary' && (node.parts.length > 2 || operatorOf(tree, node) === 'IS')) return false;
  if (node.kind === 'call' && /^(?:arrayjoin|unnest|any|all|some)$/i.test(nameOf(tree, node))) return false;
  if (wordOf(tree, node) === 'GLOBAL' || (node.kind === 'access' && node.parts.length > 1)) return false;
  return (
    node.parts.every((part) => part.kind !== 'type' || node.kind === 'cast') &&
    node.parts.every((part) => isOwn(tree, part, own))
  );
}

function isOwnColumn([first = '', second = '']: readonly string[], { alias, columns }: Own): boolean {
  const isQualified = first === alias && second !== '' && !columns.has(first);
  return columns.has(isQualified ? second : first);
}
