// Conflicts between clauses: duplicates. Columns beside a chart are none: a chart has columns of its own, as in Logflare.
import { type LqlFinding, findingAt } from './finding.ts';
import type { Clause } from './tree.ts';

/** Findings about clauses that are each valid on their own. */
export function checkStructure(clauses: readonly Clause[]): readonly LqlFinding[] {
  return [
    ...repeated(clauses, 'from', 'a query reads one table'),
    ...repeated(clauses, 'aggregate', 'a chart shows one aggregate'),
    ...repeated(clauses, 'bucket', 'a chart has one group_by'),
  ];
}

function repeated(clauses: readonly Clause[], kind: Clause['kind'], rule: string): readonly LqlFinding[] {
  const [, ...more] = clauses.filter((each) => each.kind === kind);
  return more.map(({ span }) =>
    findingAt(span, {
      code: 'lql.clause_repeated',
      message: `${rule}; this is a second one`,
      hint: 'remove one',
    }),
  );
}
