// What a consumer may learn about an engine failure: our own message, with a location in their query; never the engine's.
import { nearest } from '../core/nearest.ts';
import { positionAt } from '../core/position.ts';
import type { ProblemOptions } from '../core/problem.ts';
import { quotedNames, scopeOf } from './engine-message.ts';
import { findInText, isConsumersOwn } from './find-in-text.ts';
import type { Found } from './find-in-text.ts';
import { readConsumerText } from './consumer-text.ts';
import type { ConsumerText } from './consumer-text.ts';
import type { Verdict } from './sandbox.ts';

/** A failure as the engine reports it; `engineCode` is ClickHouse's error code. */
export interface EngineMessage {
  readonly engineCode: number | undefined;
  readonly message: string;
}

/** A message; `name` is what the engine's message is about, if it occurs in the consumer's query. */
interface Sentence {
  readonly say: (name: string) => string;
  /** Evidence required that the endpoint's own tables did not cause the failure. */
  readonly proof: 'none' | 'place or scope' | 'place';
}

/** Raised during analysis. The endpoint's own tables were analysed when it was loaded, so the consumer's query is at fault. */
function analysis(say: (name: string) => string): Sentence {
  return { say, proof: 'none' };
}

/** Raised while rows are read, possibly inside the endpoint's tables. */
function execution(say: (name: string) => string): Sentence {
  return { say, proof: 'place or scope' };
}

const UNKNOWN_IDENTIFIER = 47;

/** Unknown table, unknown database, access denied. */
const HIDDEN: ReadonlySet<number | undefined> = new Set([60, 81, 497]);

/**
 * On the left of IN the engine also looks up tables, and its errors reveal whether `database.table` exists. Consumers
 * get the same message in each case: no such column.
 */
function readsAsColumn({ engineCode, message }: EngineMessage): boolean {
  return HIDDEN.has(engineCode) || message.includes('is a table expression');
}

/** About a name, which either occurs in the consumer's query or is not theirs. */
function naming(say: (name: string) => string): Sentence {
  return { say, proof: 'place' };
}

/** By ClickHouse's error codes (src/Common/ErrorCodes.cpp). */
const SENTENCES: ReadonlyMap<number, Sentence> = new Map([
  [UNKNOWN_IDENTIFIER, naming((name) => `There is no column or alias ${name} here`)],
  [46, naming((name) => `The engine has no function ${name}`)],
  [62, analysis(() => 'The engine cannot read the query')],
  [43, analysis((name) => `${name || 'A function'} does not take values of this type`)],
  [42, analysis((name) => `${name || 'A function'} takes another number of arguments`)],
  [35, analysis((name) => `${name || 'A function'} takes another number of arguments`)],
  [53, analysis(() => 'Types or numbers of columns do not match')],
  [258, analysis(() => 'The SELECTs of a UNION have different columns')],
  [386, analysis(() => 'Values of different types have no type in common')],
  [215, analysis((name) => `${name || 'A column'} has to stand in GROUP BY or inside an aggregate function`)],
  [184, analysis(() => 'An aggregate function stands inside another, or where none may stand')],
  [179, analysis((name) => `${name || 'An alias'} stands for two different things`)],
  [
    207,
    analysis((name) => `${name || 'A name'} could be a column of several tables: put the table before it`),
  ],
  [
    352,
    analysis((name) => `${name || 'A name'} could be a column of several tables: put the table before it`),
  ],
  [125, analysis(() => 'A subquery that is used as a value gave more than one row')],
  [59, analysis(() => 'A condition has to be true or false, and this one is of another type')],
  [20, analysis(() => 'The two sides of IN have different numbers of columns')],
  [44, analysis(() => 'A column of this type cannot be used here: cast it first')],
  [36, analysis((name) => `${name || 'A function'} does not take these arguments`)],
  [12, analysis((name) => `A parameter of ${name || 'a function'} is out of its range`)],
  [50, analysis((name) => `There is no type ${name}`.trimEnd())],
  [440, analysis(() => 'LIMIT and OFFSET take whole numbers')],
  [476, analysis(() => 'WITH TIES needs ORDER BY')],
  [403, analysis(() => 'The engine cannot join on this condition')],
  [48, analysis(() => 'The engine cannot do this yet')],
  [1, analysis(() => 'The engine cannot do this here')],
  [10, naming((name) => `There is no column ${name} here`)],
  [6, execution(() => 'A text cannot be converted to the type that is wanted')],
  [27, execution(() => 'A text cannot be converted to the type that is wanted')],
  [38, execution(() => 'A text is not a date')],
  [41, execution(() => 'A text is not a time')],
  [69, execution((name) => `An argument of ${name || 'a function'} is out of its range`)],
  [70, execution(() => 'A value cannot be converted to this type')],
  [72, execution(() => 'A text is not a number')],
  [131, execution((name) => `${name || 'A function'} would make too long a text`)],
  [153, execution(() => 'Division by zero')],
  [190, execution(() => 'Arrays of different lengths cannot go together')],
  [349, execution(() => 'NULL cannot be converted to a type without it')],
  [407, execution(() => 'A number is too large for its decimal type')],
  [427, execution(() => 'A regular expression cannot be compiled')],
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
  const sentence = SENTENCES.get(engineCode ?? 0);
  if (sentence === undefined) return undefined;
  // Verdicts are cached without tokens; failures are rare enough to read the query again.
  const text = readConsumerText(verdict.source);
  const place = placeOf(text, failure.message);
  if (place === undefined) {
    return isProven(sentence, text, failure) ? withoutPlace(sentence.say('')) : undefined;
  }
  const message = sentence.say(place.source.slice(0, 60));
  const position = positionAt(verdict.source, place.start);
  const guess =
    engineCode === UNKNOWN_IDENTIFIER ? nearest(place.source, [...columns, ...verdict.names]) : undefined;
  return {
    detail: `${message} (line ${position.line}, column ${position.column})`,
    errors: [{ ...position, message }],
    ...(guess === undefined ? {} : { hint: `Did you mean ${guess}?` }),
  };
}

function isProven({ proof }: Sentence, text: ConsumerText, { message }: EngineMessage): boolean {
  if (proof !== 'place or scope') return proof === 'none';
  const scope = scopeOf(message);
  return scope !== undefined && isConsumersOwn(text, scope);
}

function withoutPlace(message: string): ProblemOptions {
  return { detail: message, errors: [{ message }] };
}

/** The first name in the message that occurs in the consumer's query. */
function placeOf(text: ConsumerText, message: string): Found | undefined {
  for (const name of quotedNames(message)) {
    const found = findInText(text, name);
    if (found !== undefined) return found;
  }
  return undefined;
}
