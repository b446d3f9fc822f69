// `millrace validate`, its flags and help.
import { readFileSettings } from '../../checks/file.ts';
import { Option, type Command } from 'commander';
import type { Settings } from '../../../service/config/settings.ts';
import { CommandError } from '../../kit/command-error.ts';
import type { CommandDeps } from '../../kit/command.ts';
import { collect, printAndWrite, readWrites } from '../../kit/write-reports.ts';
import { openAnalyses, withCacheOptions } from '../analysis/open.ts';
import {
  checkedSettings,
  existingSchema,
  noTables,
  type SchemaChoice,
  type SchemaFlags,
  withSchemaOptions,
} from '../../kit/schema-options.ts';
import { findChanged } from './changed-files.ts';
import { createFindCosts } from './find-costs.ts';
import { validate } from './validate.ts';
import type { ValidateOptions } from './options.ts';
import { printersOf } from './printers.ts';

interface ValidateFlags extends SchemaFlags {
  readonly format: keyof ReturnType<typeof printersOf>;
  readonly write: readonly string[];
  readonly strict?: boolean;
  readonly rollups?: boolean;
  readonly cost?: boolean;
  readonly engine: boolean;
  readonly cache?: string | false;
  readonly changed?: string | true;
}

export function addValidate(program: Command, deps: CommandDeps): void {
  const command = program
    .command('validate')
    .description(
      'Report every error in endpoint files, with file:line:column. Exits 1 if there is one; warnings do not affect the exit code.',
    )
    .argument('[paths...]', 'endpoint files or folders (default: the endpoints folder)')
    .addOption(
      new Option('--format <format>', 'the output format')
        .choices(['human', 'github', 'gitlab', 'sarif', 'json', 'markdown'])
        .default('human'),
    )
    .option('--write <format=file>', 'also write a report to a file; can be repeated', collect, [])
    .option(
      '--changed [base]',
      'check only files that differ from a revision (default: the last commit), and those that depend on them',
    )
    .option('--strict', 'treat warnings as errors, except pii.hash_without_key')
    .option(
      '--rollups',
      'also print which rollup each query reads once it is filled, or why none, for each variant of the query',
    )
    .option(
      '--cost',
      'also report what millrace cost finds: changes with which the calls of examples read less, and calls above budget.rows. It fills made tables',
    )
    .option('--no-engine', 'do not analyse the queries with the embedded engine, which requires the tables')
    .option('--engine', 'analyse the queries (the default)');
  withCacheOptions(withSchemaOptions(command)).action(async (paths: string[], flags: ValidateFlags) => {
    const settings = await checkedSettings(flags, deps);
    const chosen = paths.length > 0 ? paths : [settings.endpoints];
    const schema = existingSchema(flags, settings, deps);
    if (flags.rollups === true && (flags.format !== 'human' || !flags.engine))
      throw new CommandError(ROUTES, { exitCode: 2 });
    if (flags.cost === true && !flags.engine)
      throw new CommandError('--cost needs the engine', { exitCode: 2 });
    // The cache has the findings of a file, but not its queries, which are needed here.
    const cache = flags.rollups === true ? false : flags.cache;
    const printers = printersOf(deps.env);
    const print = printAndWrite(printers[flags.format], readWrites(flags.write, printers));
    const options = {
      paths: chosen,
      changed: chooseChanged(flags, { settings, schema }, deps),
      print,
      isStrict: flags.strict === true,
      openAnalyses: () => openAnalyses({ settings, schema, cache }, deps),
      asksEngine: flags.engine,
      findCosts: flags.cost === true ? createFindCosts(flags, settings, deps) : undefined,
      routes:
        flags.rollups === true ? { zone: settings.clickhouse === undefined ? 'UTC' : undefined } : undefined,
      openTestRuntime: deps.openTestRuntime,
      engineSources: settings.engineSources,
      tokens: settings.tokens,
      endpoints: settings.endpoints,
      ...(await readFileSettings(settings)),
      withoutTables: schema === undefined ? noTables(settings, 'Queries were not analysed') : undefined,
    };
    deps.setExitCode(await validate(options, deps.terminal));
  });
}

const ROUTES = '--rollups needs the engine and the human format';

function chooseChanged(
  { changed: base }: ValidateFlags,
  { settings, schema }: { readonly settings: Settings; readonly schema: SchemaChoice | undefined },
  { env }: CommandDeps,
): ValidateOptions['changed'] {
  if (base === undefined) return undefined;
  const inputs = [schema?.path, settings.tokens, 'millrace.yaml'];
  return (listed) => findChanged(listed, { base, inputs, env });
}
