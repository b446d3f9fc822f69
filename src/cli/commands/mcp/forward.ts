// `millrace mcp --url`: forwards messages between standard streams and the MCP route of a running service.
import type { CommandDeps } from '../../kit/command.ts';
import type { ServiceAddress } from '../../kit/service-client.ts';
import { readLines } from './lines.ts';
import { createRemote, type Message } from './remote.ts';

/** Messages that are waiting for their reply. */
const MAX_RUNNING = 20;

/** Forwards until the client closes the input or `stopped` resolves. Ends what is still running. */
export async function forward(
  address: ServiceAddress,
  { streams, terminal, version }: Pick<CommandDeps, 'streams' | 'terminal' | 'version'>,
  stopped: Promise<void>,
): Promise<void> {
  const { input, output } = streams;
  const write = (message: unknown): void => void output.write(`${JSON.stringify(message)}\n`);
  const remote = createRemote(address, { version, write });
  const running = new Map<unknown, AbortController>();
  const waiting = new Set<Promise<void>>();

  const send = (message: Message): void => {
    const controller = new AbortController();
    const { id } = message;
    if (id !== undefined) running.set(id, controller);
    const sent = remote
      .send(message, controller.signal)
      .catch((cause: unknown) => {
        if (controller.signal.aborted) return;
        const text = cause instanceof Error ? cause.message : String(cause);
        if (id === undefined) terminal.note(`millrace: ${text}`);
        else write({ jsonrpc: '2.0', id, error: { code: -32000, message: text } });
      })
      .finally(() => {
        if (running.get(id) === controller) running.delete(id);
        waiting.delete(sent);
      });
    waiting.add(sent);
  };

  const copy = async (): Promise<void> => {
    for await (const line of readLines(input)) {
      const message = messageIn(line);
      if (message === undefined) {
        write({
          jsonrpc: '2.0',
          id: null,
          error: { code: -32700, message: 'The line is not a JSON-RPC message' },
        });
      } else if (message['method'] === 'notifications/cancelled') {
        // Over HTTP, a request is cancelled by closing its connection.
        running.get(objectOf(message['params'])['requestId'])?.abort();
      } else {
        if (waiting.size >= MAX_RUNNING) await Promise.race(waiting);
        send(message);
      }
    }
  };
  output.on('error', () => input.destroy());
  terminal.note(`millrace: forwarding MCP to ${address.url}`);
  try {
    await Promise.race([copy(), stopped]);
  } finally {
    for (const controller of running.values()) controller.abort();
    input.destroy();
  }
}

function messageIn(line: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Message) : undefined; // a JSON object or array
  } catch {
    return undefined;
  }
}

function objectOf(value: unknown): Message {
  return typeof value === 'object' && value !== null ? (value as Message) : {}; // only read by name
}
