// Which files of two revisions are compared: those that differ, and those that may claim the same id or name.
import { expect, test } from 'vitest';
import type { FolderFile } from '../../../src/cli/commands/diff/folders.ts';
import { withoutUnchanged } from '../../../src/cli/commands/diff/unchanged.ts';

const file = (name: string, more = ''): FolderFile => ({
  path: `endpoints/${name}.yaml`,
  content: { text: `id: 00000000-0000-4000-8000-00000000000${name.length}\nname: logs.${name}\n${more}` },
});
const unreadable: FolderFile = { path: 'endpoints/x.yaml', content: { unreadable: 'too large' } };

test.each<{ why: string; before: FolderFile[]; after: FolderFile[]; kept: [number, number] }>([
  { why: 'no differences', before: [file('a'), file('bb')], after: [file('a'), file('bb')], kept: [0, 0] },
  {
    why: 'one changed, one added, one removed',
    before: [file('a'), file('bb'), file('ccc'), file('fffff')],
    after: [file('a', 'max_rows: 5'), file('bb'), file('dddd'), file('fffff')],
    kept: [2, 2],
  },
  {
    why: 'an unchanged file has the name of an added one',
    before: [file('a'), file('bb')],
    after: [file('a'), file('bb'), { ...file('a'), path: 'endpoints/copy.yaml' }],
    kept: [1, 2],
  },
  {
    why: 'an id in another case',
    before: [file('a', `description: 00000000-0000-4000-8000-00000000000B`), file('bb')],
    after: [
      file('a', `description: 00000000-0000-4000-8000-00000000000B`),
      file('bb'),
      { path: 'n.yaml', content: { text: 'id: "00000000-0000-4000-8000-00000000000b" # new\nname: n\n' } },
    ],
    kept: [2, 3], // "n" occurs in every text
  },
  {
    why: 'a changed file whose name is written in another way: everything is compared',
    before: [file('a'), file('bb')],
    after: [file('a'), { path: 'endpoints/bb.yaml', content: { text: '{ "id": "x", "name": "y" }' } }],
    kept: [2, 2],
  },
  {
    why: 'files that cannot be read',
    before: [file('a'), unreadable],
    after: [file('a'), unreadable],
    kept: [0, 0],
  },
  {
    why: 'a file that can no longer be read',
    before: [file('a'), file('bb')],
    after: [file('a'), unreadable],
    kept: [2, 2],
  },
])('$why', ({ before, after, kept }) => {
  expect(withoutUnchanged(before, after).map((files) => files.length)).toEqual(kept);
});
