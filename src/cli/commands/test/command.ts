// `millrace test`, its flags and help.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Option, type Command } from 'commander';
import { CommandError } from '../../kit/command-error.ts';
import {
  checkedSettings,
  existingSchema,
  noTables,
  type SchemaFlags,
  withSchemaOptions,
} from '../../kit/schema-options.ts';
import type { CommandDeps } from '../../kit/command.ts';
import { createPrintGithub, printMarkdown } from './report-github.ts';
import { printHuman } from './report-human.ts';
import { printJson } from './report-json.ts';
import { printJunit } from './report-junit.ts';
import { collect, printAndWrite, readWrites } from '../../kit/write-reports.ts';
import { test } from './test.ts';
import type { TestDeps, TestOptions } from './staged.ts';
import { watchTests } from './watch.ts';

interface TestFlags extends SchemaFlags {
  readonly endpoints?: string;
  readonly fixtures?: string;
  readonly name?: string;
  readonly format: keyof ReturnType<typeof printersOf>;
  readonly write: readonly string[];
  readonly update?: boolean;
  readonly watch?: boolean;
  readonly bail?: boolean;
}

const printersOf = (env: CommandDeps['env']) => ({
  human: printHuman,
  github: createPrintGithub(env['GITHUB_STEP_SUMMARY']),
  junit: printJunit,
  json: printJson,
  markdown: printMarkdown,
});

export function addTest(program: Command, deps: CommandDeps): void {
  const command = program
    .command('test')
    .description(
      'Run the examples of endpoint files on the embedded engine, against fixtures. Exits 1 if one fails.',
    )
    .argument('[endpoints...]', 'names of endpoints, or globs such as "logs.*" (default: all)')
    .option('--endpoints <folder>', 'folder of endpoint files (default: the endpoints folder)')
    .option(
      '--fixtures <folder>',
      'folder of *.sql, database.table.ndjson and .csv files (default: fixtures in the endpoints folder)',
    )
    .option('--name <part>', 'only examples whose name contains this, ignoring case')
    .option('--update', 'write the actual results into the files as the expected ones')
    .option('--watch', 'rerun affected examples on change, until Ctrl+C')
    .option('--bail', 'stop at the first failure')
    .addOption(
      new Option('--format <format>', 'the output format')
        .choices(['human', 'github', 'junit', 'json', 'markdown'])
        .default('human'),
    )
    .option('--write <format=file>', 'also write a report to a file; can be repeated', collect, []);
  withSchemaOptions(command).action(async (names: string[], flags: TestFlags) => {
    const options = await optionsOf(names, flags, deps);
    const testDeps: TestDeps = { ...deps, now: () => performance.now() };
    if (flags.watch === true) return watchTests(options, testDeps);
    deps.setExitCode(await test(options, testDeps));
  });
}

async function optionsOf(
  names: readonly string[],
  flags: TestFlags,
  deps: CommandDeps,
): Promise<TestOptions> {
  const settings = await checkedSettings(flags, deps);
  const endpoints = flags.endpoints ?? settings.endpoints;
  const printers = printersOf(deps.env);
  const schema = existingSchema(flags, settings, deps);
  if (schema === undefined) throw noTables(settings, 'No example can run', { needsEngine: true });
  return {
    settings,
    endpoints,
    fixtures: existing(flags.fixtures, '--fixtures') ?? join(endpoints, 'fixtures'),
    schema,
    names,
    part: flags.name,
    update: flags.update === true,
    bail: flags.bail === true,
    print: printAndWrite(printers[flags.format], readWrites(flags.write, printers)),
  };
}

function existing(folder: string | undefined, flag: string): string | undefined {
  if (folder === undefined || existsSync(folder)) return folder;
  throw new CommandError(`Folder ${folder} does not exist; set it with ${flag}`, { exitCode: 2 });
}
