// Settings of Tinybird's API: where it is served, and the tokens that its clients sign.
import type { Finding } from '../../sql/base/finding.ts';
import type { SettingsFile } from './generated/settings.ts';
import { plainFinding } from './plain-finding.ts';

export interface TinybirdSettings {
  /** It is true if the API listener serves Tinybird's API. */
  readonly isServed: boolean;
  /** Undefined: no listener of its own. */
  readonly port: number | undefined;
  /** Undefined: tokens in the form of Tinybird are not accepted. */
  readonly tokens: TinybirdTokenSettings | undefined;
}

/** Tinybird's API is not served. */
export const NO_TINYBIRD: TinybirdSettings = { isServed: false, port: undefined, tokens: undefined };

/** How tokens in the form of Tinybird are checked. */
export interface TinybirdTokenSettings {
  readonly signingKey: string;
  readonly workspace: string;
  readonly skewSeconds: number;
}

const TOKEN_KEYS = ['tinybird_signing_key', 'tinybird_workspace'] as const;

export type TinybirdOptionalKey = 'tinybird_port' | (typeof TOKEN_KEYS)[number];

/** Without a workspace, tokens would be accepted that were signed for another one with the same key. */
export function findHalfTinybird(values: SettingsFile): Finding[] {
  const missing = TOKEN_KEYS.filter((key) => values[key] === undefined);
  if (missing.length !== 1) return [];
  const message = `tokens in the form of Tinybird need ${TOKEN_KEYS.join(' and ')}; missing: ${missing.join(', ')}`;
  return [plainFinding('settings', 'settings.tinybird_incomplete', message)];
}

export function tinybirdSettings(all: SettingsFile): TinybirdSettings {
  const { tinybird_signing_key: signingKey, tinybird_workspace: workspace, jwt_clock_skew: skew = 0 } = all;
  return {
    isServed: all.tinybird_interface === true,
    port: all.tinybird_port,
    tokens:
      signingKey === undefined || workspace === undefined
        ? undefined
        : { signingKey, workspace, skewSeconds: skew },
  };
}
