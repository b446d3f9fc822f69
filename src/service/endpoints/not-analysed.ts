// Findings about queries whose analysis the engine does not finish: the engine computes scalar subqueries and constant expressions when it
// analyses a query.
import type { Codes, PathFinding } from '../../sql/base/finding.ts';
import { EngineError, type EngineFailure } from '../engine/engine.ts';
import type { Node, NodeKind, Tree } from '../../sql/clickhouse/tree/nodes.ts';
import { spanOf, walk } from '../../sql/clickhouse/tree/visit.ts';
import type { InspectedFile } from './compile.ts';

export const NOT_ANALYSED_CODES: Codes = {
  'engine.not_analysed': {
    title: 'The analysis of a query takes too much',
    help: 'The engine computes scalar subqueries and constant expressions when it analyses a query, within ten seconds for each and a minute for a file. Make them cheaper, or join a subquery for what they return. The checks that need the analysis were left out for this file.',
  },
};

export const NOT_ANALYSED = 'engine.not_analysed';

const REASONS: Readonly<Partial<Record<EngineFailure, string>>> = {
  timeout: 'takes too long',
  memory: 'takes too much memory',
  limit: 'reads too much',
  lost: 'ends the process of the engine',
  unavailable: 'ends the process of the engine',
};

/** Returns whether the engine gave up because of the statement, or ended. */
export function isTooCostly({ failure }: EngineError): boolean {
  return failure === 'timeout' || failure === 'memory' || failure === 'limit';
}

/** Completes the sentence `the analysis …` for an analysis that was too expensive. Throws every other error. */
export function costOf(cause: unknown): string {
  if (cause instanceof EngineError && isTooCostly(cause)) return REASONS[cause.failure] ?? '';
  throw cause;
}

/** At the first scalar subquery between two offsets of the bound query, otherwise at the first of the query, or the first offset. */
export function notAnalysed(
  { analysis }: Pick<InspectedFile, 'analysis'>,
  { failure }: EngineError,
  { start, end }: { readonly start: number; readonly end: number },
): PathFinding {
  const starts = scalarStarts(analysis.tree);
  const place = starts.find((each) => each >= start && each < end) ?? starts[0] ?? start;
  return {
    code: NOT_ANALYSED,
    ...analysis.inBound(place),
    message: `the query cannot be analysed: that ${REASONS[failure] ?? 'is not answered'}`,
    hint: 'The engine computes scalar subqueries and constant expressions when it analyses a query: make them cheaper, or join what they return',
  };
}

/** Where a subquery is a set of rows. */
const NOT_SCALAR: ReadonlySet<NodeKind | undefined> = new Set<NodeKind | undefined>([
  undefined, 'source', 'with-table', 'in', 'quantified', 'union', 'subquery',
]); // prettier-ignore

/** The offsets of subqueries that are a single value. */
function scalarStarts(tree: Tree): readonly number[] {
  const found: number[] = [];
  walk(tree.root, (node: Node, parent) => {
    if (node.kind === 'subquery' && !NOT_SCALAR.has(parent?.kind)) found.push(spanOf(tree, node).start);
  });
  return found;
}
