// What the columns of a query show of the stored columns, compared with another version of the query.
import { equalColumnsOf, exposuresOf, type Exposure } from '../../guard/query/comparison/exposures.ts';
import { FLOW_KINDS, type FlowKind } from '../../guard/query/flow/flow-functions.ts';
import type { ColumnFlow } from '../../guard/query/flow/flow.ts';
import { reachable } from '../../guard/query/comparison/implication.ts';
import type { QueryModel } from '../../guard/query/model.ts';
import { show } from './shown-text.ts';

/** What each column shows of stored columns that the old query did not show, as messages. */
export function* compareExposures(before: QueryModel, after: QueryModel): Generator<string> {
  const [old, now] = [exposuresOf(before.root), exposuresOf(after.root)];
  const names = new Set(before.columns.map(({ name }) => name));
  const pairs = equalColumnsOf(after.root);
  const same = (place: string): ReadonlySet<string> => reachable(place, pairs);
  const flows = before.columns.flatMap(({ flow }) => flow);
  for (const [index, { name, flow }] of after.columns.entries()) {
    const lost = (now[index] ?? []).map((each) => lostGuard(each, old.flat(), same));
    const gained = names.has(name) ? flow.map((each) => gainedFlow(each, flows, same)) : [];
    for (const fault of [...lost, ...gained]) if (fault !== undefined) yield `the column ${name} ${fault}`;
  }
}

/** The columns that equal one in every row, itself included, as `table.column`. */
type Same = (place: string) => ReadonlySet<string>;

/** What hides a stored column, or part of it, in every column of the old query and not in this one. */
function lostGuard(exposure: Exposure, all: readonly Exposure[], same: Same): string | undefined {
  const places = same(`${exposure.table}.${exposure.column}`);
  const former = all.filter(({ table, column }) => places.has(`${table}.${column}`));
  const what = exposure.table === '' ? 'the number of rows' : `${exposure.table}.${exposure.column}`;
  const isIn = (guard: string): boolean => exposure.guards.includes(guard);
  if (former.length > 0) {
    if (former.some(({ guards }) => guards.every(isIn))) return undefined;
    const [lost = ''] = former.flatMap(({ guards }) => guards.filter((guard) => !isIn(guard)));
    return `shows more of ${what}: not hidden by ${show(lost)}`;
  }
  const ofTable = all.filter(({ table }) => exposure.table === '' || table === exposure.table);
  const [first, ...rest] = ofTable.map(({ parameters }) => parameters);
  const common = (first ?? []).filter((guard) => rest.every((each) => each.includes(guard)));
  const lost = common.find((guard) => !isIn(guard));
  return lost === undefined ? undefined : `shows ${what} without the condition ${show(lost)}`;
}

/** A stored column, or part of one, that no column of the old query showed as much of. */
function gainedFlow(flow: ColumnFlow, all: readonly ColumnFlow[], same: Same): string | undefined {
  if (flow.kind === 'condition') return undefined;
  const places = same(`${flow.table}.${flow.column}`);
  const contains = ({ table, column }: ColumnFlow): boolean =>
    [...places].some((place) => isWithin(place, `${table}.${column}`));
  const former = all.filter(contains);
  const rank = FLOW_KINDS.indexOf(flow.kind);
  if (former.some(({ kind }) => FLOW_KINDS.indexOf(kind) <= rank)) return undefined;
  const what = `${flow.table}.${flow.column}`;
  const [weaker] = former;
  if (weaker === undefined) return `now shows ${what}, which was not shown before`;
  return `shows ${what} ${KIND_NAMES[flow.kind]}, which was ${KIND_NAMES[weaker.kind]} before`;
}

function isWithin(place: string, whole: string): boolean {
  return (
    place === whole ||
    place.startsWith(`${whole}.`) ||
    (whole.endsWith('.*') && place.startsWith(whole.slice(0, -1)))
  );
}

const KIND_NAMES: Readonly<Record<FlowKind, string>> = {
  unknown: 'in a way that is not analysed',
  value: 'as it is',
  computed: 'computed with',
  hashed: 'hashed',
  aggregated: 'aggregated',
  condition: 'used in a condition',
};
