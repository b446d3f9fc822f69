// The verdict on a consumer query to which nothing is added any more: the engine reads it as well, and its conditions are judged.
import { isApart, type TakenNames } from './apart.ts';
import { comparedTexts, earlyNames, neededNames } from './needed-names.ts';
import type { Explain, Explained } from './explain.ts';
import { barrierOf } from './leakproof/barrier.ts';
import type { LeakproofContext } from './leakproof/context.ts';
import type { LexedQuery } from './lexed-query.ts';
import { checkGroups } from './min-group/rejected.ts';
import { acceptTree, explainShape, explainText } from './query-tree/agreement.ts';
import type { TableColumn } from './columns.ts';
import type { ReadTable } from './read-table.ts';
import { tryEdit, type ScanContext, type Scanned, type ScanResult } from './scan/scanner.ts';
import { planSubcolumns, subcolumnsIn } from './subcolumns.ts';
import type { Verdict } from './verdict.ts';

/** Checks of a query depend on these besides its text. */
export interface CheckContext extends ScanContext {
  /** They are in the endpoint's order. */
  readonly tables: readonly ReadTable[];
  readonly leakproof: Omit<LeakproofContext, 'names'>;
  /** Columns by table, if the engine has described them. */
  readonly columns: ReadonlyMap<string, readonly TableColumn[]> | undefined;
  /** Undefined if they are not all known. */
  readonly taken: TakenNames | undefined;
  readonly explain: Explain | undefined;
  /** The fewest rows of a group that a query may see; default: any. */
  readonly minGroup: number | undefined;
}

/** The verdict on a query with all that is added to it. */
export async function judgeWhole(sent: LexedQuery, whole: Scanned, context: CheckContext): Promise<Verdict> {
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
    ...(tables.some(({ redaction }) => redaction !== undefined) ? namesToRedact(scanned) : {}),
    ...barrierOf(scanned, tables, context.columns && leakproof),
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

/** A query needs this of a redacted table redacted. */
function namesToRedact(scanned: ScanResult): Pick<Verdict, 'needed' | 'early' | 'compared'> {
  return {
    needed: neededNames(scanned),
    early: earlyNames(scanned.tree),
    compared: comparedTexts(scanned),
  };
}

interface Asked {
  /** `query` is sent to the engine; `sent` is what the consumer sent. */
  readonly query: LexedQuery;
  readonly sent: LexedQuery;
  /** It is true if the values matter that the query compares with. */
  readonly isExact: boolean;
}

/** The engine's reading of the query. If it rejects one with edits, that of the query as it was sent, whose places consumers know. */
async function explained(explain: Explain, { query, sent, isExact }: Asked): Promise<Explained> {
  const first = await (isExact ? explainText(explain, query) : explainShape(explain, query));
  if (first.kind === 'tree' || query === sent) return first;
  const own = await explainText(explain, sent);
  return own.kind === 'rejected' ? own : first;
}
