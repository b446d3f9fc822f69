// Where the queries are sent: a running service, or one that is opened in this process.
import { randomBytes } from 'node:crypto';
import { CommandError } from '../../kit/command-error.ts';
import { settingsOf, type CommandDeps, type Flags } from '../../kit/command.ts';
import { sampleSettings } from '../../kit/samples.ts';
import { serviceAddress } from '../../kit/service-client.ts';
import { withService } from '../serve/with-service.ts';
import type { Target } from './ask.ts';

const IN_USE =
  'Run the queries on that service instead: --url http://127.0.0.1:4000, with a key in MILLRACE_KEY';

/** Passes on the address of the service that --url names, or of one that is opened in this process on a free port of the loopback interface. */
export async function withAddress<T>(
  flags: Flags & { readonly url?: string; readonly key?: string },
  deps: CommandDeps,
  use: (address: Pick<Target, 'url' | 'key'>) => Promise<T>,
): Promise<T> {
  const { url, key: given = deps.env['MILLRACE_KEY'] } = flags;
  if (url !== undefined) return use(serviceAddress(url, given));
  if (flags.key !== undefined)
    throw new CommandError('--key is for a running service: add --url', { exitCode: 2 });
  const { url: _url, key: _key, ...settingFlags } = flags;
  const configured = await settingsOf(settingFlags, deps);
  const settings = (await sampleSettings(configured)) ?? configured;
  const key = randomBytes(18).toString('base64url');
  return withService({ settings, key, whenInUse: IN_USE }, deps, ({ address }) => use({ url: address, key }));
}
