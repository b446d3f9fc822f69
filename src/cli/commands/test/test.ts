// `millrace test`: runs the examples of endpoint files on the embedded engine, without a server.
import { CommandError } from '../../kit/command-error.ts';
import { createReadFiles } from './endpoint-files.ts';
import { isFailed } from './report.ts';
import { chosenCases } from './choose.ts';
import { type TestOptions, type TestDeps, withStage } from './staged.ts';
import { runCases } from './run-cases.ts';

/** Runs the examples once; resolves to the exit code. Rejects with CommandError if none was selected. */
export async function test(options: TestOptions, deps: TestDeps): Promise<0 | 1> {
  const reading = await createReadFiles(options.endpoints, options.settings.engineSources)();
  const chosen = chosenCases(reading, options);
  if (
    chosen.cases.length + chosen.watches.length === 0 &&
    options.part !== undefined &&
    reading.findings.length === 0
  )
    throw new CommandError(`No example name contains "${options.part}"`, { exitCode: 2 });
  return withStage(options, deps, async (staged) => {
    const report = await runCases({ ...reading, ...chosen }, staged, { options, deps });
    await options.print(report, deps.terminal);
    return isFailed(report) ? 1 : 0;
  });
}
