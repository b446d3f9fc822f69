// `millrace mcp` without --url: the endpoints folder in this process, with full access.
import type { CommandDeps } from '../../kit/command.ts';
import { withLocal, type LocalOptions } from '../../kit/local.ts';

const IN_USE =
  'Connect to the running service instead: --url http://127.0.0.1:4000, with a key in MILLRACE_KEY';

/** Serves until the client has gone or `stopped` resolves. */
export async function serveLocal(
  options: Omit<LocalOptions, 'whenInUse' | 'isAuthoring'>,
  { openEngine, openMcp, streams, terminal }: CommandDeps,
  stopped: Promise<void>,
): Promise<void> {
  await withLocal(
    { ...options, whenInUse: IN_USE, isAuthoring: true },
    { openEngine, terminal, openLocal: (given) => openMcp({ ...given, streams, note: terminal.note }) },
    async ({ ended }) => {
      terminal.note('millrace: serving MCP over standard input and output');
      await Promise.race([ended, stopped]);
    },
  );
}
