// Opens the channels of the settings.
import type { ChannelSettings } from '../config/channel-settings.ts';
import type { After } from '../../sql/base/clock.ts';
import type { LookUp } from './address.ts';
import { createEmail } from './email.ts';
import type { Channel } from './message.ts';
import { createPagerduty } from './pagerduty.ts';
import { createSlack } from './slack.ts';
import { createWebhook } from './webhook.ts';

export interface ChannelDeps {
  readonly after: After;
  readonly lookUp: LookUp;
  /** Trusted certificates in PEM besides those of Node.js; for tests. */
  readonly certificate?: string | undefined;
}

/** By name. The settings are checked to have what each kind needs. */
export function openChannels(
  settings: ReadonlyMap<string, ChannelSettings>,
  deps: ChannelDeps,
): ReadonlyMap<string, Channel> {
  return new Map([...settings].map(([name, each]) => [name, openChannel(each, deps)]));
}

function openChannel(settings: ChannelSettings, deps: ChannelDeps): Channel {
  const { name, kind, url = '', secret = '', inside = false } = settings;
  const own = { ...deps, inside };
  switch (kind) {
    case 'webhook':
      return createWebhook({ name, url, secret }, own);
    case 'slack':
      return createSlack({ name, url }, own);
    case 'pagerduty':
      return createPagerduty({ name, url: settings.url, routingKey: settings.routing_key ?? '' }, own);
    case 'email':
      return openEmail(settings, own);
  }
}

function openEmail(settings: ChannelSettings, deps: ChannelDeps & { readonly inside: boolean }): Channel {
  const { name, host = '', tls = 'starttls', user, password, from = '', to = [] } = settings;
  const port = settings.port ?? (tls === 'always' ? 465 : 587);
  return createEmail({ name, host, port, tls, user, password, from, to }, deps);
}
