// How maps are redacted inside the engine: keys as well as values. Keys that become equal get a number.
import type { ColumnRules } from '../../redact/columns.ts';
import { quoteString } from '../../sql/literal.ts';
import { innerType, printType } from '../../sql/type.ts';
import { hashOf } from './text-functions.ts';
import { changed, masked, SAME } from './redacted-value.ts';
import type { Redact, RedactedValue, Value, ValueSettings } from './redacted-value.ts';

/** A rule and the path below the map that it names. */
export interface KeyRule {
  readonly path: string;
  readonly action: NonNullable<ColumnRules['action']>;
}

/** The redacted form of a map. */
export function redactedMap(value: Value, settings: ValueSettings, redact: Redact): RedactedValue {
  const { sql, type, rules, depth } = value;
  const [key, item] = [`k${depth}`, `v${depth}`];
  const [keyType, itemType] = [innerType(type), innerType(type, 1)];
  const inner = { rules: undefined, depth: depth + 1 };
  const keys = textual(redact({ ...inner, sql: key, type: keyType }), settings);
  const items = redact({ ...inner, sql: item, type: itemType });
  const named = keyRules(rules, '');
  if (keys.kind === 'dropped' || items.kind === 'dropped') return { kind: 'dropped' };
  if (keys.kind === 'same' && items.kind === 'same' && named.length === 0) return SAME;
  const isText = /^(?:(?:Nullable|LowCardinality)\()*String\)*$/.test(printType(itemType));
  // Values that are not text cannot become a mask: their keys are left out.
  const isLeftOut = ({ action }: KeyRule): boolean => action === 'drop' || !isText;
  const source = filtered(sql, named.filter(isLeftOut), depth);
  const plain = items.kind === 'changed' ? items.sql : item;
  const treated = named.filter((rule) => !isLeftOut(rule));
  const branches = treated.map((rule) => `${isAt(key, rule)}, ${instead(rule, item, settings)}`);
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

/** Addresses cannot be numbered. */
function textual(keys: RedactedValue, { mask }: ValueSettings): RedactedValue {
  return keys.kind === 'changed' && /IPv[46]/.test(keys.type) ? changed(quoteString(mask), 'String') : keys;
}

/** Redacted keys, each but the first of equal ones with a number. */
function distinct(redacted: string, key: string, source: string): string {
  const keys = `arrayMap(${key} -> ${redacted}, mapKeys(${source}))`;
  const numbered = `arrayMap((k, n) -> if(n = 1, k, concat(k, '_', toString(n))), ks, arrayEnumerateUniq(ks))`;
  return `arrayMap(ks -> ${numbered}, [${keys}])[1]`;
}

function filtered(sql: string, rules: readonly KeyRule[], depth: number): string {
  if (rules.length === 0) return sql;
  const [key, item] = [`k${depth}`, `v${depth}`];
  return `mapFilter((${key}, ${item}) -> NOT (${rules.map((rule) => isAt(key, rule)).join(' OR ')}), ${sql})`;
}

function isAt(key: string, { path }: KeyRule): string {
  return `(lower(toString(${key})) = ${quoteString(path)} OR startsWith(lower(toString(${key})), ${quoteString(`${path}.`)}))`;
}

function instead({ action }: KeyRule, item: string, settings: ValueSettings): string {
  if (action === 'hash') return hashOf(`toString(${item})`);
  const mask = masked(
    { sql: item, type: { name: 'String', arguments: undefined }, rules: undefined, depth: 0 },
    settings,
  );
  return mask.kind === 'changed' ? mask.sql : item;
}

/** Rules for what is inside a value, with their paths from it. */
export function keyRules(rules: ColumnRules | undefined, prefix: string): readonly KeyRule[] {
  return [...(rules?.byName ?? [])].flatMap(([name, below]): readonly KeyRule[] => {
    const path = `${prefix}${name}`;
    if (below.action !== undefined) return [{ path, action: below.action }];
    return keyRules(below, `${path}.`);
  });
}
