// How JSON documents are redacted inside the engine: as text, parsed again.
import { quoteString } from '../../sql/literal.ts';
import { printArgument, printType, type ClickHouseType, type TypeArgument } from '../../sql/type.ts';
import { keyRules } from './map.ts';
import { documentText } from './text-functions.ts';
import { changed, type Redact, type RedactedValue, type Value } from './redacted-value.ts';

/** The redacted form of a document. Paths that a rule names are left out, whatever the rule; read alone, they follow it. */
export function redactedDocument(value: Value, redact: Redact): RedactedValue {
  const { sql, type, rules } = value;
  const named = keyRules(rules, '').map(({ path }) => path);
  const to = documentType(
    type,
    named.map((path) => `${pattern(path)}(?:[.]|$)`),
    redact,
  );
  const paths = `JSONAllPaths(${sql})`;
  const text = documentText(`toString(${sql})`, paths);
  const whole = `CAST(${text}, ${quoteString(to)})`;
  const above = [...new Set(named.flatMap(pathsAbove))];
  if (above.length === 0) return changed(whole, to);
  // An array or a value where a rule expects an object: what is inside an array has no paths of its own.
  const without = documentType(
    type,
    above.map((path) => `${pattern(path)}$`),
    redact,
  );
  const hasAny = `hasAny(arrayMap(p -> lower(p), ${paths}), [${above.map(quoteString).join(', ')}])`;
  const left = `CAST(toString(CAST(${text}, ${quoteString(without)})), ${quoteString(to)})`;
  return changed(`if(${hasAny}, ${left}, ${whole})`, to);
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
