// Queries in endpoint files over the schemas of this folder.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readStatistics } from '../../../src/cli/cost/statistics.ts';
import { createTerminal } from '../../../src/cli/kit/terminal.ts';
import { openEngine } from '../../../src/service/app/engine.ts';
import { openTestRuntime } from '../../../src/service/app/test-runtime.ts';
import { loadSettings } from '../../../src/service/config/load-settings.ts';
import { createInspect, type InspectedFile } from '../../../src/service/endpoints/compile.ts';

const pathOf = (folder: string, name: string): string => join(import.meta.dirname, folder, name);
export const readPlanted = (folder: string, name: string): string =>
  readFileSync(pathOf(folder, name), 'utf8');

/** A query in a file of the folder. A slow one has the code of its finding, and what the hint says. */
export interface Planted {
  readonly name: string;
  readonly query: string;
  readonly parameters?: Readonly<Record<string, object>>;
  readonly call?: Readonly<Record<string, unknown>>;
  readonly code?: string;
  readonly writes?: string;
  readonly rollups?: unknown;
}

const inspect = createInspect({ piiHashKey: undefined });

function fileOf({ query, parameters, call = {}, rollups }: Planted, index: number): InspectedFile {
  const id = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
  const file = {
    id,
    name: `q${index}`,
    description: 'x.',
    query,
    parameters,
    rollups,
    examples: [{ name: 'one', parameters: call }],
  };
  const { inspected, diagnostics } = inspect(`q${index}.yaml`, JSON.stringify(file));
  if (inspected === undefined) throw new Error(`${query}: ${JSON.stringify(diagnostics)}`);
  return inspected;
}

/** Returns the files of queries, and the tables that they read. */
export async function stageOf(folder: string, planted: readonly Planted[]) {
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
  const sizes = readStatistics('statistics.yaml', readPlanted(folder, 'schema/statistics.yaml'));
  if (!('statistics' in sizes)) throw new Error(JSON.stringify(sizes));
  const made = {
    settings: loaded.settings,
    schema: { path: pathOf(folder, 'schema'), database: undefined, variables: new Map<string, string>() },
    statistics: sizes.statistics,
    fixtures: pathOf(folder, 'fixtures'),
    cases,
  };
  return { files, made };
}

const quiet = { isTTY: false, write: () => true };

export const STAGE_DEPS = {
  openEngine,
  openTestRuntime: async (given: Parameters<typeof openTestRuntime>[0]) => openTestRuntime(given),
  terminal: createTerminal(quiet, quiet, {}),
  epoch: () => Date.parse('2026-01-01T00:00:00Z'),
};
