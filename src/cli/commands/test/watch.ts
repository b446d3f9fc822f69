// `millrace test --watch`: reruns examples affected by a change, on an engine that stays open until the tables change.
import { watchPaths } from '../../../service/config/watch.ts';
import { createBell, signatureOf } from '../../kit/folder-changes.ts';
import { CommandError, noteError } from '../../kit/command-error.ts';
import { createReadFiles, type FilesReading } from './endpoint-files.ts';
import { runCases } from './run-cases.ts';
import { withStage, type Staged, type TestDeps, type TestOptions } from './staged.ts';
import type { Case } from './call-example.ts';
import { chosenCases } from './choose.ts';
import { REAL_TIME } from '../../kit/real-time.ts';

const WATCHING = { settleMs: 60, maxDelayMs: 400, after: REAL_TIME.after };

/** Runs all examples, then those affected by each change; never resolves: a signal ends the process. */
export async function watchTests(options: TestOptions, deps: TestDeps): Promise<never> {
  const { settings, endpoints, fixtures, schema } = options;
  const changes = createBell();
  const read = createReadFiles(endpoints, settings.engineSources);
  await watchPaths([endpoints, fixtures, schema.path], WATCHING, {
    change: changes.ring,
    error: changes.ring,
  });
  for (;;) {
    const base = await signatureOf([fixtures, schema.path]);
    const first = await read();
    await withStage(options, deps, async (staged) => {
      await runAgain({ ...first, changed: new Set(first.files.map(pathOf)) }, staged, { options, deps });
      for (;;) {
        await changes.heard();
        if ((await signatureOf([fixtures, schema.path])) !== base) return; // restart with new tables
        const reading = await read();
        if (reading.changed.size > 0) await runAgain(reading, staged, { options, deps });
      }
    }).catch(async (cause: unknown) => {
      report(cause, deps);
      await changes.heard();
    });
  }
}

async function runAgain(
  reading: FilesReading,
  staged: Staged,
  { options, deps }: { readonly options: TestOptions; readonly deps: TestDeps },
): Promise<void> {
  try {
    const { cases, watches } = chosenCases(reading, options);
    const hasChanged = ({ file }: Pick<Case, 'file'>): boolean => reading.changed.has(pathOf(file));
    const chosen = { cases: cases.filter(hasChanged), watches: watches.filter(hasChanged) };
    await options.print(await runCases({ ...reading, ...chosen }, staged, { options, deps }), deps.terminal);
  } catch (cause) {
    report(cause, deps);
  }
  deps.terminal.note(deps.terminal.paint('dim', 'Waiting for changes; press Ctrl+C to stop.'));
}

/** Reports errors that the user can fix, so that watching continues. */
function report(cause: unknown, { terminal }: Pick<TestDeps, 'terminal'>): void {
  if (!(cause instanceof CommandError)) throw cause;
  noteError(cause, terminal, `${terminal.paint('red', 'millrace:')} `);
}

function pathOf({ document }: FilesReading['files'][number]): string {
  return document.file;
}
