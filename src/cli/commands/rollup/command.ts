// `millrace rollup`, its flags and help.
import type { Command } from 'commander';
import { settingsOf, withSettings, type CommandDeps, type Flags } from '../../kit/command.ts';
import type { RollupAction } from '../../../service/rollups/work.ts';
import { rollup } from './rollup.ts';

const ACTIONS: Readonly<Record<RollupAction, string>> = {
  plan: 'Print the statements that create rollups, and what they would save, by the rows that their tables have. Nothing is changed. Exits 1 if a rollup has errors.',
  apply:
    'Create the tables and views of rollups that do not exist. They are not used before they are filled.',
  backfill:
    'Fill rollups from the rows of their tables, or the days that differ from them, while inserts go on, and compare them. Run again, it goes on where it was.',
  status: 'Print for which times each rollup is equal to its rows, and the days that differ.',
  drop: 'Remove the tables and views of rollups, by name or name@version.',
};

interface RollupFlags {
  readonly cluster?: string;
  readonly json?: boolean;
  readonly follow?: boolean;
}

export function addRollup(program: Command, deps: CommandDeps): void {
  const parent = program.command('rollup').description('Create, fill and compare the rollups of the files.');
  for (const [action, description] of Object.entries(ACTIONS)) {
    const command = withSettings(parent.command(`${action} [names...]`))
      .description(description)
      .option('--cluster <name>', 'the cluster whose servers have the tables, if they are replicated');
    if (action === 'status')
      command
        .option('--json', 'print an object a line for each version')
        .option('--follow', 'look again and again, until Ctrl+C, and print what changed');
    command.action(async (names: string[], { cluster, json, follow, ...flags }: RollupFlags & Flags) => {
      const settings = await settingsOf(flags, deps);
      const status = { isJson: json === true, follows: follow === true };
      const request = { action: action as RollupAction, names, cluster, ...status }; // a key of the table
      deps.setExitCode(await rollup(settings, request, deps));
    });
  }
}
