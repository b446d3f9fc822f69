// Compares the models of two versions of a query: what the new one shows that the old one did not.
import { confinedColumns } from '../../guard/query/comparison/confined-columns.ts';
import type { QueryModel, SourceModel } from '../../guard/query/model.ts';
import {
  childrenOf,
  expressionsIn,
  inputsOf,
  type Expression,
  type Relation,
} from '../../guard/query/tree/nodes.ts';
import { NO_FACTS } from '../../guard/query/comparison/term-facts.ts';
import { UnreadableTree } from '../../guard/query/tree/tree-lines.ts';
import type { Assumptions } from './assumptions.ts';
import { compareExposures } from './exposure-changes.ts';
import { compareRows, labelOf, nameOf, placeOf, sourceAdded, type RowPair } from './row-changes.ts';
import { show } from './shown-text.ts';
import type { ModelChange } from './model-change.ts';

export interface CompareOptions extends Partial<Assumptions> {
  /** Consumer queries read the whole result, so that every condition matters, not only those with parameters. */
  readonly isTable: boolean;
}

/** What the new version may show that the old one did not; none for models of equal text. */
export function compareModels(
  before: QueryModel,
  after: QueryModel,
  { isTable, assumed = NO_FACTS, assumedBefore = assumed, given = new Set(), isNew = false }: CompareOptions,
): readonly ModelChange[] {
  if (areEqual(before, after)) return [];
  const pair: RowPair = { before, after, isTable, assumed, assumedBefore, given, isNew };
  try {
    const unconfined = [...compareConfinement(pair)];
    return unique([
      ...compareSettings(pair),
      ...unconfined,
      ...withoutReported([...compareRows(pair)], unconfined),
      ...[...compareExposures(before, after)].map(columnChange),
    ]);
  } catch (error) {
    if (!(error instanceof UnreadableTree)) throw error;
    return [{ code: 'query.not_compared', message: error.message, source: undefined }];
  }
}

/** Returns whether both return equal rows for equal tables and parameters. */
export function areEqual(before: QueryModel, after: QueryModel): boolean {
  return before.text === after.text && columnsOf(before) === columnsOf(after);
}

function columnsOf({ columns }: QueryModel): string {
  return JSON.stringify(columns.map(({ name, type }) => [name, type]));
}

function columnChange(message: string): ModelChange {
  return { code: 'column.exposes_more', message, source: undefined };
}

function unique(changes: readonly ModelChange[]): readonly ModelChange[] {
  return [...new Map(changes.map((each) => [`${each.code} ${each.message}`, each])).values()];
}

/** Without the conditions of sources of which the rows of others are reported as a whole. */
function withoutReported(
  changes: readonly ModelChange[],
  unconfined: readonly ModelChange[],
): readonly ModelChange[] {
  const known = new Map(unconfined.map((each) => [each.source, each]));
  const isReported = ({ source, code, parameters = [] }: ModelChange): boolean => {
    const reported = source === undefined ? undefined : known.get(source);
    const isOfRows = code === 'query.rows_added' || code === 'query.not_compared';
    const isSame = parameters.length > 0 && parameters.every((name) => reported?.parameters?.includes(name));
    return reported !== undefined && (isOfRows || isSame);
  };
  // A condition that links a table to another one is a condition of both.
  const messages = new Set(changes.flatMap((each) => (isReported(each) ? each.message : [])));
  return changes.filter(({ message }) => !messages.has(message));
}

/** Sources that no parameter confines and that were not read before, and those that were confined. */
function* compareConfinement({ before, after }: RowPair): Generator<ModelChange> {
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

/** The parameters that confine every source that is not shared. */
function parametersOfAll({ sources, parameters }: QueryModel): readonly string[] {
  const own = sources.filter(({ isShared }) => !isShared);
  if (own.length === 0) return [];
  return parameters
    .map(({ name }) => name)
    .filter((name) => own.every(({ confinedBy }) => confinedBy.includes(name)));
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

/** SETTINGS that bound the work of a query, and change no result. */
const BOUNDS = /^(?:max_|timeout_|min_|priority|use_|log_|optimize_|workload)/;

function* compareSettings({ before, after }: RowPair): Generator<ModelChange> {
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
