// Conflicts between clauses: duplicates, and selecting rows and a chart in one query.
import { type LqlFinding, type Span, findingAt } from './finding.ts';
import type { Clause } from './tree.ts';

/** Findings about clauses that are each valid on their own. */
export function checkStructure(clauses: readonly Clause[]): readonly LqlFinding[] {
  const charted = clauses.some(({ kind }) => kind === 'aggregate' || kind === 'bucket');
  const selects = clauses.filter(({ kind }) => kind === 'select');
  return [
    ...repeated(clauses, 'from', 'a query reads one table'),
    ...repeated(clauses, 'aggregate', 'a chart shows one aggregate'),
    ...repeated(clauses, 'bucket', 'a chart has one group_by'),
    ...(charted ? selects.map(({ span }) => conflict(span)) : []),
  ];
}

function repeated(clauses: readonly Clause[], kind: Clause['kind'], rule: string): readonly LqlFinding[] {
  const [, ...more] = clauses.filter((clause) => clause.kind === kind);
  return more.map(({ span }) =>
    findingAt(span, {
      code: 'lql.clause_repeated',
      message: `${rule}; this is a second one`,
      hint: 'remove one',
    }),
  );
}

function conflict(span: Span): LqlFinding {
  return findingAt(span, {
    code: 'lql.clause_conflict',
    message: 'a chart has the columns timestamp and count; s: cannot add any',
    hint: 'remove either the s: or the c: clauses',
  });
}
