// Which of an endpoint's rules for personal data apply to a result column, or to parts of it.
import type { ColumnAction } from '../redact/columns.ts';
import { plainPath } from '../redact/subcolumn-name.ts';
import { parseType, printType, type ClickHouseType } from '../sql/type.ts';

/** `pii` of an endpoint file, or the compiled policy. */
type Pii = { readonly columns?: Readonly<Record<string, ColumnAction>> } | undefined;

/** The action for a column, or for a path in it, as a whole; undefined if none applies. Names are not case-sensitive. */
export function ruleFor(pii: Pii, name: string): ColumnAction | undefined {
  const folded = foldedPath(name);
  const rules = Object.entries(pii?.columns ?? {}).map(
    ([path, action]) => [foldedPath(path), action] as const,
  );
  return rules.find(([path]) => path === folded || folded.startsWith(`${path}.`))?.[1];
}

/** The paths of the rules for parts of a column, without its name. */
export function partRules(pii: Pii, name: string): readonly string[] {
  const start = `${foldedPath(name)}.`;
  const paths = Object.keys(pii?.columns ?? {}).map(plainPath);
  return paths.filter((path) => path.toLowerCase().startsWith(start)).map((path) => path.slice(start.length));
}

/** Names are compared as redaction does: without case, and without types in a path. */
export function foldedPath(name: string): string {
  return plainPath(name).toLowerCase();
}

/** The type of a redacted result column: an Enum with personal data among its names is shown as the text that it becomes. */
export function redactedType(redaction: EnumNames, name: string, type: string): string {
  if (!type.includes('Enum')) return type;
  const isRuled = ruleFor(redaction, name) !== undefined;
  const finds = redaction.redactor.source?.finds;
  return printType(withoutNames(parseType(type), (text) => isRuled || finds?.(text) === true));
}

type EnumNames = Pii & { readonly redactor: { readonly source: { readonly finds: Finds } | undefined } };
type Finds = (text: string) => boolean;

function withoutNames(type: ClickHouseType, finds: Finds): ClickHouseType {
  const list = type.arguments;
  if (list?.some((each) => each.kind === 'enum' && finds(each.name)) === true)
    return { name: 'String', arguments: undefined };
  const shown = list?.map((each) =>
    each.kind === 'type' ? { ...each, type: withoutNames(each.type, finds) } : each,
  );
  return { ...type, arguments: shown };
}
