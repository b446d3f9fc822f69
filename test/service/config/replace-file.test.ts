// Files that are replaced: never in part, never readable by more users than before, and nothing left behind.
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { replaceFile } from '../../../src/service/config/replace-file.ts';

const modeOf = (path: string): number => statSync(path).mode & 0o777;
let folder: string;
let umask: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-'));
  umask = process.umask(0);
});
afterEach(() => void process.umask(umask));

describe('a replaced file', () => {
  test('is private if it is new', async () => {
    const path = join(folder, 'a');
    await replaceFile(path, 'text');
    expect([readFileSync(path, 'utf8'), modeOf(path)]).toEqual(['text', 0o600]);
  });

  test.each([0o600, 0o640, 0o644])('keeps the mode %i', async (mode) => {
    const path = join(folder, 'a');
    writeFileSync(path, 'old');
    chmodSync(path, mode);
    await replaceFile(path, 'new');
    expect([readFileSync(path, 'utf8'), modeOf(path)]).toEqual(['new', mode]);
  });

  test('that cannot be renamed leaves nothing behind', async () => {
    const path = join(folder, 'a');
    mkdirSync(join(path, 'b'), { recursive: true });
    await expect(replaceFile(path, 'text')).rejects.toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
    expect(readdirSync(folder)).toEqual(['a']);
  });

  test('is not written into one that a process with the same id left open to others', async () => {
    const path = join(folder, 'a');
    const left = `${path}.${process.pid}.new`;
    writeFileSync(left, 'left', { mode: 0o644 });
    await replaceFile(path, 'text');
    expect([readdirSync(folder), modeOf(path)]).toEqual([['a'], 0o600]);
  });
});
