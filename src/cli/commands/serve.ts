// `millrace serve`, its flags and help.
import type { Command } from 'commander';
import { settingsOf, withSettings, type CommandDeps, type Flags } from '../command.ts';
import { sampleSettings } from '../samples.ts';
import { check, serve } from '../serve.ts';

export function addServe(program: Command, deps: CommandDeps): void {
  withSettings(program.command('serve'))
    .description('Serve the endpoints; reload on change. SIGHUP reloads, SIGTERM drains and exits.')
    .option('--dev', 'development: a key made for this run, sample calls printed, a readable log')
    .option(
      '--check',
      'open everything that serving needs, say how it is, and exit: 0 when all is well, 1 otherwise',
    )
    .action(async (flags: Flags & { dev?: boolean; check?: boolean }) => {
      const given = await settingsOf(flags, deps);
      const isDevelopment = flags.dev === true;
      const samples = isDevelopment ? await sampleSettings(given) : undefined;
      const settings = samples ?? given;
      if (flags.check === true) return deps.setExitCode(await check(settings, isDevelopment, deps));
      const observe = deps.openLog(settings.logLevel, isDevelopment);
      await serve({ settings, isDevelopment, hasSamples: samples !== undefined, observe }, deps);
    });
}
