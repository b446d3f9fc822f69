// `millrace serve`, its flags and help.
import { setTimeout } from 'node:timers/promises';
import type { Command } from 'commander';
import { settingsOf, withSettings, type CommandDeps, type Flags } from '../../kit/command.ts';
import { sampleSettings } from '../../kit/samples.ts';
import { serve } from './serve.ts';
import { check } from './check.ts';
import { settingsOfWorker, supervise, workerCount } from '../../kit/workers.ts';

const ALONE = 'Without REDIS_URL, each worker has its own cache and its own rate limit counters.';

export function addServe(program: Command, deps: CommandDeps): void {
  withSettings(program.command('serve'))
    .description('Serve the endpoints and reload them on change. SIGHUP reloads, SIGTERM drains and exits.')
    .option('--dev', 'development mode: a temporary key, sample calls, a human-readable log')
    .option('--workers <count>', 'number of processes behind one port; requires a ClickHouse server')
    .option(
      '--check',
      'check everything that serving needs, print a report and exit: 0 if all checks pass, 1 otherwise',
    )
    .action(async (flags: Flags & { dev?: boolean; check?: boolean }) => {
      const given = await settingsOf(flags, deps);
      const isDevelopment = flags.dev === true;
      const samples = isDevelopment ? await sampleSettings(given) : undefined;
      const settings = samples ?? given;
      if (flags.check === true) return deps.setExitCode(await check(settings, isDevelopment, deps));
      const { observe, droppedLines } = await deps.openLog(
        { level: settings.logLevel, requestRatio: settings.logRequestRatio },
        isDevelopment,
      );
      const count = workerCount(flags['workers'], settings, isDevelopment);
      if (count !== undefined && deps.workers.index === undefined) {
        if (settings.redisUrl === undefined) observe({ kind: 'service.note', text: ALONE });
        deps.setExitCode(await supervise(count, { ...deps, observe, pause: setTimeout }));
        return;
      }
      const own = settingsOfWorker(settings, deps.workers.index);
      const hasSamples = samples !== undefined;
      await serve({ settings: own, isDevelopment, hasSamples, observe, droppedLines }, deps);
    });
}
