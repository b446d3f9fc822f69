// Channels: the places that watches send messages to, and the variables with their secrets.
import type { Finding } from '../../sql/base/finding.ts';
import type { SettingsFile } from './generated/settings.ts';
import { plainFinding } from './plain-finding.ts';

type Channels = NonNullable<SettingsFile['channels']>;
export type ChannelSpec = Channels[string];

/** A channel. In a service, its secrets are the values of their variables. */
export interface ChannelSettings extends ChannelSpec {
  readonly name: string;
}

type Key = Exclude<keyof ChannelSpec, 'kind' | 'inside'>;

interface KeysOfKind {
  readonly required: readonly Key[];
  readonly optional: readonly Key[];
}

const KEYS: Readonly<Record<ChannelSpec['kind'], KeysOfKind>> = {
  webhook: { required: ['url', 'secret'], optional: [] },
  slack: { required: ['url'], optional: [] },
  pagerduty: { required: ['routing_key'], optional: ['url'] },
  email: { required: ['host', 'from', 'to'], optional: ['port', 'tls', 'user', 'password'] },
};

export function channelSettings(channels: Channels = {}): ReadonlyMap<string, ChannelSettings> {
  return new Map(Object.entries(channels).map(([name, spec]) => [name, { ...spec, name }]));
}

/** Keys that a kind of channel needs, or does not have. */
export function findChannelFaults({ channels = {} }: SettingsFile): readonly Finding[] {
  return Object.entries(channels).flatMap(([name, spec]) => faultsOf(name, spec));
}

function faultsOf(name: string, spec: ChannelSpec): readonly Finding[] {
  const { kind, url = 'https://', inside = false, tls, user, password } = spec;
  const { required, optional } = KEYS[kind];
  const fault = (message: string, hint: string): Finding =>
    plainFinding('settings', 'settings.channel_invalid', `channels.${name}: ${message}`, hint);
  const given = Object.keys(spec).filter((key) => key !== 'kind' && key !== 'inside');
  const allowed = new Set<string>([...required, ...optional]);
  return [
    ...required
      .filter((key) => spec[key] === undefined)
      .map((key) =>
        fault(`a channel of the kind ${kind} needs ${key}`, `Write ${key} for the channel ${name}`),
      ),
    ...given
      .filter((key) => !allowed.has(key))
      .map((key) =>
        fault(`a channel of the kind ${kind} has no ${key}`, `It has ${[...allowed].join(', ')} and inside`),
      ),
    ...(url.startsWith('http:') && !inside
      ? [fault('http without encryption is for inside addresses only', 'Write an https URL, or inside: true')]
      : []),
    ...(tls === 'never' && !inside
      ? [fault('tls: never is for inside addresses only', 'Remove it, or write inside: true')]
      : []),
    ...((user === undefined) === (password === undefined)
      ? []
      : [fault('user and password belong together', 'Write both, or none')]),
  ];
}

/** Channels with the values of their variables, and a finding for each variable that is not set. */
export function fillChannels(
  channels: Channels | undefined,
  env: Readonly<Record<string, string | undefined>>,
): { readonly filled: Channels | undefined; readonly diagnostics: readonly Finding[] } {
  if (channels === undefined) return { filled: undefined, diagnostics: [] };
  const diagnostics: Finding[] = [];
  const fill = (name: string, key: string, text: unknown): unknown => {
    const variable = typeof text === 'string' ? VARIABLE.exec(text)?.[1] : undefined;
    if (variable === undefined) return text;
    const value = env[variable];
    if (value !== undefined && value !== '') return value;
    const message = `channels.${name}.${key}: the environment variable ${variable} is not set`;
    diagnostics.push(plainFinding('settings', 'settings.missing_variable', message, `Set ${variable}`));
    return text;
  };
  const filled = Object.entries(channels).map(([name, spec]) => {
    const keys = Object.entries(spec).map(([key, text]) => [key, fill(name, key, text)] as const);
    return [name, Object.fromEntries(keys) as ChannelSpec] as const; // each value is a string as before
  });
  return { filled: Object.fromEntries(filled), diagnostics };
}

const VARIABLE = /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/;
