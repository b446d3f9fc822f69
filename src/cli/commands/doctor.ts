// `millrace doctor`, its flags and help.
import type { Command } from 'commander';
import { EngineError } from '../../engine/engine.ts';
import { settingsOf, withSettings, type CommandDeps, type Flags } from '../command.ts';
import { CommandError } from '../command-error.ts';
import { reportPreflight } from '../doctor.ts';
import { withLocal } from '../local.ts';

export function addDoctor(program: Command, deps: CommandDeps): void {
  withSettings(program.command('doctor'))
    .description(
      'Test the SQL sandbox with known escape attempts, and check the privileges and settings of the ClickHouse users; each finding comes with the SQL that fixes it. Exits 1 if an escape attempt succeeds.',
    )
    .action(async (flags: Flags) => {
      const settings = await settingsOf(flags, deps);
      const observe = deps.openLog('silent', false);
      const findings = await withLocal({ settings, observe }, deps, (local) => local.preflight()).catch(
        explain,
      );
      deps.setExitCode(reportPreflight(findings, deps.terminal));
    });
}

function explain(cause: unknown): never {
  if (!(cause instanceof EngineError)) throw cause;
  throw new CommandError(`The engine cannot be queried: ${cause.message}`, { cause });
}
