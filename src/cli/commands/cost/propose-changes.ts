// Proposes changes for the calls of examples: each statement as it is, and with the change.
import { variantsOf, type InspectedFile } from '../../../service/endpoints/compile.ts';
import type { Statement } from '../../../service/engine/engine.ts';
import { prepare, type RequestPath } from '../../../service/request/answer.ts';
import { Problem } from '../../../sql/base/problem.ts';
import { fixClock } from '../../../sql/clickhouse/fixed-clock.ts';
import type { Tree } from '../../../sql/clickhouse/tree/nodes.ts';
import type { ChangeEdit, ChangeProposal, ChangeSubject } from '../../cost/changes/change.ts';
import { CHANGE_KINDS } from '../../cost/changes/kinds.ts';
import { subjectOf } from '../../cost/changes/subject.ts';
import type { VariedTables } from '../../cost/changes/varied-tables.ts';
import type { ChangedCall } from '../../cost/changes/verify.ts';
import { callOf, type Case } from '../test/call-example.ts';

/** A proposal for one variant of a query, and a call of that variant. */
export interface ChangedExample {
  readonly variant: InspectedFile;
  readonly proposal: ChangeProposal;
  readonly example: Case;
  readonly call: ChangedCall;
}

/** A query has at most so many proposals. */
const MOST_PROPOSALS = 20;

/** Returns true if a query of the file has a place where it may read less. */
export function mayReadLess(file: InspectedFile, tables: VariedTables['tables']): boolean {
  return variantsOf(file).some((variant) => proposalsFor(subjectIn(variant, tables)).length > 0);
}

export interface FileCases {
  readonly file: InspectedFile;
  readonly cases: readonly Case[];
}

/** Resolves to the calls of the cases with each change that is proposed for their variant. */
export async function proposeChanges(
  { file, cases }: FileCases,
  { tables, newest }: VariedTables,
  pathAt: (now: number) => RequestPath,
): Promise<readonly ChangedExample[]> {
  const found: ChangedExample[] = [];
  const subjects = variantsOf(file).map((variant) => ({ variant, subject: subjectIn(variant, tables) }));
  const proposing = subjects.map((each) => ({ ...each, proposals: proposalsFor(each.subject) }));
  if (proposing.every(({ proposals }) => proposals.length === 0)) return [];
  for (const each of cases) {
    const now = each.example.now === undefined ? newest * 1000 : Date.parse(each.example.now);
    const before = await statementOf(each, pathAt(now));
    const called = proposing.find(({ subject }) =>
      before?.sql.includes(fixClock(queryOf(subject.tree), now)),
    );
    if (before === undefined || called === undefined) continue;
    const { variant, subject, proposals } = called;
    const query = fixClock(queryOf(subject.tree), now);
    const tables = new Set(subject.tables.map(({ name }) => name));
    for (const proposal of proposals) {
      const changed = fixClock(edited(subject.tree, proposal.edits), now);
      const after = { ...before, sql: before.sql.replace(query, () => changed) };
      const { part, rollup } = proposal;
      found.push({ variant, proposal, example: each, call: { before, after, part, rollup, tables } });
    }
  }
  return found;
}

function subjectIn({ analysis }: InspectedFile, tables: VariedTables['tables']): ChangeSubject {
  return subjectOf(analysis.tree, tables, analysis.file.sandbox?.enabled === true);
}

function proposalsFor(subject: ChangeSubject): readonly ChangeProposal[] {
  if (subject.tables.length === 0 || subject.tree.fault !== undefined) return [];
  return CHANGE_KINDS.flatMap(({ propose }) => [...propose(subject)]).slice(0, MOST_PROPOSALS);
}

/** Resolves to undefined for a call that fails, or reads a rollup. */
async function statementOf(each: Case, path: RequestPath): Promise<Statement | undefined> {
  try {
    const { query } = await prepare(path, callOf(each));
    return query.routed === undefined ? query.statement : undefined;
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

function queryOf({ cursor, root }: Tree): string {
  return cursor.slice(root.from, root.to);
}

/** Returns the source of a tree with the edits. */
function edited({ cursor, root }: Tree, edits: readonly ChangeEdit[]): string {
  const first = cursor.start(root.from);
  let text = cursor.slice(root.from, root.to);
  for (const { range, text: replacement } of edits.toSorted((a, b) => b.range.from - a.range.from)) {
    const isInsertion = range.from === range.to;
    const start = (isInsertion ? cursor.end(range.from - 1) : cursor.start(range.from)) - first;
    const end = (isInsertion ? cursor.end(range.from - 1) : cursor.end(range.to - 1)) - first;
    text = text.slice(0, start) + replacement + text.slice(end);
  }
  return text;
}
