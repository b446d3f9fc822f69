// Opens the service, and explains why it could not be opened.
import { TokensRejected } from '../../../service/auth/live-keyring.ts';
import type { Settings } from '../../../service/config/settings.ts';
import { CommandError } from '../../kit/command-error.ts';
import { noEndpoints } from '../../kit/endpoint-files.ts';
import { renderFinding } from '../../kit/caret.ts';
import { REAL_TIME } from '../../kit/real-time.ts';
import type { Terminal } from '../../kit/terminal.ts';
import type { OpenService, RunningService } from '../../kit/dependencies.ts';
import type { ServeDeps } from '../../kit/dependencies.ts';
import { keepRowsFresh } from './fresh-rows.ts';

/** Closes the engine if the service fails to open. In development, its sample rows stay fresh. */
export async function openOrExplain(
  { openService, terminal }: Pick<ServeDeps, 'openService' | 'terminal'>,
  options: Parameters<OpenService>[0],
): Promise<RunningService> {
  const { engine, settings, isDevelopment } = options;
  const service = await openService(options).catch(async (cause: unknown) => {
    await engine.close(0);
    throw explainStart(cause, settings, terminal);
  });
  if (isDevelopment !== true || engine.kind !== 'embedded') return service;
  const stop = keepRowsFresh({ engine, settings, terminal, after: REAL_TIME.after });
  const close = (reason: string): Promise<void> => {
    stop();
    return service.close(reason);
  };
  return { ...service, close };
}

function explainStart(cause: unknown, settings: Settings, terminal: Terminal): unknown {
  if (cause instanceof TokensRejected) {
    for (const finding of cause.diagnostics) {
      for (const line of renderFinding(finding, undefined, terminal)) terminal.note(line);
    }
    return new CommandError(`${cause.message}; the service requires a valid tokens file to start`, { cause });
  }
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  const { at, host, port } = addressOf(cause, settings);
  if (code === 'EADDRINUSE') {
    return new CommandError(
      `${at} is in use; stop the process that listens there, or choose another port with ${port}`,
      { cause },
    );
  }
  if (code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new CommandError(`Cannot listen on ${at}; choose another address with ${host} and ${port}`, {
      cause,
    });
  }
  if (code === 'ENOENT') {
    return noEndpoints(settings, cause);
  }
  return cause;
}

/** The address that could not be listened on, and the flags of its host and port. */
function addressOf(
  cause: unknown,
  settings: Settings,
): { readonly at: string; readonly host: string; readonly port: string } {
  const failed = cause instanceof Error && 'port' in cause ? cause.port : undefined;
  const { host, port, clickhousePort, tinybird, adminHost, adminPort } = settings;
  if (failed !== port && failed === clickhousePort)
    return { at: `${host}:${clickhousePort}`, host: '--host', port: '--clickhouse-port' };
  if (failed !== port && failed === tinybird.port)
    return { at: `${host}:${tinybird.port}`, host: '--host', port: '--tinybird-port' };
  if (failed !== port && failed === adminPort)
    return { at: `${adminHost}:${adminPort}`, host: '--admin-host', port: '--admin-port' };
  return { at: `${host}:${port}`, host: '--host', port: '--port' };
}
