// Opens an engine with tables that are made to the sizes of a server's tables.
import type { Engine } from '../../../service/engine/engine.ts';
import { visible } from '../../../service/observe/visible-text.ts';
import { scaleTables, type ScaledTables } from '../../cost/scaled-tables.ts';
import { noteSchema } from '../../kit/schema-options.ts';
import type { Terminal } from '../../kit/terminal.ts';
import { withFixtureTables, type FixtureDeps, type MadeTables } from './fixture-tables.ts';

interface MadeDeps extends FixtureDeps {
  readonly terminal: Terminal;
}

/** Passes the engine to `use`. Rejects with CommandError if the schema cannot be read. */
export async function withMadeTables<T>(
  made: MadeTables,
  deps: MadeDeps,
  use: (engine: Engine, scaled: ScaledTables) => Promise<T>,
): Promise<T> {
  const { terminal } = deps;
  return withFixtureTables(made, deps, async (engine, scale, schema) => {
    noteSchema(schema, terminal);
    const scaled = await scaleTables(engine, scale);
    for (const [name, reason] of scaled.unmade)
      terminal.note(
        visible(`What is read from ${name} is not estimated, since no rows can be made for it: ${reason}`),
      );
    return use(engine, scaled);
  });
}
