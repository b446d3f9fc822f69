// Opens an engine whose tables have the rows of fixtures and of examples.
import type { Settings } from '../../../service/config/settings.ts';
import type { Engine } from '../../../service/engine/engine.ts';
import { readTables } from '../../../service/loading/tables.ts';
import type { ScaleOptions } from '../../cost/scaled-tables.ts';
import type { Statistics } from '../../cost/statistics.ts';
import type { OpenEngine } from '../../kit/dependencies.ts';
import { createLoading, loadRows } from '../../kit/rows.ts';
import { withSchemaEngine } from '../../kit/schema-engine.ts';
import type { SchemaChoice } from '../../kit/schema-options.ts';
import { openStage } from '../../kit/stage.ts';
import type { LoadedSchema } from '../../schema/load-schema.ts';
import type { Case } from '../test/call-example.ts';
import { rowsOfCase } from '../test/example-run.ts';

export interface MadeTables {
  readonly settings: Settings;
  readonly schema: SchemaChoice;
  readonly statistics: Statistics;
  readonly fixtures: string;
  /** The values of the tables include rows of the cases, and what the cases compare them with. */
  readonly cases: readonly Case[];
}

export interface FixtureDeps {
  readonly openEngine: OpenEngine;
  /** It returns milliseconds since 1970. */
  readonly epoch: () => number;
}

/** Passes an engine whose tables have the rows of fixtures and cases to `use`. Rejects with CommandError if the schema cannot be read. */
export async function withFixtureTables<T>(
  { settings, schema: choice, statistics, fixtures, cases }: MadeTables,
  { openEngine, epoch }: FixtureDeps,
  use: (engine: Engine, scale: ScaleOptions, schema: LoadedSchema) => Promise<T>,
): Promise<T> {
  return withSchemaEngine({ settings, schema: choice, openEngine }, async (engine, scratch, schema) => {
    const { engineSources } = settings;
    await openStage({ engine, scratch, fixtures, schema, engineSources });
    await loadExamples(engine, scratch, cases);
    const scale = {
      sizes: statistics,
      indexes: schema.indexes,
      reduced: schema.reduced,
      texts: textsOf(cases),
      now: Math.floor(epoch() / 1000),
    };
    return use(engine, scale, schema);
  });
}

/** Returns what calls may compare with: texts of parameters, and strings in queries. */
function textsOf(cases: readonly Case[]): readonly string[] {
  const texts = new Set<string>();
  for (const { example, file } of cases) {
    for (const value of Object.values(example.parameters ?? {}).flat())
      if (typeof value === 'string') texts.add(value);
    for (const query of [file.candidate.endpoint.query, example.sql ?? ''])
      for (const literal of query.match(/'[^'\\]*'/g) ?? []) texts.add(literal.slice(1, -1));
  }
  return [...texts];
}

/** Returns these texts, and the numbers that calls may compare with. */
export function comparedIn(cases: readonly Case[]): readonly string[] {
  const numbers = cases.flatMap(({ example, file }) => [
    ...Object.values(example.parameters ?? {})
      .flat()
      .map(String),
    ...(file.candidate.endpoint.query.match(/\b\d{1,18}\b/g) ?? []),
  ]);
  return [...new Set([...textsOf(cases), ...numbers.filter((each) => /^\d{1,18}$/.test(each))])];
}

/** Rejected rows are ignored here: `millrace test` reports them. */
async function loadExamples(engine: Engine, folder: string, cases: readonly Case[]): Promise<void> {
  const loading = createLoading({ engine, folder, tables: await readTables(engine) });
  for (const rows of cases.flatMap(rowsOfCase)) await loadRows(loading, rows);
}
