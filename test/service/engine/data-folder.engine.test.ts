// Permissions of the embedded engine's data folder: owner only, whether new or left with 0755 by an earlier release.
import { chmod, mkdir, mkdtemp, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openEngine } from '../../../src/service/app/engine.ts';
import { loadSettings } from '../../../src/service/config/load-settings.ts';
import type { Observation } from '../../../src/sql/base/observation.ts';

test('only the owner can access the folder, the engine’s part of it and its configuration', async () => {
  const loaded = await loadSettings({ flags: {}, env: {}, file: { path: '', required: false } });
  if (!('settings' in loaded)) throw new Error('the defaults are valid');
  const data = join(await mkdtemp(join(tmpdir(), 'millrace-data-')), 'data');
  await mkdir(join(data, 'engine'), { recursive: true });
  await chmod(data, 0o755);
  await chmod(join(data, 'engine'), 0o755);
  const observed: Observation[] = [];
  const engine = await openEngine(
    { ...loaded.settings, data, memory: 2 ** 30 },
    (each) => void observed.push(each),
  );
  await engine.close(0);
  const paths = [data, join(data, 'engine'), join(data, 'engine', 'millrace.xml')];
  const modes = await Promise.all(paths.map((path) => stat(path)));
  expect(modes.map(({ mode }) => (mode & 0o777).toString(8))).toEqual(['700', '700', '600']);
  expect(observed.map(({ kind }) => kind)).toEqual(['engine.confined']);
});
