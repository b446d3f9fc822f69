// Queries of a shipping company: those that read more than they need are found with a change, and well-written ones are not.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { findChanges } from '../../../src/cli/commands/cost/find-changes.ts';
import { createOutcomeStore, type OutcomeStore } from '../../../src/cli/commands/cost/outcome-store.ts';
import { readStatistics } from '../../../src/cli/cost/statistics.ts';
import { createTerminal } from '../../../src/cli/kit/terminal.ts';
import { openEngine } from '../../../src/service/app/engine.ts';
import { openTestRuntime } from '../../../src/service/app/test-runtime.ts';
import { loadSettings } from '../../../src/service/config/load-settings.ts';
import { createInspect, type InspectedFile } from '../../../src/service/endpoints/compile.ts';

/** Schemas, each with slow queries and well-written ones. Those of sensors were written after the changes of queries. */
const FOLDERS = ['shipping', 'sensors'];
const pathOf = (folder: string, name: string): string => join(import.meta.dirname, folder, name);
const read = (folder: string, name: string): string => readFileSync(pathOf(folder, name), 'utf8');

/** A query in a file of the folder. A slow one has the code of its finding, and what the hint says. */
interface Planted {
  readonly name: string;
  readonly query: string;
  readonly parameters?: Readonly<Record<string, object>>;
  readonly call?: Readonly<Record<string, unknown>>;
  readonly code?: string;
  readonly writes?: string;
}

const inspect = createInspect({ piiHashKey: undefined });

function fileOf({ query, parameters, call = {} }: Planted, index: number): InspectedFile {
  const id = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
  const file = {
    id,
    name: `q${index}`,
    description: 'x.',
    query,
    parameters,
    examples: [{ name: 'one', parameters: call }],
  };
  const { inspected, diagnostics } = inspect(`q${index}.yaml`, JSON.stringify(file));
  if (inspected === undefined) throw new Error(`${query}: ${JSON.stringify(diagnostics)}`);
  return inspected;
}

/** Returns the findings of each query, by its name. */
async function changesOf(
  folder: string,
  planted: readonly Planted[],
  outcomes?: OutcomeStore,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const files = planted.map(fileOf);
  const cases = files.flatMap((file) =>
    (file.analysis.file.examples ?? []).map((example, index) => ({ file, index, example })),
  );
  const loaded = await loadSettings({
    flags: {},
    env: {},
    file: { path: pathOf(folder, 'millrace.yaml'), required: false },
  });
  if (!('settings' in loaded)) throw new Error(JSON.stringify(loaded));
  const sizes = readStatistics('statistics.yaml', read(folder, 'schema/statistics.yaml'));
  if (!('statistics' in sizes)) throw new Error(JSON.stringify(sizes));
  const quiet = { isTTY: false, write: () => true };
  const findings = await findChanges(
    files,
    {
      settings: loaded.settings,
      schema: { path: pathOf(folder, 'schema'), database: undefined, variables: new Map() },
      statistics: sizes.statistics,
      fixtures: pathOf(folder, 'fixtures'),
      cases,
    },
    {
      openEngine,
      outcomes,
      openTestRuntime: async (given) => openTestRuntime(given),
      terminal: createTerminal(quiet, quiet, {}),
      epoch: () => Date.parse('2026-01-01T00:00:00Z'),
    },
  );
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
