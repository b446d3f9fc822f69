// Errors of the engine by their text: those of damaged files, and the same codes as errors of a statement.
import { expect, test } from 'vitest';
import { engineErrorFrom } from '../../../src/service/engine/failures.ts';

test.each([
  ['a block with another checksum', 40, "Checksum doesn't match: corrupted data", 'invalid_response'],
  ['an input error', 74, 'Cannot read from file 12, errno: 5', 'invalid_response'],
  [
    'a file that is cut off',
    33,
    'Cannot read all data: (while reading column id): (while reading from part …)',
    'invalid_response',
  ],
  [
    'a file that is gone',
    107,
    'File …/text.bin does not exist: (while reading column text)',
    'invalid_response',
  ],
  [
    'a block that cannot be decompressed',
    271,
    'Cannot decompress: While reading or decompressing …/s.bin',
    'invalid_response',
  ],
  ['a file of file()', 107, 'File /srv/a.tsv does not exist. (FILE_DOESNT_EXIST)', 'rejected'],
  ['a value', 117, 'Incorrect data: while executing function f on arguments …', 'rejected'],
  [
    'a value in a condition',
    6,
    'Cannot parse string: (while reading from part /…/all_1_1_0/ in table …)',
    'rejected',
  ],
  ['words of a statement with another code', 395, 'while reading column x', 'rejected'],
  ['too many rows where a column is read', 158, 'Limit exceeded: (while reading column x)', 'limit'],
])('%s: %d', (_, code, text, failure) => {
  expect(engineErrorFrom(`Code: ${code}. DB::Exception: ${text}`)).toMatchObject({
    failure,
    engineCode: code,
  });
});
