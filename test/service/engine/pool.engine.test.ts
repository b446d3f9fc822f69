// The pool over real connections: reuse, discarding, and the bound on open connections.
import * as chdb from 'chdb';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { writeConfigFile, writeUsersFile } from '../../../src/service/engine/embedded/config-file.ts';
import { createConnections } from '../../../src/service/engine/embedded/connection.ts';
import type { Connections } from '../../../src/service/engine/embedded/connection.ts';
import { createPool } from '../../../src/service/engine/embedded/pool.ts';
import {
  AUTHOR_PROFILE,
  SAVED_PROFILE,
  consumerProfile,
} from '../../../src/service/engine/embedded/profile.ts';
import type { Profile } from '../../../src/service/engine/embedded/profile.ts';
import { usersFile } from '../../../src/service/engine/embedded/users-file.ts';
import { statement } from '../../support/engine-statements.ts';

const path = await mkdtemp(join(tmpdir(), 'millrace-pool-'));
const configFile = await writeConfigFile({ path, memory: 2 ** 29, hasUsers: true });
const keys = { mark: 'mark', secret: 'secret' };
await writeUsersFile(path, usersFile({ rules: undefined, keys, sources: [] }));
afterAll(() => rm(path, { recursive: true, force: true }));

/** Real connections, counted. */
function countedPool(limit: number) {
  const counts = { open: 0, most: 0, opened: 0 };
  const real = createConnections({ path, configFile, chdb });
  const connections: Connections = {
    open: async (profile) => {
      const connection = await real.open(profile);
      counts.opened++;
      counts.most = Math.max(counts.most, ++counts.open);
      const close = async (): Promise<void> => {
        counts.open--;
        await connection.close();
      };
      return { ...connection, close };
    },
  };
  return { counts, pool: createPool({ connections, limit, observe: () => {} }) };
}

/** Name and value of `--name=value`. */
function splitArgument(arg: string): [string, string] {
  const at = arg.indexOf('=');
  return [arg.slice(2, at), arg.slice(at + 1)];
}

/** Consumers use a database that the engine creates; here it is the default one. */
function profileOf(readRows: number): Profile {
  return { ...consumerProfile(statement('', { limits: { readRows } })), database: 'default', role: 'reader' };
}

test('a released connection is reused only by its own profile', async () => {
  const { counts, pool } = countedPool(4);
  const first = await pool.take(profileOf(1));
  pool.giveBack(first);
  const other = await pool.take(profileOf(2));
  const again = await pool.take(profileOf(1));
  expect([again === first, other === first, counts.opened]).toEqual([true, false, 2]);
  pool.giveBack(other);
  pool.giveBack(again);
  await pool.close();
  expect(counts.open).toBe(0);
});

test('a dropped connection is never reused', async () => {
  const { counts, pool } = countedPool(4);
  const first = await pool.take(AUTHOR_PROFILE);
  await pool.drop(first, 'rejected');
  const second = await pool.take(AUTHOR_PROFILE);
  expect([second === first, counts.opened, counts.open]).toEqual([false, 2, 1]);
  await pool.drop(second, 'rejected');
});

test('many profiles share a bounded number of connections', async () => {
  const { counts, pool } = countedPool(4);
  for (let round = 0; round < 40; round++) {
    const taken = await Promise.all([pool.take(profileOf(round)), pool.take(profileOf(round % 3))]);
    for (const connection of taken) pool.giveBack(connection);
  }
  expect(counts.most).toBeLessThanOrEqual(4);
  await pool.close();
  expect(counts.open).toBe(0);
});

test('a consumer connection has its limits, and they cannot be changed', async () => {
  const { pool } = countedPool(2);
  const profile = profileOf(77);
  const connection = await pool.take(profile);
  const read = async (): Promise<string> => {
    const sql = "SELECT getSetting('max_rows_to_read'), getSetting('readonly')";
    return Buffer.from((await connection.call(sql, 'TSV')).bytes).toString();
  };
  expect(await read()).toBe('77\t1\n');
  for (const sql of [
    'SET max_rows_to_read = 0',
    'SET readonly = 0',
    'SELECT 1 SETTINGS max_rows_to_read = 0',
  ]) {
    await expect(connection.call(sql, 'TSV')).rejects.toMatchObject({ engineCode: 164 });
  }
  expect(await read()).toBe('77\t1\n');
  await pool.drop(connection, 'rejected');
});

test.each([consumerProfile(statement('')), SAVED_PROFILE])(
  'every setting of the profile $key is one that the engine has and took',
  async (profile) => {
    // An unknown argument is ignored without a word.
    const { pool } = countedPool(2);
    const connection = await pool.take({ ...profile, database: 'default', role: 'reader' });
    const settings = new Map(profile.args.map((arg) => splitArgument(arg)));
    const names = [...settings.keys()].map((name) => `'${name}'`).join(', ');
    const sql = `SELECT name, value FROM system.settings WHERE name IN (${names}) FORMAT TSVRaw`;
    const lines = Buffer.from((await connection.call(sql, 'TSVRaw')).bytes)
      .toString()
      .trim()
      .split('\n');
    expect(Object.fromEntries(lines.map((line) => line.split('\t', 2)))).toEqual(
      Object.fromEntries(settings),
    );
    await pool.drop(connection, 'done');
  },
);

test('a failed open leaves no slot occupied', async () => {
  const { pool } = countedPool(1);
  const missing: Profile = { key: 'missing', args: [], database: 'missing', role: 'author' };
  await expect(pool.take(missing)).rejects.toMatchObject({ engineCode: 81 });
  const connection = await pool.take(AUTHOR_PROFILE);
  await pool.drop(connection, 'done');
});
