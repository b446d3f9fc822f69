// Private folders: created, restricted, or reported by a warning.
import { chmod, mkdir, mkdtemp, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makePrivateFolder } from '../../../src/service/config/private-folder.ts';

const own = process.getuid?.() ?? 0;

async function folderWith(mode: number, files: readonly string[]): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'millrace-private-')), 'data');
  await mkdir(path);
  for (const file of files) await writeFile(join(path, file), '');
  await chmod(path, mode);
  return path;
}

const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o7777).toString(8);

test('a new folder and its new parents are created for their owner only', async () => {
  const above = join(await mkdtemp(join(tmpdir(), 'millrace-private-')), 'above');
  expect(await makePrivateFolder(join(above, 'data'))).toBeUndefined();
  expect([await modeOf(above), await modeOf(join(above, 'data'))]).toEqual(['700', '700']);
});

test.each<{
  why: string;
  mode: number;
  files?: readonly string[];
  uid?: number;
  becomes: string;
  warned: boolean;
}>([
  { why: 'private already', mode: 0o700, files: ['other'], becomes: '700', warned: false },
  { why: 'readable by its owner only', mode: 0o500, becomes: '500', warned: false },
  { why: 'empty', mode: 0o755, becomes: '700', warned: false },
  { why: 'used by an earlier release', mode: 0o755, files: ['engine', 'x'], becomes: '700', warned: false },
  { why: 'used over a server', mode: 0o770, files: ['token-use.json'], becomes: '700', warned: false },
  {
    why: 'of something else, such as a home directory',
    mode: 0o755,
    files: ['x'],
    becomes: '755',
    warned: true,
  },
  { why: 'accessible to all, such as /tmp', mode: 0o1777, files: ['engine'], becomes: '1777', warned: true },
  { why: 'of another user', mode: 0o775, files: ['engine'], uid: own + 1, becomes: '775', warned: true },
])('a folder that is there: $why', async ({ mode, files = [], uid = own, becomes, warned }) => {
  const path = await folderWith(mode, files);
  const warning = await makePrivateFolder(path, uid);
  expect(await modeOf(path)).toBe(becomes);
  expect(warning !== undefined).toBe(warned);
  if (warned) expect(warning).toContain(`${path} is open to other users (mode ${becomes})`);
});
