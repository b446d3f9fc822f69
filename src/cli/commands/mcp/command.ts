// `millrace mcp`, its flags and help.
import type { Command } from 'commander';
import { settingsOf, withSettings, type CommandDeps, type Flags } from '../../kit/command.ts';
import { CommandError } from '../../kit/command-error.ts';
import { serviceAddress } from '../../kit/service-client.ts';
import { forward } from './forward.ts';
import { serveLocal } from './serve-local.ts';

interface McpFlags {
  readonly url?: string;
  readonly key?: string;
}

const EXAMPLES = `
Examples:
  millrace mcp                                             # the endpoints folder, over the embedded engine
  millrace mcp --url https://api.example.com --key KEY     # what this key may see of a running service

Programs start it with an entry such as
  { "mcpServers": { "millrace": { "command": "millrace", "args": ["mcp", "--config", "/path/to/millrace.yaml"] } } }
Programs that connect over HTTP need no command: a running service serves MCP at /mcp.`;

export function addMcp(program: Command, deps: CommandDeps): void {
  withSettings(program.command('mcp'))
    .description(
      'Serve the Model Context Protocol over standard input and output: the endpoints folder with full access, or with --url what a key may see of a running service.',
    )
    .option('--url <address>', 'address of a running service, such as http://127.0.0.1:4000')
    .option('--key <key>', 'the API key for --url (default: the environment variable MILLRACE_KEY)')
    .addHelpText('after', EXAMPLES)
    .action(async (flags: Flags & McpFlags) => {
      const { url, key } = flags;
      const stopped = new Promise<void>((resolve) => {
        deps.onSignal({ stop: () => resolve(), reload: () => undefined });
      });
      if (url !== undefined) {
        const address = serviceAddress(url, key ?? deps.env['MILLRACE_KEY']);
        return forward(address, deps, stopped);
      }
      if (key !== undefined)
        throw new CommandError('--key is for a running service: add --url', { exitCode: 2 });
      const settings = await settingsOf(flags, deps);
      // Standard output belongs to the protocol: the log goes to standard error.
      const { observe } = await deps.openLog({ level: settings.logLevel }, true);
      return serveLocal({ settings, observe }, deps, stopped);
    });
}
