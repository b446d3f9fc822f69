// Findings: what is wrong in an LQL query, and where.
import type { TextFinding, TextSpan } from '../base/finding.ts';
import type { ProblemCode } from '../base/problem.ts';

/** All codes that parsing or compiling LQL can report. */
export type LqlCode = Extract<ProblemCode, `lql.${string}`>;

/**
 * The location of such an error is not known yet. Its message is a phrase without initial capital or full stop; the hint is the nearest
 * valid spelling, or how to write what was probably meant.
 */
export type Fault = Omit<TextFinding<LqlCode>, 'start'>;

/** A fault with its location in the query. */
export type LqlFinding = TextFinding<LqlCode> & TextSpan;

/** Returns whether a result is a fault (or a finding) instead of a value. */
export function isFault(result: object): result is Fault {
  return 'code' in result;
}

/** Attaches a location to a fault. */
export function findingAt(span: TextSpan, fault: Fault): LqlFinding {
  return { ...fault, start: span.start, end: span.end };
}

/** The hint for a name that is not one of `candidates`: the nearest one, or the whole list. */
export function suggestion(nearest: string | undefined, candidates: Iterable<string>): string {
  if (nearest !== undefined) return `did you mean ${nearest}?`;
  const all = [...candidates];
  const shown = all.slice(0, MAX_SUGGESTIONS).join(', ');
  return `one of: ${shown}${all.length > MAX_SUGGESTIONS ? ', …' : ''}`;
}

const MAX_SUGGESTIONS = 20;
