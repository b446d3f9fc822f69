// `millrace reconvert`, its flags and help.
import { Option, type Command } from 'commander';
import type { CommandDeps } from '../../kit/command.ts';
import { createGit } from '../diff/git.ts';
import { diffTexts } from '../diff/text-diff.ts';
import { readKnownTables } from '../../kit/known-tables.ts';
import { knownTables } from '../../kit/schema-engine.ts';
import { checkedSettings, type SchemaFlags, withSchemaOptions } from '../../kit/schema-options.ts';
import { collect, printAndWrite, readWrites } from '../../kit/write-reports.ts';
import { printHuman, printJson } from './print.ts';
import { reconvert } from './reconvert.ts';

interface ReconvertFlags extends SchemaFlags {
  readonly format: keyof typeof PRINTERS;
  readonly write: readonly string[];
}

const PRINTERS = { human: printHuman, json: printJson };

export function addReconvert(program: Command, deps: CommandDeps): void {
  const command = program
    .command('reconvert')
    .description(
      'Find endpoint files with converted queries that this release converts otherwise, and show the difference. Changes no file. Exits 1 if there is one.',
    )
    .argument('[paths...]', 'endpoint files or folders (default: the endpoints folder)')
    .addOption(
      new Option('--format <format>', 'the output format').choices(Object.keys(PRINTERS)).default('human'),
    )
    .option('--write <format=file>', 'also write a report to a file; can be repeated', collect, []);
  withSchemaOptions(command).action(async (paths: string[], flags: ReconvertFlags) => {
    const settings = await checkedSettings(flags, deps);
    const git = createGit(process.cwd(), deps.env);
    const options = {
      paths: paths.length > 0 ? paths : [settings.endpoints],
      readTables: async () => knownTables(flags, settings, deps)?.(readKnownTables),
      diffTexts: (before: string, after: string) => diffTexts(git, before, after),
      print: printAndWrite(PRINTERS[flags.format], readWrites(flags.write, PRINTERS)),
    };
    deps.setExitCode(await reconvert(options, deps.terminal));
  });
}
