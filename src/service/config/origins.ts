// Origins of web pages (RFC 6454), compared as browsers do: without default ports, in lower case, host names in ASCII.
import type { Finding } from '../../sql/base/finding.ts';
import { plainFinding } from './plain-finding.ts';

/** A scheme and an authority without user; what follows them is no part of an origin. */
const BARE = /^https?:\/\/[^/?#\\@*\s]+$/i;

/** The origin as browsers write it; undefined if the text is no origin of a page. */
export function originOf(text: string): string | undefined {
  return BARE.test(text) && URL.canParse(text) ? new URL(text).origin : undefined;
}

/** Allowed origins as the setting lists them; undefined: none. Those that are no origins are left out: they have findings. */
export function allowedOrigins(setting: string | undefined): readonly string[] | '*' | undefined {
  if (setting === undefined) return undefined;
  if (setting.trim() === '*') return '*';
  return originsIn(setting).flatMap((text) => originOf(text) ?? []);
}

/** A finding for each entry of the setting that is no origin. */
export function findInvalidOrigins(setting: string | undefined): readonly Finding[] {
  if (setting === undefined || setting.trim() === '*') return [];
  return originsIn(setting).flatMap((text) =>
    originOf(text) === undefined
      ? [plainFinding('settings', 'settings.origin_invalid', ...misuseOf(text.slice(0, 200)))]
      : [],
  );
}

function originsIn(setting: string): readonly string[] {
  return setting.split(',').map((text) => text.trim());
}

function inSetting(what: string): string {
  return `cors_origins: ${what}`;
}

/** What is wrong, and what to write. */
function misuseOf(text: string): readonly [message: string, hint: string] {
  if (text === '') return [inSetting('an origin is empty'), 'Separate origins by single commas'];
  if (text === '*')
    return [inSetting('* allows every origin'), 'Write * alone, or only the origins that may send requests'];
  if (text.includes('*'))
    return [
      inSetting(`"${text}" has a wildcard, which origins do not have`),
      'Write each origin, such as https://app.example.com, or * for all',
    ];
  const withoutRest = URL.canParse(text) ? originOf(new URL(text).origin) : undefined;
  if (withoutRest !== undefined)
    return [
      inSetting(`"${text}" is more than an origin, which is a scheme, a host and a port`),
      `Write ${withoutRest}, without ${text.endsWith('/') && text.split('/').length === 4 ? 'the slash at its end' : 'what is before or after it'}`,
    ];
  return [
    inSetting(`"${text}" is not an origin`),
    'Write the scheme and the host, and the port if it is not the usual one, such as https://app.example.com',
  ];
}
