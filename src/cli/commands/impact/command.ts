// `millrace impact`, its flags and help.
import { Option, type Command } from 'commander';
import type { CommandDeps } from '../../kit/command.ts';
import { withCacheOptions } from '../analysis/open.ts';
import {
  checkedSettings,
  chooseSchema,
  type SchemaFlags,
  withSchemaOptions,
} from '../../kit/schema-options.ts';
import { collect, printAndWrite, readWrites } from '../../kit/write-reports.ts';
import { createPrintGithub } from './github.ts';
import { CONSUMERS_FOLDER, impact } from './impact.ts';
import { printMarkdown } from './markdown.ts';
import { printJson, printText } from './print.ts';

interface ImpactFlags extends SchemaFlags {
  readonly consumers: readonly string[];
  readonly calls: readonly string[];
  readonly endpoint?: string;
  readonly dialect?: string;
  readonly endpoints?: string;
  readonly cache?: string | false;
  readonly format: keyof ReturnType<typeof printersOf>;
  readonly write: readonly string[];
}

export function addImpact(program: Command, deps: CommandDeps): void {
  const command = program
    .command('impact')
    .description(
      'List the consumer queries that a change of endpoint files breaks: those that read a table, column or path that it removes, renames or retypes. Exits 1 if there are any. Queries that cannot be read are listed as unknown.',
    )
    .argument('[base]', 'a revision; BASE..HEAD for two, BASE...HEAD from their merge base', 'HEAD')
    .argument('[head]', 'another revision (default: the work tree)')
    .option(
      '--consumers <path>',
      `folder or file of queries: *.sql, *.txt, *.lql, and *.jsonl with {"text", "dialect", "endpoint", "name", "owner"} per line; can be repeated (default: ${CONSUMERS_FOLDER})`,
      collect,
      [],
    )
    .option('--calls <file>', 'file of recorded queries in JSON lines; can be repeated', collect, [])
    .option(
      '--endpoint <name>',
      'the endpoint of queries that name none (default: any that has their tables)',
    )
    .option(
      '--dialect <dialect>',
      'the dialect of SQL that names none (default: one in which it can be read)',
    )
    .option('--endpoints <folder>', 'folder of endpoint files (default: MILLRACE_ENDPOINTS, or endpoints)')
    .addOption(
      new Option('--format <format>', 'the output format')
        .choices(['text', 'markdown', 'json', 'github'])
        .default('text'),
    )
    .option('--write <format=file>', 'also write a report to a file; can be repeated', collect, []);
  withCacheOptions(withSchemaOptions(command)).action(
    async (base: string, head: string | undefined, flags: ImpactFlags) => {
      const found = await checkedSettings(flags, deps);
      const settings = { ...found, endpoints: flags.endpoints ?? found.endpoints };
      const { consumers, calls, endpoint, dialect, cache } = flags;
      const printers = printersOf(deps.env);
      const print = printAndWrite(printers[flags.format], readWrites(flags.write, printers));
      const schema = chooseSchema(flags, settings, deps);
      const queries = { paths: [...consumers, ...calls], endpoint, dialect };
      deps.setExitCode(await impact({ base, head, settings, schema, queries, print, cache }, deps));
    },
  );
}

const printersOf = (env: CommandDeps['env']) => ({
  text: printText,
  markdown: printMarkdown,
  github: createPrintGithub(env['GITHUB_STEP_SUMMARY']),
  json: printJson,
});
