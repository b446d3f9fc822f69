// `millrace rollup`: plans, creates, fills, compares and removes rollups, directly or through the service that has the data open.
import type { Settings } from '../../../service/config/settings.ts';
import { engineFolder, ownerOf } from '../../../service/engine/embedded/open-error.ts';
import { engineSentence } from '../../../service/engine/engine-sentence.ts';
import { EngineError } from '../../../service/engine/engine.ts';
import { describeFinding } from '../../../service/observe/describe.ts';
import { VALID_MS } from '../../../service/rollups/coverage.ts';
import { rollupWork, type RollupRequest, type WorkEvent } from '../../../service/rollups/work.ts';
import type { RollupStatus } from '../../../service/rollups/status.ts';
import { CommandError } from '../../kit/command-error.ts';
import type { CommandDeps } from '../../kit/command.ts';
import { openEngineOrExplain } from '../../kit/open-engine.ts';
import { REAL_TIME } from '../../kit/real-time.ts';
import { seed } from '../../kit/seed.ts';
import { readDeclared } from './read-declared.ts';

type RollupCommandDeps = Pick<CommandDeps, 'openEngine' | 'terminal' | 'onSignal'>;

export interface StatusOptions {
  readonly isJson: boolean;
  /** If it is true, `status` prints every change until a signal ends it. */
  readonly follows: boolean;
}

/** Resolves to the exit code: 1 if a rollup has errors, or is not there. Rejects with CommandError. */
export async function rollup(
  settings: Settings,
  request: RollupRequest & StatusOptions,
  deps: RollupCommandDeps,
  time: typeof REAL_TIME = REAL_TIME,
): Promise<0 | 1> {
  const declared = await readDeclared(settings);
  if (settings.clickhouse === undefined && ownerOf(engineFolder(settings.data)) !== undefined)
    throw new CommandError(`A service has the data folder ${settings.data} open`, { details: [IN_USE] });
  const engine = await openEngineOrExplain(deps.openEngine, settings, () => undefined);
  try {
    if (engine.kind === 'embedded') await seed(engine, settings, deps.terminal);
    // Services on a server have read the coverage; nothing else reads a data folder now.
    const unused = (): Promise<void> => new Promise((resolve) => void time.after(VALID_MS, resolve));
    const onUncovered = engine.kind === 'embedded' ? undefined : unused;
    return await repeat(request, { ...deps, time }, () =>
      rollupWork({ engine, after: time.after, onUncovered, declared }, request),
    );
  } catch (cause) {
    if (!(cause instanceof EngineError) || cause.engineCode === undefined) throw cause;
    throw new CommandError(`The engine rejects a statement: ${engineSentence(cause.message)}`, { cause });
  } finally {
    await engine.close(0);
  }
}

const IN_USE =
  'In development (serve --dev) it creates and fills rollups itself. Otherwise stop it, run this command, and start it again: it keeps the rollups that were applied';

/** Looking takes at most this share of the time: it reads a column of the table. */
const SHARE = 20;
const LEAST_MS = 5000;

async function repeat(
  { isJson, follows }: StatusOptions,
  { terminal, onSignal, time }: RollupCommandDeps & { readonly time: typeof REAL_TIME },
  work: () => AsyncIterable<WorkEvent>,
): Promise<0 | 1> {
  const printed = new Map<string, string>();
  const isNew = ({ name, version }: RollupStatus, text: string): boolean => {
    const last = printed.get(`${name}@${version}`);
    printed.set(`${name}@${version}`, text);
    return last !== text;
  };
  const stopped = new Promise<'stopped'>((resolve) => {
    const stop = (): void => resolve('stopped');
    if (follows) onSignal({ stop, reload: () => undefined });
  });
  for (;;) {
    const started = time.epoch();
    const code = await print(work(), { terminal, isJson, isNew });
    if (!follows) return code;
    const ms = Math.max(LEAST_MS, (time.epoch() - started) * SHARE);
    let cancel: (() => void) | undefined;
    const waited = new Promise<undefined>((resolve) => {
      cancel = time.after(ms, () => resolve(undefined));
    });
    const ended = await Promise.race([stopped, waited]);
    // A timer keeps the process alive.
    cancel?.();
    if (ended === 'stopped') return code;
  }
}

interface Printing extends Pick<RollupCommandDeps, 'terminal'>, Pick<StatusOptions, 'isJson'> {
  readonly isNew: (status: RollupStatus, text: string) => boolean;
}

async function print(
  events: AsyncIterable<WorkEvent>,
  { terminal, isJson, isNew }: Printing,
): Promise<0 | 1> {
  let code: 0 | 1 = 0;
  for await (const event of events) {
    terminal.progress('');
    switch (event.kind) {
      case 'finding':
        terminal.note(describeFinding(event.finding));
        code = 1;
        break;
      case 'failed':
        terminal.note(event.text);
        code = 1;
        break;
      case 'warning':
        terminal.note(`${terminal.paint('yellow', 'warning:')} ${event.text}`);
        break;
      case 'progress':
        terminal.progress(event.text);
        break;
      case 'status':
        if (isNew(event.status, event.text))
          terminal.print(isJson ? JSON.stringify(event.status) : event.text);
        break;
      case 'line':
        terminal.print(event.text);
    }
  }
  return code;
}
