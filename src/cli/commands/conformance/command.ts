// `millrace conformance`, its flags and help.
import { jsonText } from '../../../service/observe/visible-text.ts';
import { Option, type Command } from 'commander';
import { CommandError } from '../../kit/command-error.ts';
import { withSettings, type CommandDeps, type Flags } from '../../kit/command.ts';
import { splitPair } from '../../kit/name-value.ts';
import { createAsk } from './ask.ts';
import type { ConformanceOutcome } from './outcome.ts';
import { printJson, printMarkdown, printText } from './print.ts';
import { readQueries } from '../../kit/consumer-queries.ts';
import { reportOf, type ConformanceReport } from './report.ts';
import { runQueries } from './run.ts';
import { write } from '../../kit/write-file.ts';
import { withAddress } from './address.ts';

const PRINTERS = { text: printText, markdown: printMarkdown, json: printJson } as const;

interface ConformanceFlags {
  readonly endpoint: string;
  readonly param: readonly string[];
  readonly url?: string;
  readonly key?: string;
  readonly dialect?: string;
  readonly atOnce: string;
  readonly timeout: string;
  readonly allow: string;
  readonly format: keyof typeof PRINTERS;
  readonly json?: string;
}

export function addConformance(program: Command, deps: CommandDeps): void {
  withSettings(program.command('conformance'))
    .description(
      'Run a folder of queries against an endpoint, and report which fail: in this process, with the sample data if there are no endpoints, or against a running service with --url. Exits 1 if more than --allow queries fail.',
    )
    .argument(
      '<paths...>',
      'folders and files: one query each in *.sql, *.txt and *.lql, or {"name", "sql" or "lql", "dialect", "parameters", "expect": {"status", "code", "rows", "result"}} per line in *.jsonl',
    )
    .requiredOption('--endpoint <name>', 'the endpoint, by name or UUID')
    .option('--param <pairs...>', 'parameters of every query, name=value', [])
    .option('--url <address>', 'address of a running service, such as http://127.0.0.1:4000')
    .option('--key <key>', 'the API key for --url (default: the environment variable MILLRACE_KEY)')
    .option('--dialect <dialect>', 'the dialect of SQL that names none (default: detected by the service)')
    .option('--at-once <count>', 'queries at a time, 1 to 64', '4')
    .option('--timeout <seconds>', 'seconds to wait for each response, 1 to 3600', '60')
    .option('--allow <count>', 'failures that are not an error', '0')
    .addOption(
      new Option('--format <format>', 'the output format').choices(Object.keys(PRINTERS)).default('text'),
    )
    .option('--json <file>', 'also write the report to this file as JSON')
    .action(async (paths: string[], flags: Flags & ConformanceFlags) => {
      const allowed = integer(flags.allow, '--allow', 1_000_000, 0);
      const report = await conformance(paths, flags, deps);
      PRINTERS[flags.format](report, deps.terminal);
      if (flags.json !== undefined) await write(flags.json, jsonText(report));
      deps.setExitCode(report.failed > allowed ? 1 : 0);
    });
}

async function conformance(
  paths: readonly string[],
  flags: Flags & ConformanceFlags,
  deps: CommandDeps,
): Promise<ConformanceReport> {
  const { terminal } = deps;
  const { endpoint, dialect } = flags;
  const concurrency = integer(flags.atOnce, '--at-once', 64);
  const timeoutMs = 1000 * integer(flags.timeout, '--timeout', 3600);
  const parameters = Object.fromEntries(flags.param.map(splitPair));
  const all = await readQueries(paths);
  const queries = all.filter((query) => query.endpoint === undefined || query.endpoint === endpoint);
  if (queries.length === 0)
    throw new CommandError(`No queries for ${endpoint}: all name another endpoint`, { exitCode: 2 });
  return withAddress(flags, deps, async (address) => {
    const ask = createAsk({ ...address, endpoint, parameters, dialect, timeoutMs });
    const onProgress = (done: number): void => terminal.progress(`${done}/${queries.length} queries`);
    const outcomes = await runQueries(queries, { ask, concurrency, onProgress });
    terminal.progress('');
    requireAnswers(outcomes);
    return reportOf(endpoint, outcomes);
  });
}

/** Codes of a call that fails whatever its query is. */
const NOT_RUN = new Set([
  'unreachable',
  'auth.missing',
  'auth.invalid',
  'auth.forbidden',
  'route.endpoint_unknown',
]);

/** Throws CommandError if no query ran, for one reason that is not in the queries. */
function requireAnswers(outcomes: readonly ConformanceOutcome[]): void {
  const codes = new Set(outcomes.map(({ answered }) => answered.code ?? ''));
  const [code = ''] = codes;
  const [first] = outcomes;
  if (codes.size > 1 || !NOT_RUN.has(code)) return;
  throw new CommandError(`No query was run: ${first?.answered.message ?? code} (${code})`);
}

function integer(text: string, flag: string, maximum: number, minimum = 1): number {
  const value = Number(text);
  if (/^\d{1,7}$/.test(text) && value >= minimum && value <= maximum) return value;
  throw new CommandError(`Invalid ${flag} "${text}": use an integer from ${minimum} to ${maximum}`, {
    exitCode: 2,
  });
}
