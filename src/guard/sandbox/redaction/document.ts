// How JSON documents are redacted inside the engine: as text, parsed again.
import { quoteString } from '../../../sql/clickhouse/literal.ts';
import { isAddress, isEnum } from '../../../sql/types/traits.ts';
import {
  changeArguments,
  printArgument,
  printType,
  typeArguments,
  typeOf,
  type ClickHouseType,
  type TypeArgument,
} from '../../../sql/types/type.ts';
import {
  atOrBelow,
  exactly,
  hasPath,
  isIn,
  isMissed,
  pathRules,
  pathsAbove,
  storedExpression,
  type PathRule,
  type PathSet,
} from './path-rules.ts';
import { hashOf } from './text-functions.ts';
import {
  changed,
  type Redact,
  type RedactedValue,
  type Value,
  type ValueSettings,
} from './redacted-value.ts';

/**
 * The redacted form of a document. Paths that a rule names are left out, in any case of letters; those with a mask or a hash are then
 * set, where the document has them as the rule spells them.
 */
export function redactedDocument(value: Value, settings: ValueSettings, redact: Redact): RedactedValue {
  const { sql, type, rules } = value;
  const named = pathRules(rules);
  const paths = `JSONAllPaths(${sql})`;
  const text = settings.functions.document(`toString(${sql})`, paths);
  if (named.length === 0) {
    const to = documentType(type, [], redact);
    return changed(`CAST(${text}, ${quoteString(to)})`, to);
  }
  const atRule = atOrBelow(named.map(({ path }) => path));
  const above = pathsAbove(rules).map(([path]) => path);
  const aboveRule = exactly(above);
  // A path cannot both have a type and be skipped, and its type may not fit what replaces the value.
  const sets = above.length === 0 ? [atRule] : [atRule, aboveRule];
  const untyped = withoutPaths(type, sets);
  const to = documentType(untyped, [], redact);
  const without = (skipped: readonly PathSet[]): string =>
    `toString(CAST(${text}, ${quoteString(documentType(untyped, skipped, redact))}))`;
  const left = without([atRule]);
  // An array or a value where a rule expects an object: what is inside an array has no paths of its own.
  const hasAny = `arrayExists(p -> ${isIn('p', aboveRule)}, ${paths})`;
  const kept = above.length === 0 ? left : `if(${hasAny}, ${without(sets)}, ${left})`;
  const patches = named.flatMap((rule) => patchOf(value, rule, settings, redact));
  const merged = patches.length === 0 ? kept : `JSONMergePatch(${[kept, ...patches].join(', ')})`;
  // SKIP REGEXP cannot normalize names: without all forms of a name in its expression, the document is left out.
  const missed = sets.flatMap((set) => isMissed('p', set) ?? []);
  const hasMissed = `arrayExists(p -> ${missed.join(' OR ')}, ${paths})`;
  const all = missed.length === 0 ? merged : `if(${hasMissed}, '{}', ${merged})`;
  return changed(`CAST(${all}, ${quoteString(to)})`, to);
}

/** A document with nothing but the mask or the hash of a path; an empty one if the path has no value. */
function patchOf(
  { sql, type, depth }: Value,
  { path, action }: PathRule,
  { mask }: ValueSettings,
  redact: Redact,
): readonly string[] {
  const isInTyped = typeArguments(type).some(({ name }) => path.startsWith(`${name ?? ''}.`));
  if (action === 'drop' || isInTyped) return [];
  const value = `getSubcolumn(${sql}, ${quoteString(path)})`;
  const typed = typeArguments(type).find(({ name }) => name === path);
  const rules = { action, byName: new Map<string, never>() };
  const hashed = typed && redact({ sql: value, type: typed.type, rules, depth });
  const hash = hashed?.kind === 'changed' ? hashed.sql : hashOf(`toString(${value})`);
  const instead = action === 'mask' ? quoteString(mask) : hash;
  const names = path.split('.');
  const open = names.map((name) => `{${JSON.stringify(name)}:`).join('');
  const close = '}'.repeat(names.length);
  const patch = `concat(${quoteString(open)}, toJSONString(assumeNotNull(${instead})), ${quoteString(close)})`;
  return [`if(isNull(${value}), '{}', ${patch})`];
}

/** The type without the types of paths in these sets. */
function withoutPaths({ name, arguments: list }: ClickHouseType, sets: readonly PathSet[]): ClickHouseType {
  const isTyped = (argument: TypeArgument): boolean =>
    argument.kind === 'type' && sets.some((set) => hasPath(set, argument.name ?? ''));
  return { name, arguments: list?.filter((argument) => !isTyped(argument)) };
}

/** The type in which a redacted document is parsed: no value of a path with a type can fail to be of it. */
function documentType(type: ClickHouseType, skipped: readonly PathSet[], redact: Redact): string {
  const kept = (type.arguments ?? []).map((argument) => printArgument(withText(argument, redact)));
  const skips = skipped.map((set) => `SKIP REGEXP ${quoteString(storedExpression(set))}`);
  const list = [...kept, ...skips];
  return list.length === 0 ? type.name : `${type.name}(${list.join(', ')})`;
}

function withText(argument: TypeArgument, redact: Redact): TypeArgument {
  if (argument.kind !== 'type' || argument.name === undefined) return argument;
  const value = { sql: 'v', type: argument.type, rules: undefined, depth: 0 };
  const isSame = redact(value).kind === 'same';
  return isSame ? argument : { ...argument, type: textOnly(argument.type) };
}

/** The same type with text in place of addresses, FixedString and Enum. */
function textOnly(type: ClickHouseType): ClickHouseType {
  const isWritten = isAddress(type) || isEnum(type) || type.name === 'FixedString';
  return isWritten ? typeOf('String') : changeArguments(type, textOnly);
}

/** Returns whether a document of the type holds values of this path as they are printed: it can be read alone. */
export function isPlainPath(type: ClickHouseType, path: string): boolean {
  const typed = type.arguments?.find((argument) => argument.kind === 'type' && argument.name === path);
  return typed?.kind !== 'type' || printType(textOnly(typed.type)) === printType(typed.type);
}
