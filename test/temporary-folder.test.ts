// Where a run writes its temporary files.
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isFit } from './support/temporary-folder.ts';

test.each([
  ['is absent', join(tmpdir(), 'absent')],
  ['has no room', '/proc'],
])('a folder that %s is not fit for a run', (_, folder) => {
  expect(isFit(folder)).toBe(false);
});
