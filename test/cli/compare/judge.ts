// What the comparison of two queries says, with models of the real engine.
import { CHANGES } from '../../../src/cli/compare/changes.ts';
import { compareModels } from '../../../src/cli/compare/model-changes.ts';
import type { QueryModel } from '../../../src/guard/query/model.ts';
import { UnreadableTree } from '../../../src/guard/query/tree/tree-lines.ts';
import type { World } from '../../guard/query/world.ts';
import { TENANTS } from './pairs/schema.ts';

const isShared = (name: string): boolean => name.endsWith('.products');

/** A model as `diff` has it: which columns hold tenants is not known. Undefined: the tree has a form that is not read. */
export async function modelOf(world: World, sql: string): Promise<QueryModel | undefined> {
  try {
    return await world.model(sql, { isShared });
  } catch (error) {
    if (error instanceof UnreadableTree) return undefined;
    throw error;
  }
}

/** The parameter that separates the tenants of a query. */
export function tenantOf(sql: string): string | undefined {
  return TENANTS.find((name) => new RegExp(String.raw`@${name}\b`).test(sql));
}

/** Whether `validate` accepts a query of a tenant. */
export function isConfined(model: QueryModel | undefined, tenant: string): boolean {
  if (model === undefined) return false;
  const confined = model.confine({ name: tenant, isNeverNull: true }, new Set(TENANTS));
  return model.sources.every((source) => source.isShared || confined.get(source.id) === true);
}

/** Codes of changes of class `security` or `breaking`, sorted. */
export function alarms(before: QueryModel, after: QueryModel, isTable: boolean): readonly string[] {
  const codes = compareModels(before, after, { isTable }).map(({ code }) => code);
  return [...new Set(codes)]
    .filter((code) => ['security', 'breaking'].includes(CHANGES[code].class))
    .toSorted();
}

/** Codes and messages of the changes of class `security`. */
export function securityChanges(
  before: QueryModel | undefined,
  after: QueryModel | undefined,
  isTable: boolean,
): readonly string[] {
  if (before === undefined || after === undefined) return ['query.not_compared'];
  const names = new Set(before.columns.map(({ name }) => name));
  const added = after.columns.filter(({ name }) => !names.has(name));
  return [
    ...compareModels(before, after, { isTable })
      .filter(({ code }) => CHANGES[code].class === 'security')
      .map(({ code, message }) => `${code}: ${message}`),
    // Without an engine's columns, `compareSandboxes` cannot report them.
    ...(isTable ? added.map(({ name }) => `sandbox.column_added: ${name}`) : []),
  ];
}
