// Compares the models of two versions of a query: what the new one shows that the old one did not.
import { confinedColumns, type ConfinedColumns } from '../query-model/comparison/confined-columns.ts';
import { areImplying, widerWindow } from '../query-model/comparison/implication.ts';
import type { QueryModel, SourceModel } from '../query-model/model.ts';
import {
  childrenOf,
  expressionsIn,
  inputsOf,
  type Expression,
  type Relation,
} from '../query-model/tree/nodes.ts';
import { readingsOf, type Reading, type Restriction } from '../query-model/comparison/restrictions.ts';
import { UnreadableTree } from '../query-model/tree/tree-lines.ts';
import type { ChangeCode } from './changes.ts';
import { compareExposures } from './exposure-changes.ts';
import { show } from './shown-text.ts';

/** A change of a query, at a source of the new model; undefined: of the query as a whole. */
export interface ModelChange {
  readonly code: ChangeCode;
  readonly message: string;
  readonly source: SourceModel | undefined;
  /** The parameters that it is about. */
  readonly parameters?: readonly string[];
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
    const unconfined = [...compareConfinement(pair)];
    return unique([
      ...compareSettings(pair),
      ...unconfined,
      ...withoutReported(compareReadings(pair), unconfined),
      ...[...compareExposures(before, after)].map(columnChange),
    ]);
  } catch (error) {
    if (!(error instanceof UnreadableTree)) throw error;
    return [{ code: 'query.not_compared', message: error.message, source: undefined }];
  }
}

/** Whether both return equal rows for equal tables and parameters. */
export function areEqual(before: QueryModel, after: QueryModel): boolean {
  return before.text === after.text && columnsOf(before) === columnsOf(after);
}

function columnsOf({ columns }: QueryModel): string {
  return JSON.stringify(columns.map(({ name, type }) => [name, type]));
}

function columnChange(message: string): ModelChange {
  return { code: 'column.exposes_more', message, source: undefined };
}

interface Pair {
  readonly before: QueryModel;
  readonly after: QueryModel;
  readonly isTable: boolean;
}

function unique(changes: readonly ModelChange[]): readonly ModelChange[] {
  return [...new Map(changes.map((each) => [`${each.code} ${each.message}`, each])).values()];
}

/** Conditions of sources that are not reported as a whole. */
function* withoutReported(
  changes: Iterable<ModelChange>,
  unconfined: readonly ModelChange[],
): Generator<ModelChange> {
  const known = new Map(unconfined.map(({ source, parameters }) => [source, parameters]));
  for (const change of changes) {
    const reported = known.get(change.source);
    const { parameters = [] } = change;
    const isReported = parameters.length > 0 && parameters.every((name) => reported?.includes(name));
    if (!isReported) yield change;
  }
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
    const lost = [...(old.get(source.name) ?? [])].flatMap(([parameter, columns]) => {
      const kept = now.get(source.name)?.get(parameter);
      const isSame = columns.size === 0 || [...columns].some((column) => kept?.has(column));
      const isConfined = source.confinedBy.includes(parameter) && isSame;
      return isConfined ? [] : parameter;
    });
    if (lost.length > 0) yield notConfined(source, lost);
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

function notConfined(source: SourceModel, parameters: readonly string[]): ModelChange {
  const names = parameters.map((name) => `@${name}`).join(', ');
  return {
    code: 'tenant.not_confined',
    message: `callers restricted to one value of ${names} now receive what depends on other rows of ${labelOf(source)}${placeOf(source)}`,
    source,
    parameters,
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
  const used = new Set(now.flatMap((each) => each.restrictions.flatMap(({ parameters }) => [...parameters])));
  const confining = new Set(before.sources.flatMap(({ confinedBy }) => confinedBy));
  const wereRead = new Set(before.sources.map(nameOf));
  const [wasShown, isShown] = [shownSources(before), shownSources(after)];
  const [confined, stillConfined] = [confinedColumns(before), confinedColumns(after)];
  for (const reading of now) {
    const same = old.filter(({ name }) => name === reading.name);
    const source = after.sources.find(({ id }) => id === reading.source);
    if (same.length === 0) {
      // Another call of a table function or of a view that was read; other new sources are reported as such.
      if (source !== undefined && wereRead.has(nameOf(source))) yield sourceAdded(source, []);
      continue;
    }
    const shownBefore = same.filter((each) => wasShown.has(each.source));
    const former = isShown.has(reading.source) && shownBefore.length > 0 ? shownBefore : same;
    const isKept = keptParameters(reading.name, confined, stillConfined);
    const losses = former.map((each) => ({
      each,
      lost: lossesOf(each, reading, { isTable, isKept, confining }),
    }));
    const [least] = losses.toSorted((a, b) => a.lost.length - b.lost.length);
    for (const lost of least?.lost ?? []) yield lostCondition(lost, source, used);
    if (least !== undefined) yield* costsOf(least.each, reading, source);
  }
}

/** The sources whose columns the result shows, rather than only uses in conditions. */
function shownSources({ columns }: QueryModel): ReadonlySet<number> {
  const flows = columns.flatMap(({ flow }) => flow).filter(({ kind }) => kind !== 'condition');
  return new Set(flows.map(({ source }) => source));
}

/** The parameters that confine all reads of a source as before. */
function keptParameters(name: string, before: ConfinedColumns, after: ConfinedColumns): ReadonlySet<string> {
  const [old, now] = [before.get(name), after.get(name)];
  const kept = [...(old ?? [])].filter(([parameter, columns]) => {
    const still = now?.get(parameter);
    return still !== undefined && (columns.size === 0 || [...columns].some((column) => still.has(column)));
  });
  return new Set(kept.map(([parameter]) => parameter));
}

/** A longer period, or more rows. */
function* costsOf(old: Reading, now: Reading, source: SourceModel | undefined): Generator<ModelChange> {
  for (const restriction of old.restrictions) {
    const wider = areImplying(now.restrictions, restriction)
      ? undefined
      : widerWindow(now.restrictions, restriction);
    if (wider !== undefined) {
      const message = `reads a longer period${whereOf(source)}: ${show(wider.text)}, was ${show(restriction.text)}`;
      yield { code: 'query.window_widened', message, source };
    }
    if (restriction.kind === 'limit' && isRaised(now, restriction))
      yield {
        code: 'query.limit_raised',
        message: `LIMIT ${show(restriction.text)} was raised or removed`,
        source,
      };
  }
}

function isRaised(now: Reading, { condition }: Restriction): boolean {
  if (condition?.kind !== 'constant') return false;
  const limit = Number(condition.text.replace(/^UInt64_/, ''));
  return !now.restrictions.some(
    ({ kind, condition: other }) =>
      kind === 'limit' && other?.kind === 'constant' && Number(other.text.replace(/^UInt64_/, '')) <= limit,
  );
}

interface LossOptions {
  /** The parameters that confined some source. */
  readonly confining: ReadonlySet<string>;
  readonly isTable: boolean;
  readonly isKept: ReadonlySet<string>;
}

function lossesOf(
  old: Reading,
  now: Reading,
  { isTable, isKept, confining }: LossOptions,
): readonly Restriction[] {
  return old.restrictions.filter((restriction) => {
    const { parameters, kind } = restriction;
    if (parameters.size === 0 && (!isTable || kind !== 'filter')) return false;
    if (areImplying(now.restrictions, restriction)) return false;
    const isOfTenant = [...parameters].some((name) => confining.has(name));
    if (!isOfTenant && widerWindow(now.restrictions, restriction) !== undefined) return false;
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

function whereOf(source: SourceModel | undefined): string {
  return source === undefined ? '' : ` of ${labelOf(source)}${placeOf(source)}`;
}

function lostCondition(
  { text, parameters }: Restriction,
  source: SourceModel | undefined,
  used: ReadonlySet<string>,
): ModelChange {
  const where = whereOf(source);
  if (parameters.size === 0) {
    const message = `rows${where} no longer have to satisfy ${show(text)}`;
    return { code: 'sandbox.filter_removed', message, source };
  }
  const names = [...parameters].toSorted();
  const list = names.map((name) => `@${name}`).join(', ');
  const message = `the condition with ${list} no longer restricts rows${where}: ${show(text)}`;
  const isUsed = names.some((name) => used.has(name));
  return {
    code: isUsed ? 'tenant.filter_changed' : 'tenant.filter_removed',
    message,
    source,
    parameters: names,
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
      for (const each of relation.settings.split(/ (?=\w+=)/)) found.add(each);
    for (const expression of expressionsIn(relation)) visitExpression(expression);
    for (const input of inputsOf(relation)) visit(input);
  };
  visit(root);
  return [...found];
}
