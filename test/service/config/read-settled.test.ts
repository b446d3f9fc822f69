// Reading a file during a write returns one complete version.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readSettled } from '../../../src/service/config/read-settled.ts';

const MIB = 1_048_576;
const LAST = 'the last version';
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-read-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('a partially written version is never returned', async () => {
  const path = join(folder, 'written.yaml');
  const versions = Array.from({ length: 26 }, (_, n) => String.fromCodePoint(97 + n).repeat(40 * (n + 1)));
  const whole = new Set([...versions, LAST]);
  await writeFile(path, 'a'.repeat(40));
  let isWriting = true;
  let read = 0;
  const writing = (async () => {
    for (let n = 0; n < 3000; n++) await writeFile(path, versions[n % 26] ?? '');
    // A reader that was never quick enough gets pauses.
    for (let n = 0; read === 0; n++) {
      await setTimeout(20);
      await writeFile(path, versions[n % 26] ?? '');
    }
    await writeFile(path, LAST);
    isWriting = false;
  })();
  const torn: string[] = [];
  while (isWriting) {
    const text = await readSettled(path, MIB).then(
      ({ bytes }) => bytes.toString(),
      (cause: Error) => cause.message,
    );
    if (text === 'the file keeps changing while it is read') continue;
    if (text === '') continue; // between the emptying and the writing, for as long as the writer likes
    read++;
    if (!whole.has(text)) torn.push(text);
  }
  await writing;
  expect(torn).toEqual([]);
  expect((await readSettled(path, MIB)).bytes.toString()).toBe(LAST);
});

test.each([
  { why: 'a folder', make: (path: string) => mkdir(path), says: /not a file/ },
  {
    why: 'over the size limit',
    make: (path: string) => writeFile(path, ' '.repeat(MIB + 1)),
    says: /larger than 1 MiB/,
  },
  { why: 'nothing', make: () => Promise.resolve(), says: /ENOENT/ },
])('$why is rejected', async ({ why, make, says }) => {
  const path = join(folder, why);
  await make(path);
  await expect(readSettled(path, MIB)).rejects.toThrow(says);
});
