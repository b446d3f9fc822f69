// Settings for ClickHouse servers.
import { plainFinding } from './plain-finding.ts';
import type { Finding } from '../../sql/base/finding.ts';
import type { SettingsFile } from './generated/settings.ts';

/** The servers and the two users; passwords are plain text and must not be shown. */
export interface ClickHouseSettings {
  /** At least one; all must have the same tables. */
  readonly urls: readonly string[];
  readonly user: string;
  readonly password: string;
  /** Undefined: consumer queries run as the same user. */
  readonly consumer: { readonly user: string; readonly password: string } | undefined;
  /** Paths of PEM files. */
  readonly ca: string | undefined;
  readonly certificate: { readonly cert: string; readonly key: string } | undefined;
  readonly isCompressed: boolean;
  readonly pingTimeoutMs: number;
  /** Send consumer queries with the settings that row policies compare with. */
  readonly rowPolicies: boolean;
}

/** The keys without a default. */
export type ClickHouseOptionalKey =
  | 'clickhouse_url'
  | 'clickhouse_consumer_user'
  | 'clickhouse_ca'
  | 'clickhouse_certificate'
  | 'clickhouse_key';

/** Undefined if no server is configured: the embedded engine is used. */
export function clickhouseSettings(all: SettingsFile): ClickHouseSettings | undefined {
  if (all.clickhouse_url === undefined) return undefined;
  const { clickhouse_consumer_user: consumer, clickhouse_certificate: cert, clickhouse_key: key } = all;
  return {
    urls: all.clickhouse_url.split(/, */),
    user: all.clickhouse_user ?? '',
    password: all.clickhouse_password ?? '',
    consumer:
      consumer === undefined
        ? undefined
        : { user: consumer, password: all.clickhouse_consumer_password ?? '' },
    ca: all.clickhouse_ca,
    certificate: cert === undefined || key === undefined ? undefined : { cert, key },
    isCompressed: all.clickhouse_compression ?? false,
    pingTimeoutMs: all.clickhouse_ping_timeout ?? 1500,
    rowPolicies: all.clickhouse_row_policies ?? false,
  };
}

/** A certificate and its key are only valid together. */
export function findHalfCertificate(values: SettingsFile): Finding[] {
  const { clickhouse_certificate: certificate, clickhouse_key: key } = values;
  if ((certificate === undefined) === (key === undefined)) return [];
  const missing = key === undefined ? 'clickhouse_key' : 'clickhouse_certificate';
  const message = `a certificate and its key must be set together; missing: ${missing}`;
  return [plainFinding('settings', 'settings.certificate_incomplete', message)];
}
