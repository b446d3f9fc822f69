// Endpoints of which a change affects what consumer queries can read, and how.
import { defaultsOf } from '../version-changes.ts';
import { referenceOf } from '../../../service/endpoints/endpoint.ts';
import type { Column } from '../../../service/engine/engine.ts';
import type { Endpoint } from '../../../service/endpoints/endpoint.ts';
import type { Side } from '../compare-pair.ts';
import type { Contract, EndpointColumns } from '../contract.ts';
import { pairUp, type Pairing } from '../pairing.ts';
import { pairVariants, type VariantPair } from '../variants.ts';
import { RESULT } from './foreign-query.ts';
import { pathChanges, type PathChange } from './paths.ts';

/** An endpoint at one revision, with the columns that the engine described. */
export interface DescribedEndpoint {
  readonly endpoint: Endpoint;
  readonly columns: EndpointColumns;
}

/** A change of a table, or of the endpoint's result (the table RESULT). */
export interface TableChange {
  readonly table: string;
  /** Its new name; undefined if it was removed. */
  readonly lost: { readonly after: string | undefined } | undefined;
  readonly paths: readonly PathChange[];
}

export interface ChangedEndpoint {
  /** At the base. */
  readonly name: string;
  /** Names and ids that queries are sent to, with the name or id at the base that no longer works. */
  readonly names: ReadonlySet<string>;
  readonly obsolete: ReadonlySet<string>;
  /** The file and a line (1-based): of the new revision, or of the old one if it was removed. */
  readonly file: string;
  readonly line: number;
  /** Undefined if the engine cannot describe it. */
  readonly before: DescribedEndpoint | undefined;
  /** A message if no query can be sent to it any more. */
  readonly after: DescribedEndpoint | string;
  readonly tables: readonly TableChange[];
}

/** The endpoints of the base that consumer queries may notice a change of. */
export function changedEndpoints(base: Side, head: Side): readonly ChangedEndpoint[] {
  return pairUp(base, head).flatMap((pairing) => changedEndpoint(pairing, base, head) ?? []);
}

function changedEndpoint(
  pairing: Pairing,
  base: Side,
  head: Side,
): ChangedEndpoint | readonly ChangedEndpoint[] | undefined {
  switch (pairing.kind) {
    case 'added':
      return undefined;
    case 'removed':
      return lostEndpoint(
        pairing.contract,
        base,
        `the endpoint ${pairing.contract.endpoint.name} was removed`,
      );
    case 'broken': {
      const { was, file } = pairing;
      const [found] = file.findings;
      const message = `${file.path} has errors: ${found?.message ?? 'it defines no endpoint'}`;
      return was && { ...lostEndpoint(was, base, message), file: file.path, line: found?.line ?? 1 };
    }
    case 'both':
      return keptEndpoints(pairing, base, head);
  }
}

function lostEndpoint(contract: Contract, base: Side, message: string): ChangedEndpoint {
  const { endpoint } = contract;
  return {
    name: referenceOf(endpoint),
    names: new Set([referenceOf(endpoint), endpoint.id]),
    obsolete: new Set(),
    ...placeOf(contract),
    before: describedAt(base, endpoint),
    after: message,
    tables: [],
  };
}

function placeOf({ endpoint: { file }, analysis }: Contract): Pick<ChangedEndpoint, 'file' | 'line'> {
  return { file, line: analysis.document.locateKey(['query']).line };
}

function describedAt({ columns }: Side, endpoint: Endpoint): DescribedEndpoint | undefined {
  const described = columns?.get(endpoint);
  return described && { endpoint, columns: described };
}

/** One for each variant of the query with another change: the parameters of consumer queries are not known. */
function keptEndpoints(
  { old, now }: Extract<Pairing, { kind: 'both' }>,
  base: Side,
  head: Side,
): readonly ChangedEndpoint[] {
  const found = new Map<string, ChangedEndpoint>();
  for (const pair of pairVariants(old, now)) {
    const changed = pair.isNew ? undefined : keptEndpoint(pair, base, head);
    if (changed === undefined) continue;
    const { before, after } = changed;
    const key = [surfaceOf(before), typeof after === 'string' ? after : surfaceOf(after)].join(' ');
    if (!found.has(key)) found.set(key, changed);
  }
  return [...found.values()];
}

function keptEndpoint(
  { old, now }: Pick<VariantPair, 'old' | 'now'>,
  base: Side,
  head: Side,
): ChangedEndpoint | undefined {
  const before = describedAt(base, old.endpoint);
  const after = describedAt(head, now.endpoint);
  const isDescribed = before !== undefined || after !== undefined;
  const isSameText = old.analysis.document.wholeText === now.analysis.document.wholeText;
  if (isSameText && (!isDescribed || surfaceOf(before) === surfaceOf(after))) return undefined;
  if (before !== undefined && surfaceOf(before) === surfaceOf(after)) return undefined;
  const [was, is] = [namesOf(old, base), namesOf(now, head)];
  return {
    name: old.endpoint.name,
    names: new Set([...was, ...is]),
    obsolete: new Set(was.filter((name) => !is.includes(name))),
    ...placeOf(now),
    before,
    after: after ?? `the engine rejects the query of the endpoint ${now.endpoint.name}`,
    tables: before === undefined || after === undefined ? [] : tableChanges(before, after),
  };
}

function namesOf(contract: Contract, side: Side): readonly string[] {
  const { endpoint } = contract;
  const isDefault = defaultsOf(side).get(endpoint.name) === contract;
  return [...new Set([referenceOf(endpoint), ...(isDefault ? [endpoint.name] : []), endpoint.id])];
}

/** Equal if no consumer query can notice a difference. */
function surfaceOf(described: DescribedEndpoint | undefined): string {
  if (described === undefined) return '';
  const { endpoint, columns } = described;
  const { id, name, int64, outline, sandbox } = endpoint;
  const tables = columns.tables.map((table) => [table.name, table.columns]);
  return JSON.stringify([
    id,
    name,
    int64,
    outline.from,
    { ...sandbox, languages: [...sandbox.languages] },
    tables,
    columns.result,
  ]);
}

function tableChanges(before: DescribedEndpoint, after: DescribedEndpoint): readonly TableChange[] {
  const options = { int64: after.endpoint.int64 };
  const now = new Map(after.columns.tables.map(({ name, columns }) => [name, columns]));
  const old = new Set(before.columns.tables.map(({ name }) => name));
  const added = after.columns.tables.filter(({ name }) => !old.has(name));
  const tables = before.columns.tables.map(({ name, columns }): TableChange => {
    const same = now.get(name);
    if (same !== undefined)
      return { table: name, lost: undefined, paths: pathChanges(columns, same, options) };
    const successor = added.find((other) => isSame(other.columns, columns));
    return { table: name, lost: { after: successor?.name }, paths: [] };
  });
  const paths = pathChanges(before.columns.result, after.columns.result, options);
  return [...tables, { table: RESULT, lost: undefined, paths }];
}

function isSame(a: readonly Column[], b: readonly Column[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
