// From a consumer query to a verdict: it is read into a tree, scanned, compared with the engine's reading of it, and its conditions are
// judged, or it is rejected.
import { Problem } from '../core/problem.ts';
import type { TreeLine } from '../sql/query-tree.ts';
import { isApart, type TakenNames } from './apart.ts';
import { comparedTexts } from './compared-texts.ts';
import type { Explain, Explained } from './explain.ts';
import type { LeakproofContext } from './leakproof/context.ts';
import { conditionsBelow } from './leakproof/below-barrier.ts';
import { checkLeakproof } from './leakproof/leakproof.ts';
import { editedText, lexConsumerQuery, rejection, type LexedQuery, type TokenEdit } from './lexed-query.ts';
import { minimumEdits } from './min-group/minimum.ts';
import { rejected, unreadableName } from './min-group/rejected.ts';
import { minGroupRejection, type MinGroupContext } from './min-group/selects.ts';
import { earlyNames, neededNames } from './needed-names.ts';
import { acceptTree, explainShape, explainText, NO_TREE } from './query-tree/agreement.ts';
import { rejectServerValues } from './query-tree/server-values.ts';
import type { ReadTable, TableColumn } from './read-table.ts';
import { unorderedTables } from './row-order.ts';
import type { Surface } from './scan/scan.ts';
import { scanConsumerQuery, type ScanResult } from './scan/scanner.ts';
import { planSubcolumns, subcolumnsIn } from './subcolumns.ts';
import { timeEdits } from './times/times.ts';
import { scaleEdits } from './times/whole-seconds.ts';
import type { Verdict } from './verdict.ts';

/** What checks of a query depend on besides its text. */
export interface CheckContext {
  /** In the endpoint's order. */
  readonly tables: readonly ReadTable[];
  readonly surface: Surface;
  readonly isColumn: (name: string) => boolean;
  readonly leakproof: Omit<LeakproofContext, 'names'>;
  /** Columns by table, if the engine has described them. */
  readonly columns: ReadonlyMap<string, readonly TableColumn[]> | undefined;
  /** Undefined if they are not all known. */
  readonly taken: TakenNames | undefined;
  readonly explain: Explain | undefined;
  /** The fewest rows of a group that a query may see; default: any. */
  readonly minGroup: number | undefined;
}

/** A query that has been read, and what the scan has found in it. */
interface Scanned {
  readonly query: LexedQuery;
  readonly scanned: ScanResult;
}

/**
 * The verdict on a query, with the times that it compares in forms that the engine reads. `evaluate` makes the engine evaluate constants
 * of the query.
 * @throws Problem sandbox.*
 */
export async function checkQuery(
  source: string,
  context: CheckContext,
  evaluate: Explain | undefined,
): Promise<Verdict> {
  const sent = scan(lexConsumerQuery(source), context);
  const verdict = await judge(sent, [], context);
  const { explain, columns } = context;
  if (explain === undefined || evaluate === undefined || columns === undefined) return verdict;
  const resolving = { evaluate, tables: verdict.tables, columns };
  const { functions } = context.leakproof;
  await rejectServerValues(sent.query, sent.scanned.unresolved, { ...resolving, functions });
  const times = await timeEdits(sent.query, resolving);
  // With the longer literals it may be too long.
  return times.length === 0
    ? verdict
    : judge(sent, times, context).catch((error: unknown) => orNone(error) ?? verdict);
}

function scan(query: LexedQuery, { surface, isColumn }: CheckContext): Scanned {
  return { query, scanned: scanConsumerQuery(query, surface, isColumn) };
}

/** A query with edits is another query: it is read and scanned as a whole again, since an edit could change what the rest of it means. */
function edit(sent: Scanned, edits: readonly TokenEdit[], context: CheckContext): Scanned {
  return edits.length === 0 ? sent : scan(lexConsumerQuery(editedText(sent.query, edits)), context);
}

/** The query with edits that it can do without; undefined if it is rejected with them, as too long. */
function tryEdit(sent: Scanned, edits: readonly TokenEdit[], context: CheckContext): Scanned | undefined {
  try {
    return edits.length === 0 ? undefined : edit(sent, edits, context);
  } catch (error) {
    return orNone(error);
  }
}

/** Undefined for a Problem; throws anything else. */
function orNone(error: unknown): undefined {
  if (!(error instanceof Problem)) throw error;
}

/** The verdict on the query that was sent, with edits for its times, for the smallest group, and with scales of times if it is accepted with them. */
async function judge(sent: Scanned, times: readonly TokenEdit[], context: CheckContext): Promise<Verdict> {
  const { minGroup, columns, leakproof } = context;
  const needed = [...times, ...(minGroup === undefined ? [] : minimumEdits(sent.scanned, minGroup))];
  const scales = columns === undefined ? [] : scaleEdits(sent.query, leakproof.types);
  const judgeWith = async (edits: readonly TokenEdit[]): Promise<Verdict> =>
    judgeWhole(sent.query, edit(sent, edits, context), context);
  if (scales.length === 0) return judgeWith(needed);
  return judgeWith([...needed, ...scales]).catch((error: unknown) => orNone(error) ?? judgeWith(needed));
}

/** The verdict on a query with all that is added to it. */
async function judgeWhole(sent: LexedQuery, whole: Scanned, context: CheckContext): Promise<Verdict> {
  const { explain, leakproof, isColumn, minGroup, taken } = context;
  const { scanned } = whole;
  const tables = context.tables.filter(({ name }) => scanned.tables.has(name));
  const plan = explain === undefined || minGroup !== undefined ? undefined : planSubcolumns(scanned, tables);
  const narrow = plan && (plan.edits.length === 0 ? whole : tryEdit(whole, plan.edits, context));
  const { query } = narrow ?? whole;
  const explaining = explain && explained(explain, { query, sent, isExact: minGroup !== undefined });
  // While the engine reads the query.
  const own = {
    source: sent.cursor.sql,
    joined: whole.query.joined,
    tables: tables.map(({ name }) => name),
    names: scanned.names,
    hasStates: scanned.hasStates,
    needed: neededNames(scanned),
    early: earlyNames(scanned.tree),
    compared: comparedTexts(scanned),
    ...barrierOf(scanned, tables, context),
  };
  const answer = await explaining;
  const { functions } = leakproof;
  const tree = answer && acceptTree(answer, sent, { scanned, functions, isColumn });
  const isSeparate = tree !== undefined && taken !== undefined && isApart(scanned, tree, taken);
  if (minGroup !== undefined) checkGroups(sent, tree, { minimum: minGroup, scanned, functions, tables });
  return {
    ...own,
    isApart: isSeparate && minGroup === undefined,
    narrow: narrow && plan && tree && { joined: query.joined, ...subcolumnsIn(tree, plan, scanned, tables) },
  };
}

interface Asked {
  /** As it is sent to the engine, and as the consumer sent it. */
  readonly query: LexedQuery;
  readonly sent: LexedQuery;
  /** Whether the values matter that the query compares with. */
  readonly isExact: boolean;
}

/** The engine's reading of the query. If it rejects one with edits, that of the query as it was sent, whose places consumers know. */
async function explained(explain: Explain, { query, sent, isExact }: Asked): Promise<Explained> {
  const first = await (isExact ? explainText(explain, query) : explainShape(explain, query));
  if (first.kind === 'tree' || query === sent) return first;
  const own = await explainText(explain, sent);
  return own.kind === 'rejected' ? own : first;
}

/** @throws Problem if the query may show fewer rows than the smallest group. */
function checkGroups(sent: LexedQuery, tree: TreeLine | undefined, context: MinGroupContext): void {
  if (tree === undefined) throw rejection(sent.cursor.sql, 0, NO_TREE);
  const found = unreadableName(sent.cursor) ?? minGroupRejection(tree, context);
  if (found !== undefined) throw rejected(sent.cursor, found);
}

/** Whether the query needs a barrier, and what is evaluated inside the tables all the same. */
function barrierOf(
  scanned: ScanResult,
  tables: readonly ReadTable[],
  { leakproof, columns }: CheckContext,
): Pick<Verdict, 'isLeakproof' | 'below' | 'unordered'> {
  if (columns === undefined) return { isLeakproof: false };
  const checked = checkLeakproof(scanned.tree, { ...leakproof, names: scanned.names });
  const { isLeakproof } = checked;
  const below = conditionsBelow(scanned, checked, tables);
  return isLeakproof
    ? { isLeakproof, below }
    : { isLeakproof, below, unordered: unorderedTables(scanned, leakproof.functions) };
}
