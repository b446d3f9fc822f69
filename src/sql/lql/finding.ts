// Findings: what is wrong in an LQL query, and where.
import type { ProblemCode } from '../base/problem.ts';

/** A range in the query: offsets in UTF-16 code units, `end` exclusive. */
export interface LqlSpan {
  readonly start: number;
  readonly end: number;
}

/** All codes that parsing or compiling LQL can report. */
export type LqlCode = Extract<ProblemCode, `lql.${string}`>;

/** An error before its location is known. */
export interface Fault {
  readonly code: LqlCode;
  /** What is wrong and what was expected: a phrase without initial capital or full stop. */
  readonly message: string;
  /** The nearest valid spelling, or how to write what was probably meant. */
  readonly hint?: string;
}

/** A fault with its location in the query. */
export interface LqlFinding extends Fault, LqlSpan {}

/** Whether a result is a fault (or a finding) instead of a value. */
export function isFault(result: object): result is Fault {
  return 'code' in result;
}

/** Attaches a location to a fault. */
export function findingAt(span: LqlSpan, fault: Fault): LqlFinding {
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
