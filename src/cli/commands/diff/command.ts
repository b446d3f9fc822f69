// `millrace diff`, its flags and help.
import { Option, type Command } from 'commander';
import { REAL_TIME } from '../../kit/real-time.ts';
import {
  checkedSettings,
  chooseSchema,
  type SchemaFlags,
  withSchemaOptions,
} from '../../kit/schema-options.ts';
import type { CommandDeps } from '../../kit/command.ts';
import { withCacheOptions } from '../analysis/open.ts';
import { costOf } from './cost-options.ts';
import { diff } from './diff.ts';
import { createPrintGithub } from './github.ts';
import { printJson } from './json.ts';
import { printMarkdown } from './markdown.ts';
import { collect, printAndWrite, readWrites } from '../../kit/write-reports.ts';

interface DiffFlags extends SchemaFlags {
  readonly endpoints?: string;
  readonly cache?: string | false;
  readonly format: keyof ReturnType<typeof printersOf>;
  readonly write: readonly string[];
  readonly engine: boolean;
  readonly cost: boolean;
}

export function addDiff(program: Command, deps: CommandDeps): void {
  const command = program
    .command('diff')
    .description(
      'Show how changes of endpoint files between two git revisions affect callers and security. Exits 1 if a change breaks callers or weakens security and its file has no reason for it.',
    )
    .argument('<base>', 'a revision; BASE..HEAD for two, BASE...HEAD from their merge base')
    .argument('[head]', 'another revision (default: the work tree)')
    .option('--endpoints <folder>', 'folder of endpoint files (default: MILLRACE_ENDPOINTS, or endpoints)')
    .addOption(
      new Option('--format <format>', 'the output format')
        .choices(['markdown', 'json', 'github'])
        .default('markdown'),
    )
    .option('--write <format=file>', 'also write a report to a file; can be repeated', collect, [])
    .option(
      '--no-engine',
      'compare without the engine: no columns, and every changed query is a security change',
    )
    .option(
      '--no-cost',
      'do not compare what the calls of examples read, which is done if schema/statistics.yaml is there',
    );
  withCacheOptions(withSchemaOptions(command)).action(
    async (base: string, head: string | undefined, flags: DiffFlags) => {
      const found = await checkedSettings(flags, deps);
      const settings = { ...found, endpoints: flags.endpoints ?? found.endpoints };
      const schema = flags.engine ? chooseSchema(flags, settings, deps) : undefined;
      const printers = printersOf(deps.env);
      const print = printAndWrite(printers[flags.format], readWrites(flags.write, printers));
      const cost = flags.cost && schema !== undefined ? await costOf(settings, schema) : undefined;
      const options = { base, head, settings, schema, print, cache: flags.cache, cost };
      deps.setExitCode(await diff(options, { ...deps, epoch: REAL_TIME.epoch }));
    },
  );
}

const printersOf = (env: CommandDeps['env']) => ({
  markdown: printMarkdown,
  github: createPrintGithub(env['GITHUB_STEP_SUMMARY']),
  json: printJson,
});
