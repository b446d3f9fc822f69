// Changes of columns and of the paths in them: what a query that reads a path can no longer read in the same way.
import type { Column } from '../../../service/engine/engine.ts';
import { parseType, printType, typeArguments, type ClickHouseType } from '../../../sql/types/type.ts';
import { compareColumnTypes, type ColumnOptions } from '../widening.ts';

/** How a change affects queries that read what changed. `widened`: readers of the result are not affected. */
export type PathChangeKind = 'removed' | 'renamed' | 'retyped' | 'widened';

/** A change of a column, or of a path in it: `column.element.element`. */
export interface PathChange {
  readonly kind: PathChangeKind;
  readonly path: string;
  /** The type; for a renamed path, its new name. Undefined for a removed path. */
  readonly after: string | undefined;
  /** The type. */
  readonly before: string;
  /** It is true if queries that read a path below are not affected. */
  readonly isOfWhole: boolean;
}

/** The changes of a list of columns, at the longest path that contains each. Added columns are no change. */
export function pathChanges(
  before: readonly Column[],
  after: readonly Column[],
  options: ColumnOptions,
): readonly PathChange[] {
  return memberChanges(before.map(toMember), after.map(toMember), { prefix: '', options });
}

/** Returns whether a query that reads `path` is affected. */
export function affects(change: PathChange, path: string): boolean {
  if (path === change.path || change.path.startsWith(`${path}.`)) return true;
  return !change.isOfWhole && path.startsWith(`${change.path}.`);
}

interface Member {
  readonly name: string;
  readonly type: ClickHouseType;
}

function toMember({ name, type }: Column): Member {
  return { name, type: parseType(type) };
}

interface PathContext {
  readonly prefix: string;
  readonly options: ColumnOptions;
}

function memberChanges(
  before: readonly Member[],
  after: readonly Member[],
  context: PathContext,
): readonly PathChange[] {
  const now = new Map(after.map((member) => [member.name, member]));
  const old = new Set(before.map(({ name }) => name));
  const removed = before.filter(({ name }) => !now.has(name));
  const added = after.filter(({ name }) => !old.has(name));
  return before.flatMap((member, index): readonly PathChange[] => {
    const same = now.get(member.name);
    if (same !== undefined) return typeChanges(member, same.type, context);
    const [path, type] = [context.prefix + member.name, printType(member.type)];
    const isAlike = (other: Member): boolean => printType(other.type) === type;
    const alike = added.filter(isAlike);
    const isOnly = alike.length === 1 && removed.filter(isAlike).length === 1;
    const successor = isOnly ? alike[0] : alike.find((other) => after.indexOf(other) === index);
    const [kind, name] =
      successor === undefined ? ['removed' as const] : ['renamed' as const, successor.name];
    return [{ kind, path, before: type, after: name, isOfWhole: false }];
  });
}

function typeChanges(member: Member, after: ClickHouseType, context: PathContext): readonly PathChange[] {
  const { prefix, options } = context;
  const path = prefix + member.name;
  const [before, now] = [printType(member.type), printType(after)];
  if (before === now) return [];
  const change = { path, before, after: now };
  const [inside, insideNow] = [membersOf(member.type), membersOf(after)];
  if (inside !== undefined && insideNow?.shape === inside.shape) {
    const below = memberChanges(inside.members, insideNow.members, { ...context, prefix: `${path}.` });
    const untyped = inside.isOpen ? below.map(toUntyped) : below;
    if (untyped.length > 0) return untyped;
    return [{ ...change, kind: inside.isOpen ? 'widened' : 'retyped', isOfWhole: true }];
  }
  const step = compareColumnTypes(before, now, options);
  if (step === 'same') return [];
  return [{ ...change, kind: step === 'alike' ? 'widened' : 'retyped', isOfWhole: false }];
}

/** A path without a type of its own can still be read. */
function toUntyped(change: PathChange): PathChange {
  const isLost = change.kind === 'removed' || change.kind === 'renamed';
  return isLost ? { ...change, kind: 'retyped', after: 'Dynamic' } : change;
}

interface Members {
  readonly members: readonly Member[];
  /** What surrounds the members; types of different shapes have no paths in common. */
  readonly shape: string;
  /** It is true if paths that are not members can be read. */
  readonly isOpen: boolean;
}

/** The named elements of a Tuple, Nested or JSON, also in arrays; undefined for other types. */
function membersOf(type: ClickHouseType): Members | undefined {
  const { name } = type;
  if (name === 'Array' || name === 'Nullable') {
    const inner = typeArguments(type)[0];
    const members = inner && membersOf(inner.type);
    return members && { ...members, shape: `${name} ${members.shape}` };
  }
  if (name !== 'Tuple' && name !== 'Nested' && name !== 'JSON') return undefined;
  const named = typeArguments(type);
  const members = named.flatMap((each) =>
    each.name === undefined ? [] : { name: each.name, type: each.type },
  );
  return members.length === named.length ? { members, shape: name, isOpen: name === 'JSON' } : undefined;
}
