// `millrace token`, its flags and help.
import type { Command } from 'commander';
import { settingsOf, type CommandDeps } from '../command.ts';
import { createToken } from '../token.ts';

export function addToken(program: Command, deps: CommandDeps): void {
  const token = program.command('token').description('Keys of the tokens file.');
  token
    .command('create')
    .description('Make a key, add its hash to the tokens file, show the key once.')
    .argument('<name>', 'whose key it is')
    .option('--tokens <file>', 'the tokens file (default: MILLRACE_TOKENS, or tokens.yaml)')
    .option('--endpoints <globs...>', 'endpoints it may call, such as "logs.*"', ['*'])
    .option('--allow <languages...>', 'own queries it may send: sql, lql', [])
    .option('--parameter <pairs...>', 'locked parameters, name=value', [])
    .option('--expires <time>', 'when it ends, as 2027-01-01T00:00:00Z')
    .action(async (name: string, flags: TokenFlags) => {
      const file = flags.tokens ?? (await settingsOf({}, deps)).tokens ?? 'tokens.yaml';
      const { endpoints, allow, parameter: parameters, expires } = flags;
      await createToken({ file, name, endpoints, allow, parameters, expires }, deps.terminal);
    });
}

interface TokenFlags {
  readonly tokens?: string;
  readonly endpoints: readonly string[];
  readonly allow: readonly string[];
  readonly parameter: readonly string[];
  readonly expires: string | undefined;
}
