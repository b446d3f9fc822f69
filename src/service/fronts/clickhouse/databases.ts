// The databases that a key sees: endpoints with a sandbox, and the virtual ones.
import { referenceOf } from '../../endpoints/endpoint.ts';
import type { Principal } from '../../auth/principal.ts';
import { isCallable } from '../../endpoints/callable.ts';
import type { Catalog } from '../../endpoints/catalog.ts';
import type { Endpoint } from '../../endpoints/endpoint.ts';
import { didYouMean, nearest } from '../../../sql/base/nearest.ts';
import { Problem } from '../../../sql/base/problem.ts';

/** The names of the virtual databases. */
export type VirtualName = 'system' | 'information_schema';
/** What a query over virtual tables reads: one database, or a join of the two. */
export type VirtualScope = VirtualName | 'both';

export type Database =
  | {
      readonly kind: 'endpoint';
      readonly name: string;
      readonly tables: readonly string[];
      readonly endpoint: Endpoint;
    }
  | { readonly kind: 'virtual'; readonly name: VirtualName; readonly tables: readonly string[] };

export interface Databases {
  /** Those of the default versions of endpoints, sorted by name. The others are found as `name@2`. */
  readonly endpoints: readonly Extract<Database, { kind: 'endpoint' }>[];
  readonly find: (name: string) => Database | undefined;
  /** Returns whether the key may call the endpoint of this name, and send it no SQL, which others may. */
  readonly isClosed: (name: string) => boolean;
}

/** Tables by virtual database. */
export type VirtualTables = Readonly<Record<VirtualName, readonly string[]>>;

/** The databases of a principal. */
export function databasesOf(catalog: Catalog, principal: Principal, virtual: VirtualTables): Databases {
  const isSeen = (endpoint: Endpoint): boolean =>
    isOpen(endpoint, principal) && !Object.hasOwn(virtual, endpoint.name);
  const endpoints = catalog.endpoints.filter(isSeen).map((endpoint) => databaseOf(endpoint.name, endpoint));
  const byName = new Map<string, Database>(endpoints.map((database) => [database.name, database]));
  for (const endpoint of catalog.all) {
    const name = referenceOf(endpoint);
    if (!byName.has(name) && isSeen(endpoint)) byName.set(name, databaseOf(name, endpoint));
  }
  for (const name of ['system', 'information_schema'] as const)
    byName.set(name, { kind: 'virtual', name, tables: virtual[name] });
  const find = (name: string): Database | undefined =>
    byName.get(name === 'INFORMATION_SCHEMA' ? 'information_schema' : name);
  const closed = catalog.all.filter(
    (endpoint) => !principal.languages.has('sql') && isOpenToSql(endpoint, principal),
  );
  const closedNames = new Set(closed.flatMap((endpoint) => [endpoint.name, referenceOf(endpoint)]));
  return { endpoints, find, isClosed: (name) => closedNames.has(name) };
}

function databaseOf(name: string, endpoint: Endpoint) {
  return { kind: 'endpoint', name, tables: tablesOf(endpoint), endpoint } as const;
}

/** Returns whether the key may send ClickHouse SQL to the endpoint. */
function isOpen(endpoint: Endpoint, principal: Principal): boolean {
  return principal.languages.has('sql') && isOpenToSql(endpoint, principal);
}

/** Returns whether the endpoint accepts ClickHouse SQL, and the key may call it. */
function isOpenToSql(endpoint: Endpoint, principal: Principal): boolean {
  const { enabled, languages, dialects } = endpoint.sandbox;
  const isSpoken = enabled && languages.has('sql') && dialects.includes('clickhouse');
  return isSpoken && isCallable(endpoint, principal);
}

function tablesOf({ outline }: Endpoint): readonly string[] {
  return outline.elements.filter(({ kind }) => kind === 'table').map(({ name }) => name);
}

/** A database as named in a request, with the parameters of its suffix. */
export interface NamedDatabase {
  readonly database: Database;
  readonly parameters: ReadonlyMap<string, string>;
}

const MAX_SHOWN = 100;

/**
 * Finds `name` or `name:parameter=value,…`, with percent-encoded values; undefined for `default`, which is what tools send if nothing
 * is configured. Throws Problem `clickhouse.database_unknown`, or `auth.forbidden` for an endpoint that the key may only call.
 */
export function findDatabase(databases: Databases, text: string): NamedDatabase | undefined {
  const [name, suffix] = splitSuffix(text);
  const database = databases.find(name);
  if (database !== undefined) return { database, parameters: readSuffix(suffix) };
  if (name === 'default' && suffix === undefined) return undefined;
  throw unknownDatabase(databases, name);
}

/** Names with a suffix that a request may list tables by. */
const MAX_ALIASES = 20;

/**
 * Databases by their names with a suffix, as clients look for the tables of the database that they are configured with: those among
 * `names` that the key sees.
 */
export function suffixedDatabases(
  { find }: Databases,
  names: Iterable<string>,
): readonly Extract<Database, { kind: 'endpoint' }>[] {
  const suffixed = [...new Set(names)].flatMap((name) => {
    const database = name.includes(':') ? find(splitSuffix(name)[0]) : undefined;
    return database?.kind === 'endpoint' ? [{ ...database, name }] : [];
  });
  return suffixed.slice(0, MAX_ALIASES);
}

/** The name and what follows its colon. */
export function splitSuffix(text: string): readonly [name: string, suffix: string | undefined] {
  const colon = text.indexOf(':');
  return colon < 0 ? [text, undefined] : [text.slice(0, colon), text.slice(colon + 1)];
}

export function unknownDatabase(
  databases: Databases,
  name: string,
  place: { errors?: Problem['errors'] } = {},
): Problem {
  const shown = name.slice(0, MAX_SHOWN);
  if (databases.isClosed(name))
    return new Problem('auth.forbidden', {
      detail: `Your key may not send SQL to ${shown}`,
      hint: 'Ask the issuer of the key for one that may: millrace token create --allow sql.',
      ...place,
    });
  const names = databases.endpoints.map((each) => each.name);
  const hint = didYouMean(nearest(shown, [...names, 'system', 'information_schema']));
  return new Problem('clickhouse.database_unknown', {
    detail: `Database ${shown} does not exist`,
    ...place,
    ...(hint === undefined ? {} : { hint: `${hint} SHOW DATABASES lists the databases of your key.` }),
  });
}

const MAX_PARAMETERS = 50;

/** `a=1,b=2`. Throws Problem `request.parameters_invalid`. */
export function readSuffix(suffix: string | undefined): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  if (suffix === undefined || suffix === '') return parameters;
  const parts = suffix.split(',', MAX_PARAMETERS + 1);
  if (parts.length > MAX_PARAMETERS) throw invalidSuffix(`it may have at most ${MAX_PARAMETERS} parameters`);
  for (const part of parts) {
    const equals = part.indexOf('=');
    if (equals < 1) throw invalidSuffix(`"${part.slice(0, MAX_SHOWN)}" is not parameter=value`);
    const [name, value] = [part.slice(0, equals), part.slice(equals + 1)];
    if (parameters.has(name)) throw invalidSuffix(`it has ${name} twice`);
    try {
      parameters.set(name, decodeURIComponent(value));
    } catch {
      throw invalidSuffix(`the value of ${name} is not percent-encoded UTF-8`);
    }
  }
  return parameters;
}

function invalidSuffix(reason: string): Problem {
  return new Problem('request.parameters_invalid', {
    detail: `Invalid suffix of the database: ${reason}`,
    hint: 'Write `database:parameter=value,parameter=value`, with %2C for a comma in a value.',
  });
}
