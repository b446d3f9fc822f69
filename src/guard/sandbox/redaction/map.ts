// How maps are redacted inside the engine: keys as well as values. Keys that become equal get a number.
import { quoteString } from '../../../sql/clickhouse/literal.ts';
import { hasType, isAddress, plainType } from '../../../sql/types/traits.ts';
import { innerType, parseType, printType } from '../../../sql/types/type.ts';
import { atOrBelow, exactly, isIn, pathRules, pathsAbove, type PathSet } from './path-rules.ts';
import { hashOf } from './text-functions.ts';
import { changed, masked, SAME } from './redacted-value.ts';
import type { Redact, RedactedValue, Value, ValueSettings } from './redacted-value.ts';

/** The redacted form of a map. */
export function redactedMap(value: Value, settings: ValueSettings, redact: Redact): RedactedValue {
  const { sql, type, depth } = value;
  const [key, item] = [`k${depth}`, `v${depth}`];
  const [keyType, itemType] = [innerType(type), innerType(type, 1)];
  const inner = { rules: undefined, depth: depth + 1 };
  const keys = textual(redact({ ...inner, sql: key, type: keyType }), settings);
  const items = redact({ ...inner, sql: item, type: itemType });
  if (keys.kind === 'dropped' || items.kind === 'dropped') return { kind: 'dropped' };
  const { leftOut, branches } = ruledItems(value, items, settings, redact);
  if (keys.kind === 'same' && items.kind === 'same' && leftOut.length + branches.length === 0) return SAME;
  const source = filtered(sql, leftOut, key, item);
  const plain = items.kind === 'changed' ? items.sql : item;
  const itemSql = branches.length === 0 ? plain : `multiIf(${branches.join(', ')}, ${plain})`;
  const newKey = keys.kind === 'changed' ? keys.type : printType(keyType);
  const newItem = items.kind === 'changed' ? items.type : printType(itemType);
  const newKeys = keys.kind === 'changed' ? distinct(keys.sql, key, source) : `mapKeys(${source})`;
  const newItems =
    itemSql === item
      ? `mapValues(${source})`
      : `arrayMap((${key}, ${item}) -> ${itemSql}, mapKeys(${source}), mapValues(${source}))`;
  const to = `Map(${newKey}, ${newItem})`;
  return changed(`CAST(tuple(${newKeys}, ${newItems}), ${quoteString(to)})`, to);
}

interface RuledItems {
  /** Keys that are left out with their values. */
  readonly leftOut: readonly PathSet[];
  /** Arguments of multiIf: a condition on the key, and the redacted value. */
  readonly branches: readonly string[];
}

/** What rules make of the values at some keys. All values of a map have one type: those that cannot have it are left out. */
function ruledItems(
  { type, rules, depth }: Value,
  items: RedactedValue,
  settings: ValueSettings,
  redact: Redact,
): RuledItems {
  const [key, item, itemType] = [`k${depth}`, `v${depth}`, innerType(type, 1)];
  const isText = plainType(itemType).name === 'String';
  const newItem = items.kind === 'changed' ? items.type : printType(itemType);
  const leftOut: PathSet[] = [];
  const branches: string[] = [];
  // Keys with the same result share one condition, and the result is planned once.
  for (const [action, paths] of grouped(pathRules(rules), (rule) => rule.action)) {
    const set = atOrBelow(paths.map(({ path }) => path));
    if (action === 'drop' || !isText) leftOut.push(set);
    else branches.push(`${isAt(key, set)}, ${instead(action, item, settings)}`);
  }
  for (const same of grouped(pathsAbove(rules), ([, below]) => JSON.stringify(pathRules(below))).values()) {
    const set = exactly(same.map(([path]) => path));
    const redacted = redact({ sql: item, type: itemType, rules: same[0]?.[1], depth: depth + 1 });
    if (isSame(redacted, items)) continue; // nothing inside such a value has a name
    if (redacted.kind === 'changed' && redacted.type === newItem)
      branches.push(`${isAt(key, set)}, ${redacted.sql}`);
    else leftOut.push(set);
  }
  return { leftOut, branches };
}

function grouped<Key, Item>(
  items: readonly Item[],
  keyOf: (item: Item) => Key,
): ReadonlyMap<Key, readonly Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

function isSame(a: RedactedValue, b: RedactedValue): boolean {
  return a.kind === 'changed' && b.kind === 'changed' ? a.sql === b.sql : a.kind === b.kind;
}

/** Addresses cannot be numbered. */
function textual(keys: RedactedValue, { mask }: ValueSettings): RedactedValue {
  return keys.kind === 'changed' && hasType(parseType(keys.type), isAddress)
    ? changed(quoteString(mask), 'String')
    : keys;
}

/** Redacted keys, each but the first of equal ones with a number. */
function distinct(redacted: string, key: string, source: string): string {
  const keys = `arrayMap(${key} -> ${redacted}, mapKeys(${source}))`;
  const numbered = `arrayMap((k, n) -> if(n = 1, k, concat(k, '_', toString(n))), ks, arrayEnumerateUniq(ks))`;
  return `arrayMap(ks -> ${numbered}, [${keys}])[1]`;
}

function filtered(sql: string, leftOut: readonly PathSet[], key: string, item: string): string {
  if (leftOut.length === 0) return sql;
  const conditions = leftOut.map((set) => isAt(key, set));
  return `mapFilter((${key}, ${item}) -> NOT (${conditions.join(' OR ')}), ${sql})`;
}

function isAt(key: string, set: PathSet): string {
  return isIn(`toString(${key})`, set);
}

function instead(action: 'mask' | 'hash', item: string, settings: ValueSettings): string {
  if (action === 'hash') return hashOf(`toString(${item})`);
  const mask = masked(
    { sql: item, type: { name: 'String', arguments: undefined }, rules: undefined, depth: 0 },
    settings,
  );
  return mask.kind === 'changed' ? mask.sql : item;
}
