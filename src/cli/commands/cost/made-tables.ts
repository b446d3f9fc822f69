// Opens an engine with tables that are made to the sizes of a server's tables.
import type { Settings } from '../../../service/config/settings.ts';
import type { Engine } from '../../../service/engine/engine.ts';
import { readTables } from '../../../service/loading/tables.ts';
import { visible } from '../../../service/observe/visible-text.ts';
import { scaleTables, type ScaledTables } from '../../cost/scaled-tables.ts';
import type { Statistics } from '../../cost/statistics.ts';
import type { OpenEngine } from '../../kit/dependencies.ts';
import { createLoading, loadRows } from '../../kit/rows.ts';
import { withSchemaEngine } from '../../kit/schema-engine.ts';
import { noteSchema, type SchemaChoice } from '../../kit/schema-options.ts';
import { openStage } from '../../kit/stage.ts';
import type { Terminal } from '../../kit/terminal.ts';
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

interface MadeDeps {
  readonly openEngine: OpenEngine;
  readonly terminal: Terminal;
  /** It returns milliseconds since 1970. */
  readonly epoch: () => number;
}

/** Passes the engine to `use`. Rejects with CommandError if the schema cannot be read. */
export async function withMadeTables<T>(
  { settings, schema: choice, statistics, fixtures, cases }: MadeTables,
  { openEngine, terminal, epoch }: MadeDeps,
  use: (engine: Engine, scaled: ScaledTables) => Promise<T>,
): Promise<T> {
  return withSchemaEngine({ settings, schema: choice, openEngine }, async (engine, scratch, schema) => {
    noteSchema(schema, terminal);
    const { engineSources } = settings;
    await openStage({ engine, scratch, fixtures, schema, engineSources });
    await loadExamples(engine, scratch, cases);
    const scaled = await scaleTables(engine, {
      sizes: statistics,
      indexes: schema.indexes,
      reduced: schema.reduced,
      texts: textsOf(cases),
      now: Math.floor(epoch() / 1000),
    });
    for (const [name, reason] of scaled.unmade)
      terminal.note(
        visible(`What is read from ${name} is not estimated, since no rows can be made for it: ${reason}`),
      );
    return use(engine, scaled);
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

/** Rejected rows are ignored here: `millrace test` reports them. */
async function loadExamples(engine: Engine, folder: string, cases: readonly Case[]): Promise<void> {
  const loading = createLoading({ engine, folder, tables: await readTables(engine) });
  for (const rows of cases.flatMap(rowsOfCase)) await loadRows(loading, rows);
}
