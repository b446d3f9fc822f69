// Which functions consumers of one endpoint may call: the allow-list, the endpoint's changes, and aggregate combinators.
import { nearest } from '../../../sql/base/nearest.ts';
import { canonicalName } from './aliases.ts';
import { FUNCTION_FAMILIES } from './families.ts';
import { DENIED_FUNCTIONS } from './denied.ts';
import { uncheckedReason } from './unchecked.ts';

/** Decides about functions by name. Fails closed: an unknown name is not allowed. */
export interface FunctionPolicy {
  /** Returns whether a call of that name is allowed; ignores case, as the engine does for case-insensitive functions. */
  allows(name: string): boolean;
  /** Returns whether an aggregate function of that name is allowed, with its combinators. */
  allowsAggregate(name: string): boolean;
  /** Returns whether the engine is known to have a function of that name and it is not allowed. */
  denies(name: string): boolean;
  /** Returns whether an allowed function of that name is an aggregate function, with or without combinators. */
  aggregates(name: string): boolean;
  /** The allowed name nearest to a rejected one. */
  nearest(name: string): string | undefined;
  /** Allowed names by family, for display; aggregate functions can also have combinators. */
  readonly families: Readonly<Record<string, readonly string[]>>;
  readonly combinators: readonly string[];
}

/** An endpoint's changes to the list. Deny takes precedence over allow. */
export interface FunctionChanges {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** Suffixes that derive aggregate functions; longer before shorter. Source: ClickHouse, Combinators. */
const COMBINATORS = [
  'SimpleState', 'OrDefault', 'Distinct', 'Resample', 'ForEach', 'ArgMax', 'ArgMin', 'OrNull', 'Tuple', 'Merge', 'State',
  'Array', 'Map', 'If',
] as const; // prettier-ignore

/** The policy for one endpoint's changes to the list. */
export function createFunctionPolicy({ allow, deny }: FunctionChanges): FunctionPolicy {
  const isDenied = createDenial(deny);
  const families = familiesWithout(isDenied);
  const added = allow.filter((name) => !isDenied(name) && uncheckedBy(name) === undefined);
  if (added.length > 0) families['of this endpoint'] = added;
  const allowed = new Map(
    Object.values(families)
      .flat()
      .map((name) => [name.toLowerCase(), name]),
  );
  const aggregates = new Set((families['aggregate'] ?? []).map((name) => name.toLowerCase()));
  const isAggregate = (folded: string) =>
    aggregates.has(folded) || (!isDenied(folded) && isCombined(folded, aggregates));
  const allows = (name: string) => {
    const folded = name.toLowerCase();
    return allowed.has(folded) || isAggregate(folded);
  };
  const addedNames = new Set(added.map((name) => name.toLowerCase()));
  const known = new Set([...split(DENIED_FUNCTIONS), ...deny].map((name) => name.toLowerCase()));
  return {
    allows,
    allowsAggregate(name) {
      const folded = name.toLowerCase();
      return isAggregate(folded) || addedNames.has(folded);
    },
    denies: (name) => known.has(name.toLowerCase()) && !allows(name),
    aggregates: (name) => isAggregate(name.toLowerCase()),
    nearest: (name) => withoutUnderscores(name, allows, allowed) ?? nearest(name, allowed.values()),
    families: Object.freeze(families),
    combinators: COMBINATORS,
  };
}

/** `count_if` as `countIf`. */
function withoutUnderscores(
  name: string,
  allows: (name: string) => boolean,
  allowed: ReadonlyMap<string, string>,
): string | undefined {
  if (!name.includes('_')) return undefined;
  const folded = name.replaceAll('_', '').toLowerCase();
  if (!allows(folded)) return undefined;
  const camel = name.toLowerCase().replaceAll(/_+(.)/g, (_, letter: string) => letter.toUpperCase());
  return allowed.get(folded) ?? camel;
}

/** Returns whether the engine is known to have such a function, also with combinators; if not, the nearest name. */
export function knownFunction(name: string): {
  readonly isKnown: boolean;
  readonly nearest?: string | undefined;
} {
  if (isEngineFunction(name)) return { isKnown: true };
  return { isKnown: false, nearest: nearest(name, [...ALL_NAMES.values(), ...combinedLike(name)]) };
}

/** Aggregate functions with a combinator that begin like a name: `sumMerge` for `sumMrege`. */
function combinedLike(name: string): readonly string[] {
  const folded = name.toLowerCase();
  const bases = split(FUNCTION_FAMILIES.aggregate.names).filter((base) =>
    folded.startsWith(base.toLowerCase()),
  );
  return bases.flatMap((base) => COMBINATORS.map((combinator) => `${base}${combinator}`));
}

/** Returns whether the engine comes with a function of that name, also with combinators. */
export function isEngineFunction(name: string): boolean {
  const folded = name.toLowerCase();
  return ALL_NAMES.has(folded) || isCombined(folded, AGGREGATES);
}

/** Why no endpoint can allow a function of that name, under any alias or combinator; undefined if it can. */
export function uncheckedBy(name: string): string | undefined {
  const folded = name.toLowerCase();
  const names = [folded, canonicalName(folded), ...basesOf(folded)];
  return names.map(uncheckedReason).find((reason) => reason !== undefined);
}

/** Returns whether a name is denied: directly, by an alias, or as the function under its combinators. */
function createDenial(deny: readonly string[]): (name: string) => boolean {
  const denied = new Set(deny.flatMap((name) => [name.toLowerCase(), canonicalName(name.toLowerCase())]));
  if (denied.size === 0) return () => false;
  return (name) => {
    const folded = name.toLowerCase();
    const canonical = canonicalName(folded);
    // Names such as toInt8OrNull only look like combinators on another function.
    const bases = [...basesOf(folded), ...basesOf(canonical)].filter(
      (base) => AGGREGATES.has(base) || isCombined(base, AGGREGATES),
    );
    return [folded, canonical, ...bases].some((each) => denied.has(each) || denied.has(canonicalName(each)));
  };
}

function familiesWithout(isDenied: (name: string) => boolean): Record<string, readonly string[]> {
  const families = Object.entries(FUNCTION_FAMILIES).map(([family, { names }]) => [
    family,
    split(names).filter((name) => !isDenied(name)),
  ]);
  return Object.fromEntries(families);
}

function split(names: string): string[] {
  return names.trim().split(/\s+/);
}

const AGGREGATES: ReadonlySet<string> = new Set(split(FUNCTION_FAMILIES.aggregate.names.toLowerCase()));

const ALL_NAMES: ReadonlyMap<string, string> = new Map(
  [...Object.values(FUNCTION_FAMILIES).flatMap(({ names }) => split(names)), ...split(DENIED_FUNCTIONS)].map(
    (name) => [name.toLowerCase(), name],
  ),
);

const FOLDED_COMBINATORS = COMBINATORS.map((combinator) => combinator.toLowerCase());

/** `sumIf`, `uniqArrayIf`, …: an allowed aggregate function with combinators. */
function isCombined(folded: string, aggregates: ReadonlySet<string>): boolean {
  return basesOf(folded).some((base) => aggregates.has(base));
}

/** Possible base functions under a name's combinators: for `sumarrayif` they are `sumarray` and `sum`. */
function basesOf(folded: string): readonly string[] {
  const suffix = FOLDED_COMBINATORS.find((combinator) => folded.endsWith(combinator));
  if (suffix === undefined || folded.length === suffix.length) return [];
  const base = folded.slice(0, -suffix.length);
  return [base, ...basesOf(base)];
}
