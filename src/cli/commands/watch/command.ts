// Declares `millrace watch`, its flags and help.
import { InvalidArgumentError, Option, type Command } from 'commander';
import { durationMs } from '../../../service/config/duration.ts';
import { unobserved } from '../../../sql/base/observation.ts';
import { settingsOf, withSettings, type CommandDeps, type Flags } from '../../kit/command.ts';
import { withLocal } from '../../kit/local.ts';
import { REAL_TIME } from '../../kit/real-time.ts';
import { backtest } from './backtest.ts';
import { findWatch, principalOf } from './find-watch.ts';
import { printBacktest, unboundedNote } from './print.ts';

interface WatchFlags {
  /** Milliseconds. */
  readonly since: number;
  readonly until?: number;
  readonly json?: boolean;
}

export function addWatch(program: Command, deps: CommandDeps): void {
  withSettings(program.command('watch'))
    .description(
      'Print when a watch would have fired: looks at the data of now with a clock that moves through the past. Sends nothing.',
    )
    .argument('<name>', 'an endpoint with a watch, or endpoint/watch')
    .addOption(
      new Option('--since <duration>', 'how far back it begins, such as 12h or 7d')
        .argParser(readSince)
        .default(durationMs('7d'), '7d'),
    )
    .option('--until <time>', 'when it ends, as 2024-05-01T12:00:00Z (default: now)', readTime)
    .option('--json', 'print the messages and the timeline as JSON')
    .action(async (name: string, flags: WatchFlags & Flags) => run(name, flags, deps));
}

async function run(name: string, flags: WatchFlags & Flags, deps: CommandDeps): Promise<void> {
  const { terminal } = deps;
  const settings = await settingsOf(flags, deps);
  const until = flags.until ?? REAL_TIME.epoch();
  const from = until - flags.since;
  const abort = new AbortController();
  const stop = (): void => abort.abort();
  deps.onSignal({ stop, reload: () => undefined });
  const options = { settings, observe: unobserved, ...LOCAL };
  await withLocal(options, deps, async ({ catalog, rejected }, engine) => {
    const { endpoint, watch } = findWatch(catalog(), name, rejected());
    const principal = await principalOf(settings, watch.as);
    if (principal === undefined)
      terminal.note(`There is no tokens file here: the looks have full access, and not the locks of the key ${watch.as}.`); // prettier-ignore
    const position = { line: 1, column: 1 };
    const candidate = { endpoint, name: position, id: position, tool: position };
    const runtime = await deps.openTestRuntime({ engine, candidates: [candidate] });
    try {
      const asked = { endpoint, watch, from, until, principal, signal: abort.signal };
      const result = await backtest(asked, { engine, pathAt: runtime.pathAt, terminal });
      printBacktest(result, { terminal, isJson: flags.json === true });
      const note = unboundedNote(result);
      if (note !== undefined) terminal.note(note);
    } finally {
      terminal.progress('');
      await runtime.close();
    }
  });
}

const LOCAL = {
  whenInUse: 'Stop the service that has it, or run with --data over a copy of the folder',
  isAuthoring: true,
};

function readSince(text: string): number {
  const ms = durationMs(text);
  if (ms > 0) return ms;
  throw new InvalidArgumentError('It is a whole number and a unit: 90s, 30m, 12h, 7d.');
}

const END_OF_TIME = 2 ** 32 * 1000;

function readTime(text: string): number {
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z$/.test(text) ? Date.parse(text) : Number.NaN;
  if (time >= 0 && time < END_OF_TIME) return time;
  throw new InvalidArgumentError('It is a time of UTC from 1970 to 2105, such as 2024-05-01T12:00:00Z.');
}
