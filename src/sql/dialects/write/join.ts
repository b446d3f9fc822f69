// How a table is joined: ON, USING, NATURAL.
import { syntax, unconverted, unknown, type Context, type Relation } from '../context.ts';
import { joinSql, type Sql, sql } from '../value.ts';
import type { Expression, FromItem, JoinKind, Name } from '../tree.ts';
import { conditionSql, pathsOf } from './nested.ts';
import { columnOf, columnsByName, inRelations } from './scope.ts';
import { unified } from './unify.ts';

interface Options {
  /** The relations that are joined. */
  readonly added: readonly Relation[];
  readonly context: Context;
}

interface Condition {
  readonly keyword: JoinKind;
  /** Empty for CROSS JOIN. */
  readonly condition: Sql;
  /** The names of USING, in lower case. */
  readonly merged?: ReadonlySet<string>;
}

/** The kind of a join, and its condition. */
export function joinCondition(item: FromItem, earlier: readonly Relation[], options: Options): Condition {
  const names = item.isNatural === true ? common(earlier, options.added, item) : item.using;
  if (names === undefined) return onCondition(item, item.on, { ...options, earlier });
  const { added, context } = options;
  const equal = context.shared.traits.ignoresCase
    ? caselessUsing(names, { item, added, earlier })
    : undefined;
  if (equal === undefined) return using(item, names, { ...options, earlier });
  return { ...onCondition(item, equal, { ...options, earlier }), merged: mergedNames(names) };
}

const mergedNames = (names: readonly Name[]): ReadonlySet<string> =>
  new Set(names.map(({ name }) => name.toLowerCase()));

interface Sides extends Options {
  readonly earlier: readonly Relation[];
}

function onCondition(
  { join, at }: FromItem,
  on: Expression | undefined,
  { added, earlier, context }: Sides,
): Condition {
  if (on === undefined) {
    if (join !== 'CROSS' && (context.shared.isStrict || join !== 'INNER'))
      syntax(at, `${join} JOIN requires ON or USING`);
    return { keyword: 'CROSS', condition: '' };
  }
  const keyword = join === 'CROSS' ? 'INNER' : join;
  const isTrue = on.kind === 'boolean' && on.value;
  if (isTrue && keyword === 'INNER') return { keyword: 'CROSS', condition: '' };
  const relations = [...earlier, ...added];
  const inside = {
    ...inRelations(context, relations),
    isGrouped: false,
    isGuarded: true,
    grouped: undefined,
    isJoin: true,
  };
  if (!context.shared.isStrict && keyword !== 'INNER' && !hasEquality(on, added, relations))
    return unconverted(
      at,
      'join',
      'ClickHouse needs an equality between columns of both tables in the condition of an outer join',
      'Join on an equality, and filter afterwards.',
    );
  const { below } = context.shared.style;
  return { keyword, condition: sql`${below}ON ${conditionSql(on, inside)}` };
}

function using({ join }: FromItem, names: readonly Name[], { earlier, added, context }: Sides): Condition {
  const { style } = context.shared;
  const merged = mergedNames(names);
  const keyword = join === 'CROSS' ? 'INNER' : join;
  if (!context.shared.isStrict) {
    const list = names.map((each) => style.name(spelled(each, added))).join(', ');
    return { keyword, condition: `${style.below}USING (${list})`, merged };
  }
  const pairs = names.map(
    (name) => sql`${usedColumn(name, earlier, context)} = ${usedColumn(name, added, context)}`,
  );
  return { keyword, condition: sql`${style.below}ON ${joinSql(pairs, ' AND ')}`, merged };
}

/** The columns of USING, of a join in which the earlier tables may have no row: those of the table that has one. */
export function mergedColumns(
  names: ReadonlySet<string>,
  { join }: FromItem,
  [earlier, added]: readonly [readonly Relation[], readonly Relation[]],
): Relation {
  const columns = [...names].flatMap((name) => {
    const [left, right] = [earlier, added].map((side) =>
      side.map((relation) => columnOf(relation, { name, at: 0 })).find((each) => each !== undefined),
    );
    if (left === undefined || right === undefined) return [];
    if (join === 'RIGHT') return [right];
    const { sqls, type } = unified([left.value, right.value]);
    return [{ name: left.name, value: { sql: sql`ifNull(${joinSql(sqls)})`, type } }];
  });
  return { alias: undefined, written: '', columns: columnsByName(columns) };
}

function usedColumn(name: Name, relations: readonly Relation[], context: Context): Sql {
  const found = relations.map((relation) => columnOf(relation, name)).find((each) => each !== undefined);
  return found === undefined
    ? unknown(name.at, `USING requires column ${name.name} on both sides`)
    : context.key(found.value).sql;
}

function spelled(name: Name, added: readonly Relation[]): string {
  return added.map((each) => columnOf(each, name)).find((each) => each !== undefined)?.name ?? name.name;
}

function common(earlier: readonly Relation[], added: readonly Relation[], { at }: FromItem): readonly Name[] {
  const known = new Set(earlier.flatMap(({ columns }) => [...(columns?.keys() ?? [])]));
  if ([...earlier, ...added].some(({ columns }) => columns === undefined))
    return unconverted(
      at,
      'join',
      'NATURAL JOIN is converted only if the columns of the tables are known',
      'Write USING (…).',
    );
  return added
    .flatMap(({ columns }) => [...(columns?.values() ?? [])])
    .filter(({ name }) => known.has(name.toLowerCase()))
    .map(({ name }) => ({ name, at }));
}

const EQUALITIES: ReadonlySet<string> = new Set(['=', 'IS NOT DISTINCT FROM', '<=>']);

/** Returns whether a condition has an equality of both sides, in each of its alternatives. */
function hasEquality(on: Expression, added: readonly Relation[], all: readonly Relation[]): boolean {
  if (on.kind === 'chain')
    return on.operator === 'AND'
      ? on.values.some((each) => hasEquality(each, added, all))
      : on.values.every((each) => hasEquality(each, added, all));
  if (on.kind !== 'binary' || !EQUALITIES.has(on.operator)) return false;
  const left = usesOf(on.left, added, all);
  const right = usesOf(on.right, added, all);
  return (left === 'new' && right === 'old') || (left === 'old' && right === 'new');
}

/** Which tables an expression reads: only the joined ones, only earlier ones, or both. */
function usesOf(
  expression: Expression,
  added: readonly Relation[],
  all: readonly Relation[],
): 'new' | 'old' | 'both' | 'none' {
  const isNew = pathsOf(expression).map(([first, second]) => {
    const isNamed = ({ alias }: Relation): boolean =>
      alias !== undefined && alias.toLowerCase() === first?.name.toLowerCase();
    if (second !== undefined && all.some(isNamed)) return added.some(isNamed);
    return first !== undefined && added.some((each) => columnOf(each, first) !== undefined);
  });
  if (isNew.length === 0) return 'none';
  return isNew.every(Boolean) ? 'new' : isNew.some(Boolean) ? 'both' : 'old';
}

interface UsingSides {
  readonly item: FromItem;
  readonly added: readonly Relation[];
  readonly earlier: readonly Relation[];
}

/** The condition that USING means, which compares without regard to case; undefined if no column is known to have strings. */
function caselessUsing(using: readonly Name[], sides: UsingSides): Expression | undefined {
  const { added, earlier, item } = sides;
  const isText = (each: Name): boolean =>
    [...added, ...earlier].some((side) => columnOf(side, each)?.value.type.kind === 'text');
  if (!using.some(isText)) return undefined;
  if (item.join === 'RIGHT' || item.join === 'FULL')
    return unconverted(
      item.at,
      'collation',
      `${item.join} JOIN … USING of strings is not converted`,
      'Write ON.',
    );
  const equalities = using.map((each): Expression => {
    const left = earlier.find((side) => columnOf(side, each) !== undefined)?.alias;
    const right = added.find((side) => columnOf(side, each) !== undefined)?.alias;
    if (left === undefined || right === undefined)
      return unconverted(
        item.at,
        'collation',
        'USING of strings is not converted',
        'Write ON, with aliases.',
      );
    const side = (alias: string): Expression => ({
      kind: 'path',
      parts: [{ name: alias, at: each.at }, each],
      at: each.at,
    });
    return { kind: 'binary', operator: '=', left: side(left), right: side(right), at: each.at };
  });
  const [only, more] = equalities;
  return more === undefined ? only : { kind: 'chain', operator: 'AND', values: equalities, at: item.at };
}
