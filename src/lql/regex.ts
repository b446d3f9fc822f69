// Regular expressions on their way to the engine: refused here where they can be, found again where they cannot.
import { regexError } from '../sql/regex.ts';
import type { Fault, Span } from './finding.ts';

/** A regular expression of a query, exactly as the engine gets it, and its place in the LQL text. */
export interface RegexUse {
  readonly pattern: string;
  readonly span: Span;
}

/** What one query's expressions may cost to check here: characters, and repetitions that are counted in braces. */
const CHECK_BUDGET = 1000;

/**
 * Creates a check for the expressions of one query. It gives a fault for what RE2 refuses, as far as it is certain;
 * what is too costly to check, and RE2's limit on the size of a program, is left to the engine.
 */
export function createRegexCheck(): (pattern: string) => Fault | undefined {
  let left = CHECK_BUDGET;
  return (pattern) => {
    left -= costOf(pattern);
    // re2js works on text and has no \C, any one byte.
    if (left < 0 || pattern.includes(String.raw`\C`)) return undefined;
    const reason = regexError(pattern);
    return reason === undefined ? undefined : regexFault(reason);
  };
}

/** Where the expression that an error message of the engine is about stands; undefined for another error. */
export function refusedRegex(message: string, uses: readonly RegexUse[]): Span | undefined {
  const start = message.indexOf(REFUSAL);
  if (start < 0) return undefined;
  const text = message.slice(start + REFUSAL.length);
  return uses.find(({ pattern }) => text.startsWith(`${pattern}, error:`))?.span;
}

/** The fault for an expression that the engine refused. */
export function regexFault(reason: string): Fault {
  return {
    code: 'lql.regex_invalid',
    message: `this regular expression is not one that RE2 takes: ${reason}`,
    hint: String.raw`write \ in front of . ? * + ( ) [ ] { } | ^ $ to mean the character itself`,
  };
}

const REFUSAL = 'cannot compile re2: ';

function costOf(pattern: string): number {
  const counts = [...pattern.matchAll(/\{(\d+),?(\d*)\}/g)].flatMap(([, low, high]) => [
    Number(low),
    Number(high),
  ]);
  return counts.filter((count) => count <= MAX_COUNT).reduce((sum, count) => sum + count, pattern.length);
}

/** RE2 refuses higher ones at once. */
const MAX_COUNT = 1000;
