// Findings about queries whose analysis the engine does not finish: the engine computes scalar subqueries and constant expressions when it
// analyses a query.
import { EngineError, type EngineFailure } from '../engine/engine.ts';
import { createCursor } from '../sql/cursor.ts';
import type { RuleFinding } from './analysis.ts';
import type { InspectedFile } from './compile.ts';

export const NOT_ANALYSED = 'engine.not_analysed';

const REASONS: Readonly<Partial<Record<EngineFailure, string>>> = {
  timeout: 'takes too long',
  memory: 'takes too much memory',
  limit: 'reads too much',
  lost: 'ends the process of the engine',
  unavailable: 'ends the process of the engine',
};

/** Whether the engine gave up because of the statement, or ended. */
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
): RuleFinding {
  const { sql } = analysis.bound;
  const inRange = scalarStart(sql.slice(start, end));
  const place = inRange === undefined ? (scalarStart(sql) ?? start) : start + inRange;
  return {
    code: NOT_ANALYSED,
    ...analysis.inBound(place),
    message: `the query cannot be analysed: that ${REASONS[failure] ?? 'is not answered'}`,
    hint: 'The engine computes scalar subqueries and constant expressions when it analyses a query: make them cheaper, or join what they return',
  };
}

/** Words after which a subquery is a table. */
const NOT_SCALAR: ReadonlySet<string | undefined> = new Set(['FROM', 'JOIN', 'IN', 'AS', 'EXISTS', 'ALL']);

/** The offset of the first `(SELECT` or `(WITH` that is a single value. */
function scalarStart(sql: string): number | undefined {
  const query = createCursor(sql);
  const at = query.tokens.findIndex(({ kind }, index) => {
    const next = query.word(index + 1);
    return kind === '(' && (next === 'SELECT' || next === 'WITH') && !NOT_SCALAR.has(query.word(index - 1));
  });
  return at < 0 ? undefined : query.start(at);
}
