// Regular expressions: rejected here if known to be invalid; the engine's rejections are mapped back to their location.
import type { TextSpan } from '../base/finding.ts';
import { programSize, regexError } from '../clickhouse/regex.ts';
import type { Fault } from './finding.ts';

/** A regular expression of a query, exactly as sent to the engine, and its location in the query. */
export interface RegexUse {
  readonly pattern: string;
  readonly span: TextSpan;
}

/** Steps of the programs of one query's expressions that are checked. */
const CHECK_BUDGET = 1000;

/**
 * Creates a check for the expressions of one query. It returns a fault for what RE2 certainly rejects. Expressions too
 * expensive to check, and RE2's limit on program size, are left to the engine.
 */
export function createRegexCheck(): (pattern: string) => Fault | undefined {
  let left = CHECK_BUDGET;
  return (pattern) => {
    left -= programSize(pattern);
    // re2js works on strings and does not support \C (any one byte).
    if (left < 0 || pattern.includes(String.raw`\C`)) return undefined;
    const reason = regexError(pattern);
    return reason === undefined ? undefined : regexFault(reason);
  };
}

/** Location of the expression that an engine error message refers to; undefined for other errors. */
export function rejectedRegex(message: string, uses: readonly RegexUse[]): TextSpan | undefined {
  const start = message.indexOf(REJECTION);
  if (start < 0) return undefined;
  const text = message.slice(start + REJECTION.length);
  return uses.find(({ pattern }) => text.startsWith(`${pattern}, error:`))?.span;
}

/** The fault for an expression that the engine rejected. */
export function regexFault(reason: string): Fault {
  return {
    code: 'lql.regex_invalid',
    message: `RE2 does not accept this regular expression: ${reason}`,
    hint: String.raw`to match one of . ? * + ( ) [ ] { } | ^ $ literally, put \ before it`,
  };
}

const REJECTION = 'cannot compile re2: ';
