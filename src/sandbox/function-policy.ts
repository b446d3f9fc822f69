// Which functions one endpoint's consumers may call: the list, what the endpoint adds or takes away, aggregate combinators.
import { nearest } from '../core/nearest.ts';
import { FUNCTION_FAMILIES } from './function-families.ts';
import { REFUSED_FUNCTIONS } from './refused-functions.ts';

export interface FunctionPolicy {
  /** Whether a call of that name is allowed; without case, as for the engine's own case-insensitive functions. */
  allows(name: string): boolean;
  /** Whether the engine is known to have a function of that name which is not allowed. */
  refuses(name: string): boolean;
  /** Whether an allowed function of that name aggregates; combinators included. */
  aggregates(name: string): boolean;
  /** The allowed name nearest to one that is not. */
  nearest(name: string): string | undefined;
  /** Allowed names by family, for people; aggregate functions also come with combinators. */
  readonly families: Readonly<Record<string, readonly string[]>>;
  readonly combinators: readonly string[];
}

/** An endpoint's changes to the list. What it denies is denied, also where it allows it too. */
export interface FunctionChanges {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** Suffixes that make aggregate functions of others; the longer before its own ending. Source: ClickHouse, Combinators. */
const COMBINATORS = [
  'SimpleState', 'OrDefault', 'Distinct', 'Resample', 'ForEach', 'ArgMax', 'ArgMin', 'OrNull', 'Tuple', 'Merge', 'State',
  'Array', 'Map', 'If',
] as const; // prettier-ignore

export function createFunctionPolicy({ allow, deny }: FunctionChanges): FunctionPolicy {
  const denied = new Set(deny.map((name) => name.toLowerCase()));
  const families = familiesWithout(denied);
  const added = allow.filter((name) => !denied.has(name.toLowerCase()));
  if (added.length > 0) families['of this endpoint'] = added;
  const allowed = new Map(
    Object.values(families)
      .flat()
      .map((name) => [name.toLowerCase(), name]),
  );
  const aggregates = new Set((families['aggregate'] ?? []).map((name) => name.toLowerCase()));
  const allows = (name: string) => {
    const folded = name.toLowerCase();
    return allowed.has(folded) || (!denied.has(folded) && isCombined(folded, aggregates));
  };
  const known = new Set([...split(REFUSED_FUNCTIONS), ...deny].map((name) => name.toLowerCase()));
  return {
    allows,
    refuses: (name) => known.has(name.toLowerCase()) && !allows(name),
    aggregates: (name) => {
      const folded = name.toLowerCase();
      return aggregates.has(folded) || (!denied.has(folded) && isCombined(folded, aggregates));
    },
    nearest: (name) => nearest(name, allowed.values()),
    families: Object.freeze(families),
    combinators: COMBINATORS,
  };
}

function familiesWithout(denied: ReadonlySet<string>): Record<string, readonly string[]> {
  const families = Object.entries(FUNCTION_FAMILIES).map(([family, names]) => [
    family,
    split(names).filter((name) => !denied.has(name.toLowerCase())),
  ]);
  return Object.fromEntries(families);
}

function split(names: string): string[] {
  return names.trim().split(/\s+/);
}

const FOLDED_COMBINATORS = COMBINATORS.map((combinator) => combinator.toLowerCase());

/** `sumIf`, `uniqArrayIf`, …: an allowed aggregate function and combinators. */
function isCombined(folded: string, aggregates: ReadonlySet<string>): boolean {
  const suffix = FOLDED_COMBINATORS.find((combinator) => folded.endsWith(combinator));
  if (suffix === undefined || folded.length === suffix.length) return false;
  const base = folded.slice(0, -suffix.length);
  return aggregates.has(base) || isCombined(base, aggregates);
}
