import { expect, test } from 'vitest';
import { engineSentence } from '../../../src/service/engine/engine-sentence.ts';

test.each([
  [
    "Code: 47. DB::Exception: Unknown expression identifier `b` in scope SELECT b FROM t. Maybe you meant: ['a']. (UNKNOWN_IDENTIFIER)",
    'unknown expression identifier `b`',
  ],
  [
    'Code: 62. DB::Exception: Syntax error: failed at position 10 ()) (line 1, col 10): ) FORM t. Expected one of: token. (SYNTAX_ERROR)',
    'syntax error at )',
  ],
  [
    'Code: 62. DB::Exception: Syntax error (Multi-statements are not allowed): failed at position 9 (end of query): . (SYNTAX_ERROR)',
    'syntax error at end of query',
  ],
  [
    'Code: 117. DB::Exception: Unknown field found while parsing JSONEachRow format: nothing: (at row 1)\n: While executing ParallelParsingBlockInputFormat. (INCORRECT_DATA)',
    'unknown field found while parsing JSONEachRow format: nothing',
  ],
  [
    'Code: 252. DB::Exception: Code: 252. DB::Exception: Too many parts: data for INSERT was parsed from file. (TOO_MANY_PARTS)',
    'too many parts',
  ],
  ["DB::Exception: Cannot parse '\n  x'.\nRow 1:\nColumn 0, name: a", "cannot parse ' x'"],
  ['Code: 1. DB::Exception: . (UNSUPPORTED_METHOD)', 'the engine rejects it'],
])('%s', (message, sentence) => {
  expect(engineSentence(message)).toBe(sentence);
});
