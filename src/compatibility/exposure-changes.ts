// What the columns of a query show of the stored columns, compared with another version of the query.
import { equalColumnsOf, EXPOSURE_KINDS, exposuresOf, type Exposure } from '../query-model/exposures.ts';
import { reachable } from '../query-model/implication.ts';
import type { QueryModel } from '../query-model/model.ts';
import { show } from './shown-text.ts';

/** Each column must show no more of a stored column than the old query did. */
export function* compareExposures(before: QueryModel, after: QueryModel): Generator<string> {
  const old = exposuresOf(before.root);
  const now = exposuresOf(after.root);
  const all = old.flat();
  const names = new Set(before.columns.map(({ name }) => name));
  const pairs = equalColumnsOf(after.root);
  const same = (place: string): ReadonlySet<string> => reachable(place, pairs);
  for (const [index, { name }] of after.columns.entries()) {
    const isNew = !names.has(name);
    for (const exposure of now[index] ?? []) {
      const fault = faultOf(exposure, { all, isNew, same });
      if (fault !== undefined) yield `the column ${name} ${fault}`;
    }
  }
}

interface ExposureOptions {
  /** Of all columns of the old query. */
  readonly all: readonly Exposure[];
  /** Whether the old query has no column of that name. */
  readonly isNew: boolean;
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
