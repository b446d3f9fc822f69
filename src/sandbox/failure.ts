// What a consumer may learn about an engine failure: our own message, with a location in their query; never the engine's.
import { didYouMean, nearest } from '../core/nearest.ts';
import { positionAt } from '../core/position.ts';
import type { ProblemOptions } from '../core/problem.ts';
import { quotedNames, scopeOf } from './engine-message.ts';
import { findInQuery, isConsumerScope } from './find-in-query.ts';
import type { TextMatch } from './find-in-query.ts';
import { lexConsumerQuery } from './lexed-query.ts';
import type { LexedQuery } from './lexed-query.ts';
import type { Verdict } from './sandbox.ts';

/** A failure as the engine reports it; `engineCode` is ClickHouse's error code. */
export interface EngineMessage {
  readonly engineCode: number | undefined;
  readonly message: string;
}

/** A message; `name` is what the engine's message is about, if it occurs in the consumer's query. */
interface FailureText {
  readonly textFor: (name: string) => string;
  /** Evidence required that the endpoint's own tables did not cause the failure. */
  readonly evidence: 'none' | 'location or scope' | 'location';
}

/** Raised during analysis. The endpoint's own tables were analysed when it was loaded, so the consumer's query is at fault. */
function analysis(textFor: (name: string) => string): FailureText {
  return { textFor, evidence: 'none' };
}

/** Raised while rows are read, possibly inside the endpoint's tables. */
function execution(textFor: (name: string) => string): FailureText {
  return { textFor, evidence: 'location or scope' };
}

const UNKNOWN_IDENTIFIER = 47;

/** Unknown table, unknown database, access denied. */
const HIDDEN_CODES: ReadonlySet<number | undefined> = new Set([60, 81, 497]);

/**
 * On the left of IN the engine also looks up tables, and its errors reveal whether `database.table` exists. Consumers
 * get the same message in each case: no such column.
 */
function readsAsColumn({ engineCode, message }: EngineMessage): boolean {
  return HIDDEN_CODES.has(engineCode) || message.includes('is a table expression');
}

/** About a name, which either occurs in the consumer's query or is not theirs. */
function naming(textFor: (name: string) => string): FailureText {
  return { textFor, evidence: 'location' };
}

/** By ClickHouse's error codes (src/Common/ErrorCodes.cpp). */
const TEXTS: ReadonlyMap<number, FailureText> = new Map([
  [UNKNOWN_IDENTIFIER, naming((name) => `There is no column or alias ${name} here`)],
  [46, naming((name) => `There is no function ${name}`)],
  [62, analysis(() => 'The engine cannot parse the query')],
  [43, analysis((name) => `${name || 'A function'} does not accept arguments of this type`)],
  [42, analysis((name) => `${name || 'A function'} has the wrong number of arguments`)],
  [35, analysis((name) => `${name || 'A function'} has the wrong number of arguments`)],
  [53, analysis(() => 'The types or the number of columns do not match')],
  [258, analysis(() => 'The SELECTs of a UNION have different columns')],
  [386, analysis(() => 'The types of the values have no common type')],
  [215, analysis((name) => `${name || 'A column'} must be in GROUP BY or inside an aggregate function`)],
  [184, analysis(() => 'An aggregate function is nested in another one, or used where none is allowed')],
  [179, analysis((name) => `${name || 'An alias'} is an alias of two different expressions`)],
  [207, analysis((name) => `${name || 'A name'} is ambiguous: qualify it with its table`)],
  [352, analysis((name) => `${name || 'A name'} is ambiguous: qualify it with its table`)],
  [125, analysis(() => 'A scalar subquery returned more than one row')],
  [59, analysis(() => 'A condition must be true or false, and this one has another type')],
  [20, analysis(() => 'The two sides of IN have different numbers of columns')],
  [44, analysis(() => 'A column of this type cannot be used here: cast it first')],
  [36, analysis((name) => `${name || 'A function'} does not accept these arguments`)],
  [12, analysis((name) => `A parameter of ${name || 'a function'} is out of range`)],
  [50, analysis((name) => `There is no type ${name}`.trimEnd())],
  [440, analysis(() => 'LIMIT and OFFSET must be integers')],
  [476, analysis(() => 'WITH TIES requires ORDER BY')],
  [403, analysis(() => 'The engine does not support this join condition')],
  [48, analysis(() => 'The engine does not support this')],
  [1, analysis(() => 'The engine does not support this here')],
  [10, naming((name) => `There is no column ${name} here`)],
  [6, execution(() => 'A string cannot be converted to the required type')],
  [27, execution(() => 'A string cannot be converted to the required type')],
  [38, execution(() => 'A string is not a valid date')],
  [41, execution(() => 'A string is not a valid time')],
  [69, execution((name) => `An argument of ${name || 'a function'} is out of range`)],
  [70, execution(() => 'A value cannot be converted to this type')],
  [72, execution(() => 'A string is not a number')],
  [131, execution((name) => `${name || 'A function'} would return a string that is too long`)],
  [153, execution(() => 'Division by zero')],
  [190, execution(() => 'The arrays have different lengths')],
  [349, execution(() => 'NULL cannot be converted to a type that is not Nullable')],
  [407, execution(() => 'A number is out of range for its decimal type')],
  [427, execution(() => 'A regular expression is invalid')],
]);

/**
 * Options of the Problem `query.failed` for a checked query that has failed; undefined if the failure is not about the
 * consumer's query. `columns` are those visible to the consumer, used to suggest the nearest name.
 */
export function consumerFailure(
  verdict: Verdict,
  failure: EngineMessage,
  columns: ReadonlySet<string>,
): ProblemOptions | undefined {
  const engineCode = readsAsColumn(failure) ? UNKNOWN_IDENTIFIER : failure.engineCode;
  const failureText = TEXTS.get(engineCode ?? 0);
  if (failureText === undefined) return undefined;
  // Verdicts are cached without tokens; failures are rare enough to read the query again.
  const text = lexConsumerQuery(verdict.source);
  const location = locationOf(text, failure.message);
  if (location === undefined) {
    return isConsumersFault(failureText, text, failure)
      ? withoutLocation(failureText.textFor(''))
      : undefined;
  }
  const message = failureText.textFor(location.source.slice(0, 60));
  const position = positionAt(verdict.source, location.start);
  const isUnknown = engineCode === UNKNOWN_IDENTIFIER;
  const hint = isUnknown ? didYouMean(nearest(location.source, [...columns, ...verdict.names])) : undefined;
  return {
    detail: `${message} (line ${position.line}, column ${position.column})`,
    errors: [{ ...position, message }],
    ...(hint && { hint }),
  };
}

function isConsumersFault({ evidence }: FailureText, text: LexedQuery, { message }: EngineMessage): boolean {
  if (evidence !== 'location or scope') return evidence === 'none';
  const scope = scopeOf(message);
  return scope !== undefined && isConsumerScope(text, scope);
}

function withoutLocation(message: string): ProblemOptions {
  return { detail: message, errors: [{ message }] };
}

/** The first name in the message that occurs in the consumer's query. */
function locationOf(text: LexedQuery, message: string): TextMatch | undefined {
  for (const name of quotedNames(message)) {
    const found = findInQuery(text, name);
    if (found !== undefined) return found;
  }
  return undefined;
}
