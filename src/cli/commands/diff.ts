// `millrace diff`, its flags and help.
import { Option, type Command } from 'commander';
import { settingsOf, type CommandDeps } from '../command.ts';
import { diff } from '../diff.ts';
import { createPrintGithub } from '../diff/github.ts';
import { printJson } from '../diff/json.ts';
import { printMarkdown } from '../diff/markdown.ts';
import type { PrintReport } from '../diff/report.ts';

interface DiffFlags {
  readonly endpoints?: string;
  readonly format: 'markdown' | 'json' | 'github';
  readonly engine: boolean;
  readonly schema?: string;
}

export function addDiff(program: Command, deps: CommandDeps): void {
  program
    .command('diff')
    .description(
      'Show what changes of endpoint files do to callers and to security, between two revisions of git. Exits 1 when one breaks callers or loosens security and the file has no allow_breaking for it.',
    )
    .argument('<base>', 'a revision; BASE..HEAD for two, BASE...HEAD from where they parted')
    .argument('[head]', 'another revision (default: the files as they are on the disk)')
    .option('--endpoints <folder>', 'folder of endpoint files (default: MILLRACE_ENDPOINTS, or endpoints)')
    .addOption(
      new Option('--format <format>', 'how changes are printed')
        .choices(['markdown', 'json', 'github'])
        .default('markdown'),
    )
    .option('--schema <folder>', '*.sql files whose CREATE statements make the tables (default: the seeds)')
    .option('--no-engine', 'compare without columns, which only the engine can tell')
    .action(async (base: string, head: string | undefined, flags: DiffFlags) => {
      const found = await settingsOf({}, deps);
      const settings = { ...found, endpoints: flags.endpoints ?? found.endpoints };
      const schema = flags.engine ? (flags.schema ?? settings.seeds) : undefined;
      const print = printerOf(flags.format, deps.env);
      deps.setExitCode(await diff({ base, head, settings, schema, print }, deps));
    });
}

function printerOf(format: DiffFlags['format'], env: CommandDeps['env']): PrintReport {
  switch (format) {
    case 'markdown':
      return printMarkdown;
    case 'json':
      return printJson;
    case 'github':
      return createPrintGithub(env['GITHUB_STEP_SUMMARY']);
  }
}
