// What an endpoint exposes, as lines for a terminal.
import { visible } from '../../../service/observe/visible-text.ts';
import {
  flowText,
  type ListedExposure,
  type QueryExposure,
  type ReadExposure,
} from '../../compare/exposure.ts';
import { renderTable } from '../../kit/table.ts';
import type { Terminal } from '../../kit/terminal.ts';

/** The lines of one endpoint. */
export function linesOf(exposure: ListedExposure, paint: Terminal['paint']): readonly string[] {
  const { endpoint, file, queries } = exposure;
  return [
    `${paint('bold', visible(endpoint))}  ${paint('dim', visible(file))}`,
    ...factsOf(exposure).map(([name, text]) => `  ${name.padEnd(16)}  ${visible(text)}`),
    ...queries.flatMap((query) => queryLines(query, paint).map((line) => (line === '' ? '' : `  ${line}`))),
  ];
}

/** What holds for all queries of an endpoint, by name. */
export function factsOf(exposure: ListedExposure): readonly (readonly [name: string, text: string])[] {
  return [
    ['tenants', tenantsText(exposure)],
    ['keys', keysText(exposure)],
    ['consumer queries', languagesText(exposure)],
    ['redaction', redactionText(exposure)],
    ['cache', cacheText(exposure)],
    ['rows', `at most ${exposure.maxRows}`],
  ];
}

function tenantsText({ tenant, noTenants }: ListedExposure): string {
  if (tenant !== undefined) return `separated by @${tenant}`;
  return noTenants === undefined ? 'not declared' : `none: ${noTenants}`;
}

function keysText({ keys }: ListedExposure): string {
  if (keys === undefined) return 'no tokens file';
  return keys.length === 0 ? 'none' : listText(keys);
}

function languagesText({ languages, dialects }: ListedExposure): string {
  if (languages.length === 0) return 'none';
  return languages.map((each) => (each === 'sql' ? `sql (${dialects.join(', ')})` : each)).join(', ');
}

function redactionText({ redaction: { always, at, minGroup, detectors, columns } }: ListedExposure): string {
  const rules = Object.entries(columns).map(([path, action]) => `${path}: ${action}`);
  const what = [...detectors, ...rules].join(', ');
  const when = always ? 'every response' : 'only for keys and calls that ask for it';
  return `${when}${at === 'source' ? ', at the source' : ''}: ${what}${minGroup === undefined ? '' : `; groups of at least ${minGroup} rows`}`;
}

function cacheText({ cache }: ListedExposure): string {
  if (cache === undefined) return 'none';
  const stale = Math.max(cache.staleWhileRevalidate, cache.staleIfError);
  const until =
    cache.check === undefined ? '' : `until the data changes, checked every ${cache.check} s, at most `;
  const after = stale === 0 ? '' : `, stale responses for up to ${stale} s after that`;
  return `${until}${cache.ttl} s${after}${cache.isPublic ? ', also in shared caches' : ''}`;
}

const MAX_LISTED = 20;

/** Names separated by commas, the first ones if there are many. */
export function listText(names: readonly string[]): string {
  const more = names.length - MAX_LISTED;
  return names.slice(0, MAX_LISTED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function queryLines(
  { table, fault, reads, columns }: QueryExposure,
  paint: Terminal['paint'],
): readonly string[] {
  const title = table === undefined ? 'saved query' : `table ${visible(table)} of the sandbox`;
  if (fault !== undefined) return ['', paint('bold', title), `  not analysed: ${visible(fault)}`];
  const rows = columns.map(({ name, type, from, rule }) => [
    name,
    type,
    listText(from.filter(({ kind }) => kind !== 'condition').map(flowText)),
    rule ?? '',
  ]);
  const [header = '', , ...lines] = renderTable([['column', 'type', 'from', 'redacted'], ...rows]);
  return [
    '',
    paint('bold', title),
    ...(reads.length === 0 ? ['  reads nothing stored'] : reads.map((each) => `  reads ${readText(each)}`)),
    `  ${paint('dim', header)}`,
    ...lines.map((line) => `  ${line}`),
  ];
}

/** `app.users: confined by @tenant`. */
export function readText({ name, kind, confinedBy, isShared }: ReadExposure): string {
  const what =
    kind === 'table' ? name : `${kind === 'dictionary' ? 'the dictionary' : 'the function'} ${name}`;
  const confined = confinedBy.map((each) => `@${each}`).join(', ');
  const rows = isShared
    ? 'shared by all tenants'
    : confined === ''
      ? 'not confined'
      : `confined by ${confined}`;
  return visible(`${what}: ${rows}`);
}
