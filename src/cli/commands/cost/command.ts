// Declares `millrace cost`, its flags and help.
import { join } from 'node:path';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { amountOf, budgetOf } from '../../cost/budget.ts';
import type { CommandDeps } from '../../kit/command.ts';
import { CommandError } from '../../kit/command-error.ts';
import { REAL_TIME } from '../../kit/real-time.ts';
import { checkedSettings, type SchemaFlags, withSchemaOptions } from '../../kit/schema-options.ts';
import { collect, printAndWrite, readWrites } from '../../kit/write-reports.ts';
import { chooseCacheFolder } from '../analysis/folder.ts';
import { withCacheOptions } from '../analysis/open.ts';
import { cost } from './cost.ts';
import { DEFAULT_SIZES, madeOf, readEarlier } from './inputs.ts';
import { createOutcomeStore } from './outcome-store.ts';
import { printHuman, printJson, printMarkdown } from './printers.ts';

interface CostFlags extends SchemaFlags {
  readonly endpoints?: string;
  readonly fixtures?: string;
  readonly statistics?: string;
  readonly server?: boolean;
  readonly cache?: string | false;
  readonly maxRows?: number;
  readonly compare?: string;
  readonly maxGrowth?: number;
  readonly format: keyof typeof PRINTERS;
  readonly write: readonly string[];
}

const PRINTERS = { human: printHuman, json: printJson, markdown: printMarkdown };

export function addCost(program: Command, deps: CommandDeps): void {
  const command = program
    .command('cost')
    .description(
      'Estimate how many rows the calls of examples read from tables of the size that they have on a server, and which keys and indexes select them. Exits 1 if a call reads more than --max-rows or --max-growth allow.',
    )
    .argument('[endpoints...]', 'names of endpoints, or globs such as "logs.*" (default: all)')
    .option('--endpoints <folder>', 'folder of endpoint files (default: the endpoints folder)')
    .option('--fixtures <folder>', 'folder of fixtures (default: fixtures in the endpoints folder)')
    .option(
      '--statistics <file>',
      `sizes of the tables, from millrace schema pull --statistics (default: ${DEFAULT_SIZES})`,
    )
    .option(
      '--server',
      'plan over the tables of the ClickHouse server of CLICKHOUSE_URL; only subqueries that are run first read rows',
    )
    .addOption(
      new Option(
        '--max-rows <rows>',
        'rows that a call may read, such as 10M (default: budget.rows of millrace.yaml)',
      ).argParser(amount),
    )
    .option('--compare <file>', 'a report of --format json of before a change')
    .addOption(
      new Option(
        '--max-growth <factor>',
        'with --compare: how many times the rows of before a call may read (default: budget.growth of millrace.yaml, or 2)',
      ).argParser(amount),
    )
    .addOption(
      new Option('--format <format>', 'the output format').choices(Object.keys(PRINTERS)).default('human'),
    )
    .option('--write <format=file>', 'also write a report to a file; can be repeated', collect, []);
  withSchemaOptions(withCacheOptions(command)).action(async (names: string[], flags: CostFlags) => {
    const options = await optionsOf(names, flags, deps);
    const { path } = await chooseCacheFolder(flags.cache, deps.env);
    const outcomes = createOutcomeStore(path);
    deps.setExitCode(await cost(options, { ...deps, epoch: REAL_TIME.epoch, outcomes }));
  });
}

async function optionsOf(
  names: readonly string[],
  flags: CostFlags,
  deps: CommandDeps,
): Promise<Parameters<typeof cost>[0]> {
  const settings = await checkedSettings(flags, deps);
  const endpoints = flags.endpoints ?? settings.endpoints;
  const budget = budgetOf(settings);
  const { maxRows: rows = budget.rows, maxGrowth: growth = budget.growth, compare } = flags;
  return {
    settings,
    endpoints,
    fixtures: flags.fixtures ?? join(endpoints, 'fixtures'),
    names,
    made: flags.server === true ? needServer(settings.clickhouse) : await madeOf(flags, settings, deps),
    limits: {
      rows,
      earlier: compare === undefined ? undefined : { rows: await readEarlier(compare), growth },
    },
    print: printAndWrite(PRINTERS[flags.format], readWrites(flags.write, PRINTERS)),
  };
}

function needServer(clickhouse: unknown): undefined {
  if (clickhouse !== undefined) return undefined;
  throw new CommandError(
    '--server needs a ClickHouse server: set CLICKHOUSE_URL, CLICKHOUSE_USER and CLICKHOUSE_PASSWORD',
    { exitCode: 2 },
  );
}

function amount(text: string): number {
  const value = amountOf(text);
  if (value !== undefined) return value;
  throw new InvalidArgumentError('It is a number of 1 or more, such as 500000 or 10M.');
}
