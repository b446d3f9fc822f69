// Changes of a saved query and of its sandbox tables, by the models of both revisions.
import { placeOf } from '../../service/endpoints/tenancy-check.ts';
import type { Definitions } from '../../service/endpoints/definitions.ts';
import { withGiven } from '../../guard/query/model.ts';
import type { ModelResult } from '../../guard/query/resolve.ts';
import type { Contract, ContractChange } from './contract.ts';
import { compareDefinitions, redefinedIn } from './definition-changes.ts';
import type { Assumptions } from './assumptions.ts';
import { areEqual, compareModels, type CompareOptions } from './model-changes.ts';
import type { ModelChange } from './model-change.ts';
import { MAIN } from './query.ts';
import type { ModelCode } from './model-change.ts';

/** The models of an endpoint's queries by the name of the table; undefined: the saved query. */
export type EndpointModels = ReadonlyMap<string | undefined, ModelResult>;

/** The models of both revisions; undefined: unknown. */
export interface ModelPair {
  /** Undefined: the tables are the same. */
  readonly definitions?: readonly [before: Definitions, after: Definitions] | undefined;
  readonly before: EndpointModels | undefined;
  readonly after: EndpointModels | undefined;
  /** What is known of the calls that are compared; by default nothing. */
  readonly calls?: Assumptions;
}

/** Anything undecidable is reported as a security change. */
export function* compareQueries(
  base: Contract,
  head: Contract,
  models: ModelPair,
): Generator<ContractChange<ModelCode>> {
  const isSame = base.query.key === head.query.key;
  const { before, after } = models;
  if (before === undefined || after === undefined) {
    if (isSame) return;
    yield { code: 'query.changed', message: whatChanged(isSame), path: ['query'] };
    if (before === undefined) yield notCompared();
    return; // one that is rejected now is reported as such
  }
  const isOpen = base.endpoint.sandbox.enabled && head.endpoint.sandbox.enabled;
  const reported = new Set<string>();
  const results = [...after].filter(([table]) => table === undefined || isOpen);
  let areAllEqual = true;
  const report = function* (
    table: string | undefined,
    changes: Iterable<ModelChange>,
  ): Generator<ContractChange<ModelCode>> {
    for (const change of changes) {
      const key = `${change.code} ${change.message}`;
      if (reported.has(key)) continue; // by a table that the saved query reads
      reported.add(key);
      yield toFound(head, table, change);
    }
  };
  for (const [table, now] of results.toSorted(
    ([a], [b]) => Number(a === undefined) - Number(b === undefined),
  )) {
    const old = before.get(table);
    if (old === undefined) continue; // a new table is reported as such
    yield* report(table, definitionChanges(head, now, models.definitions));
    // Types of parameters and of columns are compared apart.
    if (isSame && 'model' in old && 'model' in now && old.model.text === now.model.text) continue;
    const outcome = compareResults(old, now, { ...models.calls, isTable: table !== undefined });
    if (outcome.isEqual) continue;
    areAllEqual = false;
    if (isSame && outcome.fault !== undefined) continue;
    yield* report(table, outcome.changes);
  }
  // Other columns are reported as such.
  if (isSame && reported.size === 0 && !haveSameColumns(before, after)) return;
  if (!areAllEqual) yield { code: 'query.changed', message: whatChanged(isSame), path: ['query'] };
  else if (!isSame)
    yield { code: 'query.rewritten', message: 'the query is written differently', path: ['query'] };
}

function definitionChanges(
  head: Contract,
  result: ModelResult,
  definitions: ModelPair['definitions'],
): Iterable<ModelChange> {
  if (definitions === undefined) return [];
  const [before, after] = definitions;
  if ('model' in result) return compareDefinitions(result.model, before, after);
  const name = redefinedIn(head.analysis.file.query, before, after);
  if (name === undefined) return [];
  const message = `the definition of ${name} changed, and the query could not be analysed: ${result.fault}`;
  return [{ code: 'query.not_compared', message, source: undefined }];
}

function haveSameColumns(before: EndpointModels, after: EndpointModels): boolean {
  return [...after].every(([table, now]) => {
    const old = before.get(table);
    return old === undefined || columnsIn(old) === columnsIn(now);
  });
}

function columnsIn(result: ModelResult): string {
  return 'model' in result ? JSON.stringify(result.model.columns.map(({ name, type }) => [name, type])) : '';
}

function whatChanged(isSame: boolean): string {
  return isSame ? 'the definition of something that the query reads changed' : 'the query changed';
}

function notCompared(): ContractChange<ModelCode> {
  return {
    code: 'query.not_compared',
    message: 'the query changed and could not be analysed: the engine did not describe the earlier version',
    path: ['query'],
  };
}

interface QueryOutcome {
  readonly isEqual: boolean;
  readonly fault: string | undefined;
  readonly changes: readonly ModelChange[];
}

function compareResults(old: ModelResult, now: ModelResult, options: CompareOptions): QueryOutcome {
  const fault = 'fault' in old ? old.fault : 'fault' in now ? now.fault : undefined;
  if ('model' in old && 'model' in now) {
    const given = options.given ?? new Set();
    const changes = compareModels(withGiven(old.model, given), withGiven(now.model, given), options);
    return { isEqual: areEqual(old.model, now.model), fault: undefined, changes };
  }
  const message = `the query changed and could not be analysed: ${fault ?? ''}`;
  return { isEqual: false, fault, changes: [{ code: 'query.not_compared', message, source: undefined }] };
}

function toFound(
  head: Contract,
  table: string | undefined,
  { code, message, source }: ModelChange,
): ContractChange<ModelCode> {
  const part = head.query.parts.find(({ name }) => name === (table ?? MAIN));
  const inspected = { analysis: head.analysis, candidate: { endpoint: head.endpoint } };
  const place = source === undefined ? part?.place : placeOf(inspected, { table }, source);
  return { code, message: `${table ?? MAIN}: ${message}`, ...(place ?? { path: ['query'], offset: 0 }) };
}
