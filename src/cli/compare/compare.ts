// Compares two revisions of all endpoint files, endpoint by endpoint.
import { referenceOf } from '../../service/endpoints/endpoint.ts';
import type { ListedExposure } from './exposure.ts';
import { CHANGE_CLASSES } from './change-kinds.ts';
import { CHANGES, needsReason, type Change, type ChangeCode } from './changes.ts';
import type { BrokenFile, Contract, ContractChange } from './contract.ts';
import { changesOfPair, type ChangesOfPair, type Side } from './compare-pair.ts';
import { pairUp, type Pairing } from './pairing.ts';
import { judge, unusedReasons } from './reasons.ts';
import { NO_REASONS, type Reasons } from './written-reasons.ts';
import { changedDefaults, removal } from './version-changes.ts';
import { compareRollups } from './rollup-changes.ts';
import { compareTenancySettings } from './tenancy-changes.ts';
import { pairVariants } from './variants.ts';

/** The changes of one endpoint. */
export interface EndpointComparison {
  /** The endpoint's name; the path of a file without one; '' for changes that affect all endpoints. */
  readonly endpoint: string;
  /** Most severe first. */
  readonly changes: readonly Change[];
  /** The query as written, if it differs. */
  readonly query: { readonly before: string; readonly after: string } | undefined;
  /** Of a new endpoint, if known. */
  readonly exposure?: ListedExposure | undefined;
}

/**
 * Comparisons of all changed endpoints, sorted by name. Equal sides give an empty list. `now` decides whether the sunset of a removed
 * endpoint has passed, in milliseconds since 1970; by default, none has.
 */
export function compareContracts(
  base: Side,
  head: Side,
  now = -Infinity,
  changesOf = changesOfPair,
): readonly EndpointComparison[] {
  const pairings = pairUp(base, head);
  const sides = { base, head, now, changesOf, defaults: changedDefaults(base, head) };
  return [
    ...settingsComparison(pairings),
    ...rollupComparisons(base, head),
    ...pairings.map((pairing) => compare(pairing, sides)),
  ]
    .filter(({ changes }) => changes.length > 0)
    .toSorted((a, b) => compareText(a.endpoint, b.endpoint) || compareText(fileOf(a), fileOf(b)));
}

function rollupComparisons(base: Side, head: Side): readonly EndpointComparison[] {
  const found = compareRollups(base.rollups ?? [], head.rollups ?? []);
  const changes = found.flatMap((change) => plainComparison('', change).changes);
  return [{ endpoint: '', changes: changes.toSorted(compareChanges), query: undefined }];
}

/** Most endpoints that a change of the settings names. */
const NAMED = 5;

/** Changes of the settings file, which no endpoint file can allow. */
function settingsComparison(pairings: readonly Pairing[]): readonly EndpointComparison[] {
  const pairs = pairings.flatMap((each) => (each.kind === 'both' ? [[each.old, each.now] as const] : []));
  const [first] = pairs;
  const setting = first?.[1].tenancy ?? first?.[0].tenancy;
  if (setting === undefined) return [];
  const { file, line } = setting;
  const changes = compareTenancySettings(pairs).map(({ code, message, endpoints }): Change => {
    const more = endpoints.length - NAMED;
    const named = `${endpoints.slice(0, NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
    const { class: kind } = CHANGES[code];
    return {
      endpoint: '',
      class: kind,
      code,
      message: `${message} (${named})`,
      file,
      line,
      allowed: undefined,
    };
  });
  return [{ endpoint: '', changes: changes.toSorted(compareChanges), query: undefined }];
}

function fileOf({ changes }: EndpointComparison): string {
  return changes[0]?.file ?? '';
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** A change that no file can allow: the file is removed or unreadable, or the change is not one of an endpoint. */
export function plainComparison(
  endpoint: string,
  change: {
    readonly code: ChangeCode;
    readonly message: string;
    readonly file: string;
    readonly line: number;
  },
): EndpointComparison {
  const { class: kind } = CHANGES[change.code];
  return { endpoint, query: undefined, changes: [{ endpoint, class: kind, ...change, allowed: undefined }] };
}

interface Sides {
  readonly base: Side;
  readonly head: Side;
  readonly now: number;
  readonly changesOf: ChangesOfPair;
  /** By the default version of a name at the head, if its callers got another one. */
  readonly defaults: ReadonlyMap<Contract, ContractChange<ChangeCode>>;
}

function compare(pairing: Pairing, sides: Sides): EndpointComparison {
  const { head, now, defaults } = sides;
  switch (pairing.kind) {
    case 'both':
      return compareTwo(pairing, sides);
    case 'added': {
      const { contract, before } = pairing;
      const found: ContractChange<ChangeCode> =
        before === undefined
          ? { code: 'endpoint.added', message: introduction(contract), path: ['name'] }
          : { code: 'endpoint.not_comparable', message: `${before.path} had errors before`, path: ['name'] };
      const all = [found, ...changeFor(defaults, contract)];
      const reasons = before?.reasons ?? NO_REASONS;
      const comparison = finish(contract, withUnused(all, reasons, contract), reasons);
      return { ...comparison, exposure: head.exposures?.get(contract.endpoint) };
    }
    case 'removed': {
      const { endpoint, analysis } = pairing.contract;
      const { line } = analysis.document.locate(['name']);
      const name = referenceOf(endpoint);
      return plainComparison(name, { ...removal(endpoint, now), file: endpoint.file, line });
    }
    case 'broken': {
      const { file, was } = pairing;
      const change = {
        code: was === undefined ? ('file.invalid' as const) : ('file.broken' as const),
        ...firstOf(file),
      };
      const name = was === undefined ? undefined : referenceOf(was.endpoint);
      return plainComparison(name ?? file.name ?? file.path, change);
    }
  }
}

function firstOf({ path, findings }: BrokenFile): Pick<Change, 'message' | 'file' | 'line'> {
  const first = findings.find(({ severity }) => severity === 'error');
  return { message: first?.message ?? 'the file has errors', file: path, line: first?.line ?? 1 };
}

function introduction({ endpoint, query }: Contract): string {
  const what =
    endpoint.version === undefined ? 'a new endpoint' : `version ${endpoint.version}, which is new`;
  const tables = query.parts.filter(({ kind }) => kind === 'table').map(({ name }) => name);
  return endpoint.sandbox.enabled ? `${what}, whose consumer queries can read ${tables.join(', ')}` : what;
}

function changeFor(defaults: Sides['defaults'], contract: Contract): readonly ContractChange<ChangeCode>[] {
  const found = defaults.get(contract);
  return found === undefined ? [] : [found];
}

function compareTwo(
  { old, now, found }: Extract<Pairing, { kind: 'both' }>,
  { base, head, defaults, changesOf }: Sides,
): EndpointComparison {
  const pairs = pairVariants(old, now);
  const all = [...found, ...changesOf({ old, now, pairs }, base, head), ...changeFor(defaults, now)];
  const isSameQuery = pairs.every((pair) => !pair.isNew && pair.old.query.key === pair.now.query.key);
  const [before, after] = [old.analysis.file.query, now.analysis.file.query];
  const isTouched = old.analysis.document.wholeText !== now.analysis.document.wholeText;
  const reasons = old.analysis.file;
  const comparison = finish(now, isTouched ? withUnused(all, reasons, now) : all, reasons);
  return isSameQuery ? comparison : { ...comparison, query: { before, after } };
}

/** With the reasons of the file that allow none of the changes. */
function withUnused(
  found: readonly ContractChange<ChangeCode>[],
  before: Reasons,
  { analysis }: Contract,
): readonly ContractChange<ChangeCode>[] {
  const changed = new Set(found.map(({ code }) => code));
  return [...found, ...unusedReasons(before, analysis.file, changed)];
}

/** Adds the class, the line and the file's reason to each change. `before` are the reasons that the old file had. */
function finish(
  { endpoint: compared, analysis }: Contract,
  found: readonly ContractChange<ChangeCode>[],
  before: Reasons,
): EndpointComparison {
  const { document } = analysis;
  const { file: ownFile } = compared;
  const endpoint = referenceOf(compared);
  const changes = found.map(({ code, message, path, offset }): Change => {
    const { line, file = ownFile } =
      offset === undefined ? document.locateKey(path) : document.locateInside(path, offset);
    const { class: kind } = CHANGES[code];
    const plain = { endpoint, class: kind, code, message, file, line, allowed: undefined };
    if (!needsReason(plain)) return plain;
    const { allowed, remark } = judge(code, before, analysis.file);
    return { ...plain, message: remark === undefined ? message : `${message} (${remark})`, allowed };
  });
  const seen = new Map(changes.map((change) => [`${change.code} ${change.line} ${change.message}`, change]));
  return { endpoint, changes: [...seen.values()].toSorted(compareChanges), query: undefined };
}

function compareChanges(a: Change, b: Change): number {
  return (
    CHANGE_CLASSES.indexOf(a.class) - CHANGE_CLASSES.indexOf(b.class) ||
    a.line - b.line ||
    compareText(a.code, b.code) ||
    compareText(a.message, b.message)
  );
}
