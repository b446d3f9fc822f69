// Compares two revisions of all endpoint files, endpoint by endpoint.
import type { Definitions } from '../../service/endpoints/definitions.ts';
import type { Endpoint } from '../../service/endpoints/endpoint.ts';
import { referenceOf } from '../../service/endpoints/endpoint.ts';
import type { ListedExposure } from './exposure.ts';
import { mergeFindings } from '../../service/endpoints/variant-findings.ts';
import { CHANGE_CLASSES } from './change-kinds.ts';
import { CHANGES, needsReason, type Change, type ChangeCode } from './changes.ts';
import { compareColumns } from './columns.ts';
import type { BrokenFile, Contract, Contracts, EndpointColumns, ContractChange } from './contract.ts';
import { pairUp, type Pairing } from './pairing.ts';
import { compareParameters } from './parameters.ts';
import { comparePolicies } from './policies.ts';
import { compareQueries, type EndpointModels, type ModelPair } from './query-changes.ts';
import { judge, NO_REASONS, unusedReasons, type Reasons } from './reasons.ts';
import { compareRedaction } from './redaction.ts';
import { createRestrictions } from './restricting-parameters.ts';
import { compareUnredacted } from './unredacted.ts';
import { changedDefaults, compareVersions, removal } from './version-changes.ts';
import { compareSandboxes } from './sandbox.ts';
import { compareTenancies, compareTenancySettings } from './tenancy-changes.ts';
import { assumptionsOf } from './assumptions.ts';
import { pairVariants, type VariantPair } from './variants.ts';

export type ColumnsByEndpoint = ReadonlyMap<Endpoint, EndpointColumns>;

export type ModelsByEndpoint = ReadonlyMap<Endpoint, EndpointModels>;

export interface Side extends Contracts {
  /** Columns the engine could describe; undefined if the engine was not used. */
  readonly columns?: ColumnsByEndpoint | undefined;
  /** Of the endpoints whose file or tables differ; undefined if the engine was not used. */
  readonly models?: ModelsByEndpoint | undefined;
  /** Of the tables, if they differ between the revisions. */
  readonly definitions?: Definitions | undefined;
  /** Of new endpoints; undefined if the engine was not used. */
  readonly exposures?: ReadonlyMap<Endpoint, ListedExposure> | undefined;
}

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
export function compareContracts(base: Side, head: Side, now = -Infinity): readonly EndpointComparison[] {
  const pairings = pairUp(base, head);
  const sides = { base, head, now, defaults: changedDefaults(base, head) };
  return [...settingsComparison(pairings), ...pairings.map((pairing) => compare(pairing, sides))]
    .filter(({ changes }) => changes.length > 0)
    .toSorted((a, b) => compareText(a.endpoint, b.endpoint) || compareText(fileOf(a), fileOf(b)));
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
  /** By the default version of a name at the head, if its callers got another one. */
  readonly defaults: ReadonlyMap<Contract, ContractChange>;
}

function compare(pairing: Pairing, sides: Sides): EndpointComparison {
  const { head, now, defaults } = sides;
  switch (pairing.kind) {
    case 'both':
      return compareTwo(pairing, sides);
    case 'added': {
      const { contract, before } = pairing;
      const found: ContractChange =
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

function changeFor(defaults: Sides['defaults'], contract: Contract): readonly ContractChange[] {
  const found = defaults.get(contract);
  return found === undefined ? [] : [found];
}

function compareTwo(
  { old, now, found }: Extract<Pairing, { kind: 'both' }>,
  { base, head, defaults }: Sides,
): EndpointComparison {
  const pairs = pairVariants(old, now);
  const all = [
    ...found,
    ...compareParameters(old, now, createRestrictions(old, now, modelsOf({ old, now }, base, head))),
    ...mergeFindings(
      pairs.map((pair) => ({
        analysis: pair.now.analysis,
        findings: changesOf(pair, pairs, { base, head }),
      })),
    ),
    ...compareTenancies(old, now),
    ...compareRedaction(old, now),
    ...comparePolicies(old, now),
    ...compareVersions(old, now),
    ...changeFor(defaults, now),
  ];
  const isSameQuery = pairs.every((pair) => !pair.isNew && pair.old.query.key === pair.now.query.key);
  const [before, after] = [old.analysis.file.query, now.analysis.file.query];
  const isTouched = old.analysis.document.wholeText !== now.analysis.document.wholeText;
  const reasons = old.analysis.file;
  const comparison = finish(now, isTouched ? withUnused(all, reasons, now) : all, reasons);
  return isSameQuery ? comparison : { ...comparison, query: { before, after } };
}

/** Of a new variant, none if some earlier variant has all that it has. */
function changesOf(
  pair: VariantPair,
  pairs: readonly VariantPair[],
  { base, head }: Pick<Sides, 'base' | 'head'>,
): readonly ContractChange[] {
  const found = compareVariants(pair, base, head);
  if (!pair.isNew || !found.some(({ code }) => code === 'query.rows_added')) return found;
  const others = new Set(pairs.map(({ old }) => old));
  const isKnown = [...others].some((old) => compareVariants({ ...pair, old }, base, head).length === 0);
  return isKnown ? [] : found;
}

/** Changes for the calls that choose a variant; of a new one, only those that concern security. */
function compareVariants(pair: VariantPair, base: Side, head: Side): readonly ContractChange[] {
  const { old, now, isNew } = pair;
  const calls = assumptionsOf(pair);
  if (isNew && (base.models === undefined || head.models === undefined)) return [];
  const isAsked = base.columns !== undefined && head.columns !== undefined;
  const columns = isAsked
    ? { before: base.columns.get(old.endpoint), after: head.columns.get(now.endpoint) }
    : { before: undefined, after: undefined };
  const models = modelsOf(pair, base, head);
  const found = [
    ...compareQueries(old, now, { ...models, calls }),
    ...compareColumns(old, now, columns),
    ...compareSandboxes(old, now),
    ...compareUnredacted(old, now, models),
  ];
  return isNew ? found.filter(({ code }) => CHANGES[code].class === 'security') : found;
}

function modelsOf({ old, now }: Pick<VariantPair, 'old' | 'now'>, base: Side, head: Side): ModelPair {
  const definitions = base.definitions && head.definitions && ([base.definitions, head.definitions] as const);
  return {
    definitions,
    before: base.models?.get(old.endpoint),
    after: head.models?.get(now.endpoint),
  };
}

/** With the reasons of the file that allow none of the changes. */
function withUnused(
  found: readonly ContractChange[],
  before: Reasons,
  { analysis }: Contract,
): readonly ContractChange[] {
  const changed = new Set(found.map(({ code }) => code));
  return [...found, ...unusedReasons(before, analysis.file, changed)];
}

/** Adds the class, the line and the file's reason to each change. `before` are the reasons that the old file had. */
function finish(
  { endpoint: compared, analysis }: Contract,
  found: readonly ContractChange[],
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
