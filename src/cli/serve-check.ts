// `millrace serve --check`: opens everything that serving needs, reports its state and closes it.
import { renderFinding } from './caret.ts';
import type { Terminal } from './terminal.ts';
import type { RunningService } from './dependencies.ts';

/** Prints the state of each part; resolves to 0 if all are healthy, otherwise 1. Closes the service. */
export async function reportService(
  service: RunningService,
  terminal: Terminal,
  cacheWarning: string | undefined,
): Promise<0 | 1> {
  const { print, note, paint } = terminal;
  const { checks } = await service.readiness();
  const findings = service.catalog.diagnostics();
  const { endpoints } = service.catalog.current();
  await service.close('checked');
  for (const finding of findings) for (const line of renderFinding(finding, undefined, terminal)) note(line);
  const details: Readonly<Record<string, string>> = { catalog: `${endpoints.length} endpoints` };
  print(line('settings', paint('green', 'ok'), ''));
  print(line('keys', paint('green', 'ok'), ''));
  for (const [part, state] of Object.entries(checks)) {
    const color = state === 'ok' ? 'green' : state === 'off' ? 'dim' : 'red';
    print(line(part, paint(color, state), details[part] ?? ''));
  }
  if (cacheWarning !== undefined) print(line('cache key', paint('yellow', 'derived'), cacheWarning));
  return Object.values(checks).every((state) => state === 'ok' || state === 'off') ? 0 : 1;
}

function line(part: string, state: string, more: string): string {
  return `${part.padEnd(10)} ${state}  ${more}`.trimEnd();
}
