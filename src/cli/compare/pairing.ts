// Pairs the endpoints of two revisions: by id, then by name, so that a new id hides no change.
import { referenceOf } from '../../service/endpoints/endpoint.ts';
import type { BrokenFile, Contract, Contracts, ContractChange } from './contract.ts';
import { breaking, compatible, exposure, security, type ChangeKinds } from './change-kinds.ts';

export const PAIRING_CHANGES = {
  'endpoint.added': exposure(
    'A new endpoint',
    'It has no callers yet. Keys whose patterns match its name may call it at once: the report lists what it reads and returns.',
  ),
  'endpoint.renamed': breaking(
    'An endpoint was renamed',
    'Calls to the old name get 404, or another endpoint. Keys are granted by name: keys for the old name lose the endpoint, keys whose patterns match the new name gain it.',
  ),
  'endpoint.id_changed': breaking(
    'The id of an endpoint changed',
    'Calls by UUID get 404. Other changes are compared by name, so that a new id hides nothing.',
  ),
  'endpoint.replaced': breaking(
    'A name now belongs to another endpoint',
    'Calls by name get different data. The endpoint is compared with the one that had the name before.',
  ),
  'endpoint.not_comparable': security(
    'An endpoint whose file had errors can be served',
    'What it allowed before is unknown, so it may allow more now. Review the file as a whole.',
  ),
  'file.broken': breaking(
    'A file that could be served now has errors',
    'A service that starts with it does not serve the endpoint; a running service keeps the last good version.',
  ),
  'file.invalid': compatible(
    'A file has errors and was not served before',
    'No caller is affected. `millrace validate` shows the errors.',
  ),
  'tables.rejected': breaking(
    'The engine rejects the table definitions',
    'It accepted them before. Without them columns cannot be compared, so a broken definition must not go unnoticed.',
  ),
} as const satisfies ChangeKinds;

export type PairingCode = keyof typeof PAIRING_CHANGES;

export type Pairing =
  | {
      readonly kind: 'both';
      readonly old: Contract;
      readonly now: Contract;
      /** Changes of the name and the id. */
      readonly found: readonly ContractChange<PairingCode>[];
    }
  /** `before` is its file at the base if that could not be served. */
  | { readonly kind: 'added'; readonly contract: Contract; readonly before: BrokenFile | undefined }
  | { readonly kind: 'removed'; readonly contract: Contract }
  /** `was` is the endpoint that its file defined at the base. */
  | { readonly kind: 'broken'; readonly file: BrokenFile; readonly was: Contract | undefined };

export function pairUp(base: Contracts, head: Contracts): readonly Pairing[] {
  const [before, after] = [indexOf(base), indexOf(head)];
  const pairs = head.served.map((now) => pairOf(now, before, after));
  const continued = new Set(pairs.flatMap((pair) => (pair.kind === 'both' ? pair.old : [])));
  const lost = base.served
    .filter((old) => !continued.has(old))
    .map((old): Pairing => {
      const file = after.broken(old);
      return file === undefined ? { kind: 'removed', contract: old } : { kind: 'broken', file, was: old };
    });
  const reported = new Set(lost.flatMap((each) => (each.kind === 'broken' ? each.file : [])));
  const wereBroken = new Set(base.broken.map(({ path }) => path));
  const invalid = head.broken
    .filter((file) => !reported.has(file) && !wereBroken.has(file.path))
    .map((file): Pairing => ({ kind: 'broken', file, was: undefined }));
  return [...pairs, ...lost, ...invalid];
}

interface Index {
  readonly byId: ReadonlyMap<string, Contract>;
  /** By name, or by name and version. */
  readonly byName: ReadonlyMap<string, Contract>;
  readonly names: ReadonlySet<string>;
  /** The file of an endpoint if it has errors. */
  readonly broken: (contract: Contract) => BrokenFile | undefined;
}

function indexOf({ served, broken }: Contracts): Index {
  const files = new Map<string, BrokenFile>();
  for (const file of broken.toReversed()) {
    files.set(`path ${file.path}`, file);
    if (file.id !== undefined) files.set(`id ${file.id}`, file);
    if (file.name !== undefined) files.set(`name ${file.name}`, file);
  }
  return {
    byId: new Map(served.map((each) => [each.endpoint.id, each])),
    byName: new Map(served.map((each) => [referenceOf(each.endpoint), each])),
    names: new Set(served.map((each) => each.endpoint.name)),
    broken: ({ endpoint: { id, name, file } }) =>
      files.get(`id ${id}`) ?? files.get(`name ${name}`) ?? files.get(`path ${file}`),
  };
}

function pairOf(now: Contract, before: Index, after: Index): Pairing {
  const { id } = now.endpoint;
  const name = referenceOf(now.endpoint);
  const same = before.byId.get(id);
  if (same !== undefined) return { kind: 'both', old: same, now, found: renamed(same, now, after) };
  const namesake = before.byName.get(name) ?? unversionedBefore(now, before, after);
  if (namesake === undefined) return { kind: 'added', contract: now, before: before.broken(now) };
  const isElsewhere = after.byId.has(namesake.endpoint.id);
  const found: ContractChange<PairingCode> = isElsewhere
    ? {
        code: 'endpoint.replaced',
        message: `the name ${name} belonged to a different endpoint`,
        path: ['name'],
      }
    : { code: 'endpoint.id_changed', message: `the id is ${id}, was ${namesake.endpoint.id}`, path: ['id'] };
  return { kind: 'both', old: namesake, now, found: [found] };
}

/** The endpoint without versions that a first version with a new id continues, if no other file continues it. */
function unversionedBefore(
  { endpoint: { name, version } }: Contract,
  before: Index,
  after: Index,
): Contract | undefined {
  const old = before.byName.get(name);
  return version !== 1 || old === undefined || after.byId.has(old.endpoint.id) ? undefined : old;
}

function renamed(old: Contract, now: Contract, after: Index): readonly ContractChange<PairingCode>[] {
  const [was, is] = [old.endpoint.name, now.endpoint.name];
  if (was === is) return [];
  const rest = after.names.has(was) ? '; callers of the old name get another endpoint' : '';
  return [{ code: 'endpoint.renamed', message: `the name is ${is}, was ${was}${rest}`, path: ['name'] }];
}
