// Conversions of dates and times to DateTime64: they always succeed for a column of dates or times, but may fail for a string.
// Conversions to types of a smaller range wrap around and mislead the engine's index analysis.
import type { Node } from '../../../sql/clickhouse/tree/nodes.ts';
import {
  argumentsOf,
  definitionsIn,
  nameOf,
  namesOf,
  someNode,
  textOf,
  walk,
  type Subtree,
} from '../../../sql/clickhouse/tree/visit.ts';
import { isDate, isDateTime, isNullable, plainType } from '../../../sql/types/traits.ts';
import type { ClickHouseType } from '../../../sql/types/type.ts';
import { remembered } from '../known-types.ts';
import type { LeakproofContext } from './context.ts';

function isMomentType(type: ClickHouseType): boolean {
  const plain = plainType(type);
  return isDate(plain) || isDateTime(plain);
}

function isNullableMoment(type: ClickHouseType): boolean {
  return isMomentType(type) && isNullable(type);
}

const CONVERSIONS = /^(?:toDateTime64|cast)$/i;
/** With more than six digits, a time in the year 2299 is out of range. */
const TARGET = /^DateTime64(?: \( [0-6](?: , '[^'\\]*')? \))?$/i;

/** Returns whether a call converts a date or time into another, which cannot fail; remembers names, since long queries use a column thousands of times. */
export function createMoments(
  tree: Subtree,
  { tables, types }: Pick<LeakproofContext, 'tables' | 'types'>,
): (call: Node) => boolean {
  // `CAST(x AS DateTime64(3))` fails for NULL.
  const mayBeNull = types.some(isNullableMoment);
  const isMomentColumn = (name: string): boolean =>
    types.of(name).length > 0 && types.of(name).every(isMomentType);
  let read: QueryNames | undefined;
  const names = (): QueryNames => (read ??= namesOfQuery(tree));
  const definitionsOf = (name: string): readonly Node[] => names().definitions.get(name) ?? [];

  /** Returns whether every alias of that name is for a conversion of the column itself. */
  const isOwnName = remembered((name: string) =>
    definitionsOf(name).every(({ kind, parts: [value] }) => {
      if (kind !== 'alias' || value?.kind !== 'call' || !hasTarget(tree, value)) return false;
      const [source] = argumentsOf(value);
      return source?.kind === 'column' && source.to - source.from === 1 && nameOf(tree, source) === name;
    }),
  );

  /** A table of the endpoint, or an alias of one and of nothing else. */
  const isTable = remembered((name: string) => {
    if (types.of(name).length > 0 || names().alone.has(name)) return false;
    return definitionsOf(name).every(({ kind, parts: [table] }) => {
      const isStored = kind === 'source' && table?.kind === 'table' && table.to - table.from === 1;
      return isStored && tables.has(nameOf(tree, table));
    });
  });

  function isMoment(call: Node): boolean {
    if (!CONVERSIONS.test(nameOf(tree, call)) || !hasTarget(tree, call)) return false;
    if (/^cast$/i.test(nameOf(tree, call)) && mayBeNull) return false;
    const [source] = argumentsOf(call);
    if (source?.kind === 'call') return isMoment(source);
    if (source?.kind !== 'column') return false;
    const [first = '', second, ...others] = namesOf(tree, source);
    if (second === undefined) return isMomentColumn(first) && isOwnName(first);
    return others.length === 0 && isMomentColumn(second) && isTable(first);
  }
  return (call) => !names().hasLambdas && isMoment(call);
}

/** Accepts `CAST(… AS Type)` and `toDateTime64(…, digits, 'zone')` whose target is known. */
function hasTarget(tree: Subtree, call: Node): boolean {
  const [, ...others] = argumentsOf(call);
  const [type] = others;
  if (call.parts.length > 1) return false;
  if (type?.kind === 'type') return TARGET.test(textOf(tree, type));
  const isShort = (each: Node): boolean => each.kind === 'string' || /^[0-6]$/.test(textOf(tree, each));
  return !/^cast$/i.test(nameOf(tree, call)) && others.every(isShort);
}

interface QueryNames {
  readonly definitions: ReturnType<typeof definitionsIn>;
  readonly alone: ReadonlySet<string>;
  readonly hasLambdas: boolean;
}

function namesOfQuery(tree: Subtree): QueryNames {
  // The argument of a lambda may have any name.
  const hasLambdas = someNode(tree.root, ({ kind }) => kind === 'lambda');
  return { definitions: definitionsIn(tree), alone: namesAlone(tree), hasLambdas };
}

/** Names that are a column by themselves, or a table after IN. */
function namesAlone(tree: Subtree): ReadonlySet<string> {
  const names = new Set<string>();
  walk(tree.root, (node, parent) => {
    const isTable = node.kind === 'table' && parent?.kind !== 'source';
    if (isTable || (node.kind === 'column' && node.to - node.from === 1)) names.add(nameOf(tree, node));
  });
  return names;
}
