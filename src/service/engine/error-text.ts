// What the log may say of an error of the engine: its code, the name of that, and which of the known sentences its message
// begins with. The words come from here, never from the message, which quotes queries, values and rows.
import { errorName } from './error-names.ts';

/** How messages begin, and what they then mean. */
const SENTENCES: readonly (readonly [begin: RegExp, sentence: string])[] = [
  [/^Syntax error/, 'syntax error'],
  [/^Unknown (?:expression or function |expression )?identifier/, 'unknown identifier'],
  [/^Unknown table (?!function)/, 'unknown table'],
  [/^Table .* does not exist/s, 'the table does not exist'],
  [/^Database .* does not exist/s, 'the database does not exist'],
  [/^(?:Function with name|Unknown function|Aggregate function with name)/, 'unknown function'],
  [/^Missing columns/, 'missing columns'],
  [/^Substitution .* is not set/s, 'a value of a placeholder is missing'],
  [/^Value .* cannot be parsed as/s, 'a value of a placeholder cannot be parsed as its type'],
  [/^Cannot parse (?:string|input|text)/, 'a text cannot be parsed as a type'],
  [/^Cannot parse (?:DateTime|Date|datetime|date)/, 'a text cannot be parsed as a date or a time'],
  [/^Cannot read (?:all data|floating point)/, 'a text cannot be parsed as a number'],
  [
    /^Cannot parse (?:number|boolean|Bool|UUID|uuid|IPv[46]|JSON|decimal|Decimal)/,
    'a text cannot be parsed as a type',
  ],
  [/^Attempt to read after eof/, 'a text ends too early'],
  [/^Division by zero/, 'division by zero'],
  [/^Decimal math overflow/, 'overflow of a Decimal'],
  [/^There is no supertype/, 'types without a common type'],
  [/^Illegal types? /, 'a type that a function does not accept'],
  [/^Number of arguments /, 'number of arguments of a function'],
  [/^Nested type .* cannot be inside Nullable/s, 'a type that cannot be Nullable'],
  [/^Cannot convert /, 'a value cannot be converted to a type'],
  [/^Unknown element .* for enum/s, 'a value that an Enum does not have'],
  [/^OptimizedRegularExpression: cannot compile re2/, 'an invalid regular expression'],
  [/^Scalar subquery returned more than one row/, 'a scalar subquery has several rows'],
  [/^Timeout exceeded/, 'timeout exceeded'],
  [/^(?:\(total\) |Query |User )?[Mm]emory limit/, 'memory limit exceeded'],
  [/^Limit for (?:rows|bytes|result)/, 'limit exceeded'],
  [/^Not enough privileges/, 'not enough privileges'],
  [/^Query was cancelled/, 'the query was cancelled'],
  [/^Cannot (?:open|read from|write to|reserve|create) /, 'a file or a folder of the engine'],
];

const PREFIX = /^(?:Code: \d+\. |DB::(?:Net)?Exception: |Received from [\w.:-]+\. |std::exception\. )+/;

/** `UNKNOWN_IDENTIFIER (47): unknown identifier`; without a code, the failure alone. */
export function loggedEngineText(failure: string, code: number | undefined, message: string): string {
  const name = code === undefined ? failure : `${errorName(code) ?? 'an unknown code'} (${code})`;
  const text = message.replace(PREFIX, '');
  const [, sentence] = (code !== THROW_IF && SENTENCES.find(([begin]) => begin.test(text))) || [];
  const position = code === SYNTAX_ERROR ? POSITION.exec(text)?.[1] : undefined;
  return [name, sentence && `: ${sentence}`, position && ` at position ${position}`]
    .filter((each) => each !== undefined)
    .join('');
}

const SYNTAX_ERROR = 62;
/** FUNCTION_THROW_IF_VALUE_IS_NON_ZERO: its message is an argument of the query. */
const THROW_IF = 395;
/** Of the statement as it was sent; what precedes it are constants of the engine. */
const POSITION =
  /^Syntax error(?: \(Multi-statements are not allowed\))?: failed at (?:position|end of query)? ?(\d{1,7})\b/;
