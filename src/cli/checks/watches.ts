// Checks of watches against the channels of the settings and the keys of the tokens file.
import { compileGlobs } from '../../service/auth/globs.ts';
import { createReadTokens } from '../../service/auth/tokens-file.ts';
import { leadsOutside } from '../../service/config/leads-outside.ts';
import type { EndpointFile } from '../../service/config/generated/endpoint.ts';
import type { Settings } from '../../service/config/settings.ts';
import { watchesIn } from '../../service/endpoints/watches.ts';
import type { Codes, PathFinding } from '../../sql/base/finding.ts';
import { didYouMean, nearest } from '../../sql/base/nearest.ts';

export const WATCH_NAME_CODES: Codes = {
  'watch.unknown_channel': {
    title: 'A watch sends messages to a channel that the settings do not have',
    help: 'Add the channel to channels in millrace.yaml, or correct its name. If the settings have no channels at all, this is a warning.',
  },
  'watch.unknown_key': {
    title: 'A watch runs as a key that the tokens file does not have',
    help: 'as is the name of a key: create one with millrace token create.',
  },
  'watch.key_scope': {
    title: 'A watch runs as a key that may not call the endpoint',
    help: 'Each look gets 403. Add the endpoint to the endpoints of the key, or name another key.',
  },
};

/** Names in watches refer to these. */
export interface WatchNames {
  readonly channels: readonly string[];
  /** Undefined: there is no tokens file here, or it has errors. */
  readonly keys: readonly { readonly name: string; readonly endpoints: readonly string[] }[] | undefined;
}

export async function readWatchNames({
  channels,
  tokens: path,
}: Pick<Settings, 'channels' | 'tokens'>): Promise<WatchNames> {
  const read = path === undefined || leadsOutside(path) ? undefined : await createReadTokens()(path);
  const tokens = read?.kind === 'read' ? read.tokens : undefined;
  return {
    channels: [...channels.keys()],
    keys: tokens?.map(({ name, endpoints }) => ({ name, endpoints })),
  };
}

export function* watchNameFindings(file: EndpointFile, names: WatchNames): Iterable<PathFinding> {
  for (const { watch, path } of watchesIn(file)) {
    for (const [index, name] of watch.notify.entries())
      yield* channelFindings(name, [...path, 'notify', index], names);
    yield* keyFindings(file.name, watch.as, { path: [...path, 'as'], names });
  }
}

function* channelFindings(
  name: string,
  path: PathFinding['path'],
  { channels }: WatchNames,
): Iterable<PathFinding> {
  if (channels.includes(name)) return;
  const common = { code: 'watch.unknown_channel', path };
  if (channels.length === 0)
    yield {
      ...common,
      severity: 'warning',
      message: `the settings have no channels, and so none named ${name}`,
    };
  else yield { ...common, ...withHint(`the settings have no channel ${name}`, name, channels) };
}

interface NamedKey {
  readonly path: PathFinding['path'];
  readonly names: WatchNames;
}

function* keyFindings(
  endpoint: string,
  as: string,
  { path, names: { keys } }: NamedKey,
): Iterable<PathFinding> {
  if (keys === undefined) return;
  const key = keys.find(({ name }) => name === as);
  if (key === undefined)
    yield {
      code: 'watch.unknown_key',
      path,
      ...withHint(
        `the tokens file has no key ${as}`,
        as,
        keys.map(({ name }) => name),
      ),
    };
  else if (!compileGlobs(key.endpoints)(endpoint))
    yield { code: 'watch.key_scope', path, message: `the key ${as} may not call ${endpoint}` };
}

function withHint(
  message: string,
  name: string,
  all: readonly string[],
): Pick<PathFinding, 'message' | 'hint'> {
  const hint = didYouMean(nearest(name, all));
  return hint === undefined ? { message } : { message, hint };
}
