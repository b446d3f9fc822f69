// Settings that are URLs: checked before anything is opened, so that a mistake is one line without the password in it.
import type { Finding } from '../../sql/base/finding.ts';
import type { SettingsFile } from './generated/settings.ts';
import { plainFinding } from './plain-finding.ts';

/** A finding for each setting with a URL that cannot be parsed. */
export function findInvalidUrls(values: SettingsFile): Finding[] {
  const { redis_url: redis, clickhouse_url: servers, jwt_jwks_url: keys, otlp_endpoint: collector } = values;
  if (redis !== undefined && namesManyRedis(redis)) return [manyRedis()];
  const checks = [
    { key: 'redis_url', isValid: redis === undefined || isRedisUrl(redis) },
    { key: 'clickhouse_url', isValid: servers === undefined || servers.split(/, */).every(isServerUrl) },
    { key: 'jwt_jwks_url', isValid: keys === undefined || isFetchable(keys) },
    { key: 'public_url', isValid: values.public_url === undefined || isPublicUrl(values.public_url) },
    {
      key: 'export_s3_url',
      isValid: values.export_s3_url === undefined || isFetchable(values.export_s3_url),
    },
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
  ['export_s3_url', 'Write a URL without user, password and fragment, such as https://s3.example.com'],
  ['public_url', 'Write a URL without user, query and fragment, such as https://api.example.com'],
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

/** Lists of servers, and schemes of other clients, are for Redis Cluster and Sentinel. */
function namesManyRedis(text: string): boolean {
  const [, scheme = '', authority = ''] = /^([^:]*):\/\/([^/?#]*)/.exec(text) ?? [];
  const hosts = authority.slice(authority.lastIndexOf('@') + 1);
  return hosts.includes(',') || /sentinel|cluster/i.test(scheme);
}

function manyRedis(): Finding {
  const message = 'redis_url names several servers: Redis Cluster and Sentinel are not supported';
  const hint =
    'Write the address of one server, or one that follows the master, such as that of a proxy: redis://:password@host:6379/0';
  return plainFinding('settings', 'settings.redis_unsupported', message, hint);
}

/** The URL without the slash at its end. */
export function publicUrl(text: string | undefined): string | undefined {
  return text === undefined ? undefined : new URL(text).href.replace(/\/$/, '');
}

/** The path is a prefix that a proxy takes away. */
function isPublicUrl(text: string): boolean {
  return isServerUrl(text) && isFetchable(text) && /^https?:$/.test(new URL(text).protocol);
}

/** The path is the number of a database; user and password are percent-decoded. */
function isRedisUrl(text: string): boolean {
  if (!isServerUrl(text) || !/^rediss?:/.test(text)) return false;
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
