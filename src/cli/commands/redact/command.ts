// `millrace redact`, its flags and help.
import { InvalidArgumentError, type Command } from 'commander';
import { settingsOf, withSettings, type CommandDeps, type Flags } from '../../kit/command.ts';
import { CommandError } from '../../kit/command-error.ts';
import { explainRedaction, MAX_ROWS } from './explain.ts';
import { unobserved } from '../../../sql/base/observation.ts';

interface RedactFlags {
  readonly explain?: boolean;
  readonly rows: number;
  readonly json?: boolean;
}

export function addRedact(program: Command, deps: CommandDeps): void {
  withSettings(program.command('redact'))
    .description(
      'Report what redaction does to a sample of rows of an endpoint: what was found, by detector, column and path, and what a person should look at. Prints no values.',
    )
    .argument('<endpoint>', 'name or UUID')
    .argument('[parameters...]', 'name=value (default: those of the first example)')
    .option('--explain', 'print the report')
    .option('--rows <number>', `rows of each table, at most ${MAX_ROWS}`, rowsOf, 1000)
    .option('--json', 'print the report as JSON')
    .action(async (endpoint: string, parameters: string[], flags: Flags & RedactFlags) => {
      if (flags.explain !== true) throw new CommandError('Nothing to do: add --explain', { exitCode: 2 });
      const settings = await settingsOf(flags, deps);
      const { rows, json: isJson = false } = flags;
      await explainRedaction({ endpoint, parameters, rows, isJson, settings, observe: unobserved }, deps);
    });
}

function rowsOf(text: string): number {
  const rows = Number(text);
  if (!/^\d+$/.test(text) || rows < 1 || rows > MAX_ROWS)
    throw new InvalidArgumentError(`It is a number from 1 to ${MAX_ROWS}.`);
  return rows;
}
