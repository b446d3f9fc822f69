// Settings that are URLs: checked before anything is opened, so that a mistake is one line without the password in it.
import type { Finding } from '../core/finding.ts';
import type { SettingsFile } from './generated/settings.ts';
import { plainFinding } from './plain-finding.ts';

/** A finding for each setting with a URL that cannot be parsed. */
export function findInvalidUrls(values: SettingsFile): Finding[] {
  const { redis_url: redis, clickhouse_url: servers, jwt_jwks_url: keys, otlp_endpoint: collector } = values;
  const checks = [
    { key: 'redis_url', isValid: redis === undefined || isRedisUrl(redis) },
    { key: 'clickhouse_url', isValid: servers === undefined || servers.split(/, */).every(isServerUrl) },
    { key: 'jwt_jwks_url', isValid: keys === undefined || isFetchable(keys) },
    { key: 'otlp_endpoint', isValid: collector === undefined || isUrl(collector) },
  ];
  return checks.flatMap(({ key, isValid }) => (isValid ? [] : [invalidUrl(key)]));
}

function invalidUrl(key: string): Finding {
  const hint = HINTS.get(key) ?? 'Write a URL without fragment, such as https://host:8443';
  return plainFinding('settings', 'settings.url_invalid', `${key} is not a valid URL`, hint);
}

const HINTS: ReadonlyMap<string, string> = new Map([
  ['clickhouse_url', 'Write URLs without query and fragment, such as https://host:8443'],
  [
    'redis_url',
    'Write redis://:password@host:6379/0, without query and fragment, with / as %2F, ? as %3F, # as %23, @ as %40 and % as %25 in the password',
  ],
  [
    'jwt_jwks_url',
    'Write a URL without user, password and fragment, such as https://id.example.com/jwks.json',
  ],
]);

/** A fragment would be ignored: it is most likely the rest of a password. */
function isUrl(text: string): boolean {
  return URL.canParse(text) && !text.includes('#');
}

/** A query would be ignored (in `redis_url`, `?db=3`), fail at the first call, or change settings of the queries. */
function isServerUrl(text: string): boolean {
  return isUrl(text) && !text.includes('?');
}

/** `fetch` sends no user and password of a URL, and rejects one that has them. */
function isFetchable(text: string): boolean {
  if (!isUrl(text)) return false;
  const { username, password } = new URL(text);
  return username === '' && password === '';
}

/** The path is the number of a database; user and password are percent-decoded. */
function isRedisUrl(text: string): boolean {
  if (!isServerUrl(text)) return false;
  const { pathname, username, password } = new URL(text);
  return /^\/?\d*$/.test(pathname) && [username, password].every(isDecodable);
}

function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text) !== undefined;
  } catch {
    return false;
  }
}
