// How JSON documents are redacted inside the engine: as text, parsed again.
import { quoteString } from '../../sql/literal.ts';
import { printArgument, printType, type ClickHouseType, type TypeArgument } from '../../sql/type.ts';
import { keyRules, type KeyRule } from './map.ts';
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
  const to = documentType(type, [], redact);
  const paths = `JSONAllPaths(${sql})`;
  const text = settings.functions.document(`toString(${sql})`, paths);
  const named = keyRules(rules, '');
  if (named.length === 0) return changed(`CAST(${text}, ${quoteString(to)})`, to);
  const without = (patterns: readonly string[]): string =>
    `toString(CAST(${text}, ${quoteString(documentType(type, patterns, redact))}))`;
  const left = without(named.map(({ path }) => `${pattern(path)}(?:[.]|$)`));
  const above = [...new Set(named.flatMap(({ path }) => pathsAbove(path)))];
  // An array or a value where a rule expects an object: what is inside an array has no paths of its own.
  const hasAny = `hasAny(arrayMap(p -> lower(p), ${paths}), [${above.map(quoteString).join(', ')}])`;
  const leftOut = without(above.map((path) => `${pattern(path)}$`));
  const kept = above.length === 0 ? left : `if(${hasAny}, ${leftOut}, ${left})`;
  const patches = named.flatMap((rule) => patchOf(sql, rule, settings));
  const merged = patches.length === 0 ? kept : `JSONMergePatch(${[kept, ...patches].join(', ')})`;
  return changed(`CAST(${merged}, ${quoteString(to)})`, to);
}

/** A document with nothing but the mask or the hash of a path; an empty one if the path has no value. */
function patchOf(sql: string, { path, action }: KeyRule, { mask }: ValueSettings): readonly string[] {
  if (action === 'drop') return [];
  const value = `getSubcolumn(${sql}, ${quoteString(path)})`;
  const instead = action === 'mask' ? quoteString(mask) : hashOf(`toString(${value})`);
  const names = path.split('.');
  const open = names.map((name) => `{${JSON.stringify(name)}:`).join('');
  const close = '}'.repeat(names.length);
  const patch = `concat(${quoteString(open)}, toJSONString(assumeNotNull(${instead})), ${quoteString(close)})`;
  return [`if(isNull(${value}), '{}', ${patch})`];
}

/** `a` and `a.b` of `a.b.c`. */
function pathsAbove(path: string): readonly string[] {
  const names = path.split('.');
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join('.'));
}

function pattern(path: string): string {
  return `(?i)^${path.replaceAll(/[^\w]/g, (sign) => `[${sign === '^' || sign === '\\' ? `\\${sign}` : sign}]`)}`;
}

/** The type in which a redacted document is parsed: no value of a path with a type can fail to be of it. */
function documentType(type: ClickHouseType, skipped: readonly string[], redact: Redact): string {
  const kept = (type.arguments ?? []).map((argument) => printArgument(withText(argument, redact)));
  const skips = skipped.map((regexp) => `SKIP REGEXP ${quoteString(regexp)}`);
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
  if (/^(?:IPv[46]|FixedString|Enum\d*)$/.test(type.name)) return { name: 'String', arguments: undefined };
  const list = type.arguments?.map((each) =>
    each.kind === 'type' ? { ...each, type: textOnly(each.type) } : each,
  );
  return { name: type.name, arguments: list };
}

/** Whether a document of the type holds values of this path as they are printed: it can be read alone. */
export function isPlainPath(type: ClickHouseType, path: string): boolean {
  const typed = type.arguments?.find((argument) => argument.kind === 'type' && argument.name === path);
  return typed?.kind !== 'type' || printType(textOnly(typed.type)) === printType(typed.type);
}
