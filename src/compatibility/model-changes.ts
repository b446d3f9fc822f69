// Compares the models of two versions of a query: what the new one lets somebody see that the old one did not.
import { confinedColumns, type ConfinedColumns } from '../query-model/confined-columns.ts';
import { equalColumnsOf, EXPOSURE_KINDS, exposuresOf, type Exposure } from '../query-model/exposures.ts';
import { areImplying } from '../query-model/implication.ts';
import type { QueryModel, SourceModel } from '../query-model/model.ts';
import { childrenOf, expressionsIn, inputsOf, type Expression, type Relation } from '../query-model/nodes.ts';
import { readingsOf, type Reading, type Restriction } from '../query-model/restrictions.ts';
import { UnreadableTree } from '../query-model/tree-lines.ts';
import type { ChangeCode } from './changes.ts';

/** A change of a query, at a source of the new model; undefined: of the query as a whole. */
export interface ModelChange {
  readonly code: ChangeCode;
  readonly message: string;
  readonly source: SourceModel | undefined;
}

export interface CompareOptions {
  /** Consumer queries read the whole result, so that every condition matters, not only those with parameters. */
  readonly isTable: boolean;
}

/** What the new version may show that the old one did not; none for models of equal text. */
export function compareModels(
  before: QueryModel,
  after: QueryModel,
  { isTable }: CompareOptions,
): readonly ModelChange[] {
  if (areEqual(before, after)) return [];
  const pair: Pair = { before, after, isTable };
  try {
    return unique([
      ...compareSettings(pair),
      ...compareConfinement(pair),
      ...compareReadings(pair),
      ...compareExposures(pair),
    ]);
  } catch (error) {
    if (!(error instanceof UnreadableTree)) throw error;
    return [{ code: 'query.not_compared', message: error.message, source: undefined }];
  }
}

/** Whether both return equal rows for equal tables and parameters. */
export function areEqual(before: QueryModel, after: QueryModel): boolean {
  const columns = ({ columns: list }: QueryModel): string =>
    JSON.stringify(list.map(({ name, type }) => [name, type]));
  return before.text === after.text && columns(before) === columns(after);
}

interface Pair {
  readonly before: QueryModel;
  readonly after: QueryModel;
  readonly isTable: boolean;
}

function unique(changes: readonly ModelChange[]): readonly ModelChange[] {
  return [...new Map(changes.map((each) => [`${each.code} ${each.message}`, each])).values()];
}

/** Sources that no parameter confines and that were not read before, and those that were confined. */
function* compareConfinement({ before, after }: Pair): Generator<ModelChange> {
  const [old, now] = [confinedColumns(before), confinedColumns(after)];
  const wereRead = new Set(before.sources.map(nameOf));
  const everywhere = parametersOfAll(before);
  for (const source of after.sources) {
    if (source.isShared) continue;
    if (!wereRead.has(nameOf(source))) {
      const missing = everywhere.filter((parameter) => !source.confinedBy.includes(parameter));
      if (everywhere.length === 0 || missing.length > 0) yield sourceAdded(source, missing);
      continue;
    }
    for (const [parameter, columns] of old.get(source.name) ?? []) {
      const kept = now.get(source.name)?.get(parameter);
      const isSame = columns.has('') || [...columns].some((column) => kept?.has(column));
      const isConfined = source.confinedBy.includes(parameter) && isSame;
      if (!isConfined) yield notConfined(source, parameter);
    }
  }
}

function nameOf({ name, kind }: SourceModel): string {
  return `${kind === 'table_function' ? 'function ' : ''}${name}`;
}

/** The parameters that confine every source that is not shared. */
function parametersOfAll({ sources, parameters }: QueryModel): readonly string[] {
  const own = sources.filter(({ isShared }) => !isShared);
  if (own.length === 0) return [];
  return parameters
    .map(({ name }) => name)
    .filter((name) => own.every(({ confinedBy }) => confinedBy.includes(name)));
}

function sourceAdded(source: SourceModel, missing: readonly string[]): ModelChange {
  const by =
    missing.length === 0 ? '' : `, not restricted by ${missing.map((name) => `@${name}`).join(', ')}`;
  return {
    code: 'query.source_added',
    message: `reads ${labelOf(source)}, which was not read before${by}${placeOf(source)}`,
    source,
  };
}

function notConfined(source: SourceModel, parameter: string): ModelChange {
  return {
    code: 'tenant.not_confined',
    message: `callers restricted to one @${parameter} now receive what depends on rows of ${labelOf(source)} of others${placeOf(source)}`,
    source,
  };
}

function labelOf({ name }: SourceModel): string {
  return name === '' ? 'a computed source' : name;
}

function placeOf({ path }: SourceModel): string {
  return path.length === 0 ? '' : `, in ${path.join(', in ')}`;
}

/** Each read of the new query must find one of the same source in the old query whose restrictions it has. */
function* compareReadings({ before, after, isTable }: Pair): Generator<ModelChange> {
  const [old, now] = [readingsOf(before.root), readingsOf(after.root)];
  const [confined, stillConfined] = [confinedColumns(before), confinedColumns(after)];
  for (const reading of now) {
    const former = old.filter(({ name }) => name === reading.name);
    if (former.length === 0) continue; // reported as a new source, or generated rows
    const isKept = keptParameters(reading.name, confined, stillConfined);
    const losses = former.map((each) => lossesOf(each, reading, { isTable, isKept }));
    const least = losses.toSorted((a, b) => a.length - b.length)[0] ?? [];
    const source = after.sources.find(({ id }) => id === reading.source);
    for (const lost of least) yield lostCondition(lost, source);
  }
}

/** The parameters that confine all reads of a source as before. */
function keptParameters(name: string, before: ConfinedColumns, after: ConfinedColumns): ReadonlySet<string> {
  const [old, now] = [before.get(name), after.get(name)];
  const kept = [...(old ?? [])].filter(([parameter, columns]) => {
    const still = now?.get(parameter);
    return [...columns].some((column) => still?.has(column));
  });
  return new Set(kept.map(([parameter]) => parameter));
}

interface LossOptions {
  readonly isTable: boolean;
  readonly isKept: ReadonlySet<string>;
}

function lossesOf(old: Reading, now: Reading, { isTable, isKept }: LossOptions): readonly Restriction[] {
  return old.restrictions.filter((restriction) => {
    const { parameters, kind } = restriction;
    if (parameters.size === 0 && (!isTable || kind !== 'filter')) return false;
    if (areImplying(now.restrictions, restriction)) return false;
    return isTable || !isOfOthers(restriction, old, isKept);
  });
}

/** An equality of another source with a parameter that confines this one as before: that source is compared itself. */
function isOfOthers(
  { condition, texts }: Restriction,
  { name }: Reading,
  isKept: ReadonlySet<string>,
): boolean {
  if (condition?.kind !== 'function' || condition.name !== 'equals') return false;
  const [left, right] = condition.arguments;
  const parameter = [left, right].find((each) => each?.kind === 'parameter');
  const column = [left, right].find((each) => each?.kind === 'column');
  if (parameter?.kind !== 'parameter' || column === undefined || !isKept.has(parameter.name)) return false;
  return !texts.expression(column).startsWith(`${name}.`);
}

function lostCondition({ text, parameters }: Restriction, source: SourceModel | undefined): ModelChange {
  const where = source === undefined ? '' : ` of ${labelOf(source)}${placeOf(source)}`;
  if (parameters.size === 0)
    return {
      code: 'sandbox.filter_removed',
      message: `rows${where} no longer have to satisfy ${show(text)}`,
      source,
    };
  const names = [...parameters].toSorted().map((name) => `@${name}`);
  return {
    code: 'tenant.filter_changed',
    message: `the condition with ${names.join(', ')} no longer restricts rows${where}: ${show(text)}`,
    source,
  };
}

const MAX_SHOWN = 200;

/** A canonical text without the types of parameters and constants. */
function show(text: string): string {
  const plain = text
    .replaceAll(/@(\w+):[A-Z]\w*(?:\([^()]*\))*/g, '@$1')
    .replaceAll(/\b(?:U?Int64|Float64)_(-?[\d.]+):\w+/g, '$1');
  return plain.length <= MAX_SHOWN ? plain : `${plain.slice(0, MAX_SHOWN - 1)}…`;
}

/** Each column must show no more of a stored column than the old query did. */
function* compareExposures({ before, after, isTable }: Pair): Generator<ModelChange> {
  const old = exposuresOf(before.root);
  const now = exposuresOf(after.root);
  const all = old.flat();
  const names = new Set(before.columns.map(({ name }) => name));
  const same = samePlaces(equalColumnsOf(after.root));
  for (const [index, { name }] of after.columns.entries()) {
    const isNew = !names.has(name);
    for (const exposure of now[index] ?? []) {
      const fault = faultOf(exposure, { all, isNew, isTable, same });
      if (fault !== undefined)
        yield { code: 'column.exposes_more', message: `the column ${name} ${fault}`, source: undefined };
    }
  }
}

interface ExposureOptions {
  /** Of all columns of the old query. */
  readonly all: readonly Exposure[];
  /** Whether the old query has no column of that name. */
  readonly isNew: boolean;
  readonly isTable: boolean;
  /** The columns that equal one in every row, itself included. */
  readonly same: (place: string) => ReadonlySet<string>;
}

function faultOf(exposure: Exposure, { all, isNew, same }: ExposureOptions): string | undefined {
  const places = same(`${exposure.table}.${exposure.column}`);
  const former = all.filter(({ table, column }) => places.has(`${table}.${column}`));
  const what = exposure.table === '' ? 'the number of rows' : `${exposure.table}.${exposure.column}`;
  if (former.length === 0) return faultOfNew(exposure, { all, isNew, what });
  const rank = EXPOSURE_KINDS.indexOf(exposure.kind);
  const isGuarded = ({ guards }: Exposure): boolean =>
    guards.every((guard) => exposure.guards.includes(guard));
  const unguarded = former.filter(isGuarded);
  if (unguarded.length === 0) return `shows more of ${what}: ${lostGuard(exposure, former)}`;
  if (exposure.table === '' || isNew || unguarded.some(({ kind }) => EXPOSURE_KINDS.indexOf(kind) <= rank))
    return undefined;
  return `shows ${what} itself, which was ${KIND_NAMES[former[0]?.kind ?? 'value']} before`;
}

const KIND_NAMES: Readonly<Record<Exposure['kind'], string>> = {
  value: 'shown',
  computed: 'only computed with',
  aggregated: 'only aggregated',
  condition: 'only used in conditions',
};

function lostGuard(exposure: Exposure, former: readonly Exposure[]): string {
  const lost = former.flatMap(({ guards }) => guards.filter((guard) => !exposure.guards.includes(guard)));
  return `it no longer depends on ${show(lost[0] ?? '')}`;
}

/** A column that was not shown: in a column of an old name, or without the parameters that guard all the others. */
function faultOfNew(
  exposure: Exposure,
  { all, isNew, what }: { readonly all: readonly Exposure[]; readonly isNew: boolean; readonly what: string },
): string | undefined {
  const ofTable = all.filter(({ table }) => exposure.table === '' || table === exposure.table);
  const [first, ...rest] = ofTable.map(({ parameters }) => parameters);
  const common = (first ?? []).filter((guard) => rest.every((each) => each.includes(guard)));
  const lost = common.find((guard) => !exposure.guards.includes(guard));
  if (lost !== undefined) return `shows ${what} without the condition ${show(lost)}`;
  if (isNew || exposure.table === '' || exposure.kind === 'condition') return undefined;
  return `now shows ${what}, which was not shown before`;
}

/** Which columns are equal, through pairs of equal ones. */
function samePlaces(pairs: readonly (readonly [string, string])[]): (place: string) => ReadonlySet<string> {
  return (place) => {
    const found = new Set([place]);
    for (const each of found) {
      for (const pair of pairs) if (pair.includes(each)) for (const other of pair) found.add(other); // the loop visits what it adds
    }
    return found;
  };
}

/** SETTINGS that bound the work of a query, and change no result. */
const BOUNDS = /^(?:max_|timeout_|min_|priority|use_|log_|optimize_|workload)/;

function* compareSettings({ before, after }: Pair): Generator<ModelChange> {
  const known = new Set(settingsOf(before));
  const added = settingsOf(after).filter((each) => !known.has(each));
  const kept = new Set(settingsOf(after));
  const removed = settingsOf(before).filter((each) => !kept.has(each));
  for (const setting of [...added, ...removed]) {
    if (BOUNDS.test(setting)) continue;
    yield {
      code: 'query.settings_changed',
      message: `the setting ${show(setting)} was ${added.includes(setting) ? 'added' : 'removed'}: it may change which rows are read`,
      source: undefined,
    };
  }
}

function settingsOf({ root }: QueryModel): readonly string[] {
  const found = new Set<string>();
  const visitExpression = (expression: Expression): void => {
    if (expression.kind === 'subquery') visit(expression.query);
    for (const child of childrenOf(expression)) visitExpression(child);
  };
  const visit = (relation: Relation): void => {
    if (relation.kind === 'query' && relation.settings !== '')
      for (const each of relation.settings.replace(/^SETTINGS /, '').split(/ (?=\w+=)/)) found.add(each);
    for (const expression of expressionsIn(relation)) visitExpression(expression);
    for (const input of inputsOf(relation)) visit(input);
  };
  visit(root);
  return [...found];
}
