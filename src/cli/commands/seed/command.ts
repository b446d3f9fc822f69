// `millrace seed`, its flags and help.
import type { Command } from 'commander';
import type { Settings } from '../../../service/config/settings.ts';
import { CommandError } from '../../kit/command-error.ts';
import { SCHEMA_FOLDER } from '../../kit/schema-options.ts';
import { rebuildTables } from '../serve/rebuild-tables.ts';
import { hasSeeds, signatureOfSources, sourcesOf } from '../../kit/tables-state.ts';
import { settingsOf, withSettings, type CommandDeps, type Flags } from '../../kit/command.ts';
import { seed } from '../../kit/seed.ts';
import { openEngineOrExplain } from '../../kit/open-engine.ts';
import { unobserved } from '../../../sql/base/observation.ts';

export function addSeed(program: Command, deps: CommandDeps): void {
  withSettings(program.command('seed'))
    .description(
      'Load the seeds into the embedded engine, or reload them; without seeds, create the tables of the schema again, with the rows of the fixtures.',
    )
    .action(async (flags: Flags) => {
      const settings = await settingsOf(flags, deps);
      if (settings.clickhouse !== undefined) {
        throw new CommandError('Seeds can only be loaded into the embedded engine; unset CLICKHOUSE_URL', {
          exitCode: 2,
        });
      }
      if (!hasSeeds(settings)) return rebuildOrExplain(settings, deps);
      const engine = await openEngineOrExplain(
        deps.openEngine,
        settings,
        unobserved,
        'Stop the service, run millrace seed, and start the service again',
      );
      try {
        await seed(engine, settings, deps.terminal, true);
      } finally {
        await engine.close(0);
      }
    });
}

/** Without seeds, the tables of the schema are made again, with the rows of the fixtures. */
async function rebuildOrExplain(settings: Settings, deps: CommandDeps): Promise<void> {
  if (sourcesOf(settings).length === 0)
    throw new CommandError(
      `There are no *.sql files in ${settings.seeds}, and no ${SCHEMA_FOLDER} folder that defines tables`,
    );
  const putInPlace = await rebuildTables(settings, await signatureOfSources(settings), deps);
  if (putInPlace === undefined) throw new CommandError('The tables were not made again');
  await putInPlace();
}
