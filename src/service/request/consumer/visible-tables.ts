// The tables of an endpoint as consumer queries of a key read them.
import type { Principal } from '../../auth/principal.ts';
import { partRules, ruleFor } from '../../endpoints/column-rules.ts';
import type { Describe } from '../../endpoints/describe.ts';
import type { Endpoint } from '../../endpoints/endpoint.ts';
import type { Column } from '../../engine/engine.ts';
import type { ColumnAction } from '../../../guard/redact/columns.ts';
import type { Sandboxes } from './sandboxes.ts';

export interface VisibleColumn extends Column {
  /** Not with all values of choices and optional parameters, or not with this type. */
  readonly conditional?: true;
}

export interface VisibleTable {
  readonly name: string;
  readonly columns: readonly VisibleColumn[];
  /** Not with all values of choices and optional parameters. */
  readonly conditional?: true;
}

export interface VisibleTablesDeps {
  readonly describe: Pick<Describe, 'tables'>;
  readonly sandboxes: Pick<Sandboxes, 'of'>;
}

/**
 * The tables of all variants that the key can call, those of its first one in front. Undefined if the engine cannot describe these now,
 * or the sandbox is off.
 */
export async function visibleTables(
  endpoint: Endpoint,
  principal: Principal,
  deps: VisibleTablesDeps,
): Promise<readonly VisibleTable[] | undefined> {
  const variants = tableVariants(endpoint, principal);
  const all = await Promise.all(variants.map((each) => tablesOfVariant(each, principal, deps)));
  const [first, ...others] = all;
  if (first === undefined || others.length === 0) return first;
  return mergeTables(
    first,
    others.filter((each) => each !== undefined),
  );
}

/** Of the variants with the same tables, one. */
function tableVariants(endpoint: Endpoint, { locked }: Principal): readonly Endpoint[] {
  const byTables = new Map<string, Endpoint>();
  const variants = endpoint.variants();
  const known = new Set(variants.flatMap(({ variant }) => variant.split(', ')));
  for (const variant of variants) {
    const tables = variant.query.slice(0, variant.outline.mainStart);
    const decisions = variant.variant.split(', ');
    if (!byTables.has(tables) && isReachable(decisions, known, locked)) byTables.set(tables, variant);
  }
  return byTables.size === 0 ? [endpoint] : [...byTables.values()];
}

/** `order=newest, with status, without path`: whether calls with the locked values can have the variant. */
function isReachable(
  decisions: readonly string[],
  known: ReadonlySet<string>,
  locked: Principal['locked'],
): boolean {
  return [...locked].every(([name, value]) => {
    const chosen = decisions.find((each) => each.startsWith(`${name}=`));
    const wanted = `${name}=${Array.isArray(value) ? value.join('+') : String(value)}`;
    return (
      (chosen === undefined || chosen === wanted) &&
      !(known.has(wanted) && decisions.includes(`with another ${name}`)) &&
      !excludedBy(name, value).some((each) => decisions.includes(each))
    );
  });
}

/** What a locked value rules out. The text `false` may be a String, which is given, or a Bool, which is not. */
function excludedBy(name: string, value: unknown): readonly string[] {
  if (value === 'false') return [];
  const isEmpty = value === false || value === '' || (Array.isArray(value) && value.length === 0);
  return isEmpty ? [`with ${name}`, `with another ${name}`] : [`without ${name}`];
}

function mergeTables(
  first: readonly VisibleTable[],
  others: readonly (readonly VisibleTable[])[],
): readonly VisibleTable[] {
  const all = [first, ...others];
  const names = new Set(all.flatMap((tables) => tables.map(({ name }) => name)));
  return [...names].map((name) => {
    const found = all.flatMap((tables) => tables.filter((each) => each.name === name));
    const columns = mergeColumns(found.map((each) => each.columns));
    return { name, columns, ...(found.length < all.length ? { conditional: true as const } : {}) };
  });
}

function mergeColumns(lists: readonly (readonly Column[])[]): readonly VisibleColumn[] {
  const byName = new Map<string, Column[]>();
  for (const column of lists.flat()) byName.set(column.name, [...(byName.get(column.name) ?? []), column]);
  return [...byName.values()].flatMap(([column, ...others]) => {
    if (column === undefined) return [];
    const isSame = others.length === lists.length - 1 && others.every(({ type }) => type === column.type);
    return [isSame ? column : { ...column, conditional: true as const }];
  });
}

/** The same of one variant. Redacted tables have other types and fewer columns. */
export async function tablesOfVariant(
  endpoint: Endpoint,
  principal: Principal,
  { describe, sandboxes }: VisibleTablesDeps,
): Promise<readonly VisibleTable[] | undefined> {
  if (!isAlwaysRedacted(endpoint, principal)) return describe.tables(endpoint);
  const sandbox = await sandboxes.of(endpoint, true).catch(() => undefined); // switched off, or tables that are not known
  return sandbox?.readable && [...sandbox.readable].map(([name, columns]) => ({ name, columns }));
}

/** Returns whether every response to the key is redacted. */
export function isAlwaysRedacted({ redaction }: Endpoint, principal: Principal): boolean {
  return redaction.always || principal.redact;
}

/** What happens to a column in every response to the key: to it, or to `parts` of it. */
export type Redacted = (column: Column) => { readonly redacted?: ColumnAction | 'parts' };

export function redactedBy(endpoint: Endpoint, principal: Principal): Redacted {
  if (!isAlwaysRedacted(endpoint, principal)) return () => ({});
  const { redaction } = endpoint;
  return ({ name }) => {
    const action = ruleFor(redaction, name) ?? (partRules(redaction, name).length > 0 ? 'parts' : undefined);
    return action === undefined ? {} : { redacted: action };
  };
}
