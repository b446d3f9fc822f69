// A key for hashed columns where none is set, on an author's machine: for one run, since its hashes are not those of a service.
import { randomBytes } from 'node:crypto';
import type { Catalog } from '../../service/endpoints/catalog.ts';
import type { Settings } from '../../service/config/settings.ts';

/** The settings with a key of this run if they have none. */
export function withHashKey(settings: Settings): Settings {
  return { ...settings, piiHashKey: settings.piiHashKey ?? randomBytes(32).toString('hex') };
}

/** What to say about such a key; undefined if one is set, or no column is hashed. */
export function hashKeyNote(
  { piiHashKey }: Pick<Settings, 'piiHashKey'>,
  { endpoints }: Pick<Catalog, 'endpoints'>,
): string | undefined {
  const isHashed = endpoints.some(({ redaction }) => redaction.redactor.source?.hashKeys !== undefined);
  return isHashed && piiHashKey === undefined
    ? 'MILLRACE_PII_HASH_KEY is not set: columns are hashed with a key for this run.'
    : undefined;
}
