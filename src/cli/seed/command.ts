// `millrace seed`, its flags and help.
import type { Command } from 'commander';
import { CommandError } from '../command-error.ts';
import { settingsOf, withSettings, type CommandDeps, type Flags } from '../command.ts';
import { openEngineOrExplain, seed } from '../serve/serve.ts';

export function addSeed(program: Command, deps: CommandDeps): void {
  withSettings(program.command('seed'))
    .description(
      'Load the seeds into the embedded engine, or reload them; the sample data if there are neither endpoints nor seeds.',
    )
    .action(async (flags: Flags) => {
      const settings = await settingsOf(flags, deps);
      if (settings.clickhouse !== undefined) {
        throw new CommandError('Seeds can only be loaded into the embedded engine; unset CLICKHOUSE_URL', {
          exitCode: 2,
        });
      }
      const engine = await openEngineOrExplain(
        deps.openEngine,
        settings,
        deps.openLog({ level: 'silent' }, false).observe,
        'Stop the service, run millrace seed, and start the service again',
      );
      try {
        await seed(engine, settings, deps.terminal, true);
      } finally {
        await engine.close(0);
      }
    });
}
