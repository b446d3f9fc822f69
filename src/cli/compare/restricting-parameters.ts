// Which parameters restrict whose rows a call may read, so that a weaker declaration of them is a security change.
import { tenancyOf } from '../../service/endpoints/tenancy.ts';
import type { ModelResult } from '../../guard/query/resolve.ts';
import type { QueryModel } from '../../guard/query/model.ts';
import { rolesOf, type ParameterRole } from '../../guard/query/flow/parameter-roles.ts';
import type { Contract } from './contract.ts';
import type { ModelPair } from './query-changes.ts';

/** How a parameter restricts the rows of a query. */
export interface Restriction {
  /** It separates tenants: it is declared to, or it alone selects the rows of every table. */
  readonly isTenant: boolean;
  /** Some values select more than the rows that equal them: patterns, and values that a condition tests for. */
  readonly hasWildcards: boolean;
}

/** Undefined: the parameter restricts nothing that matters for security. */
export type RestrictionOf = (name: string) => Restriction | undefined;

/** By the tenancy of both revisions, otherwise by the models of the queries; without these, any parameter may restrict rows. */
export function createRestrictions(base: Contract, head: Contract, models: ModelPair): RestrictionOf {
  const known = [...modelsIn(models.before), ...modelsIn(models.after)];
  const roles = rolesIn(known);
  const hasWildcards = (name: string): boolean =>
    known.length === 0 || [...(roles.get(name) ?? [])].some((role) => WILDCARDS.has(role));
  const declared = [base, head].flatMap(
    ({ analysis, tenancy }) => tenancyOf(analysis.file, tenancy?.setting)?.parameter ?? [],
  );
  const isTenant = (name: string) => ({ isTenant: true, hasWildcards: hasWildcards(name) });
  if (declared.length > 0) return (name) => (declared.includes(name) ? isTenant(name) : undefined);
  if (head.analysis.file.tenancy?.none !== undefined && base.analysis.file.tenancy?.none !== undefined)
    return () => undefined;
  const candidates = (name: string): boolean => !isTime(base, name) && !isTime(head, name);
  const confining = known.length === 0 ? [] : confiningAll(known).filter(candidates);
  if (confining.length > 0) return (name) => (confining.includes(name) ? isTenant(name) : undefined);
  return (name) => {
    const isUsed =
      known.length === 0
        ? !isLimit(head, name)
        : [...(roles.get(name) ?? [])].some((role) => role === 'equality' || WILDCARDS.has(role));
    return isUsed && candidates(name) ? { isTenant: false, hasWildcards: hasWildcards(name) } : undefined;
  };
}

/** Roles in which a value such as '%' or '' may select every row. */
const WILDCARDS: ReadonlySet<ParameterRole> = new Set(['pattern', 'test', 'condition']);

function modelsIn(results: ReadonlyMap<unknown, ModelResult> | undefined): readonly QueryModel[] {
  return [...(results?.values() ?? [])].flatMap((result) => ('model' in result ? result.model : []));
}

function rolesIn(models: readonly QueryModel[]): ReadonlyMap<string, ReadonlySet<ParameterRole>> {
  const all = new Map<string, Set<ParameterRole>>();
  for (const { root } of models) {
    for (const [name, roles] of rolesOf(root)) all.set(name, new Set([...(all.get(name) ?? []), ...roles]));
  }
  return all;
}

/** The parameters that confine every source that is not shared. */
function confiningAll(models: readonly QueryModel[]): readonly string[] {
  const sources = models.flatMap((model) => model.sources).filter(({ isShared }) => !isShared);
  const [first, ...others] = sources;
  return (first?.confinedBy ?? []).filter((name) =>
    others.every(({ confinedBy }) => confinedBy.includes(name)),
  );
}

function isTime({ analysis: { file } }: Contract, name: string): boolean {
  return /\bDate(Time)?(32|64)?\b/.test(file.parameters?.[name]?.type ?? '');
}

/** Returns whether every use is the argument of LIMIT or OFFSET. */
function isLimit({ analysis: { bound } }: Contract, name: string): boolean {
  return bound.uses
    .filter((use) => use.name === name)
    .every(({ boundStart }) => /\b(LIMIT|OFFSET)\s+$/i.test(bound.sql.slice(0, boundStart)));
}
