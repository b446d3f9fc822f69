// Queries of a shipping company: those that read more than they need are found with a change, and well-written ones are not.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { costsOf } from '../../../src/cli/commands/cost/costs-of.ts';
import { createOutcomeStore, type OutcomeStore } from '../../../src/cli/commands/cost/outcome-store.ts';
import { readPlanted as read, stageOf, STAGE_DEPS, type Planted } from './planted.ts';

/** Schemas, each with slow queries and well-written ones. Those of sensors were written after the changes of queries. */
const FOLDERS = ['shipping', 'sensors', 'visits'];

/** Returns the findings of each query, by its name. */
async function changesOf(
  folder: string,
  planted: readonly Planted[],
  outcomes?: OutcomeStore,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { files, made } = await stageOf(folder, planted);
  const chosen = { files, rollups: [], cases: made.cases };
  const { changes: findings } = await costsOf(chosen, { ...made, made }, { ...STAGE_DEPS, outcomes });
  return new Map(
    planted.map(({ name }, index) => [
      name,
      findings.flatMap(({ file, code, hint }) => (file === `q${index}.yaml` ? [`${code}: ${hint}`] : [])),
    ]),
  );
}

test.each(FOLDERS)(
  'slow queries of %s are found, each with a change',
  async (folder) => {
    const slow = (parse(read(folder, 'slow.yaml')) as readonly Planted[]).filter((each) => !('skip' in each));
    const found = await changesOf(folder, slow);
    const missed = slow.filter(
      ({ name, code, writes = '' }) =>
        found
          .get(name)
          ?.some(
            (text) =>
              text.toLowerCase().includes(`${code}: `) && text.toLowerCase().includes(writes.toLowerCase()),
          ) !== true,
    );
    expect(missed.map(({ name }) => [name, found.get(name)])).toEqual([]);
  },
  120_000,
);

test.each(FOLDERS)(
  'well-written queries of %s have no findings',
  async (folder) => {
    const found = await changesOf(folder, parse(read(folder, 'well.yaml')) as readonly Planted[]);
    expect([...found].filter(([, texts]) => texts.length > 0)).toEqual([]);
  },
  120_000,
);

test('what is proven is kept by content: the same is not proven again, and other values are', async () => {
  const store = createOutcomeStore(mkdtempSync(join(tmpdir(), 'millrace-')));
  const known: boolean[] = [];
  const outcomes: OutcomeStore = {
    ...store,
    find: async (key, calls) => {
      const found = await store.find(key, calls);
      known.push(found !== undefined);
      return found;
    },
  };
  const one = (parse(read('sensors', 'slow.yaml')) as readonly Planted[])
    .filter(({ code }) => code === 'cost.hidden_key')
    .slice(-2);
  const first = await changesOf('sensors', one, outcomes);
  expect(await changesOf('sensors', one, outcomes)).toEqual(first);
  const others = one.map((each) => ({ ...each, query: each.query.replace("'DE-'", "'FR-'") }));
  await changesOf('sensors', others, outcomes);
  expect([...known, [...first.values()].every((texts) => texts.length > 0)]).toEqual([
    false,
    true,
    false,
    true,
  ]);
  const damaged = mkdtempSync(join(tmpdir(), 'millrace-'));
  for (const text of ['', '{}', '[null]', '[1, 2]', '[{"before":{"rows":1},"after":{}}, null]']) {
    writeFileSync(join(damaged, 'k.changes.analysis'), text);
    expect(await createOutcomeStore(damaged).find('k', 2)).toBeUndefined();
  }
}, 120_000);
