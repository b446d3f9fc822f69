// Damaged data of the embedded engine: what is found when the folder is opened, and what queries return then.
import { readFile, rename, rm, symlink, truncate, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Observation } from '../../../src/sql/base/observation.ts';
import type { DataDamage } from '../../../src/service/engine/data-damage.ts';
import { ownerOf } from '../../../src/service/engine/embedded/open-error.ts';
import type { Engine } from '../../../src/service/engine/engine.ts';
import { fillData, idOf, openEngineAt, PART_ROWS, type FilledData } from '../../support/damaged-data.ts';
import { collect, statement } from '../../support/engine-statements.ts';
import { eventually } from '../../support/eventually.ts';
import { some } from '../../support/runs.ts';

async function count(engine: Engine, table: string): Promise<number> {
  const [line = ''] = (await collect(engine, statement(`SELECT count() AS n FROM ${table}`)))
    .toString()
    .split('\n');
  return (JSON.parse(line) as { n: number }).n; // the column of the query
}

interface Opened {
  readonly engine: Engine;
  readonly observed: readonly Observation[];
  readonly damage: DataDamage;
}

async function opened({ path }: FilledData, use: (opened: Opened) => Promise<void>): Promise<void> {
  const observed: Observation[] = [];
  const engine = await openEngineAt(path, observed);
  try {
    await use({ engine, observed, damage: engine.damage?.() ?? { broken: [], missing: [] } });
  } finally {
    await engine.close(0);
  }
}

const kindsOf = (observed: readonly Observation[]): readonly string[] =>
  observed.map(({ kind }) => kind).filter((kind) => kind.startsWith('data.'));

/** Changes a byte at the end, where `text` is, and leaves the length. */
async function alter(file: string): Promise<void> {
  const bytes = await readFile(file);
  const at = bytes.length - 20;
  bytes.writeUInt8(255 - bytes.readUInt8(at), at);
  await writeFile(file, bytes);
}

const PART = 'all_2_2_0';

describe('parts that cannot be opened', () => {
  const faults: readonly (readonly [string, string, (part: string) => Promise<void>])[] = [
    ['compact', 'its data are cut off', (part: string) => truncate(join(part, 'data.bin'), 100)],
    ['compact', 'its columns are gone', (part: string) => unlink(join(part, 'columns.txt'))],
    ['compact', 'its checksums are empty', (part: string) => truncate(join(part, 'checksums.txt'), 0)],
    ['wide', 'a column is cut off', (part: string) => truncate(join(part, 'text.bin'), 100)],
    ['wide', 'a column is gone', (part: string) => unlink(join(part, 'id.bin'))],
    ['wide', 'its number of rows is cut off', (part: string) => truncate(join(part, 'count.txt'), 1)],
    ['wide', 'its index is cut off', (part: string) => truncate(join(part, 'primary.cidx'), 1)],
  ];
  test.each(some(faults, 3))('%s: %s', async (table, _, damagePart) => {
    const data = await fillData();
    await damagePart(data.folder(table, PART));
    await opened(data, async ({ engine, observed, damage }) => {
      expect(await count(engine, `app.${table}`)).toBe(2 * PART_ROWS);
      const broken = {
        table: `app.${table}`,
        parts: 1,
        names: [`broken-on-start_${PART}`],
        reasons: ['broken-on-start'],
      };
      expect(damage).toEqual({ broken: [broken], missing: [] });
      expect(observed).toContainEqual({ kind: 'data.parts_broken', parts: 1, tables: [broken] });
    });
    await opened(data, async ({ observed }) => expect(kindsOf(observed)).toEqual(['data.parts_broken']));
  });
});

describe('tables without a definition', () => {
  test.each(['compact', 'wide', 'logged'])('%s', async (table) => {
    const data = await fillData();
    await unlink(data.definition(table));
    for (const _ of ['opened', 'again'])
      await opened(data, async ({ engine, observed, damage }) => {
        await expect(count(engine, `app.${table}`)).rejects.toMatchObject({ engineCode: 60 });
        expect(damage).toEqual({ broken: [], missing: [`app.${table}`] });
        expect(observed).toContainEqual({ kind: 'data.tables_missing', tables: [`app.${table}`] });
      });
  });

  test('those of a database whose definition is gone', async () => {
    const data = await fillData();
    await unlink(data.definition());
    await opened(data, async ({ damage }) =>
      expect(damage.missing).toEqual(['app.compact', 'app.logged', 'app.wide']),
    );
  });

  test('one that was created again, empty; without its link, by the folder of its data', async () => {
    const data = await fillData();
    const id = await idOf(data, 'wide');
    await unlink(data.definition('wide'));
    await opened(data, async ({ engine }) =>
      engine.execute('CREATE TABLE IF NOT EXISTS app.wide (id UInt64) ENGINE = MergeTree ORDER BY id'),
    );
    await opened(data, async ({ engine, damage }) => {
      expect(await count(engine, 'app.wide')).toBe(0);
      expect(damage.missing).toEqual(['app.wide']);
      await unlink(data.folder('wide'));
      await engine.checkData?.();
      expect(engine.damage?.().missing).toEqual([`store/${id.slice(0, 3)}/${id}`]);
    });
  });

  test('a definition that cannot be read: the engine does not open, and its output says why', async () => {
    const data = await fillData();
    await truncate(data.definition('wide'), 40);
    const observed: Observation[] = [];
    await expect(openEngineAt(data.path, observed)).rejects.toMatchObject({ failure: 'unavailable' });
    await eventually(() =>
      expect(observed).toContainEqual(
        expect.objectContaining({ kind: 'engine.output', text: expect.stringMatching(/wide\.sql/) }),
      ),
    );
  });
});

test('what an operator does is not damage', async () => {
  const data = await fillData([
    `ALTER TABLE app.wide DETACH PART '${PART}'`,
    'DETACH TABLE app.logged PERMANENTLY',
    'DROP TABLE app.compact',
    'CREATE TABLE default.other (id UInt64) ENGINE = MergeTree ORDER BY id',
    'INSERT INTO default.other SELECT 1',
    'CREATE TABLE app.`a-b.c` (id UInt64) ENGINE = MergeTree ORDER BY id',
    'INSERT INTO app.`a-b.c` SELECT 1',
    'CREATE TABLE app.empty (id UInt64) ENGINE = MergeTree ORDER BY id',
    'CREATE MATERIALIZED VIEW app.view ENGINE = MergeTree ORDER BY id AS SELECT id FROM app.wide',
    'INSERT INTO app.wide SELECT 1000, 1',
  ]);
  await opened(data, async ({ engine, observed, damage }) => {
    expect(damage).toEqual({ broken: [], missing: [] });
    await engine.checkData?.();
    expect(kindsOf(observed)).toEqual([]);
  });
});

test('a name with other characters is that of the table', async () => {
  const data = await fillData([
    'CREATE TABLE app.`a-b.c` (id UInt64) ENGINE = MergeTree ORDER BY id',
    'INSERT INTO app.`a-b.c` SELECT 1',
  ]);
  await unlink(data.definition('a%2Db%2Ec'));
  await opened(data, async ({ damage }) => expect(damage.missing).toEqual(['app.a-b.c']));
});

test('a part whose whole folder is gone is not found', async () => {
  const data = await fillData();
  await rm(data.folder('wide', PART), { recursive: true });
  await opened(data, async ({ engine, damage }) => {
    expect(await count(engine, 'app.wide')).toBe(2 * PART_ROWS);
    expect(damage).toEqual({ broken: [], missing: [] });
  });
});

describe('data that are damaged where they are read: an error', () => {
  test.each([
    ['compact', 'data.bin'],
    ['wide', 'text.bin'],
  ])('%s', async (table, file) => {
    const data = await fillData();
    await alter(join(data.folder(table, PART), file));
    await opened(data, async ({ engine }) => {
      for (const columns of ['id, text', 'sum(cityHash64(text))'])
        await expect(collect(engine, statement(`SELECT ${columns} FROM app.${table}`))).rejects.toMatchObject(
          {
            failure: 'invalid_response',
            engineCode: 40, // CHECKSUM_DOESNT_MATCH
          },
        );
    });
  });

  test('a file that is gone', async () => {
    const data = await fillData();
    await opened(data, async ({ engine }) => {
      await unlink(join(data.folder('wide', PART), 'text.bin'));
      await expect(collect(engine, statement('SELECT text FROM app.wide'))).rejects.toMatchObject({
        failure: 'invalid_response',
      });
    });
  });

  test('a file that is cut off', async () => {
    const data = await fillData();
    await truncate(join(data.folder('logged'), 'id.bin'), 5);
    await opened(data, async ({ engine }) =>
      expect(collect(engine, statement('SELECT id FROM app.logged'))).rejects.toMatchObject({
        failure: 'invalid_response',
        engineCode: 33,
      }),
    );
  });
});

test('a check finds what was damaged or removed since, and reports changes only', async () => {
  const data = await fillData();
  await truncate(join(data.folder('wide', PART), 'text.bin'), 100);
  await opened(data, async ({ engine, observed }) => {
    await engine.checkData?.();
    expect(kindsOf(observed)).toEqual(['data.parts_broken']);
    await engine.execute(
      `ALTER TABLE app.wide DROP DETACHED PART 'broken-on-start_${PART}' SETTINGS allow_drop_detached = 1`,
    );
    await engine.checkData?.();
    expect([engine.damage?.(), kindsOf(observed)]).toEqual([
      { broken: [], missing: [] },
      ['data.parts_broken'],
    ]);
  });
});

describe('what the guide says to do', () => {
  test('a part whose files are repaired is attached again', async () => {
    const data = await fillData();
    const file = await readFile(join(data.folder('wide', PART), 'text.bin'));
    await truncate(join(data.folder('wide', PART), 'text.bin'), 100);
    await opened(data, async ({ engine }) => {
      const detached = data.folder('wide', 'detached');
      await writeFile(join(detached, `broken-on-start_${PART}`, 'text.bin'), file);
      await rename(join(detached, `broken-on-start_${PART}`), join(detached, PART));
      await engine.execute(`ALTER TABLE app.wide ATTACH PART '${PART}'`);
      await engine.checkData?.();
      expect([await count(engine, 'app.wide'), engine.damage?.().broken]).toEqual([3 * PART_ROWS, []]);
    });
  });

  test('a table whose definition is gone is attached with its id', async () => {
    const data = await fillData();
    const id = await idOf(data, 'wide');
    await unlink(data.definition('wide'));
    await opened(data, async ({ engine }) => {
      await engine.execute(
        `ATTACH TABLE app.wide UUID '${id}' (id UInt64, text String) ENGINE = MergeTree ORDER BY id`,
      );
      await engine.checkData?.();
      expect([await count(engine, 'app.wide'), engine.damage?.().missing]).toEqual([3 * PART_ROWS, []]);
    });
  });
});

test('the data of a replaced process are checked', async () => {
  const data = await fillData();
  await opened(data, async ({ engine, observed }) => {
    await truncate(join(data.folder('wide', PART), 'text.bin'), 100);
    process.kill(ownerOf(data.path) ?? 0, 'SIGKILL');
    await eventually(() => expect(kindsOf(observed)).toEqual(['data.parts_broken']));
    expect(await count(engine, 'app.wide')).toBe(2 * PART_ROWS);
  });
});

test('a folder that cannot be read is reported as such', async () => {
  const data = await fillData();
  await opened(data, async ({ engine, observed }) => {
    await rename(join(data.path, 'store'), join(data.path, 'away'));
    await symlink('store', join(data.path, 'store')); // a loop
    await engine.checkData?.();
    expect([kindsOf(observed), engine.damage?.().unchecked]).toMatchObject([
      ['data.not_checked'],
      { engineCode: 1001 },
    ]);
    await unlink(join(data.path, 'store'));
    await rename(join(data.path, 'away'), join(data.path, 'store'));
    await engine.checkData?.();
    expect(engine.damage?.()).toEqual({ broken: [], missing: [] });
  });
});
