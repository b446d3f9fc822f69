// Faults of settings that are valid one by one.
import type { Finding } from '../../sql/base/finding.ts';
import { findChannelFaults } from './channel-settings.ts';
import { findHalfCertificate } from './clickhouse-settings.ts';
import { findUnknownSources } from './engine-sources.ts';
import type { SettingsFile } from './generated/settings.ts';
import { findHalfJwt } from './jwt-settings.ts';
import { findInvalidOrigins } from './origins.ts';
import { findInvalidTraces } from './trace-settings.ts';
import { findHalfTinybird } from './tinybird-settings.ts';
import { findInvalidExports } from './export-settings.ts';
import { findInvalidUrls } from './url-settings.ts';

/** Settings that need others, or exclude them. */
export function findConflicts(values: SettingsFile): readonly Finding[] {
  return [
    ...findHalfJwt(values),
    ...findHalfTinybird(values),
    ...findHalfCertificate(values),
    ...findUnknownSources(values),
    ...findInvalidTraces(values),
    ...findChannelFaults(values),
  ];
}

/** URLs and origins that have the form of one, but cannot be used. */
export function findUnusable(values: SettingsFile): readonly Finding[] {
  return [
    ...findInvalidUrls(values),
    ...findInvalidExports(values),
    ...findInvalidOrigins(values.cors_origins),
  ];
}
