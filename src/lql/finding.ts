// What is wrong at a place of one LQL text.
import type { ProblemCode } from '../core/problem.ts';

/** A place in a text: offsets in UTF-16 code units, `end` exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Every code that reading or compiling LQL can give. */
export type LqlCode = Extract<ProblemCode, `lql.${string}`>;

/** What is wrong with a piece of text, before its place is known. */
export interface Fault {
  readonly code: LqlCode;
  /** What is wrong and what was expected: a phrase without a capital and a full stop. */
  readonly message: string;
  /** The nearest text that would be right, or how to say what was probably meant. */
  readonly hint?: string;
}

export interface LqlFinding extends Fault, Span {}

/** Whether a result is a fault (or a finding) instead of what was asked for. */
export function isFault(result: object): result is Fault {
  return 'code' in result;
}

/** The fault at its place. */
export function findingAt(span: Span, fault: Fault): LqlFinding {
  return { ...fault, start: span.start, end: span.end };
}

/** The hint for a word that is none of `candidates`: the nearest, or all of them. */
export function suggestion(nearest: string | undefined, candidates: Iterable<string>): string {
  if (nearest !== undefined) return `did you mean ${nearest}?`;
  const all = [...candidates];
  const shown = all.slice(0, MAX_SUGGESTIONS).join(', ');
  return `one of: ${shown}${all.length > MAX_SUGGESTIONS ? ', …' : ''}`;
}

const MAX_SUGGESTIONS = 20;
