// `millrace token`, its flags and help.
import { Option, type Command } from 'commander';
import type { ResultShape, Token } from '../../../service/config/generated/tokens.ts';
import { settingsOf, withSettings, type CommandDeps, type Flags } from '../../kit/command.ts';
import { createToken, revokeToken, rotateToken } from './token.ts';
import { listTokens } from './list.ts';

const FILE = ['--tokens <file>', 'the tokens file (default: MILLRACE_TOKENS, or tokens.yaml)'] as const;

export function addToken(program: Command, deps: CommandDeps): void {
  const token = program.command('token').description('Manage the keys in the tokens file.');
  addCreate(token, deps);
  addRotate(token, deps);
  addList(token, deps);
  addRevoke(token, deps);
}

async function fileOf({ tokens }: { readonly tokens?: string }, deps: CommandDeps): Promise<string> {
  return tokens ?? (await settingsOf({}, deps)).tokens ?? 'tokens.yaml';
}

const RESULT_SHAPES = ['standard', 'bigquery'] as const satisfies readonly ResultShape[];

interface CreateFlags {
  readonly tokens?: string;
  readonly endpoints: readonly string[];
  readonly allow: readonly string[];
  readonly parameter: readonly string[];
  readonly statements?: boolean;
  readonly pii?: string;
  readonly resultShape?: string;
  readonly rate?: string;
  readonly budgetRead?: string;
  readonly budgetTime?: string;
  readonly expires?: string;
}

function addCreate(token: Command, deps: CommandDeps): void {
  token
    .command('create')
    .description('Create a key, add its hash to the tokens file, and show the key once.')
    .argument('<name>', 'the name of the key')
    .option(...FILE)
    .option('--endpoints <globs...>', 'the endpoints it may call, such as "logs.*"', ['*'])
    .option('--allow <languages...>', 'languages of consumer queries it may send: sql, lql', [])
    .option('--parameter <pairs...>', 'parameters to lock, name=value', [])
    .option(
      '--statements',
      'explain shows it the statements as sent to the engine: for authors and operators',
    )
    .option('--pii <what>', 'redact: personal data is redacted in every response')
    .addOption(
      new Option('--result-shape <shape>', "the shape of rows in JSON, instead of the endpoint's").choices(
        RESULT_SHAPES,
      ),
    )
    .option('--rate <rate>', 'rate limit, such as 600/min (per s, min or h)')
    .option(
      '--budget-read <budget>',
      'budget for what its queries read, such as 200GiB/day (per min, hour or day)',
    )
    .option('--budget-time <budget>', 'budget for the time of its queries, such as 600s/hour')
    .option('--expires <time>', 'when it expires, such as 2027-01-01T00:00:00Z')
    .action(async (name: string, flags: CreateFlags) => {
      const file = await fileOf(flags, deps);
      const { endpoints, allow, parameter: parameters, statements, pii, resultShape, rate, expires } = flags;
      const budget = budgetOf(flags);
      const grant = { endpoints, allow, parameters, statements, pii, resultShape, rate, budget, expires };
      await createToken({ file, name, ...grant }, deps.terminal);
    });
}

function budgetOf({ budgetRead: read, budgetTime: time }: CreateFlags): Token['budget'] {
  if (read === undefined && time === undefined) return undefined;
  return { ...(read !== undefined && { read }), ...(time !== undefined && { time }) };
}

function addRotate(token: Command, deps: CommandDeps): void {
  token
    .command('rotate')
    .description('Replace a key and show the new one once; the previous key is still accepted for a while.')
    .argument('<name>', 'the name of the key')
    .option(...FILE)
    .option('--keep <time>', 'how long the previous key is accepted: 90s, 30min, 24h, 7d', '24h')
    .action(async (name: string, flags: { tokens?: string; keep: string }) => {
      const file = await fileOf(flags, deps);
      await rotateToken({ file, name, keep: flags.keep, now: Date.now() }, deps.terminal);
    });
}

function addList(token: Command, deps: CommandDeps): void {
  withSettings(token.command('list'))
    .description('List the keys: permissions, number of uses and last use.')
    .addOption(
      new Option('--format <format>', 'the output format').choices(['table', 'json']).default('table'),
    )
    .action(async (flags: Flags) => {
      const settings = await settingsOf(flags, deps);
      const format = flags['format'] as 'table' | 'json'; // commander has validated the choice
      const uses = await deps.readUses(settings);
      const file = settings.tokens ?? 'tokens.yaml';
      await listTokens({ file, format, uses, now: Date.now() }, deps.terminal);
    });
}

function addRevoke(token: Command, deps: CommandDeps): void {
  token
    .command('revoke')
    .description('Remove a key from the tokens file; running services reject it moments later.')
    .argument('<name>', 'the name of the key')
    .option(...FILE)
    .action(async (name: string, flags: { tokens?: string }) => {
      await revokeToken(await fileOf(flags, deps), name, deps.terminal);
    });
}
