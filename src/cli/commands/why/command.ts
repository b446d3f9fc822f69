// Declares `millrace why`, its flags and help.
import type { Command } from 'commander';
import type { CallReport } from '../../../service/request/why/report.ts';
import { adminUrl, askAdmin, readJson } from '../../kit/admin-client.ts';
import { settingsOf, withSettings, type CommandDeps, type Flags } from '../../kit/command.ts';
import { REAL_TIME } from '../../kit/real-time.ts';
import { serviceAddress } from '../../kit/service-client.ts';
import { changesFor } from './changes.ts';
import { printReport } from './print.ts';

interface WhyFlags {
  readonly admin?: string;
  readonly url?: string;
  readonly key?: string;
  readonly json?: boolean;
  readonly changes: boolean;
}

export function addWhy(program: Command, deps: CommandDeps): void {
  withSettings(program.command('why'))
    .description(
      'Print why a call took its time: its stages, what the engine plans to read, what ran beside it, what a ClickHouse server logged, and the changes that millrace cost proposes for the endpoint.',
    )
    .argument('<target>', 'the X-Request-Id of a call, or the name of an endpoint: its slowest recent call')
    .option(
      '--admin <url>',
      'the admin listener of the service (default: that of the data folder, or of the settings)',
    )
    .option('--url <url>', 'ask the API of the service instead, about a call of your own key')
    .option('--key <key>', 'with --url: the key (default: the variable MILLRACE_KEY)')
    .option('--json', 'print the report as JSON')
    .option('--no-changes', 'do not look for changes with which the endpoint would read less')
    .action(async (target: string, flags: WhyFlags & Flags) => {
      const settings = await settingsOf(flags, deps);
      const report = await reportFor(target, flags, () => adminUrl(flags.admin, settings), deps.env);
      const changes = flags.changes
        ? await changesFor(report.endpoint, settings, { ...deps, epoch: REAL_TIME.epoch })
        : undefined;
      printReport(report, changes, { terminal: deps.terminal, isJson: flags.json === true });
    });
}

async function reportFor(
  target: string,
  flags: WhyFlags,
  admin: () => Promise<string>,
  env: CommandDeps['env'],
): Promise<CallReport> {
  const reply =
    flags.url === undefined
      ? await askAdmin(await admin(), '/why', { target })
      : await askService(flags.url, target, flags.key ?? env['MILLRACE_KEY']);
  return (reply as { readonly result: CallReport }).result; // of the service
}

const TIMEOUT_MS = 60_000;

function askService(address: string, target: string, sent: string | undefined): Promise<unknown> {
  const { url, key } = serviceAddress(address, sent);
  const query = new URLSearchParams({ request: target }).toString();
  return readJson(url, () =>
    fetch(`${url}/api/why?${query}`, {
      headers: key === undefined ? {} : { 'X-API-KEY': key },
      redirect: 'error', // the key is for this address alone
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }),
  );
}
