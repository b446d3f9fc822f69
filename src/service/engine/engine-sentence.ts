// The sentence in an error message of the engine that says what is wrong.

/** What follows the sentence: the place in a query or in rows, advice, what the engine was doing, the name of the code. */
const DETAILS =
  /[.:]? ?\(?(?:[Ii]n (?:scope|query|file\/uri) |[Mm]aybe you meant|[Ww]hile (?:executing|converting|processing) |at row |Expected one of|Stack trace)|: While |: data for INSERT was|\. \([A-Z_]+\)|\nRow 1:/;
/** Twice in errors of rows. */
const PREFIX = /^.*?DB::Exception: (?:Code: \d{1,9}\. DB::Exception: )*/s;
const SYNTAX = /Syntax error.*?: failed at position \d+ \((.{1,60}?)\)(?: \(line|:|$)/s;

/**
 * Without the error code, the repeated query and the details that follow; at most 300 characters, not empty. A syntax error names
 * the token that was not expected.
 */
export function engineSentence(message: string): string {
  const token = SYNTAX.exec(message)?.[1];
  if (token !== undefined) return `syntax error at ${token}`;
  const [sentence = ''] = message.replace(PREFIX, '').split(DETAILS);
  const plain = sentence
    .replace(/(?:, in)?[.:,\s]+$/, '')
    .replace(/\s+/g, ' ')
    .slice(0, 300);
  if (plain === '') return 'the engine rejects it';
  return plain.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
}
